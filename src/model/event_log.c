#include "model/event_log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/diagnose.h"

enum {
    ANOMALIES_KEPT = 10000, /* maximum number kept of each kind */
};

const char *mp_anomaly_name(mp_anomaly_kind kind)
{
    static const char *const names[MP_ANOMALY_KINDS] = {
        [MP_ANOMALY_DOUBLE_DELETION] = "double-deletion",
        [MP_ANOMALY_BAD_ADDRESS] = "bad-address-deletion",
        [MP_ANOMALY_NONUNIQUE] = "nonunique-allocation",
        [MP_ANOMALY_CORRUPTION] = "heap-corruption",
        [MP_ANOMALY_OTHER_THREAD] = "deletion-by-other-thread",
        [MP_ANOMALY_REPORTED] = "reported-anomaly",
    };
    return names[kind];
}

mp_events *mp_model_events(mp_model *model)
{
    if (!model->events) {
        model->events = mp_alloc_zero(1, sizeof *model->events);
        model->events->temporary = 1;
        (void)MP_ADD(&model->events->anomalies);
        (void)MP_ADD(&model->events->handovers);
        model->holds |= MP_HOLDS_EVENTS;
    }
    return model->events;
}

void mp_events_free(mp_events *events)
{
    if (!events)
        return;
    MP_FREE(events->anomalies.items, events->handovers.items, events->at_peak, events->inference,
            events);
}

/* --- anomalies --- */

static mp_anomaly *add(mp_event_log *log, mp_anomaly_kind kind)
{
    mp_events *events = log->events;
    if (++events->anomaly_counts[kind] > ANOMALIES_KEPT)
        return NULL;
    mp_anomaly *anomaly = MP_ADD(&events->anomalies);
    anomaly->kind = kind;
    anomaly->input = log->input;
    return anomaly;
}

static mp_string_id name_of(const mp_event_log *log, uint32_t thread)
{
    return thread ? log->threads[thread].name : (mp_string_id){0};
}

static mp_event_place place_of(const mp_event_log *log, const mp_event *event)
{
    return (mp_event_place){.line = event->line,
                            .time_us = event->time_us,
                            .thread = name_of(log, event->thread),
                            .node = event->node};
}

void mp_event_log_contradicted(mp_event_log *log, mp_anomaly_kind kind, const mp_event *event,
                               const mp_block *block)
{
    const mp_model *model = log->model;
    mp_anomaly *anomaly = add(log, kind);
    if (kind == MP_ANOMALY_NONUNIQUE) /* a deletion by another thread is no error, so no diagnostic
                                         is reported */
        mp_diagnose(log->diagnostics, MP_DIAG_NONUNIQUE_ALLOCATION, log->path, event->line,
                    "0x%" PRIx64 " is allocated although the block of line %" PRIu64
                    " is alive there: %s",
                    event->address, block->born_line,
                    event->kind == MP_EVENT_OLD ? "the old one is ignored"
                                                : "that block counts as deleted");
    if (!anomaly)
        return;
    anomaly->address = event->address;
    anomaly->bytes = block->bytes;
    anomaly->here = place_of(log, event);
    anomaly->before = (mp_event_place){
        .line = block->born_line,
        .time_us = block->time_us,
        .thread = name_of(log, block->thread),
        .node = model->contexts.items[model->generations.items[block->generation].context.i].node};
}

void mp_event_log_unmatched(mp_event_log *log, const mp_event *event, const mp_freed *freed)
{
    mp_anomaly *anomaly = add(log, freed ? MP_ANOMALY_DOUBLE_DELETION : MP_ANOMALY_BAD_ADDRESS);
    if (freed)
        mp_diagnose(log->diagnostics, MP_DIAG_DOUBLE_DELETION, log->path, event->line,
                    "0x%" PRIx64 " is deleted, but was already deleted in line %" PRIu64
                    "; ignored",
                    event->address, freed->line);
    else
        mp_diagnose(log->diagnostics, MP_DIAG_BAD_ADDRESS, log->path, event->line,
                    "0x%" PRIx64 " is deleted, but no block is known there; ignored",
                    event->address);
    if (!anomaly)
        return;
    anomaly->address = event->address;
    anomaly->here = place_of(log, event);
    if (freed)
        anomaly->before = (mp_event_place){.line = freed->line,
                                           .time_us = freed->time_us,
                                           .thread = name_of(log, freed->thread),
                                           .node = {freed->node}};
}

void mp_event_log_says(mp_event_log *log, mp_anomaly_kind kind, uint64_t line, mp_slice text)
{
    mp_anomaly *anomaly = add(log, kind);
    mp_diagnose(log->diagnostics,
                kind == MP_ANOMALY_CORRUPTION ? MP_DIAG_HEAP_CORRUPTION : MP_DIAG_REPORTED_ANOMALY,
                log->path, line, "the monitor says: %.*s",
                (int)(text.length < 200 ? text.length : 200), text.start);
    if (!anomaly)
        return;
    anomaly->here.line = line;
    anomaly->text = mp_model_intern(log->model, text);
}

static int by_line(const void *left, const void *right)
{
    const mp_anomaly *a = left, *b = right;
    int order = MP_COMPARE(a->here.line, b->here.line);
    return order ? order : MP_COMPARE(a->kind, b->kind);
}

void mp_event_log_order(mp_event_log *log, uint32_t first)
{
    mp_events *events = log->events;
    if (events->anomalies.count > first)
        qsort(events->anomalies.items + first, events->anomalies.count - first,
              sizeof *events->anomalies.items, by_line);
}

void mp_event_log_handover(mp_event_log *log, const mp_block *block, const mp_event *event)
{
    mp_events *events = log->events;
    uint32_t *place =
        mp_id_index_put(&log->handover_index, (uint64_t)block->thread << 32 | event->thread);
    if (!*place) {
        mp_handover *handover = MP_ADD(&events->handovers);
        handover->from = name_of(log, block->thread);
        handover->to = name_of(log, event->thread);
        *place = events->handovers.count - 1;
    }
    events->handovers.items[*place].objects++;
    events->handovers.items[*place].bytes += block->bytes;
    mp_event_log_contradicted(log, MP_ANOMALY_OTHER_THREAD, event, block);
}

/* --- a log --- */

void mp_event_log_open(mp_event_log *log, mp_model *model, mp_diagnostics *diagnostics)
{
    *log = (mp_event_log){
        .model = model, .events = mp_model_events(model), .diagnostics = diagnostics};
}

void mp_event_log_close(mp_event_log *log)
{
    if (log->model->ages)
        mp_ages_settle(log->model->ages);
    log->events->threads += (uint32_t)log->thread_count;
    free(log->threads);
    mp_id_index_free(&log->handover_index);
}

void mp_event_log_count(mp_event_log *log, const mp_event *event)
{
    size_t count = event->thread + 1u, known = log->threads ? log->thread_count + 1 : 0;
    if (count > known) {
        mp_grow(&log->threads, &log->thread_capacity, count, sizeof *log->threads);
        memset(log->threads + known, 0, (count - known) * sizeof *log->threads);
        log->thread_count = count - 1;
    }
    assert(log->threads);
    mp_block_thread *thread = &log->threads[event->thread];
    thread->name = event->thread_name;
    thread->serial++;
}

/* --- inference --- */

bool mp_type_is_real(const mp_model *model, mp_type_id type)
{
    const char *name = mp_model_text(model, model->types.items[type.i].name);
    return type.i && strcmp(name, "novtbl") != 0 && strcmp(name, "notype") != 0;
}

typedef struct typed_count {
    uint32_t node, type;
    int64_t deleted;
} typed_count;

static int by_node_then_type(const void *left, const void *right)
{
    const typed_count *a = left, *b = right;
    int order = MP_COMPARE(a->node, b->node);
    return order ? order : MP_COMPARE(a->type, b->type);
}

static void consider(const mp_model *model, mp_inference *best, uint32_t type, int64_t deleted)
{
    best->deleted += deleted;
    if (!mp_type_is_real(model, (mp_type_id){type}) || deleted < best->typed)
        return;
    const char *name = mp_model_text(model, model->types.items[type].name);
    if (deleted > best->typed || !best->type.i ||
        strcmp(name, mp_model_text(model, model->types.items[best->type.i].name)) < 0)
        best->type = (mp_type_id){type};
    best->typed = deleted;
}

void mp_events_infer(mp_model *model)
{
    mp_events *events = model->events;
    int64_t *deleted = mp_alloc_zero(model->contexts.count, sizeof *deleted);
    typed_count *counts = mp_alloc(model->contexts.count * sizeof *counts);
    size_t count = 0;
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        deleted[model->generations.items[delta->generation.i].context.i] += delta->cost.deleted;
    }
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        const mp_context *context = &model->contexts.items[i];
        if (!context->old && deleted[i])
            counts[count++] = (typed_count){context->node.i, context->type.i, deleted[i]};
    }
    free(deleted);
    qsort(counts, count, sizeof *counts, by_node_then_type);
    free(events->inference);
    events->inference = mp_alloc_zero(model->nodes.count, sizeof *events->inference);
    for (size_t i = 0; i < count;) {
        typed_count sum = counts[i];
        for (i++; i < count && by_node_then_type(&counts[i], &sum) == 0; i++)
            sum.deleted += counts[i].deleted;
        consider(model, &events->inference[sum.node], sum.type, sum.deleted);
    }
    free(counts);
}

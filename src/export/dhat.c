/* A heap in the format of DHAT, version 2. For each stack it has the objects created, their
 * lifetimes, and the objects alive at three moments: the maximum of this stack, the peak of the
 * heap, and the end. Live objects are known only at snapshots. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "export/stacks.h"
#include "model/ages.h"

enum {
    FRAMES = 65, /* maximum frames of a stack */
    /* microseconds; dh_view marks allocations with a shorter average lifetime */
    SHORT_LIVED_US = 10000
};

/* A program point of DHAT, with objects and bytes. */
typedef struct dhat_point {
    int64_t created, created_bytes, lived_us;
    int64_t alive, bytes;     /* at the current snapshot */
    int64_t most, most_bytes; /* at the snapshot where this point has most bytes */
    int64_t peak, peak_bytes; /* at the snapshot where all points together have most bytes */
    size_t touched;           /* index of the last snapshot that changed the point, plus 1 */
} dhat_point;

typedef struct dhat_out {
    mp_json json;
    mp_sites *sites;
    dhat_point *points; /* indexed by node */
    uint32_t *touched;  /* nodes that the current snapshot changed */
    size_t touched_count;
    size_t peak; /* index of the peak in the snapshots */
    int64_t written, frames;
    mp_written_totals totals;
} dhat_out;

/* --- adding up --- */

static int64_t product(int64_t objects, int64_t us)
{
    int64_t total;
    return __builtin_mul_overflow(objects, us, &total) ? INT64_MAX : total;
}

static void add_snapshot(dhat_out *out, size_t place)
{
    mp_sites *sites = out->sites;
    const mp_cost *cost;
    uint32_t node;
    out->touched_count = 0;
    while (mp_sites_next(sites, sites->snapshots[place], &node, &cost)) {
        dhat_point *point = &out->points[node];
        point->created += cost->created;
        point->created_bytes += cost->created_bytes;
        point->alive += mp_cost_live(*cost);
        point->bytes += cost->bytes;
        if (point->touched != place + 1)
            out->touched[out->touched_count++] = node;
        point->touched = place + 1;
    }
    for (size_t i = 0; i < out->touched_count; i++) {
        dhat_point *point = &out->points[out->touched[i]];
        if (point->bytes > point->most_bytes) {
            point->most_bytes = point->bytes;
            point->most = point->alive;
        }
    }
    for (uint32_t i = 0; place == out->peak && i < sites->count; i++) {
        out->points[i].peak = out->points[i].alive;
        out->points[i].peak_bytes = out->points[i].bytes;
    }
}

static void add_life(dhat_out *out, mp_context_id context, int64_t objects, int64_t us)
{
    dhat_point *point = &out->points[out->sites->end_of[context.i]];
    point->lived_us = mp_sum_capped(point->lived_us, product(objects, us > 0 ? us : 0));
}

/* Add lifetimes. Lifetimes of deleted objects are recorded; the lifetime of a live object counts
 * until the end of the recording. */
static void add_lives(dhat_out *out)
{
    const mp_window *window = out->sites->window;
    const mp_model *model = window->model;
    const mp_snapshot *snapshots = window->filter->snapshots;
    const mp_balance *balances = mp_window_balances(window);
    int64_t end_us = snapshots[out->sites->snapshots[out->sites->end]].time_us;
    for (uint32_t i = 1; i < model->ages->rows.count; i++) {
        const mp_age *age = &model->ages->rows.items[i];
        bool counts = age->generation.i
                          ? mp_filter_has_generation(window->filter, age->generation) &&
                                mp_window_before_to(window, age->died)
                          : mp_filter_has_context(window->filter, age->context);
        mp_context_id context =
            age->generation.i ? model->generations.items[age->generation.i].context : age->context;
        if (counts)
            add_life(out, context, age->objects, age->age_us);
    }
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        int64_t alive = mp_cost_live(balances[i].end);
        if (alive > 0)
            add_life(out, generation->context, alive,
                     end_us - snapshots[generation->born.i].time_us);
    }
}

/* --- writing --- */

static void put_head(dhat_out *out)
{
    const mp_sites *sites = out->sites;
    const mp_snapshot *snapshots = sites->window->filter->snapshots;
    const mp_recorded_session *session =
        &sites->window->model->sessions.items[snapshots[sites->snapshots[0]].session.i];
    mp_arena arena = {0};
    mp_json_number(&out->json, "dhatFileVersion", 2);
    mp_json_text(&out->json, "mode", "heap");
    mp_json_text(&out->json, "verb", "Created");
    mp_json_word(&out->json, "bklt", "true");
    mp_json_word(&out->json, "bkacc", "false");
    mp_json_text(&out->json, "bksu", "objects");
    mp_json_text(&out->json, "tu", "\u00b5s");
    mp_json_text(&out->json, "Mtu", "s");
    mp_json_number(&out->json, "tuth", SHORT_LIVED_US);
    mp_json_text(&out->json, "cmd", mp_sites_command(sites, &arena));
    mp_json_number(&out->json, "pid", session->has_process_id ? (int64_t)session->process_id : 0);
    mp_json_number(&out->json, "te", snapshots[sites->snapshots[sites->end]].time_us);
    mp_json_number(&out->json, "tg", snapshots[sites->snapshots[out->peak]].time_us);
    mp_arena_free(&arena);
}

/* Write a point. Frame 0 is [root]; the frame of a place has the place's number. */
static void put_point(dhat_out *out, uint32_t node)
{
    const dhat_point *point = &out->points[node];
    const struct {
        const char *name;
        int64_t value;
    } members[] = {{"tb", point->created_bytes}, {"tbk", point->created}, {"tl", point->lived_us},
                   {"mb", point->most_bytes},    {"mbk", point->most},    {"gb", point->peak_bytes},
                   {"gbk", point->peak},         {"eb", point->bytes},    {"ebk", point->alive}};
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        mp_json_number(&out->json, members[i].name, members[i].value);
    mp_json_open_member(&out->json, "fs", '[');
    uint32_t stack[FRAMES], depth = 0;
    for (; node; node = out->sites->nodes[node].parent) {
        assert(depth < FRAMES);
        stack[depth++] = out->sites->nodes[node].place;
    }
    while (depth) {
        mp_json_next(&out->json);
        mp_json_put_number(&out->json, stack[--depth]);
    }
    mp_json_close(&out->json, ']');
    mp_json_close(&out->json, '}');
    out->written++;
}

static void put_points(dhat_out *out)
{
    mp_written_totals *totals = &out->totals;
    totals->created_objects = totals->created_bytes = totals->live_objects = totals->live_bytes = 0;
    mp_json_open_member(&out->json, "pps", '[');
    for (uint32_t i = 1; i < out->sites->count; i++) {
        const dhat_point *point = &out->points[i];
        if (!point->created && !point->created_bytes && !point->alive && !point->most_bytes)
            continue;
        put_point(out, i);
        totals->created_objects += point->created;
        totals->created_bytes += point->created_bytes;
        totals->live_objects += point->alive;
        totals->live_bytes += point->bytes;
    }
    mp_json_close(&out->json, ']');
}

static void put_frames(dhat_out *out)
{
    static const char root[] = "[root]";
    mp_arena arena = {0};
    mp_json_open_member(&out->json, "ftbl", '[');
    mp_json_next(&out->json);
    mp_json_put_text(&out->json, root, sizeof root - 1);
    for (uint32_t i = 1; i <= out->sites->code.place_count; i++) {
        const char *label = mp_sites_label(out->sites, i, &arena);
        mp_json_next(&out->json);
        mp_json_put_text(&out->json, label, strlen(label));
        mp_arena_free(&arena);
    }
    mp_json_close(&out->json, ']');
}

static void describe(const dhat_out *out, const mp_request *request, mp_document *document)
{
    mp_written(document, request, "heap in the format of DHAT", &out->totals);
    mp_table *table = mp_written_table(document);
    mp_written_rows(document, table, "program points", out->written);
    mp_written_rows(document, table, "frames", (int64_t)out->sites->code.place_count + 1);
}

static bool write_points(mp_sites *sites, const mp_request *request, mp_document *document,
                         mp_error *error)
{
    dhat_out state = {.json = {.file = request->file, .lines = true}, .sites = sites},
             *out = &state;
    (void)error;
    out->points = mp_alloc_zero(sites->count, sizeof *out->points);
    out->touched = mp_alloc(sites->count * sizeof *out->touched);
    out->totals = mp_nothing_written;
    out->totals.truncated_stacks = sites->cut ? sites->cut : MP_UNKNOWN;
    out->peak = mp_sites_peak(sites, sites->end);
    for (size_t i = 0; i <= sites->end; i++)
        add_snapshot(out, i);
    add_lives(out);
    mp_json_open(&out->json, '{');
    put_head(out);
    put_points(out);
    put_frames(out);
    mp_json_close(&out->json, '}');
    fputc('\n', request->file);
    describe(out, request, document);
    free(out->points);
    free(out->touched);
    return true;
}

static bool write_dhat(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_model *model = request->model;
    if (!model->ages)
        return mp_fail(error, MP_ERROR_NO_ANSWER, "it was read without the ages of its objects");
    for (uint32_t i = 1; model->events && i < model->sessions.count; i++)
        if (mp_filter_is_cut(request->filter, i))
            return mp_fail(error, MP_ERROR_INPUT,
                           "lifetimes are known only for a whole log, not up to a snapshot");
    return mp_sites_write(request, document, FRAMES, error, write_points);
}

enum { OF_LOGS = 1, OF_RECORDINGS = 2 }; /* bits that tell the variants apart */

static const mp_heap_arguments defaults;

static const mp_argument arguments[] = {
    MP_SHARES("selection", OF_LOGS | OF_RECORDINGS),
    MP_SHARES("slices", OF_LOGS),
    MP_SHARES("temporary", OF_LOGS),
    MP_SHARES("reorder", OF_LOGS),
    MP_SHARES("skip", OF_LOGS),
};

const mp_exporter mp_exporter_dhat = {
    .name = "dhat",
    .endings = "dhat.out",
    .report = {.name = MP_EXPORT_TO("dhat"),
               .summary = "lifetimes and peaks, for dh_view, Firefox Profiler",
               .wants_ages = true,
               MP_ARGUMENTS(arguments, defaults),
               .variants = {{.needs = MP_HOLDS_EVENTS, .run = write_dhat},
                            {.needs = MP_HOLDS_TIMES, .run = write_dhat}}},
};

#include "session/watch_rows.h"

#include "base/diagnose.h"
#include "base/text.h"
#include "document/checks.h"
#include "model/build.h"
#include "reports/judging.h"

/* The first column is only used for several files. */
static const mp_column columns[] = {
    MP_COLUMN(mp_watch_row, file, "File", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(mp_watch_row, sequence, "#", MP_NUMBER, 0),
    MP_COLUMN(mp_watch_row, tag, "Tag", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(mp_watch_row, time_us, "Time", MP_TIME, MP_MINOR),
    MP_COLUMN(mp_watch_row, live_objects, "Alive", MP_COUNT, MP_MINOR),
    MP_COLUMN(mp_watch_row, live_bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(mp_watch_row, delta_bytes, "Change", MP_BYTES, MP_SIGNED),
    MP_COLUMN(mp_watch_row, grown_bytes, "Grown", MP_BYTES, MP_SIGNED | MP_MINOR),
    MP_COLUMN(mp_watch_row, leaked_objects, "", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_watch_row, leaked_bytes, "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_watch_row, path, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_watch_row, grower_type, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_watch_row, grower_site, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_watch_row, grower_bytes, "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_watch_row, grower, "Grew most so far, leak or not", MP_TEXT,
              MP_FOR_PEOPLE | MP_SHORTEN),
};

static const mp_column event_columns[] = {
    MP_COLUMN(mp_watch_event, event, "", MP_TEXT, 0),
    MP_COLUMN(mp_watch_event, path, "", MP_TEXT, 0),
    MP_COLUMN(mp_watch_event, name, "", MP_TEXT, 0),
    MP_COLUMN(mp_watch_event, limit_bytes, "", MP_BYTES, 0),
    MP_COLUMN(mp_watch_event, actual_bytes, "", MP_BYTES, 0),
    MP_COLUMN(mp_watch_event, message, "", MP_TEXT, 0),
};

mp_document *mp_watch_rows_document(bool several, bool exact_bytes)
{
    mp_document *document = mp_document_new("watch");
    size_t first = !several, count = sizeof columns / sizeof *columns;
    document->exact_bytes = exact_bytes;
    mp_document_table(document, "watch", NULL, MP_ROWS, columns + first, count - first)->main =
        true;
    return document;
}

mp_document *mp_watch_events_document(void)
{
    mp_document *document = mp_document_new("watch");
    MP_TABLE(document, "events", NULL, MP_ROWS, event_columns)->main = true;
    return document;
}

mp_watch_row mp_watch_row_of(mp_arena *arena, const char *path, const mp_model *model,
                             mp_snapshot_id id, const mp_tracked *tracked, bool exact_bytes)
{
    const mp_snapshot *snapshot = &model->snapshots.items[id.i];
    mp_watch_row row = {.path = path,
                        .sequence = (int64_t)snapshot->sequence,
                        .tag = mp_model_text(model, snapshot->tag),
                        .time_us = snapshot->time_us,
                        .live_objects = snapshot->live_objects,
                        .live_bytes = snapshot->live_bytes,
                        .delta_bytes = snapshot->live_bytes - tracked->before_bytes,
                        .grown_bytes = snapshot->live_bytes - tracked->first_bytes,
                        .leaked_objects = tracked->leaked_objects,
                        .leaked_bytes = tracked->leaked_bytes,
                        .grower_bytes = MP_UNKNOWN};
    if (model->holds & MP_HOLDS_UNCOUNTED)
        row.live_objects = row.leaked_objects = MP_UNKNOWN;
    if (tracked->grower.i) {
        char bytes[MP_UNIT_TEXT];
        const mp_context *context = &model->contexts.items[tracked->grower.i];
        mp_format_bytes(bytes, tracked->grower_bytes, exact_bytes, true);
        row.grower_bytes = tracked->grower_bytes;
        row.grower_site = mp_context_place(arena, model, tracked->grower);
        if (!model->events) /* a heap log records the type only when an object is deleted */
            row.grower_type = mp_type_label(arena, model, context->type);
        row.grower =
            mp_arena_format(arena, "%s %s%s%s", bytes, row.grower_type ? row.grower_type : "",
                            row.grower_type ? " at " : "", row.grower_site);
    }
    return row;
}

mp_watch_row mp_watch_row_keep(mp_arena *arena, const mp_watch_row *row)
{
    mp_watch_row kept = *row;
    kept.tag = row->tag ? mp_utf8_copy(arena, row->tag) : NULL;
    kept.grower = row->grower ? mp_utf8_copy(arena, row->grower) : NULL;
    kept.grower_type = kept.grower_site = NULL;
    return kept;
}

const char *mp_watch_worst_leak(mp_model *model, bool exact_bytes, mp_arena *arena)
{
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_error error = {0};
    mp_window window;
    const char *text = NULL;
    int64_t bytes = 0;
    mp_model_build_tree(model, unheard);
    if (mp_window_resolve(model, NULL, NULL, &window, &error)) {
        text = mp_worst_leak_text(arena, &window, &bytes);
        mp_window_free(&window);
    }
    mp_model_drop_tree(model);
    mp_diagnostics_free(unheard);
    if (!text || (!bytes && model->holds & MP_HOLDS_UNSIZED))
        return text;
    return mp_arena_format(arena, "%s, %s",
                           mp_quantity_text(arena, MP_MEASURE_TREND, bytes, exact_bytes), text);
}

/* --- limits --- */

static void exceed(mp_watch_limit *limit, const char *name, const mp_watch_row *row)
{
    limit->name = mp_utf8_copy(&limit->arena, name);
    limit->row = mp_watch_row_keep(&limit->arena, row);
}

void mp_watch_limit_exceed(mp_watch_limit *limit, const mp_check *check, const mp_watch_row *row,
                           const char *dashes)
{
    mp_arena arena = {0};
    mp_check told = *check;
    if (limit->name)
        return;
    told.file = row->path;
    limit->limit_bytes = check->limit_bytes;
    limit->actual_bytes = check->measured_bytes;
    limit->message = mp_utf8_copy(&limit->arena, mp_limit_text(&arena, &told, dashes));
    exceed(limit, check->name, row);
    mp_arena_free(&arena);
}

void mp_watch_limit_hold(mp_watch_limit *limit, const mp_rule *rule, const mp_watch_row *row,
                         mp_model *model, const char *dashes, bool exact_bytes)
{
    const bool cleans_up =
        row->tag && (mp_text_is(row->tag, "_PreCleanUp") || mp_text_is(row->tag, "_Exit"));
    const bool of_growth = rule->measure == MP_MEASURE_GROWTH;
    const bool of_live = rule->measure == MP_MEASURE_LIVE;
    const int64_t number = of_growth ? row->grown_bytes
                           : of_live ? row->live_bytes
                                     : row->leaked_bytes;
    mp_arena arena = {0};
    const mp_rule_context context = {.exact_bytes = exact_bytes};
    const mp_rule_subject whole = {"", number, row->live_bytes - row->grown_bytes, 0};
    const char *most =
        row->grower ? mp_arena_format(&arena, "; grew most, leak or not: %s", row->grower) : "";
    if (limit->name)
        return;
    mp_rule_result result = mp_rule_judge(&context, rule, &whole, 1, most, &arena);
    if (result.verdict == MP_VERDICT_FAIL) {
        const char *worst = mp_watch_worst_leak(model, exact_bytes, &arena);
        if (worst) {
            most = mp_arena_format(&arena, "; worst leak: %s", worst);
            result = mp_rule_judge(&context, rule, &whole, 1, most, &arena);
        }
        mp_check check = mp_check_of(&arena, &result);
        check.note = rule->measure == MP_MEASURE_LEAKED && !cleans_up ? MP_IN_USE : "";
        mp_watch_limit_exceed(limit, &check, row, dashes);
    }
    mp_arena_free(&arena);
}

void mp_watch_limit_judge(mp_watch_limit *limit, const mp_document *gate, const mp_watch_row *row)
{
    size_t index = 0;
    while (index < gate->check_count && gate->checks[index].verdict != MP_VERDICT_FAIL)
        index++;
    if (limit->name || index == gate->check_count)
        return;
    const mp_check *check = &gate->checks[index];
    const char *why = check->message && *check->message ? check->message : check->measured;
    limit->limit_bytes = limit->actual_bytes = MP_UNKNOWN;
    limit->message =
        mp_arena_format(&limit->arena, "%s: %s fails: %s", row->path, check->name, why ? why : "");
    exceed(limit, check->name, row);
}

mp_watch_event mp_watch_limit_event(const mp_watch_limit *limit)
{
    return (mp_watch_event){.event = "limit",
                            .path = limit->row.path,
                            .name = limit->name,
                            .message = limit->message,
                            .limit_bytes = limit->limit_bytes,
                            .actual_bytes = limit->actual_bytes};
}

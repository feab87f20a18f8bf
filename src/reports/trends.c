#include "reports/trends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

enum { SPARKLINE_COLUMNS = 16, SPARKLINE_SIZE = SPARKLINE_COLUMNS * 4 + 1 };

static const char *rate_text(mp_document *document, double rate)
{
    char text[MP_UNIT_TEXT];
    mp_format_byte_rate(text, rate, document->exact_bytes, true);
    return mp_document_text(document, "%s", text);
}

static const mp_snapshot *snapshot_of_step(const mp_model *model, const mp_series *series,
                                           const mp_trend *trend)
{
    return &model->snapshots.at[series->snapshots[trend->step]];
}

mp_trend mp_set_trend(mp_document *document, mp_table *table, const mp_model *model,
                      const mp_series *series, size_t i)
{
    mp_trend trend = mp_trend_of(series->at + i * series->length, series->length);
    if (trend.kind == MP_TREND_TOO_SHORT)
        return trend;
    mp_set_real(table, "slope_bytes_per_snapshot", trend.slope);
    mp_set_real(table, "slope_low_bytes_per_snapshot", trend.low);
    mp_set_real(table, "slope_high_bytes_per_snapshot", trend.high);
    mp_set_text(document, table, "trend", mp_trend_words(trend.kind));
    if (trend.step_size) {
        mp_set_number(table, "jump_sequence",
                      (int64_t)snapshot_of_step(model, series, &trend)->sequence);
        mp_set_number(table, "jump_bytes", trend.step_size);
    }
    return trend;
}

/* "+4.1 KiB at snapshot 2 (Pre 1)" */
static const char *step_text(mp_document *document, const mp_model *model, const mp_series *series,
                             const mp_trend *trend)
{
    const mp_snapshot *snapshot = snapshot_of_step(model, series, trend);
    const char *tag = mp_model_text(model, snapshot->tag);
    return mp_document_text(document, "%s at snapshot %" PRIu64 "%s%s%s",
                            mp_bytes_text(document, trend->step_size, true), snapshot->sequence,
                            *tag ? " (" : "", tag, *tag ? ")" : "");
}

const char *mp_trend_text(mp_document *document, const mp_model *model, const mp_series *series,
                          const mp_trend *trend)
{
    const char *words = mp_trend_words(trend->kind), *range = "", *beside = "";
    if (trend->kind == MP_TREND_JUMP || trend->kind == MP_TREND_DROP)
        return mp_document_text(document, "%s, %s", words,
                                step_text(document, model, series, trend));
    if (trend->kind == MP_TREND_FLAT && trend->high > trend->low)
        words = "no steady trend";
    const char *low = rate_text(document, trend->low), *high = rate_text(document, trend->high);
    if (strcmp(low, high) != 0)
        range = mp_document_text(document, " (%s to %s)", low, high);
    if (trend->step_size)
        beside = mp_document_text(document, ", besides a step of %s",
                                  step_text(document, model, series, trend));
    return mp_document_text(document, "%s, %s a snapshot%s%s", words,
                            rate_text(document, trend->slope), range, beside);
}

const char *mp_sparkline_text(mp_document *document, const mp_series *series, size_t i)
{
    char text[SPARKLINE_SIZE];
    mp_sparkline(series->at + i * series->length, series->length, SPARKLINE_COLUMNS, text,
                 sizeof text);
    return mp_document_text(document, "%s", text);
}

mp_series mp_series_of_groups(const mp_window *window, const mp_grouping *grouping,
                              const mp_group *const *shown, size_t count)
{
    /* Numbers of groups are those of before they were sorted: they lead to the rows. */
    bool frames = grouping->group_of_node != NULL;
    const uint32_t *group_of = frames ? grouping->group_of_node : grouping->group_of;
    uint32_t members = frames ? window->model->tree.count : window->model->generations.count;
    uint32_t *row_of_group = mp_alloc_zero((size_t)grouping->count + 1, sizeof *row_of_group);
    uint32_t *row_of = mp_alloc_zero(members, sizeof *row_of);
    for (size_t i = 0; i < count; i++)
        row_of_group[group_of[frames ? shown[i]->node : shown[i]->example.i]] = (uint32_t)i + 1;
    for (uint32_t i = 0; i < members; i++)
        row_of[i] = row_of_group[group_of[i]];
    mp_series series = frames ? mp_series_of_frames(window, row_of, (uint32_t)count)
                              : mp_series_of(window, row_of, (uint32_t)count);
    free(row_of);
    free(row_of_group);
    return series;
}

static const mp_column trend_columns[] = {
    {"snapshots", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    MP_TREND_COLUMNS,
};

const char *mp_section_trend(mp_document *document, const mp_window *window)
{
    mp_series series = mp_series_of_all(window);
    mp_table *table = MP_TABLE(document, "trend", NULL, MP_RECORD, trend_columns);
    table->name_of_many = "trends";
    table->flags = MP_FOR_PROGRAMS;
    mp_table_row(table);
    mp_set_number(table, "snapshots", (int64_t)series.length);
    mp_trend trend = mp_set_trend(document, table, window->model, &series, 0);
    const char *text = NULL;
    if (trend.kind != MP_TREND_TOO_SHORT)
        text = mp_document_text(document, "All that is alive%s  %s  %s",
                                window->model->sessions.count > 2 ? " in the first session" : "",
                                mp_sparkline_text(document, &series, 0),
                                mp_trend_text(document, window->model, &series, &trend));
    mp_series_free(&series);
    return text;
}

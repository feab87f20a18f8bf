/* Growth: between the ends of a window, or steadily at each of its snapshots. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compare/evaluate.h"
#include "compare/measures.h"
#include "query/trend.h"

/* --- what grows --- */

/* A group of the window's that the rule selects. Those of one label are one. */
typedef struct selected {
    const char *label;
    uint32_t group; /* place in the grouping, + 1 */
    int64_t from, to;
} selected;

typedef struct selection {
    mp_grouping grouping;
    selected *at;
    size_t count;
} selection;

static const char *label_by(mp_evaluation *evaluation, const char *dimension,
                            const mp_generation *generation)
{
    const mp_dimension *by = mp_dimension_find(dimension);
    const mp_model *model = evaluation->rule_context->model;
    int length = by->label(model, generation, NULL, 0);
    char *text = mp_arena_alloc(evaluation->scratch, (size_t)length + 1);
    by->label(model, generation, text, (size_t)length + 1);
    return text;
}

/* A site as rules tell it, without its line. */
static const char *label_of(mp_evaluation *evaluation, const mp_group *group)
{
    const mp_model *model = evaluation->rule_context->model;
    const mp_generation *generation = &model->generations.at[group->example.i];
    if (evaluation->rule->by != MP_BY_SITE)
        return group->label;
    mp_type_id type = mp_site_type(model, &model->contexts.at[generation->context.i]);
    int length = mp_type_label(model, type, NULL, 0);
    char *text = mp_arena_alloc(evaluation->scratch, (size_t)length + 1);
    mp_type_label(model, type, text, (size_t)length + 1);
    return mp_arena_format(evaluation->scratch, "%s at %s", text,
                           label_by(evaluation, "source", generation));
}

static int by_label(const void *left, const void *right)
{
    const selected *a = left, *b = right;
    int order = strcmp(a->label, b->label);
    return order ? order : a->group < b->group ? -1 : a->group > b->group;
}

/* False if recordings of this kind have no such thing. */
static bool select_groups(mp_evaluation *evaluation, const mp_window *window, selection *found)
{
    const mp_dimension *dimension = mp_dimension_find(mp_select_by_name(evaluation->rule->by));
    *found = (selection){.count = 0};
    if (!mp_dimension_fits(dimension, evaluation->rule_context->model)) {
        mp_evaluation_dismiss(evaluation, "%s does not tell a %s",
                              mp_kind_name(evaluation->rule_context->model->kind), dimension->name);
        return false;
    }
    found->grouping = mp_group_by(window, dimension);
    found->at =
        mp_arena_alloc(evaluation->scratch, (found->grouping.count + 1) * sizeof *found->at);
    for (uint32_t i = 0; i < found->grouping.count; i++) {
        const mp_group *group = &found->grouping.groups[i];
        const char *label = label_of(evaluation, group);
        if (mp_rule_matches(evaluation->rule, label))
            found->at[found->count++] =
                (selected){label, i + 1, group->from.bytes, group->to.bytes};
    }
    if (found->count)
        qsort(found->at, found->count, sizeof *found->at, by_label);
    else
        mp_evaluation_find_nothing(evaluation);
    return found->count > 0;
}

/* --- from one end to the other --- */

static void judge_ends(mp_evaluation *evaluation, const mp_window *window)
{
    mp_totals totals = mp_totals_of(window);
    mp_rule_subject whole = {"", totals.live_bytes - totals.from_bytes, totals.from_bytes};
    selection found = {.count = 0};
    if (!evaluation->rule->by) {
        mp_evaluation_decide(evaluation, &whole, 1, "");
        return;
    }
    if (select_groups(evaluation, window, &found)) {
        mp_rule_subject *subjects =
            mp_arena_alloc(evaluation->scratch, found.count * sizeof *subjects);
        size_t count = 0;
        for (size_t i = 0; i < found.count; i++) {
            const selected *at = &found.at[i];
            bool same = count && (!evaluation->rule->each ||
                                  strcmp(subjects[count - 1].label, at->label) == 0);
            if (!same)
                subjects[count++] = (mp_rule_subject){.label = at->label};
            subjects[count - 1].number += at->to - at->from;
            subjects[count - 1].reference += at->from;
        }
        mp_evaluation_decide(evaluation, subjects, count, "");
    }
    mp_grouping_free(&found.grouping);
}

/* --- per snapshot --- */

static int by_value(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* What percentages are of: the first value, or if that is 0 the median. */
static double whole_of(mp_evaluation *evaluation, const int64_t *values, size_t count)
{
    if (values[0])
        return (double)values[0];
    int64_t *sorted = mp_arena_alloc(evaluation->scratch, count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    size_t middle = count / 2;
    return (double)sorted[middle];
}

mp_slope mp_slope_of(mp_evaluation *evaluation, const char *label, const int64_t *values,
                     size_t count)
{
    const mp_rule *rule = evaluation->rule;
    bool of_percent = rule->bound.reference == MP_OF_START;
    mp_slope pace_slope = {.label = label, .trend = mp_trend_of(values, count)};
    double whole = of_percent ? whole_of(evaluation, values, count) : 0;
    double slope = pace_slope.trend.slope;
    pace_slope.limit = of_percent ? (double)rule->bound.share * 100 / (double)MP_WHOLE
                                  : (double)rule->bound.number;
    pace_slope.number = !of_percent ? slope
                        : whole > 0 ? slope * 100 / whole
                        : slope > 0 ? INFINITY
                                    : 0;
    pace_slope.over = rule->comparison == MP_LESS ? pace_slope.number >= pace_slope.limit
                                                  : pace_slope.number > pace_slope.limit;
    pace_slope.fails = pace_slope.over && pace_slope.trend.kind == MP_TREND_GROWS;
    return pace_slope;
}

static const char *slope_text(mp_evaluation *evaluation, double number, bool percent)
{
    if (percent)
        return mp_share_text(evaluation->arena, number);
    return mp_quantity_text(evaluation->arena, MP_MEASURE_GROWTH, llround(number),
                            evaluation->rule_context->exact_bytes);
}

static void tell_slope(mp_evaluation *evaluation, const mp_slope *pace_slope, size_t failed,
                       size_t count, const uint64_t *sequences)
{
    mp_rule_result *rule_result = evaluation->rule_result;
    const mp_rule *rule = evaluation->rule;
    bool of_percent = rule->bound.reference == MP_OF_START;
    bool from_nothing = isinf(pace_slope->number);
    const char *number =
        slope_text(evaluation, from_nothing ? pace_slope->trend.slope : pace_slope->number,
                   of_percent && !from_nothing);
    const char *who =
        rule->each ? mp_arena_format(evaluation->arena, "%s: ", pace_slope->label) : "";
    if (rule->each && failed)
        who = mp_arena_format(evaluation->arena, "%zu of %zu %ss, worst %s: ", failed, count,
                              mp_select_by_name(rule->by), pace_slope->label);
    rule_result->measured_text = mp_arena_format(evaluation->arena, "%s a snapshot", number);
    rule_result->limit_text =
        mp_arena_format(evaluation->arena, "%s %s", mp_comparison_sign(rule->comparison),
                        slope_text(evaluation, pace_slope->limit, of_percent));
    if (pace_slope->fails)
        rule_result->message =
            mp_arena_format(evaluation->arena, "%sgrows steadily, by %s a snapshot", who, number);
    else if (pace_slope->trend.kind == MP_TREND_JUMP)
        rule_result->message = mp_arena_format(
            evaluation->arena, "%sone jump of %s at snapshot %" PRIu64 ", no steady growth", who,
            mp_quantity_text(evaluation->arena, MP_MEASURE_GROWTH, pace_slope->trend.step_size,
                             evaluation->rule_context->exact_bytes),
            sequences[pace_slope->trend.step]);
    else if (pace_slope->over)
        rule_result->message = mp_arena_format(evaluation->arena, "%sdoes not grow steadily", who);
}

void mp_evaluation_decide_slopes(mp_evaluation *evaluation, const mp_slope *slopes, size_t count,
                                 const uint64_t *sequences)
{
    mp_rule_result *rule_result = evaluation->rule_result;
    bool of_percent = evaluation->rule->bound.reference == MP_OF_START;
    size_t worst = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        const mp_slope *a = &slopes[i], *b = &slopes[worst];
        failed += a->fails;
        if (a->fails != b->fails ? a->fails : a->number > b->number)
            worst = i;
    }
    const mp_slope *pace_slope = &slopes[worst];
    rule_result->verdict = failed ? MP_VERDICT_FAIL : MP_VERDICT_PASS;
    rule_result->has_measured = true;
    rule_result->measured = llround(pace_slope->trend.slope);
    rule_result->has_limit = !of_percent;
    rule_result->limit = evaluation->rule->bound.number;
    rule_result->has_measured_percent = of_percent && !isinf(pace_slope->number);
    rule_result->measured_percent = rule_result->has_measured_percent ? pace_slope->number : 0;
    rule_result->has_limit_percent = of_percent;
    rule_result->limit_percent = of_percent ? pace_slope->limit : 0;
    tell_slope(evaluation, pace_slope, failed, count, sequences);
}

static void judge_series(mp_evaluation *evaluation, const mp_series *series,
                         const char *const *labels, size_t count)
{
    const mp_model *model = evaluation->rule_context->model;
    mp_slope *slopes = mp_arena_alloc(evaluation->scratch, (count + 1) * sizeof *slopes);
    uint64_t *sequences =
        mp_arena_alloc(evaluation->scratch, (series->length + 1) * sizeof *sequences);
    if (series->length < MP_TREND_FEWEST) {
        mp_evaluation_dismiss(evaluation,
                              "%zu snapshot%s too few to tell steady growth, expected at "
                              "least %d",
                              series->length, series->length == 1 ? " is" : "s are",
                              MP_TREND_FEWEST);
        return;
    }
    for (size_t i = 0; i < series->length; i++)
        sequences[i] = model->snapshots.at[series->snapshots[i]].sequence;
    for (size_t i = 0; i < count; i++)
        slopes[i] =
            mp_slope_of(evaluation, labels[i], series->at + i * series->length, series->length);
    mp_evaluation_decide_slopes(evaluation, slopes, count, sequences);
}

/* The whole: all generations but those that are kept for reuse. */
static void judge_whole_series(mp_evaluation *evaluation, const mp_window *window)
{
    const mp_model *model = evaluation->rule_context->model;
    static const char *const labels[] = {""};
    uint32_t *group_of =
        mp_arena_alloc(evaluation->scratch, (model->generations.count + 1u) * sizeof *group_of);
    for (uint32_t i = 0; i < model->generations.count; i++)
        group_of[i] = !model->generations.at[i].reusable;
    mp_series series = mp_series_of(window, group_of, 1);
    judge_series(evaluation, &series, labels, 1);
    mp_series_free(&series);
}

static void judge_selected_series(mp_evaluation *evaluation, const mp_window *window)
{
    const mp_model *model = evaluation->rule_context->model;
    selection found;
    if (!select_groups(evaluation, window, &found)) {
        mp_grouping_free(&found.grouping);
        return;
    }
    uint32_t *number_of = mp_alloc_zero(found.grouping.count + 1u, sizeof *number_of), count = 0;
    uint32_t *group_of = mp_alloc_zero(model->generations.count + 1u, sizeof *group_of);
    const char **labels = mp_arena_alloc(evaluation->scratch, found.count * sizeof *labels);
    for (size_t i = 0; i < found.count; i++) {
        bool same =
            count && (!evaluation->rule->each || strcmp(labels[count - 1], found.at[i].label) == 0);
        if (!same)
            labels[count++] = found.at[i].label;
        number_of[found.at[i].group] = count;
    }
    for (uint32_t i = 0; i < model->generations.count; i++)
        group_of[i] = number_of[found.grouping.group_of[i]];
    mp_series series = mp_series_of(window, group_of, count);
    judge_series(evaluation, &series, labels, count);
    mp_series_free(&series);
    mp_grouping_free(&found.grouping);
    free(number_of);
    free(group_of);
}

/* --- windows --- */

static bool has_span(const mp_window *window)
{
    for (uint32_t i = 1; i < window->model->sessions.count; i++)
        if (window->ranges[i].from.i != window->ranges[i].to.i)
            return true;
    return false;
}

static void judge_window(mp_evaluation *evaluation, const mp_window *window)
{
    if (!has_span(window))
        mp_evaluation_dismiss(evaluation, "one snapshot does not tell growth");
    else if (!evaluation->rule->per_snapshot)
        judge_ends(evaluation, window);
    else if (evaluation->rule->by)
        judge_selected_series(evaluation, window);
    else
        judge_whole_series(evaluation, window);
}

void mp_evaluation_of_growth(mp_evaluation *evaluation)
{
    static const char option[] = "--from: ";
    const mp_rule_context *rule_context = evaluation->rule_context;
    const char *after = evaluation->rule->after;
    mp_error error = {0};
    mp_window window;
    if (!rule_context->model || !rule_context->window) {
        mp_evaluation_dismiss(evaluation, "there is no series of snapshots");
    } else if (!after) {
        judge_window(evaluation, rule_context->window);
    } else if (mp_window_resolve(rule_context->model, after, rule_context->to, &window, &error)) {
        judge_window(evaluation, &window);
        mp_window_free(&window);
    } else {
        bool prefixed = strncmp(error.text, option, sizeof option - 1) == 0;
        mp_evaluation_dismiss(evaluation, "after snapshot %s: %s", after,
                              error.text + (prefixed ? sizeof option - 1 : 0));
    }
}

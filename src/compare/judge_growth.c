/* Growth: between the ends of a window, or steadily at each of its snapshots. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/judge.h"
#include "compare/measures.h"
#include "memprof/trend.h"

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

static const char *label_by(mp_hearing *hearing, const char *dimension, const mp_cohort *cohort)
{
    const mp_dimension *by = mp_dimension_find(dimension);
    const mp_model *model = hearing->evidence->model;
    int length = by->label(model, cohort, NULL, 0);
    char *text = mp_arena_alloc(hearing->scratch, (size_t)length + 1);
    by->label(model, cohort, text, (size_t)length + 1);
    return text;
}

/* A site as rules tell it, without its line. */
static const char *label_of(mp_hearing *hearing, const mp_group *group)
{
    const mp_model *model = hearing->evidence->model;
    const mp_cohort *cohort = &model->cohorts.at[group->example.i];
    if (hearing->rule->by != MP_BY_SITE)
        return group->label;
    mp_type_id type = mp_site_type(model, &model->lots.at[cohort->lot.i]);
    int length = mp_type_label(model, type, NULL, 0);
    char *text = mp_arena_alloc(hearing->scratch, (size_t)length + 1);
    mp_type_label(model, type, text, (size_t)length + 1);
    return mp_arena_format(hearing->scratch, "%s at %s", text, label_by(hearing, "source", cohort));
}

static int by_label(const void *left, const void *right)
{
    const selected *a = left, *b = right;
    int order = strcmp(a->label, b->label);
    return order ? order : a->group < b->group ? -1 : a->group > b->group;
}

/* False if recordings of this kind have no such thing. */
static bool select_groups(mp_hearing *hearing, const mp_window *window, selection *found)
{
    const mp_dimension *dimension = mp_dimension_find(mp_select_by_name(hearing->rule->by));
    *found = (selection){.count = 0};
    if (!mp_dimension_fits(dimension, hearing->evidence->model)) {
        mp_hearing_dismiss(hearing, "%s does not tell a %s",
                           mp_kind_name(hearing->evidence->model->kind), dimension->name);
        return false;
    }
    found->grouping = mp_group_by(window, dimension);
    found->at = mp_arena_alloc(hearing->scratch, (found->grouping.count + 1) * sizeof *found->at);
    for (uint32_t i = 0; i < found->grouping.count; i++) {
        const mp_group *group = &found->grouping.groups[i];
        const char *label = label_of(hearing, group);
        if (mp_rule_matches(hearing->rule, label))
            found->at[found->count++] =
                (selected){label, i + 1, group->from.bytes, group->to.bytes};
    }
    if (found->count)
        qsort(found->at, found->count, sizeof *found->at, by_label);
    else
        mp_hearing_find_nothing(hearing);
    return found->count > 0;
}

/* --- from one end to the other --- */

static void judge_ends(mp_hearing *hearing, const mp_window *window)
{
    mp_totals totals = mp_totals_of(window);
    mp_party whole = {"", totals.live_bytes - totals.from_bytes, totals.from_bytes};
    selection found = {.count = 0};
    if (!hearing->rule->by) {
        mp_hearing_decide(hearing, &whole, 1, "");
        return;
    }
    if (select_groups(hearing, window, &found)) {
        mp_party *parties = mp_arena_alloc(hearing->scratch, found.count * sizeof *parties);
        size_t count = 0;
        for (size_t i = 0; i < found.count; i++) {
            const selected *at = &found.at[i];
            bool same =
                count && (!hearing->rule->each || strcmp(parties[count - 1].label, at->label) == 0);
            if (!same)
                parties[count++] = (mp_party){.label = at->label};
            parties[count - 1].number += at->to - at->from;
            parties[count - 1].reference += at->from;
        }
        mp_hearing_decide(hearing, parties, count, "");
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
static double whole_of(mp_hearing *hearing, const int64_t *values, size_t count)
{
    if (values[0])
        return (double)values[0];
    int64_t *sorted = mp_arena_alloc(hearing->scratch, count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    size_t middle = count / 2;
    return (double)sorted[middle];
}

mp_pace mp_pace_of(mp_hearing *hearing, const char *label, const int64_t *values, size_t count)
{
    const mp_rule *rule = hearing->rule;
    bool of_percent = rule->bound.reference == MP_OF_START;
    mp_pace pace = {.label = label, .trend = mp_trend_of(values, count)};
    double whole = of_percent ? whole_of(hearing, values, count) : 0;
    double slope = pace.trend.slope;
    pace.limit = of_percent ? (double)rule->bound.share * 100 / (double)MP_WHOLE
                            : (double)rule->bound.number;
    pace.number = !of_percent ? slope : whole > 0 ? slope * 100 / whole : slope > 0 ? INFINITY : 0;
    pace.over = rule->comparison == MP_LESS ? pace.number >= pace.limit : pace.number > pace.limit;
    pace.fails = pace.over && pace.trend.kind == MP_TREND_GROWS;
    return pace;
}

static const char *pace_text(mp_hearing *hearing, double number, bool percent)
{
    if (percent)
        return mp_share_text(hearing->arena, number);
    return mp_quantity_text(hearing->arena, MP_MEASURE_GROWTH, llround(number),
                            hearing->evidence->exact_bytes);
}

static void tell_pace(mp_hearing *hearing, const mp_pace *pace, size_t failed, size_t count,
                      const uint64_t *sequences)
{
    mp_judgement *judgement = hearing->judgement;
    const mp_rule *rule = hearing->rule;
    bool of_percent = rule->bound.reference == MP_OF_START;
    bool from_nothing = isinf(pace->number);
    const char *number = pace_text(hearing, from_nothing ? pace->trend.slope : pace->number,
                                   of_percent && !from_nothing);
    const char *who = rule->each ? mp_arena_format(hearing->arena, "%s: ", pace->label) : "";
    if (rule->each && failed)
        who = mp_arena_format(hearing->arena, "%zu of %zu %ss, worst %s: ", failed, count,
                              mp_select_by_name(rule->by), pace->label);
    judgement->measured_text = mp_arena_format(hearing->arena, "%s a snapshot", number);
    judgement->limit_text =
        mp_arena_format(hearing->arena, "%s %s", mp_comparison_sign(rule->comparison),
                        pace_text(hearing, pace->limit, of_percent));
    if (pace->fails)
        judgement->message =
            mp_arena_format(hearing->arena, "%sgrows steadily, by %s a snapshot", who, number);
    else if (pace->trend.kind == MP_TREND_JUMP)
        judgement->message = mp_arena_format(
            hearing->arena, "%sone jump of %s at snapshot %" PRIu64 ", no steady growth", who,
            mp_quantity_text(hearing->arena, MP_MEASURE_GROWTH, pace->trend.step_size,
                             hearing->evidence->exact_bytes),
            sequences[pace->trend.step]);
    else if (pace->over)
        judgement->message = mp_arena_format(hearing->arena, "%sdoes not grow steadily", who);
}

void mp_hearing_decide_paces(mp_hearing *hearing, const mp_pace *paces, size_t count,
                             const uint64_t *sequences)
{
    mp_judgement *judgement = hearing->judgement;
    bool of_percent = hearing->rule->bound.reference == MP_OF_START;
    size_t worst = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        const mp_pace *a = &paces[i], *b = &paces[worst];
        failed += a->fails;
        if (a->fails != b->fails ? a->fails : a->number > b->number)
            worst = i;
    }
    const mp_pace *pace = &paces[worst];
    judgement->verdict = failed ? MP_VERDICT_FAIL : MP_VERDICT_PASS;
    judgement->has_measured = true;
    judgement->measured = llround(pace->trend.slope);
    judgement->has_limit = !of_percent;
    judgement->limit = hearing->rule->bound.number;
    judgement->has_measured_percent = of_percent && !isinf(pace->number);
    judgement->measured_percent = judgement->has_measured_percent ? pace->number : 0;
    judgement->has_limit_percent = of_percent;
    judgement->limit_percent = of_percent ? pace->limit : 0;
    tell_pace(hearing, pace, failed, count, sequences);
}

static void judge_series(mp_hearing *hearing, const mp_series *series, const char *const *labels,
                         size_t count)
{
    const mp_model *model = hearing->evidence->model;
    mp_pace *paces = mp_arena_alloc(hearing->scratch, (count + 1) * sizeof *paces);
    uint64_t *sequences =
        mp_arena_alloc(hearing->scratch, (series->length + 1) * sizeof *sequences);
    if (series->length < MP_TREND_FEWEST) {
        mp_hearing_dismiss(hearing,
                           "%zu snapshot%s too few to tell steady growth, expected at "
                           "least %d",
                           series->length, series->length == 1 ? " is" : "s are", MP_TREND_FEWEST);
        return;
    }
    for (size_t i = 0; i < series->length; i++)
        sequences[i] = model->marks.at[series->marks[i]].sequence;
    for (size_t i = 0; i < count; i++)
        paces[i] = mp_pace_of(hearing, labels[i], series->at + i * series->length, series->length);
    mp_hearing_decide_paces(hearing, paces, count, sequences);
}

/* The whole: all cohorts but those that are kept for reuse. */
static void judge_whole_series(mp_hearing *hearing, const mp_window *window)
{
    const mp_model *model = hearing->evidence->model;
    static const char *const labels[] = {""};
    uint32_t *group_of =
        mp_arena_alloc(hearing->scratch, (model->cohorts.count + 1u) * sizeof *group_of);
    for (uint32_t i = 0; i < model->cohorts.count; i++)
        group_of[i] = !model->cohorts.at[i].reusable;
    mp_series series = mp_series_of(window, group_of, 1);
    judge_series(hearing, &series, labels, 1);
    mp_series_free(&series);
}

static void judge_selected_series(mp_hearing *hearing, const mp_window *window)
{
    const mp_model *model = hearing->evidence->model;
    selection found;
    if (!select_groups(hearing, window, &found)) {
        mp_grouping_free(&found.grouping);
        return;
    }
    uint32_t *number_of = mp_alloc_zero(found.grouping.count + 1u, sizeof *number_of), count = 0;
    uint32_t *group_of = mp_alloc_zero(model->cohorts.count + 1u, sizeof *group_of);
    const char **labels = mp_arena_alloc(hearing->scratch, found.count * sizeof *labels);
    for (size_t i = 0; i < found.count; i++) {
        bool same =
            count && (!hearing->rule->each || strcmp(labels[count - 1], found.at[i].label) == 0);
        if (!same)
            labels[count++] = found.at[i].label;
        number_of[found.at[i].group] = count;
    }
    for (uint32_t i = 0; i < model->cohorts.count; i++)
        group_of[i] = number_of[found.grouping.group_of[i]];
    mp_series series = mp_series_of(window, group_of, count);
    judge_series(hearing, &series, labels, count);
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

static void judge_window(mp_hearing *hearing, const mp_window *window)
{
    if (!has_span(window))
        mp_hearing_dismiss(hearing, "one snapshot does not tell growth");
    else if (!hearing->rule->per_snapshot)
        judge_ends(hearing, window);
    else if (hearing->rule->by)
        judge_selected_series(hearing, window);
    else
        judge_whole_series(hearing, window);
}

void mp_hearing_judge_growth(mp_hearing *hearing)
{
    static const char option[] = "--from: ";
    const mp_evidence *evidence = hearing->evidence;
    const char *after = hearing->rule->after;
    char error[512] = "";
    mp_window window;
    if (!evidence->model || !evidence->window) {
        mp_hearing_dismiss(hearing, "there is no series of snapshots");
    } else if (!after) {
        judge_window(hearing, evidence->window);
    } else if (mp_window_resolve(evidence->model, after, evidence->to, &window, error,
                                 sizeof error)) {
        judge_window(hearing, &window);
        mp_window_free(&window);
    } else {
        bool prefixed = strncmp(error, option, sizeof option - 1) == 0;
        mp_hearing_dismiss(hearing, "after snapshot %s: %s", after,
                           error + (prefixed ? sizeof option - 1 : 0));
    }
}

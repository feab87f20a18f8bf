#include "compare/decide.h"

#include <stdlib.h>
#include <string.h>

#include "compare/choice.h"
#include "query/platform.h"
#include "query/suppression.h"

/* --- selection of growing groups --- */

/* A group of the window that the rule selects. Groups with the same label count as one. */
typedef struct selected {
    const char *label;
    uint32_t group; /* 1 + the index of the group; for an area, its id */
    int64_t from, to;
} selected;

typedef struct selection {
    const mp_grouping *grouping; /* grouping of the groups; NULL: the items are areas */
    selected *items;             /* sorted by label */
    size_t count;
    uint32_t groups; /* largest value of `group` */
} selection;

const char *mp_rule_group_label(mp_evaluation *evaluation, const mp_group *group)
{
    const mp_model *model = evaluation->context->model;
    mp_arena *scratch = evaluation->scratch;
    const mp_generation *generation = &model->generations.items[group->example.i];
    mp_type_id type = mp_site_type(model, &model->contexts.items[generation->context.i]);
    uint32_t node = mp_frame_naming(model, (mp_frame){group->node, 0}).node;
    switch (evaluation->rule->by) {
    case MP_BY_SOURCE:
        return mp_tree_label(scratch, model, node);
    case MP_BY_SITE:
        return mp_arena_format(scratch, "%s at %s", mp_type_label(scratch, model, type),
                               mp_tree_label(scratch, model, node));
    case MP_BY_TYPE:
        return mp_dimension_find("type")->label(scratch, model, generation);
    default:
        return group->label;
    }
}

static int by_label(const void *left, const void *right)
{
    return strcmp(((const selected *)left)->label, ((const selected *)right)->label);
}

/* Select areas of platform memory by name. If there is none, judge the rule and return false. */
static bool select_areas(mp_evaluation *evaluation, const mp_window *window, selection *found)
{
    const mp_model *model = window->model;
    mp_platform_span *spans = mp_platform_spans_of(window);
    *found = (selection){
        .items = mp_arena_alloc(evaluation->scratch, model->platforms.count * sizeof *found->items),
        .groups = model->platforms.count};
    for (uint32_t i = 0; i < model->platforms.count; i++) {
        const char *label = mp_platform_label(model, i);
        if (spans[i].told && mp_rule_matches(evaluation->rule, label))
            found->items[found->count++] =
                (selected){label, i, spans[i].from_bytes, spans[i].to_bytes};
    }
    free(spans);
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, by_label);
    else
        mp_evaluation_find_nothing(evaluation);
    return found->count > 0;
}

/* Select groups of the window. If there is none, judge the rule and return false. */
static bool select_groups(mp_evaluation *evaluation, const mp_window *window, selection *found)
{
    if (mp_measure_is_platform(evaluation->rule->measure))
        return select_areas(evaluation, window, found);
    const mp_model *model = evaluation->context->model;
    const mp_dimension *dimension = mp_dimension_find(mp_select_by_name(evaluation->rule->by));
    *found = (selection){.count = 0};
    if (!mp_dimension_fits(dimension, model)) {
        MP_DISMISS(evaluation, "%s does not record a %s", mp_model_name(model), dimension->name);
        return false;
    }
    found->grouping = mp_window_groups(window, dimension, 0);
    found->groups = found->grouping->count;
    found->items =
        mp_arena_alloc(evaluation->scratch, (found->grouping->count + 1) * sizeof *found->items);
    int64_t *held = mp_held_of_groups(window, found->grouping);
    for (uint32_t i = 0; i < found->grouping->count; i++) {
        const mp_group *group = &found->grouping->groups[i];
        const char *label = mp_rule_group_label(evaluation, group);
        if (mp_rule_matches(evaluation->rule, label))
            found->items[found->count++] = (selected){label, i + 1, group->from_bytes, held[i]};
    }
    free(held);
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, by_label);
    else
        mp_evaluation_find_nothing(evaluation);
    return found->count > 0;
}

/* --- growth from start to end --- */

static void judge_ends(mp_evaluation *evaluation, const mp_window *window)
{
    selection found = {.count = 0};
    bool growth = mp_measure_is_growth(evaluation->rule->measure);
    if (!evaluation->rule->by) {
        mp_totals totals = mp_totals_of(window);
        int64_t from = totals.from_bytes, to = mp_window_held(window);
        if (mp_measure_is_platform(evaluation->rule->measure)) {
            mp_platform_span platform_span = mp_platform_span_of_all(window);
            from = platform_span.from_bytes;
            to = platform_span.to_bytes;
        }
        mp_rule_subject whole = {"", to - (growth ? from : 0), from, 0};
        mp_evaluation_decide(evaluation, &whole, 1);
    } else if (select_groups(evaluation, window, &found)) {
        mp_rule_subject *subjects =
            mp_arena_alloc(evaluation->scratch, found.count * sizeof *subjects);
        for (size_t i = 0; i < found.count; i++)
            subjects[i] = (mp_rule_subject){found.items[i].label,
                                            found.items[i].to - (growth ? found.items[i].from : 0),
                                            found.items[i].from, 0};
        mp_evaluation_decide(evaluation, subjects, found.count);
    }
}

/* --- growth per snapshot --- */

/* State of a rule per snapshot. Each row is a series to judge: the whole recording, or all selected
 * groups together, or the groups of one label. */
typedef struct pace_rule {
    selection found;
    uint32_t *row_of;
    const char **labels;
    uint32_t count;
    mp_slope *slopes; /* worst slope of each row in the sessions so far */
    bool judged;      /* `slopes` is set */
    size_t longest;   /* number of snapshots of the longest session */
} pace_rule;

typedef struct row_range {
    uint32_t first, count;
} row_range;

/* Return the series of a range of rows. The first row of the range is row 0 of the result. */
static mp_series series_of(const mp_evaluation *evaluation, const mp_window *window,
                           const pace_rule *pace, uint32_t session, row_range rows)
{
    const uint32_t groups = pace->found.groups;
    uint32_t *row_of = pace->row_of ? mp_alloc((groups + 1u) * sizeof *row_of) : NULL;
    for (uint32_t i = 0; row_of && i <= groups; i++) {
        const uint32_t row = pace->row_of[i];
        row_of[i] = row > rows.first && row - rows.first <= rows.count ? row - rows.first : 0;
    }
    mp_series series =
        mp_measure_is_platform(evaluation->rule->measure)
            ? mp_series_of_platform(window, session, row_of, rows.count)
            : mp_series_held(window, session, pace->found.grouping, row_of, rows.count);
    free(row_of);
    return series;
}

/* Return true if a session has too few snapshots to tell if its growth is a leak. With the option
 * to judge part of a recording, other sessions are judged without it. */
static bool is_untold(const mp_evaluation *evaluation, const mp_window *window, uint32_t session)
{
    const bool platform = mp_measure_is_platform(evaluation->rule->measure);
    const bool others = evaluation->context->partly && window->model->sessions.count > 2;
    const mp_leak_verdict *verdict = platform || others ? NULL : mp_window_verdict(window);
    return verdict &&
           (verdict->grew[session] ||
            (verdict->of_session[session] && verdict->of_session[session] < MP_VERDICT_MOMENTS));
}

/* Judge the rows of one session. Sessions that are too short are not judged. */
static void judge_rows(mp_evaluation *evaluation, const mp_window *window, uint32_t session,
                       pace_rule *pace, row_range rows)
{
    const mp_model *model = window->model;
    const bool untold = is_untold(evaluation, window, session);
    mp_series series = series_of(evaluation, window, pace, session, rows);
    uint64_t *sequences =
        mp_arena_alloc(evaluation->scratch, (series.length + 1) * sizeof *sequences);
    for (size_t i = 0; i < series.length; i++)
        sequences[i] = model->snapshots.items[series.snapshots[i]].sequence;
    for (uint32_t i = 0; i < rows.count && series.length >= MP_TREND_FEWEST; i++) {
        mp_slope slope = mp_slope_of(evaluation, pace->labels[rows.first + i],
                                     mp_series_trend(&series, i, session),
                                     series.items + i * series.length, series.length);
        slope.untold |= untold && slope.over && !slope.fails;
        slope.sequences = sequences;
        if (model->sessions.count > 2)
            slope.session = mp_model_text(model, model->sessions.items[session].session_id);
        if (!pace->judged || mp_slope_is_worse(&slope, &pace->slopes[rows.first + i]))
            pace->slopes[rows.first + i] = slope;
    }
    evaluation->choices->looked += model->deltas.count + rows.count * (uint64_t)series.length;
    pace->longest = series.length > pace->longest ? series.length : pace->longest;
    mp_series_free(&series);
}

/* Judge a session in batches of rows. Return false if the session has too few snapshots. */
static bool judge_session(mp_evaluation *evaluation, const mp_window *window, uint32_t session,
                          pace_rule *pace)
{
    const size_t longest = pace->longest;
    pace->longest = 0;
    const uint32_t batch = mp_series_batch(window);
    for (uint32_t first = 0; first < pace->count; first += batch) {
        const uint32_t left = pace->count - first;
        judge_rows(evaluation, window, session, pace,
                   (row_range){first, left < batch ? left : batch});
    }
    const bool judged = pace->longest >= MP_TREND_FEWEST;
    pace->judged |= judged;
    pace->longest = pace->longest > longest ? pace->longest : longest;
    return judged;
}

/* Judge a rule per snapshot. Sessions are judged one by one. The series of the whole recording has
 * all generations except those that the runtime keeps for reuse. */
static void judge_series(mp_evaluation *evaluation, const mp_window *window)
{
    bool whole = !evaluation->rule->by,
         platform = mp_measure_is_platform(evaluation->rule->measure);
    pace_rule pace = {.count = whole};
    if (!whole && !select_groups(evaluation, window, &pace.found))
        return;
    if (whole && !platform) {
        pace.found.grouping = mp_window_groups(window, mp_dimension_find("type"), 0);
        pace.found.groups = pace.found.grouping->count;
    }
    pace.labels = mp_alloc_zero(pace.found.count + 1, sizeof *pace.labels);
    pace.labels[0] = "";
    if (!whole || !platform)
        pace.row_of = mp_alloc_zero(pace.found.groups + 1u, sizeof *pace.row_of);
    for (uint32_t i = 1; whole && !platform && i <= pace.found.groups; i++)
        pace.row_of[i] = 1;
    for (size_t i = 0; i < pace.found.count; i++) {
        const char *label = pace.found.items[i].label;
        if (!pace.count ||
            (evaluation->rule->each && strcmp(pace.labels[pace.count - 1], label) != 0))
            pace.labels[pace.count++] = label;
        pace.row_of[pace.found.items[i].group] = pace.count;
    }
    pace.slopes = mp_arena_alloc(evaluation->scratch, pace.count * sizeof *pace.slopes);
    uint32_t too_short = 0;
    for (uint32_t i = 1; i < window->model->sessions.count; i++)
        if (window->ranges[i].to.i && !judge_session(evaluation, window, i, &pace))
            too_short = i;
    if (pace.judged)
        mp_evaluation_decide_slopes(evaluation, pace.slopes, pace.count);
    if (pace.judged && too_short && !evaluation->context->partly &&
        evaluation->result->verdict == MP_VERDICT_PASS)
        MP_DISMISS(evaluation,
                   "session %u of %u has too few snapshots to detect steady growth, expected at "
                   "least %d (%sallow-torn judges the others)",
                   too_short, window->model->sessions.count - 1, MP_TREND_FEWEST,
                   evaluation->context->dashes);
    if (!pace.judged)
        MP_DISMISS(evaluation,
                   "%zu snapshot%s too few to detect steady growth, expected at least %d",
                   pace.longest, pace.longest == 1 ? " is" : "s are", MP_TREND_FEWEST);
    free(pace.labels);
    free(pace.row_of);
}

/* --- steady leaks --- */

/* Return the steady leaks as subjects, one for each selected group, or one for the whole recording.
 * The reference is the amount alive at `from`. `session` 0 stands for all sessions. */
static mp_rule_subject *leaking_subjects(mp_evaluation *evaluation, const mp_window *window,
                                         const selection *found, uint32_t session)
{
    const mp_model *model = window->model;
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    const mp_balance *balances = mp_window_balances(window);
    size_t count = found->grouping ? found->count : 1;
    mp_rule_subject *subjects = mp_arena_alloc(evaluation->scratch, count * sizeof *subjects);
    mp_rule_subject *groups = mp_alloc_zero(found->groups + 1u, sizeof *groups);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        if (session && model->snapshots.items[generation->born.i].session.i != session)
            continue;
        mp_rule_subject *group = &groups[found->grouping ? found->grouping->group_of[i] : 0];
        group->number += mp_verdict_bytes(window, verdict, i);
        group->reference += balances[i].from_bytes;
    }
    for (size_t i = 0; i < count; i++) {
        subjects[i] = groups[found->grouping ? found->items[i].group : 0];
        subjects[i].label = found->grouping ? found->items[i].label : "";
    }
    free(groups);
    return subjects;
}

/* Set the bytes that leak in the base. Return false, after dismissing the rule, if they are not
 * known. */
static bool leaking_of_base(mp_evaluation *evaluation, int64_t *bytes)
{
    const mp_digest *base = evaluation->context->base;
    const char *why = base->kept ? "is a baseline, which does not store leaks"
                      : !(base->holds & MP_HOLDS_SITES) ? "has no allocation sites"
                      : base->leaks_unknown             ? "has too few snapshots to tell what leaks"
                                                        : NULL;
    *bytes = 0;
    for (uint32_t i = 0; i < base->lists[MP_LEVEL_SITE].count; i++)
        *bytes += base->lists[MP_LEVEL_SITE].items[i].amounts.leaking_bytes;
    if (why)
        mp_evaluation_dismiss(evaluation, mp_arena_format(evaluation->arena, "the base %s", why));
    return !why;
}

static void judge_trend(mp_evaluation *evaluation, const mp_window *window)
{
    selection found = {.count = 0};
    const bool of_base = evaluation->rule->bound.reference == MP_OF_BASE;
    int64_t base_bytes = 0;
    if (of_base && !leaking_of_base(evaluation, &base_bytes))
        return;
    const bool unknown = mp_verdict_is_unknown(window);
    const bool known_to_leak = mp_window_verdict(window)->bytes > 0;
    if ((!unknown || known_to_leak) &&
        (!evaluation->rule->by || select_groups(evaluation, window, &found))) {
        mp_rule_subject *subjects = leaking_subjects(evaluation, window, &found, 0);
        if (of_base)
            subjects->reference = base_bytes;
        mp_evaluation_decide(evaluation, subjects, found.grouping ? found.count : 1);
    }
    /* Judge incomplete leaks: if the known leaks exceed the limit, the rule fails. Otherwise it is
     * dismissed, because more may leak than the snapshots show. */
    if (unknown && evaluation->result->verdict != MP_VERDICT_FAIL)
        mp_evaluation_dismiss(evaluation, mp_verdict_refusal(evaluation->arena, window));
}

/* Convert the steady leaks of a session to leaks per snapshot, rounded up. A percentage refers to
 * the initial amount; subjects without an initial amount are dropped. Return the number of subjects
 * left. */
static size_t per_moment(const mp_evaluation *evaluation, mp_rule_subject *subjects, size_t count,
                         uint32_t moments)
{
    bool of_start = evaluation->rule->bound.reference == MP_OF_START;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (of_start && !subjects[i].reference)
            continue;
        subjects[left] = subjects[i];
        subjects[left++].number = (subjects[i].number + moments - 1) / moments;
    }
    return left;
}

/* Warn if growth is within its limit only because other memory was freed, while steady leaks exceed
 * the limit. */
static void warn_of_hidden(mp_evaluation *evaluation, const mp_window *window)
{
    const mp_rule *rule = evaluation->rule;
    bool upper = rule->comparison == MP_AT_MOST || rule->comparison == MP_LESS;
    selection found = {.count = 0};
    if (rule->measure != MP_MEASURE_GROWTH || evaluation->trend_held || !upper ||
        evaluation->result->verdict != MP_VERDICT_PASS || !evaluation->result->has_measured ||
        (rule->by && !select_groups(evaluation, window, &found)))
        return;
    const size_t count = rule->by ? found.count : 1;
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    if (!rule->per_snapshot)
        mp_evaluation_warn(evaluation, leaking_subjects(evaluation, window, &found, 0), count, "");
    for (uint32_t i = 1; rule->per_snapshot && i < window->model->sessions.count; i++) {
        if (verdict->of_session[i] < MP_VERDICT_MOMENTS || *evaluation->result->warning)
            continue;
        mp_rule_subject *subjects = leaking_subjects(evaluation, window, &found, i);
        size_t left = per_moment(evaluation, subjects, count, verdict->of_session[i]);
        if (left)
            mp_evaluation_warn(evaluation, subjects, left, " a snapshot");
    }
}

/* --- windows --- */

static void judge_window(mp_evaluation *evaluation, const mp_window *window)
{
    enum { TELLING = 4 }; /* cost of a generation; the unit is the comparison of two names */
    mp_measure measure = evaluation->rule->measure;
    evaluation->choices->looked += TELLING * (uint64_t)window->model->generations.count;
    /* platform memory is judged only at the end of the window */
    bool grows = measure != MP_MEASURE_PLATFORM;
    if (mp_measure_is_platform(measure) && !mp_platform_span_of_all(window).told)
        MP_DISMISS(evaluation, "%s does not record platform memory", mp_model_name(window->model));
    else if (grows && !mp_window_has_span(window))
        MP_DISMISS(evaluation, MP_ONE_SNAPSHOT);
    else if (measure == MP_MEASURE_TREND)
        judge_trend(evaluation, window);
    else if (grows && evaluation->rule->per_snapshot)
        judge_series(evaluation, window);
    else
        judge_ends(evaluation, window);
    warn_of_hidden(evaluation, window);
    const mp_rule *rule = evaluation->rule;
    const bool upper = rule->comparison == MP_AT_MOST || rule->comparison == MP_LESS;
    const bool told =
        evaluation->result->verdict == MP_VERDICT_FAIL || *evaluation->result->warning;
    const char *most = told && upper && !rule->by && !rule->per_snapshot
                           ? mp_most_of_whole(evaluation, window)
                           : NULL;
    if (most)
        mp_evaluation_add(evaluation, most);
}

bool mp_rule_window(const mp_evaluation *evaluation, mp_window *window, mp_error *error)
{
    const mp_window *whole = evaluation->context->window;
    if (!mp_window_of(whole->filter, evaluation->rule->after, evaluation->context->window_end,
                      window, error))
        return false;
    if (whole->suppressed)
        mp_window_suppress(window, whole->suppressed->suppressions);
    return true;
}

void mp_evaluation_of_growth(mp_evaluation *evaluation)
{
    const mp_rule_context *context = evaluation->context;
    const char *after = evaluation->rule->after;
    mp_error error = {0};
    mp_window window;
    char why[sizeof error.text];
    if (!context->model || !context->window) {
        MP_DISMISS(evaluation, "there is no series of snapshots");
    } else if (context->model->misplaced) {
        mp_evaluation_dismiss(evaluation, mp_dump_order_text(evaluation->arena, context->model));
    } else if (!after) {
        judge_window(evaluation, context->window);
    } else if (mp_rule_window(evaluation, &window, &error)) {
        judge_window(evaluation, &window);
        mp_window_free(&window);
    } else {
        MP_DISMISS(evaluation, "after snapshot %s: %s", after,
                   mp_spell(why, sizeof why, error.text, context->dashes));
    }
}

/* Slopes: growth per snapshot, compared with the limit of a rule. */
#include <inttypes.h>
#include <math.h>

#include "compare/decide.h"

/* Return the upper median by bisection, without sorting the values. */
static int64_t median_of(const int64_t *values, size_t count)
{
    int64_t low = values[0], high = values[0];
    for (size_t i = 1; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    while (low < high) {
        const int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        size_t up_to = 0;
        for (size_t i = 0; i < count; i++)
            up_to += values[i] <= middle;
        if (up_to > count / 2)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Return the value to which percentages refer: the first value or, if that is 0, the median. */
static double whole_of(const int64_t *values, size_t count)
{
    return (double)(values[0] ? values[0] : median_of(values, count));
}

static bool is_step(const mp_slope *slope)
{
    return slope->trend.kind == MP_TREND_JUMP || slope->trend.kind == MP_TREND_DROP;
}

mp_slope mp_slope_of(mp_evaluation *evaluation, const char *label, mp_trend trend,
                     const int64_t *values, size_t count)
{
    const mp_rule *rule = evaluation->rule;
    mp_slope slope = {.label = label, .trend = trend, .limit = (double)rule->bound.number};
    slope.number = slope.trend.slope;
    if (rule->bound.reference == MP_OF_START) {
        double whole = whole_of(values, count);
        slope.limit = (double)rule->bound.share * 100 / (double)MP_WHOLE;
        slope.number = whole > 0 ? slope.number * 100 / whole : slope.number > 0 ? INFINITY : 0;
    }
    slope.over =
        rule->comparison == MP_LESS ? slope.number >= slope.limit : slope.number > slope.limit;
    slope.fails = slope.over && slope.trend.kind == MP_TREND_GROWS;
    /* it grows besides a step, but too few values are left to be sure */
    slope.untold = slope.over && is_step(&slope) && slope.trend.low > 0;
    return slope;
}

static const char *slope_text(mp_evaluation *evaluation, double number, bool percent)
{
    if (percent)
        return mp_share_text(evaluation->arena, number);
    return mp_quantity_text(evaluation->arena, MP_MEASURE_GROWTH, llround(number),
                            evaluation->context->exact_bytes);
}

static void set_texts(mp_evaluation *evaluation, const mp_slope *slope, size_t failed, size_t count)
{
    mp_arena *arena = evaluation->arena;
    mp_rule_result *result = evaluation->result;
    const mp_rule *rule = evaluation->rule;
    bool of_percent = rule->bound.reference == MP_OF_START, from_nothing = isinf(slope->number);
    const char *number = slope_text(evaluation, from_nothing ? slope->trend.slope : slope->number,
                                    of_percent && !from_nothing);
    const mp_step *step = &slope->trend.steps[0];
    const char *who = "";
    if (rule->each && failed)
        who = mp_arena_format(evaluation->scratch, "%zu of %zu %ss, worst %s: ", failed, count,
                              mp_select_by_name(rule->by), slope->label);
    else if (rule->each)
        who = mp_arena_format(evaluation->scratch, "%s: ", slope->label);
    if (slope->session)
        who = mp_arena_format(evaluation->scratch, "%ssession %s ", who, slope->session);
    result->measured_text = mp_arena_format(arena, "%s a snapshot", number);
    result->limit_text = mp_arena_format(arena, "%s %s", mp_comparison_sign(rule->comparison),
                                         slope_text(evaluation, slope->limit, of_percent));
    if (slope->fails)
        result->message = mp_arena_format(arena, "%sgrows steadily, by %s a snapshot", who, number);
    else if (slope->trend.kind == MP_TREND_JUMP ||
             (slope->trend.kind == MP_TREND_DROP && slope->over))
        result->message = mp_arena_format(
            arena, "%sone %s of %s at snapshot %" PRIu64 ", %s", who,
            step->size > 0 ? "jump" : "drop",
            slope_text(evaluation, fabs((double)step->size), false), slope->sequences[step->place],
            slope->trend.low > 0 ? "too few other values to detect growth" : "no steady growth");
    else if (slope->untold)
        result->message = mp_arena_format(
            arena, "%sgrows by %s a snapshot, but at too few snapshots to tell if that is steady",
            who, number);
    else if (slope->over)
        result->message = mp_arena_format(arena, "%sdoes not grow steadily", who);
}

bool mp_slope_is_worse(const mp_slope *slope, const mp_slope *than)
{
    return slope->fails != than->fails     ? slope->fails
           : slope->untold != than->untold ? slope->untold
                                           : slope->number > than->number;
}

void mp_evaluation_decide_slopes(mp_evaluation *evaluation, const mp_slope *slopes, size_t count)
{
    mp_rule_result *result = evaluation->result;
    const mp_slope *worst = slopes;
    size_t failed = 0;
    evaluation->failed = mp_arena_alloc(evaluation->scratch, count * sizeof *evaluation->failed);
    for (const mp_slope *state = slopes; state < slopes + count; state++) {
        if (state->fails)
            evaluation->failed[failed++] = state->label;
        if (mp_slope_is_worse(state, worst))
            worst = state;
    }
    evaluation->failed_count = failed;
    result->verdict = failed ? MP_VERDICT_FAIL : worst->untold ? MP_VERDICT_ERROR : MP_VERDICT_PASS;
    result->has_measured = true;
    result->measured = llround(worst->trend.slope);
    result->has_limit_percent = evaluation->rule->bound.reference == MP_OF_START;
    result->has_limit = !result->has_limit_percent;
    if (result->has_limit) {
        result->limit = evaluation->rule->bound.number;
    } else {
        result->limit_percent = worst->limit;
        result->has_measured_percent = !isinf(worst->number);
        result->measured_percent = result->has_measured_percent ? worst->number : 0;
    }
    set_texts(evaluation, worst, failed, count);
}

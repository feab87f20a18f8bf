#include "compare/decide.h"
#include "base/glob.h"

#include <stdlib.h>
#include <string.h>

#include "query/suppression.h"

/* --- limits --- */

/* Return a + b, saturated at INT64_MIN and INT64_MAX. */
static int64_t add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

/* Return reference * share / MP_WHOLE, rounded down. Set *over to the remainder, in units of 1 /
 * MP_WHOLE. */
static int64_t part_of(int64_t reference, int64_t share, int64_t *over)
{
    /* The product may overflow, so split both factors into multiples of W = MP_WHOLE and
     * remainders: (a W + b)(c W + d) / W = a (c W + d) + b c + b d / W. */
    int64_t whole = reference / MP_WHOLE, rest = reference % MP_WHOLE;
    *over = 0;
    if (rest < 0) { /* integer division rounds towards 0 */
        whole--;
        rest += MP_WHOLE;
    }
    if (share && (whole > INT64_MAX / share || whole < INT64_MIN / share))
        return whole > 0 ? INT64_MAX : INT64_MIN;
    int64_t both = rest * (share % MP_WHOLE);
    *over = both % MP_WHOLE;
    return add(whole * share, rest * (share / MP_WHOLE) + both / MP_WHOLE);
}

mp_threshold mp_bound_of(const mp_bound *bound, int64_t reference, int64_t spread)
{
    int64_t over, more;
    int64_t part = part_of(reference, bound->reference ? bound->share : 0, &over);
    int64_t spreads = part_of(bound->spreads < 0 ? -spread : spread, llabs(bound->spreads), &more);
    over += more;
    int64_t sum = add(add(part, spreads), bound->number);
    return (mp_threshold){add(sum, over / MP_WHOLE), over % MP_WHOLE > 0};
}

bool mp_threshold_holds(mp_threshold threshold, mp_comparison comparison, int64_t number)
{
    bool below = number < threshold.number || (number == threshold.number && threshold.more);
    bool above = number > threshold.number;
    switch (comparison) {
    case MP_AT_MOST:
        return !above;
    case MP_LESS:
        return below;
    case MP_AT_LEAST:
        return !below;
    case MP_MORE:
        return above;
    default:
        return !below && !above;
    }
}

/* Return how far a number is on the wrong side of a limit; larger is worse. */
static double excess(mp_comparison comparison, mp_threshold limit, int64_t number)
{
    double over = (double)number - (double)limit.number - (limit.more ? 0.5 : 0);
    bool upper = comparison == MP_AT_MOST || comparison == MP_LESS;
    return upper || (comparison == MP_EQUAL && over >= 0) ? over : -over;
}

/* --- outcomes --- */

bool mp_rule_matches(const mp_rule *rule, const char *label)
{
    return !rule->pattern || mp_glob_fits(rule->pattern, label, 0);
}

void mp_evaluation_dismiss(mp_evaluation *evaluation, const char *message)
{
    evaluation->result->verdict = MP_VERDICT_ERROR;
    evaluation->result->message = message;
}

void mp_evaluation_find_nothing(mp_evaluation *evaluation)
{
    const mp_rule *rule = evaluation->rule;
    const char *what = mp_select_by_name(rule->by);
    if (rule->if_any)
        evaluation->result->message =
            mp_arena_format(evaluation->arena, "there is no matching %s", what);
    else if (rule->pattern)
        MP_DISMISS(evaluation,
                   "no %s matches \"%s\"; is it misspelled? (with \"if any\" the rule passes)",
                   what, rule->pattern);
    else
        MP_DISMISS(evaluation, "there is no %s (with \"if any\" the rule passes)", what);
}

/* --- messages --- */

/* Return by how much the limit is exceeded or missed: "1.3 MiB over 1.0 MiB". */
static const char *distance_text(mp_evaluation *evaluation, int64_t over, const char *limit,
                                 bool exact)
{
    mp_comparison comparison = evaluation->rule->comparison;
    bool upper = comparison == MP_AT_MOST || comparison == MP_LESS;
    if (comparison == MP_EQUAL)
        return mp_arena_format(evaluation->arena, "expected %s", limit);
    if (over == 0)
        return mp_arena_format(evaluation->arena, "not %s %s", upper ? "below" : "above", limit);
    return mp_arena_format(
        evaluation->arena, "%s %s %s",
        mp_quantity_text(evaluation->arena, evaluation->rule->measure, llabs(over), exact),
        upper ? "over" : "under", limit);
}

static void set_numbers(mp_evaluation *evaluation, const mp_rule_subject *subject, int64_t limit)
{
    mp_rule_result *result = evaluation->result;
    const mp_bound *bound = &evaluation->rule->bound;
    result->has_measured = true;
    result->measured = subject->number;
    result->limit = limit;
    result->has_base = bound->reference == MP_OF_BASE;
    result->base = result->has_base ? subject->reference : 0;
    result->has_spread = bound->spreads != 0;
    result->spread = subject->spread;
    result->has_limit_percent = bound->reference == MP_OF_START || bound->reference == MP_OF_LINES;
    /* a share of lines is not an absolute limit */
    result->has_limit = bound->reference != MP_OF_LINES;
    if (!result->has_limit_percent)
        return;
    result->limit_percent = (double)bound->share * 100 / (double)MP_WHOLE;
    result->has_measured_percent = subject->reference > 0;
    if (result->has_measured_percent)
        result->measured_percent = (double)subject->number * 100 / (double)subject->reference;
}

/* Return the words for steady leaks; dumps do not record leaks, only growth. */
static const char *steady_text(const mp_evaluation *evaluation)
{
    return mp_holds_dumps(evaluation->context->now->holds) ? "grown from dump to dump"
                                                           : mp_measure_rows[MP_MEASURE_TREND].done;
}

static const char *done_text(const mp_evaluation *evaluation)
{
    const mp_rule *rule = evaluation->rule;
    const mp_window *window = evaluation->context->window;
    const char *done = mp_measure_rows[rule->measure].done;
    if (rule->measure == MP_MEASURE_TREND)
        return steady_text(evaluation);
    if (rule->by || !window || !window->suppressed || !window->suppressed->bytes ||
        (rule->measure != MP_MEASURE_LIVE && rule->measure != MP_MEASURE_GROWTH))
        return done;
    return mp_arena_format(evaluation->scratch, "%s besides %s that are accepted", done,
                           mp_quantity_text(evaluation->scratch, MP_MEASURE_LIVE,
                                            window->suppressed->bytes,
                                            evaluation->context->exact_bytes));
}

/* Return "2 of 5 modules, worst shop.Order: " for a rule on each label, otherwise "". For leftover
 * objects it has "most" in place of "worst", because the label with the most objects need not be
 * the worst leak. */
static const char *who_text(mp_evaluation *evaluation, const mp_rule_subject *subject,
                            size_t failed, size_t count)
{
    const mp_rule *rule = evaluation->rule;
    return rule->each ? mp_arena_format(evaluation->scratch, "%zu of %zu %ss, %s %s: ", failed,
                                        count, mp_select_by_name(rule->by),
                                        mp_measure_is_of_left(rule->measure) ? "most" : "worst",
                                        subject->label)
                      : "";
}

/* Set the texts of a coverage rule. Percentages are rounded down, so 100 % means every line. */
static void set_share_texts(mp_evaluation *evaluation, const mp_rule_subject *subject,
                            mp_threshold limit, size_t failed, size_t count)
{
    mp_arena *arena = evaluation->arena;
    const mp_rule *rule = evaluation->rule;
    long long permille =
        subject->reference ? (long long)(subject->number * 1000 / subject->reference) : 0;
    long long needed = limit.number + (limit.more || rule->comparison == MP_MORE);
    mp_rule_result *result = evaluation->result;
    result->measured_text =
        mp_arena_format(arena, "%lld.%lld %% (%lld of %lld lines)", permille / 10, permille % 10,
                        (long long)subject->number, (long long)subject->reference);
    result->limit_text =
        mp_arena_format(arena, "%s %s", mp_comparison_sign(rule->comparison), rule->bound.text);
    if (failed)
        result->message = mp_arena_format(arena, "%s%s executed, %lld more needed",
                                          who_text(evaluation, subject, failed, count),
                                          result->measured_text, needed - subject->number);
}

/* Return the text for the base and spread of several runs. */
static const char *spread_text(mp_evaluation *evaluation)
{
    const mp_rule_result *result = evaluation->result;
    mp_measure measure = evaluation->rule->measure;
    mp_arena *scratch = evaluation->scratch;
    bool exact = evaluation->context->exact_bytes;
    if (!result->has_spread)
        return "";
    return mp_arena_format(scratch, "; base %s, spread %s",
                           mp_quantity_text(scratch, measure, result->base, exact),
                           mp_quantity_text(scratch, measure, result->spread, exact));
}

/* Return true if numbers are printed with all digits: on request, or because number and limit would
 * otherwise look the same. */
static bool is_told_exactly(mp_evaluation *evaluation, int64_t number, int64_t limit)
{
    const mp_measure measure = evaluation->rule->measure;
    return evaluation->context->exact_bytes ||
           (number != limit &&
            strcmp(mp_quantity_text(evaluation->scratch, measure, number, false),
                   mp_quantity_text(evaluation->scratch, measure, limit, false)) == 0);
}

/* Set the texts of a result: the value of the worst subject, the limit, and the reason if the rule
 * fails. */
static void set_texts(mp_evaluation *evaluation, const mp_rule_subject *subject, int64_t limit,
                      size_t failed, size_t count)
{
    mp_arena *arena = evaluation->arena;
    mp_rule_result *result = evaluation->result;
    const mp_rule *rule = evaluation->rule;
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    int64_t number = subject->number;
    const bool exact = is_told_exactly(evaluation, number, limit);
    const char *measured = mp_quantity_text(arena, rule->measure, number, exact);
    const char *allowed = mp_quantity_text(arena, rule->measure, limit, exact);
    result->measured_text = measured;
    if (result->has_measured_percent)
        result->measured_text = mp_arena_format(arena, "%s (%s)", measured,
                                                mp_share_text(arena, result->measured_percent));
    result->limit_text = rule->bound.text;
    if (!row->is_new)
        result->limit_text =
            mp_arena_format(arena, "%s %s", mp_comparison_sign(rule->comparison), allowed);
    if (rule->bound.reference != MP_OF_NOTHING) /* append the limit in the words of the policy */
        result->limit_text = mp_arena_format(arena, "%s (%s%s)", result->limit_text,
                                             rule->bound.text, spread_text(evaluation));
    if (!failed)
        return;
    if (row->is_new) {
        result->message = mp_arena_format(arena, "%lld new %s%s", (long long)number, row->words,
                                          number == 1 ? "" : "s");
        return;
    }
    const char *who = who_text(evaluation, subject, failed, count);
    result->message = mp_arena_format(arena, "%s%s %s, %s", who, measured, done_text(evaluation),
                                      distance_text(evaluation, number - limit, allowed, exact));
}

/* --- the decision --- */

static int by_label(const void *left, const void *right)
{
    return strcmp(((const mp_rule_subject *)left)->label, ((const mp_rule_subject *)right)->label);
}

/* Add up the subjects with the same label, or all subjects if `each` is false. Return the number of
 * sums. */
static size_t add_up(mp_rule_subject *subjects, size_t count, bool each)
{
    size_t left = 0;
    if (each)
        qsort(subjects, count, sizeof *subjects, by_label);
    for (size_t i = 1; i < count; i++) {
        if (each && strcmp(subjects[left].label, subjects[i].label) != 0) {
            subjects[++left] = subjects[i];
            continue;
        }
        subjects[left].number += subjects[i].number;
        subjects[left].reference += subjects[i].reference;
        subjects[left].spread += subjects[i].spread; /* at most one of the added spreads is not 0 */
    }
    return left + 1;
}

/* Check each subject against the limit. Store the labels that fail in the evaluation, and their
 * number in *failed. Return the worst subject. */
static const mp_rule_subject *hold_each(mp_evaluation *evaluation, const mp_rule_subject *subjects,
                                        size_t count, size_t *failed)
{
    const mp_rule *rule = evaluation->rule;
    const mp_rule_subject *worst = subjects;
    double farthest = 0;
    evaluation->failed = mp_arena_alloc(evaluation->scratch, count * sizeof *evaluation->failed);
    *failed = 0;
    for (size_t i = 0; i < count; i++) {
        mp_threshold limit = mp_bound_of(&rule->bound, subjects[i].reference, subjects[i].spread);
        double by = excess(rule->comparison, limit, subjects[i].number);
        if (!mp_threshold_holds(limit, rule->comparison, subjects[i].number))
            evaluation->failed[(*failed)++] = subjects[i].label;
        if (i == 0 || by > farthest) {
            worst = &subjects[i];
            farthest = by;
        }
    }
    return worst;
}

/* Judge a rule by its subjects, whose labels must all differ. */
static void decide(mp_evaluation *evaluation, const mp_rule_subject *subjects, size_t count)
{
    const mp_rule *rule = evaluation->rule;
    size_t failed;
    const mp_rule_subject *worst = hold_each(evaluation, subjects, count, &failed);
    mp_threshold limit = mp_bound_of(&rule->bound, worst->reference, worst->spread);
    evaluation->failed_count = failed;
    evaluation->worst = worst->label;
    evaluation->result->verdict = failed ? MP_VERDICT_FAIL : MP_VERDICT_PASS;
    set_numbers(evaluation, worst, limit.number);
    if (rule->bound.reference == MP_OF_LINES)
        set_share_texts(evaluation, worst, limit, failed, count);
    else
        set_texts(evaluation, worst, limit.number, failed, count);
    if (rule->each &&
        (worst->number || rule->bound.reference == MP_OF_LINES)) /* append its label */
        evaluation->result->measured_text = mp_arena_format(
            evaluation->arena, "%s, %s", evaluation->result->measured_text, worst->label);
}

void mp_evaluation_decide(mp_evaluation *evaluation, mp_rule_subject *subjects, size_t count)
{
    decide(evaluation, subjects, add_up(subjects, count, evaluation->rule->each));
}

void mp_evaluation_warn(mp_evaluation *evaluation, mp_rule_subject *subjects, size_t count,
                        const char *rate)
{
    const mp_rule *rule = evaluation->rule;
    mp_rule_result *result = evaluation->result;
    size_t failed;
    count = add_up(subjects, count, rule->each);
    const mp_rule_subject *worst = hold_each(evaluation, subjects, count, &failed);
    if (!failed || worst->number <= 0) /* nothing leaked steadily */
        return;
    int64_t limit = mp_bound_of(&rule->bound, worst->reference, worst->spread).number;
    const bool exact = is_told_exactly(evaluation, worst->number, limit);
    const char *allowed = mp_quantity_text(evaluation->scratch, rule->measure, limit, exact);
    result->warning =
        mp_arena_format(evaluation->arena, MP_HIDES_LEAK "%s%s %s%s, %s",
                        who_text(evaluation, worst, failed, count),
                        mp_quantity_text(evaluation->scratch, rule->measure, worst->number, exact),
                        steady_text(evaluation), rate,
                        distance_text(evaluation, worst->number - limit, allowed, exact));
    if (!evaluation->context->strict)
        return;
    evaluation->failed_count = failed;
    result->verdict = MP_VERDICT_FAIL;
    result->message = result->warning;
}

void mp_evaluation_add(mp_evaluation *evaluation, const char *most)
{
    mp_rule_result *result = evaluation->result;
    const bool hides = *result->warning != '\0';
    if (!hides && result->verdict != MP_VERDICT_FAIL)
        return;
    const char *text =
        mp_arena_format(evaluation->arena, "%s%s", hides ? result->warning : result->message, most);
    if (hides)
        result->warning = text;
    if (result->verdict == MP_VERDICT_FAIL)
        result->message = text;
}

mp_rule_result mp_rule_judge(const mp_rule_context *context, const mp_rule *rule,
                             const mp_rule_subject *subjects, size_t count, const char *most,
                             mp_arena *arena)
{
    mp_arena scratch = {0};
    mp_rule_result result = {.rule = rule, .message = "", .warning = ""};
    mp_evaluation evaluation = {
        .context = context, .rule = rule, .arena = arena, .scratch = &scratch, .result = &result};
    decide(&evaluation, subjects, count);
    mp_evaluation_add(&evaluation, most);
    mp_arena_free(&scratch);
    return result;
}

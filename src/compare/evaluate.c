/* Evaluation of policies: find out if a rule can be judged, and judge it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/choice.h"
#include "compare/decide.h"
#include "compare/runs.h"
#include "query/coverage.h"
#include "query/verdict.h"

/* --- coverage --- */

typedef struct subjects {
    mp_rule_subject *items;
    size_t count;
} subjects;

static void put(subjects *found, const char *label, uint64_t executed, uint64_t lines)
{
    found->items[found->count++] = (mp_rule_subject){label, (int64_t)executed, (int64_t)lines, 0};
}

static void gather(mp_evaluation *evaluation, subjects *found)
{
    const mp_coverage *coverage = evaluation->context->coverage;
    const mp_model *model = evaluation->context->model;
    const mp_rule *rule = evaluation->rule;
    for (uint32_t i = 0; rule->by == MP_BY_MODULE && i < coverage->source_count; i++) {
        const mp_covered_source *source = &coverage->sources[i];
        const char *program = mp_model_text(model, source->program);
        if (mp_rule_matches(rule, program))
            put(found, program, source->executed, source->lines);
    }
    for (uint32_t i = 0; rule->by == MP_BY_METHOD && i < coverage->method_count; i++) {
        const mp_covered_method *method = &coverage->methods[i];
        const char *name = mp_model_text(model, method->name);
        const char *program = mp_model_text(model, coverage->sources[method->source].program);
        const char *label =
            *name ? mp_arena_format(evaluation->scratch, "%s %s", name, program) : program;
        if (mp_rule_matches(rule, label) || (*name && mp_rule_matches(rule, name)))
            put(found, label, method->executed, method->lines);
    }
    if (rule->by == MP_BY_NOTHING)
        put(found, "", coverage->executed, coverage->executable);
}

/* Append the program that has most lines that were not executed. */
static void add_most(mp_evaluation *evaluation)
{
    const mp_coverage *coverage = evaluation->context->coverage;
    const mp_covered_source *worst = mp_coverage_worst(coverage);
    mp_evaluation_add(evaluation,
                      mp_arena_format(evaluation->scratch, "; most missing: %u of %s",
                                      worst->lines - worst->executed,
                                      mp_model_text(evaluation->context->model, worst->program)));
}

/* Judge a rule on the percentage of executed lines. */
static void judge_coverage(mp_evaluation *evaluation)
{
    const mp_coverage *coverage = evaluation->context->coverage;
    if (!coverage || coverage->executable == 0) {
        MP_DISMISS(evaluation, "the execution profile does not record executable lines");
        return;
    }
    size_t most = (size_t)coverage->source_count + coverage->method_count + 1;
    subjects found = {mp_alloc(most * sizeof *found.items), 0};
    enum { TELLING = 4 }; /* cost of an entry; the unit is the comparison of two names */
    evaluation->choices->looked += TELLING * most;
    gather(evaluation, &found);
    if (found.count)
        mp_evaluation_decide(evaluation, found.items, found.count);
    else
        mp_evaluation_find_nothing(evaluation);
    if (!evaluation->rule->by)
        add_most(evaluation);
    free(found.items);
}

/* Return the noun of a digest, even if the digest has only totals. */
static const char *noun_of(const mp_digest *digest)
{
    return digest->noun ? digest->noun : mp_holds_name(digest->kind, digest->holds);
}

/* Return true if the recordings count other objects. Heap dumps of different formats are of
 * different runtimes. A baseline does not store its format. */
static bool is_unlike(const mp_digest *base, const mp_digest *now)
{
    enum { UNLIKE = MP_HOLDS_UNSIZED | MP_HOLDS_UNCOUNTED };
    const bool formats = base->format && now->format && !base->kept && !now->kept;
    return (base->holds ^ now->holds) & UNLIKE ||
           (now->kind == MP_KIND_DUMP && formats && strcmp(base->format, now->format) != 0);
}

static void judge_rule(mp_evaluation *evaluation)
{
    const mp_rule_context *context = evaluation->context;
    const mp_rule *rule = evaluation->rule;
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    const mp_digest *base = mp_rule_needs_base(rule) ? context->base : context->now;
    const char *name = mp_holds_name(context->now->kind, context->now->holds);
    if (!(row->has & context->now->has))
        MP_DISMISS(evaluation, "%s does not record %s", name, row->told);
    else if (!base)
        MP_DISMISS(evaluation, "there is no base to compare with; %sbase FILE names one",
                   context->dashes);
    else if (strcmp(noun_of(base), noun_of(context->now)) != 0)
        MP_DISMISS(evaluation, "the base is %s, expected %s", noun_of(base), noun_of(context->now));
    else if (!(row->has & base->has))
        MP_DISMISS(evaluation, "the base does not record %s", row->told);
    else if (is_unlike(base, context->now))
        MP_DISMISS(evaluation, "the base is %s of another format, which counts other objects%s",
                   noun_of(base),
                   base->kept ? "; if an earlier memprof saved it, save it again" : "");
    else if (rule->bound.spreads && !base->run_count)
        MP_DISMISS(evaluation,
                   "the base has one run and therefore no spread; save a baseline of several runs");
    else if (mp_rule_needs_base(rule) && context->incomparable)
        MP_DISMISS(evaluation, "not comparable: %s", context->incomparable);
    else if (mp_measure_is_of_leaks(rule->measure) && (context->now->late || base->late))
        MP_DISMISS(evaluation, "%s " MP_ENDS_LATE,
                   context->now->late ? "the window" : "the base's window");
    else if (mp_measure_is_of_leaks(rule->measure) && context->window &&
             mp_window_is_one(context->window))
        MP_DISMISS(evaluation, MP_ONE_SNAPSHOT);
    else if (row->is_new)
        mp_evaluation_of_new(evaluation);
    else if (rule->measure == MP_MEASURE_COVERAGE)
        judge_coverage(evaluation);
    else if (mp_measure_is_growth(rule->measure) || mp_measure_is_platform(rule->measure))
        mp_evaluation_of_growth(evaluation);
    else
        mp_evaluation_of_amount(evaluation);
}

/* Return true if another rule limits steady leaks after the snapshot (NULL: in the whole window).
 * If so, a leak that one rule hides is found by the other. */
static bool holds_trend(const mp_policy *policy, const char *after)
{
    bool holds = false;
    for (size_t i = 0; i < policy->rule_count; i++) {
        const mp_rule *rule = &policy->rules[i];
        bool upper = rule->comparison != MP_AT_LEAST && rule->comparison != MP_MORE;
        holds |= rule->measure == MP_MEASURE_TREND && !rule->by && upper &&
                 (!rule->after || (after && strcmp(rule->after, after) == 0));
    }
    return holds;
}

/* If only some sessions could be judged, dismiss a passing rule on leaks, because it may fail for
 * the others. */
static void judge_part(mp_evaluation *evaluation)
{
    const mp_rule_context *context = evaluation->context;
    const mp_rule *rule = evaluation->rule;
    bool steady = rule->measure == MP_MEASURE_TREND;
    if (context->partly || !context->window || evaluation->result->verdict != MP_VERDICT_PASS ||
        !mp_measure_is_of_leaks(rule->measure))
        return;
    const char *part = mp_verdict_part_text(evaluation->scratch, context->window, steady);
    if (part)
        MP_DISMISS(evaluation, "%s (%sallow-torn judges the others)", part, context->dashes);
}

/* Dismiss a rule on what is left behind that passes only because the base ends before its program,
 * so that objects in use count in the base. */
static void judge_base_in_use(mp_evaluation *evaluation)
{
    const mp_rule_context *context = evaluation->context;
    const mp_rule *rule = evaluation->rule;
    if (evaluation->result->verdict == MP_VERDICT_PASS && mp_rule_needs_base(rule) &&
        mp_measure_is_of_left(rule->measure) && context->base && context->base->in_use &&
        !context->now->in_use && !context->partly)
        MP_DISMISS(evaluation, "%s ends before its program, so objects in use count as left behind",
                   context->base->path);
}

/* Return true if a rule passes, but would not if the measured figure were larger. */
static bool passes_by_little(const mp_evaluation *evaluation)
{
    const mp_comparison comparison = evaluation->rule->comparison;
    return evaluation->result->verdict == MP_VERDICT_PASS && comparison != MP_AT_LEAST &&
           comparison != MP_MORE;
}

/* Return the number of objects that a measure of bytes is about. */
static int64_t objects_measured(const mp_digest *now, mp_measure measure)
{
    if (measure == MP_MEASURE_PEAK)
        return now->peak_objects;
    if (measure == MP_MEASURE_CREATED)
        return now->totals.created;
    return mp_measure_is_of_left(measure) || measure == MP_MEASURE_TREND
               ? now->totals.leaked_objects
               : now->totals.objects;
}

/* Dismiss a rule on bytes that passes only because objects of unknown size count as 0 bytes. */
static void judge_sizes(mp_evaluation *evaluation)
{
    const mp_digest *now = evaluation->context->now;
    const mp_measure measure = evaluation->rule->measure;
    if (evaluation->result->verdict != MP_VERDICT_PASS || !(now->holds & MP_HOLDS_UNSIZED) ||
        mp_measure_unit(measure) != MP_RULE_BYTES || mp_measure_is_platform(measure) ||
        !objects_measured(now, measure))
        return;
    MP_DISMISS(evaluation, MP_NO_SIZES);
}

/* Dismiss a rule on what was created or deleted that passes only because objects that lived between
 * two snapshots are missing. */
static void judge_made(mp_evaluation *evaluation)
{
    const mp_measure measure = evaluation->rule->measure;
    const bool of_made = measure == MP_MEASURE_CREATED || measure == MP_MEASURE_CREATED_OBJECTS ||
                         measure == MP_MEASURE_DELETED_OBJECTS;
    if (of_made && passes_by_little(evaluation) &&
        evaluation->context->now->holds & MP_HOLDS_UNMADE)
        MP_DISMISS(evaluation, "objects that were created and deleted between two snapshots are "
                               "not recorded");
}

/* Dismiss a rule on objects if only bytes are known. */
static void judge_counts(mp_evaluation *evaluation)
{
    mp_rule_result *result = evaluation->result;
    if (!(evaluation->context->now->holds & MP_HOLDS_UNCOUNTED) ||
        mp_measure_unit(evaluation->rule->measure) != MP_RULE_OBJECTS)
        return;
    result->measured_text = NULL; /* it counts bytes */
    result->has_measured = false;
    MP_DISMISS(evaluation, "numbers of objects are not recorded; use a rule about bytes, such as "
                           "\"leaked bytes <= 0\"");
}

/* Dismiss a rule that passes only because a report leaves out all but the hottest lines of a
 * profile. What is known already exceeds a limit, or reaches a lower one, whatever is missing. */
static void judge_hottest(mp_evaluation *evaluation)
{
    if (evaluation->context->now->partial && passes_by_little(evaluation))
        MP_DISMISS(evaluation, "the report has only the hottest lines; others count as nothing");
}

/* Dismiss a passing rule if the heap was larger at a later snapshot, of which only the total is
 * known, because the rule may fail there. */
static void judge_later(mp_evaluation *evaluation)
{
    const mp_window *window = evaluation->context->window;
    const mp_measure measure = evaluation->rule->measure;
    const mp_filter *filter = window ? window->filter : NULL;
    if (!filter || evaluation->result->verdict != MP_VERDICT_PASS || measure == MP_MEASURE_PEAK)
        return;
    for (uint32_t i = 0; i < filter->listed.first[filter->model->sessions.count]; i++) {
        const uint32_t id = filter->listed.snapshots[i];
        const mp_snapshot *snapshot = &filter->snapshots[id];
        const mp_snapshot_id to = window->ranges[snapshot->session.i].to;
        if (!snapshot->only_total || id <= to.i ||
            snapshot->live_bytes <= filter->snapshots[to.i].live_bytes)
            continue;
        MP_DISMISS(evaluation,
                   "%s were alive at snapshot %" PRIu64 ", after the window, and it is not "
                   "recorded where they were allocated",
                   mp_quantity_text(evaluation->scratch, MP_MEASURE_LIVE, snapshot->live_bytes,
                                    evaluation->context->exact_bytes),
                   snapshot->sequence);
        return;
    }
}

/* If names are missing from the file, shortened or damaged, dismiss a rule that passes for a
 * pattern of names, because they may match it. */
static void judge_names(mp_evaluation *evaluation)
{
    const mp_rule_context *context = evaluation->context;
    const mp_rule *rule = evaluation->rule;
    const char *pattern =
        rule->by & context->nameless && rule->pattern ? rule->pattern : context->selected;
    if (pattern && !context->partly && evaluation->result->verdict == MP_VERDICT_PASS)
        MP_DISMISS(evaluation,
                   "names are missing, shortened or damaged, and may match \"%s\" "
                   "(%sallow-torn judges the others)",
                   pattern, context->dashes);
}

mp_rule_results mp_policy_evaluate(const mp_policy *policy, const mp_rule_context *context)
{
    mp_rule_results results = {.count = policy->rule_count};
    results.items = mp_alloc_zero(policy->rule_count + 1, sizeof *results.items);
    results.arena = mp_alloc_zero(1, sizeof *results.arena);
    mp_choices choices = {.count = 0};
    mp_digest *any =
        context->base && context->base->run_count ? mp_digest_of_any_run(context->base) : NULL;
    for (size_t i = 0; i < policy->rule_count; i++) {
        mp_arena scratch = {0};
        mp_evaluation evaluation = {.context = context,
                                    .known = any ? any : context->base,
                                    .rule = &policy->rules[i],
                                    .arena = results.arena,
                                    .scratch = &scratch,
                                    .result = &results.items[i],
                                    .trend_held = holds_trend(policy, policy->rules[i].after),
                                    .choices = &choices};
        results.items[i] =
            (mp_rule_result){.rule = &policy->rules[i], .message = "", .warning = ""};
        if (i < MP_RULES_ANYHOW || choices.looked <= MP_MOST_LOOKED)
            judge_rule(&evaluation);
        else
            MP_DISMISS(&evaluation,
                       "the rules before it cost as much as matching more than %d million names; "
                       "use a separate policy for it",
                       MP_MOST_LOOKED / 1000000);
        judge_part(&evaluation);
        judge_base_in_use(&evaluation);
        judge_sizes(&evaluation);
        judge_made(&evaluation);
        judge_counts(&evaluation);
        judge_hottest(&evaluation);
        judge_later(&evaluation);
        judge_names(&evaluation);
        if (evaluation.rule->line) /* limits of options have no table of culprits */
            mp_evaluation_find_culprits(&evaluation);
        results.counts[results.items[i].verdict]++;
        mp_arena_free(&scratch);
    }
    mp_choices_free(&choices);
    mp_digest_free(any);
    return results;
}

void mp_rule_results_free(mp_rule_results *results)
{
    free(results->items);
    if (results->arena)
        mp_arena_free(results->arena);
    free(results->arena);
    *results = (mp_rule_results){0};
}

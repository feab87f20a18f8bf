/* Judging: what a rule measures, summed over what it selects. */
#include "compare/evaluate.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/measures.h"

/* --- labels --- */

static const char *text_or(const mp_dictionary *dictionary, uint32_t text, const char *none)
{
    return text ? mp_dictionary_text(dictionary, text) : none;
}

/* A method with its program; the main block of a program is called by it alone. */
static const char *method_label(mp_evaluation *evaluation, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = evaluation->rule_context->dictionary;
    const char *program = mp_dictionary_text(dictionary, key->program);
    return key->name ? mp_arena_format(evaluation->scratch, "%s %s",
                                       mp_dictionary_text(dictionary, key->name), program)
                     : program;
}

static const char *label_of(mp_evaluation *evaluation, mp_select_by by, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = evaluation->rule_context->dictionary;
    const char *type = mp_dictionary_text(dictionary, key->type);
    switch (by) {
    case MP_BY_TYPE:
        return type;
    case MP_BY_SOURCE:
        return text_or(dictionary, key->program, "(session)");
    case MP_BY_NAME:
        return text_or(dictionary, key->name, "(unnamed)");
    case MP_BY_SITE:
        if (evaluation->rule_context->now->kind == MP_KIND_DUMP)
            return type;
        return mp_arena_format(evaluation->scratch, "%s at %s", type,
                               text_or(dictionary, key->program, "(session)"));
    case MP_BY_METHOD:
        return method_label(evaluation, key);
    case MP_BY_MODULE:
        return mp_dictionary_text(dictionary, key->program);
    case MP_BY_NOTHING:
        break;
    }
    return "";
}

/* What a message says of an entry: with the name of the objects where they have one. */
static const char *told_of(mp_evaluation *evaluation, mp_level level, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = evaluation->rule_context->dictionary;
    if (level == MP_LEVEL_METHOD)
        return label_of(evaluation, MP_BY_METHOD, key);
    if (level == MP_LEVEL_MODULE)
        return label_of(evaluation, MP_BY_MODULE, key);
    if (level == MP_LEVEL_TYPE)
        return label_of(evaluation, MP_BY_TYPE, key);
    const char *site = label_of(evaluation, MP_BY_SITE, key);
    const char *type = mp_dictionary_text(dictionary, key->type);
    if (!key->name)
        return site;
    return mp_arena_format(evaluation->scratch, "%s %s%s", type,
                           mp_dictionary_text(dictionary, key->name), site + strlen(type));
}

bool mp_rule_matches(const mp_rule *rule, const char *label)
{
    return !rule->pattern || fnmatch(rule->pattern, label, 0) == 0;
}

/* A method may be named without its program. */
static bool selects(mp_evaluation *evaluation, const mp_entry_key *key, const char *label)
{
    const mp_rule *rule = evaluation->rule;
    if (mp_rule_matches(rule, label))
        return true;
    return rule->by == MP_BY_METHOD && key->name &&
           mp_rule_matches(rule,
                           mp_dictionary_text(evaluation->rule_context->dictionary, key->name));
}

/* --- endings --- */

void mp_evaluation_dismiss(mp_evaluation *evaluation, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    evaluation->rule_result->verdict = MP_VERDICT_ERROR;
    evaluation->rule_result->message = mp_arena_copy(evaluation->arena, text, strlen(text));
}

void mp_evaluation_find_nothing(mp_evaluation *evaluation)
{
    const mp_rule *rule = evaluation->rule;
    const char *what = mp_select_by_name(rule->by);
    if (rule->if_any)
        evaluation->rule_result->message =
            mp_arena_format(evaluation->arena, "there is no such %s", what);
    else if (rule->pattern)
        mp_evaluation_dismiss(evaluation,
                              "no %s matches \"%s\": is it a typing error? (\"if any\" lets "
                              "the rule hold)",
                              what, rule->pattern);
    else
        mp_evaluation_dismiss(evaluation, "there is no %s (\"if any\" lets the rule hold)", what);
}

/* By how much it is on the wrong side; the larger the worse. */
static double excess(mp_comparison comparison, mp_threshold limit, int64_t number)
{
    double over = (double)number - (double)limit.number - (limit.more ? 0.5 : 0);
    switch (comparison) {
    case MP_AT_LEAST:
    case MP_MORE:
        return -over;
    case MP_EQUAL:
        return over < 0 ? -over : over;
    default:
        return over;
    }
}

/* "1.3 MiB over 1.0 MiB" */
static const char *distance_text(mp_evaluation *evaluation, mp_threshold limit, int64_t number,
                                 const char *limit_text, bool exact)
{
    mp_comparison comparison = evaluation->rule->comparison;
    int64_t over = number - limit.number;
    bool upper = comparison == MP_AT_MOST || comparison == MP_LESS;
    if (comparison == MP_EQUAL)
        return mp_arena_format(evaluation->arena, "expected %s", limit_text);
    if (over == 0)
        return mp_arena_format(evaluation->arena, "not %s %s", upper ? "below" : "above",
                               limit_text);
    return mp_arena_format(evaluation->arena, "%s %s %s",
                           mp_quantity_text(evaluation->arena, evaluation->rule->measure,
                                            over < 0 ? -over : over, exact),
                           upper ? "over" : "under", limit_text);
}

/* "1.1 x base" in parentheses where the limit is worked out. */
static const char *limit_text_of(mp_evaluation *evaluation, const char *limit)
{
    const mp_rule *rule = evaluation->rule;
    bool worked_out = rule->bound.reference != MP_OF_NOTHING;
    if (mp_measure_rows[rule->measure].is_new)
        return rule->bound.text;
    return mp_arena_format(evaluation->arena, "%s %s%s%s%s", mp_comparison_sign(rule->comparison),
                           limit, worked_out ? " (" : "", worked_out ? rule->bound.text : "",
                           worked_out ? ")" : "");
}

/* Numbers whose texts are alike though they differ are told to the last byte. */
static bool needs_exact(mp_evaluation *evaluation, int64_t number, int64_t limit)
{
    mp_measure measure = evaluation->rule->measure;
    return evaluation->rule_context->exact_bytes ||
           (number != limit &&
            strcmp(mp_quantity_text(evaluation->scratch, measure, number, false),
                   mp_quantity_text(evaluation->scratch, measure, limit, false)) == 0);
}

static void set_numbers(mp_evaluation *evaluation, const mp_rule_subject *subject,
                        mp_threshold limit)
{
    mp_rule_result *rule_result = evaluation->rule_result;
    const mp_rule *rule = evaluation->rule;
    rule_result->has_measured = rule_result->has_limit = true;
    rule_result->measured = subject->number;
    rule_result->limit = limit.number;
    if (rule->bound.reference == MP_OF_BASE) {
        rule_result->has_base = true;
        rule_result->base = subject->reference;
    }
    if (rule->bound.reference == MP_OF_START) {
        rule_result->has_limit_percent = true;
        rule_result->limit_percent = (double)rule->bound.share * 100 / (double)MP_WHOLE;
        rule_result->has_measured_percent = subject->reference > 0;
        if (subject->reference > 0)
            rule_result->measured_percent =
                (double)subject->number * 100 / (double)subject->reference;
    }
}

static void set_texts(mp_evaluation *evaluation, const mp_rule_subject *subject, mp_threshold limit,
                      size_t failed, size_t count, const char *most)
{
    mp_rule_result *rule_result = evaluation->rule_result;
    const mp_rule *rule = evaluation->rule;
    bool exact = needs_exact(evaluation, subject->number, limit.number);
    const char *measured =
        mp_quantity_text(evaluation->arena, rule->measure, subject->number, exact);
    const char *allowed = mp_quantity_text(evaluation->arena, rule->measure, limit.number, exact);
    const char *percent =
        rule_result->has_measured_percent
            ? mp_arena_format(evaluation->arena, " (%s)",
                              mp_share_text(evaluation->arena, rule_result->measured_percent))
            : "";
    rule_result->measured_text = mp_arena_format(evaluation->arena, "%s%s", measured, percent);
    rule_result->limit_text = limit_text_of(evaluation, allowed);
    if (rule_result->verdict != MP_VERDICT_FAIL)
        return;
    if (mp_measure_rows[rule->measure].is_new) {
        rule_result->message = mp_arena_format(
            evaluation->arena, "%lld new %s%s%s", (long long)subject->number,
            mp_measure_rows[rule->measure].words, subject->number == 1 ? "" : "s", most);
        return;
    }
    const char *who = rule->each
                          ? mp_arena_format(evaluation->arena, "%zu of %zu %ss, worst %s: ", failed,
                                            count, mp_select_by_name(rule->by), subject->label)
                          : "";
    rule_result->message = mp_arena_format(
        evaluation->arena, "%s%s %s, %s%s", who, measured, mp_measure_rows[rule->measure].done,
        distance_text(evaluation, limit, subject->number, allowed, exact), most);
}

void mp_evaluation_decide(mp_evaluation *evaluation, const mp_rule_subject *subjects, size_t count,
                          const char *most)
{
    const mp_rule *rule = evaluation->rule;
    size_t worst = 0, failed = 0;
    double farthest = 0;
    for (size_t i = 0; i < count; i++) {
        mp_threshold limit = mp_bound_of(&rule->bound, subjects[i].reference);
        double by = excess(rule->comparison, limit, subjects[i].number);
        failed += !mp_threshold_holds(limit, rule->comparison, subjects[i].number);
        if (i == 0 || by > farthest ||
            (!(by < farthest) && strcmp(subjects[i].label, subjects[worst].label) < 0)) {
            worst = i;
            farthest = by;
        }
    }
    mp_threshold limit = mp_bound_of(&rule->bound, subjects[worst].reference);
    evaluation->rule_result->verdict = failed ? MP_VERDICT_FAIL : MP_VERDICT_PASS;
    set_numbers(evaluation, &subjects[worst], limit);
    set_texts(evaluation, &subjects[worst], limit, failed, count, most);
}

/* --- sums --- */

/* What has one name in both recordings. */
typedef struct share {
    const char *label;
    int64_t now, base;
} share;

typedef struct shares {
    share *at;
    size_t count, capacity;
    share sum;
    share most; /* of `now`, for a message */
} shares;

static mp_level level_of(const mp_rule *rule)
{
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    if (row->counts)
        return row->level;
    switch (rule->by) {
    case MP_BY_TYPE:
        return MP_LEVEL_TYPE;
    case MP_BY_METHOD:
        return MP_LEVEL_METHOD;
    case MP_BY_MODULE:
        return MP_LEVEL_MODULE;
    case MP_BY_NOTHING:
        return row->has & MP_HAS_COSTS ? MP_LEVEL_METHOD : MP_LEVEL_SITE;
    default:
        return MP_LEVEL_SITE;
    }
}

static void gather(mp_evaluation *evaluation, shares *found, const mp_digest *digest, bool now)
{
    const mp_rule *rule = evaluation->rule;
    mp_level level = level_of(rule);
    const mp_entries *entries = &digest->lists[level];
    for (size_t i = 0; i < entries->count; i++) {
        const mp_entry_key *key = &entries->at[i].key;
        const char *label = label_of(evaluation, rule->by, key);
        int64_t amount = mp_measure_of(rule->measure, &entries->at[i].amounts);
        if (!selects(evaluation, key, label))
            continue;
        mp_grow(&found->at, &found->capacity, found->count + 1, sizeof *found->at);
        found->at[found->count++] = (share){label, now ? amount : 0, now ? 0 : amount};
        *(now ? &found->sum.now : &found->sum.base) += amount;
        const char *told =
            now && amount >= found->most.now && amount > 0 ? told_of(evaluation, level, key) : NULL;
        if (told && (amount > found->most.now || strcmp(told, found->most.label) < 0))
            found->most = (share){told, amount, 0};
    }
}

static int by_label(const void *left, const void *right)
{
    return strcmp(((const share *)left)->label, ((const share *)right)->label);
}

/* One subject for each label; they are in the scratch arena. */
static mp_rule_subject *parties_of(mp_evaluation *evaluation, shares *found, size_t *count)
{
    mp_rule_subject *subjects =
        mp_arena_alloc(evaluation->scratch, (found->count + 1) * sizeof *subjects);
    *count = 0;
    if (found->count)
        qsort(found->at, found->count, sizeof *found->at, by_label);
    for (size_t i = 0; i < found->count; i++) {
        const share *at = &found->at[i];
        if (!*count || strcmp(subjects[*count - 1].label, at->label) != 0)
            subjects[(*count)++] = (mp_rule_subject){.label = at->label};
        subjects[*count - 1].number += at->now;
        subjects[*count - 1].reference += at->base;
    }
    return subjects;
}

static const char *most_text(mp_evaluation *evaluation, const share *most)
{
    const mp_rule *rule = evaluation->rule;
    bool counts = mp_measure_rows[rule->measure].counts;
    if (!most->label || counts || (rule->comparison != MP_AT_MOST && rule->comparison != MP_LESS))
        return "";
    return mp_arena_format(evaluation->scratch, "; most: %s, %s",
                           mp_quantity_text(evaluation->scratch, rule->measure, most->now,
                                            evaluation->rule_context->exact_bytes),
                           most->label);
}

static int64_t total_of(const mp_rule *rule, const mp_digest *digest, int64_t sum)
{
    if (rule->measure == MP_MEASURE_PEAK)
        return digest->peak_bytes;
    if (rule->measure == MP_MEASURE_PEAK_OBJECTS)
        return digest->peak_objects;
    return mp_measure_rows[rule->measure].counts ? sum
                                                 : mp_measure_of(rule->measure, &digest->totals);
}

static void judge_amount(mp_evaluation *evaluation)
{
    const mp_rule_context *rule_context = evaluation->rule_context;
    const mp_rule *rule = evaluation->rule;
    bool of_peak = rule->measure == MP_MEASURE_PEAK || rule->measure == MP_MEASURE_PEAK_OBJECTS;
    shares found = {0};
    if (!of_peak)
        gather(evaluation, &found, rule_context->now, true);
    if (!of_peak && rule_context->base)
        gather(evaluation, &found, rule_context->base, false);
    if (rule->by && !found.count) {
        mp_evaluation_find_nothing(evaluation);
    } else if (rule->each) {
        size_t count;
        mp_rule_subject *subjects = parties_of(evaluation, &found, &count);
        mp_evaluation_decide(evaluation, subjects, count, "");
    } else {
        mp_rule_subject subject = {"", found.sum.now, found.sum.base};
        if (!rule->by) {
            subject.number = total_of(rule, rule_context->now, found.sum.now);
            subject.reference =
                rule_context->base ? total_of(rule, rule_context->base, found.sum.base) : 0;
        }
        mp_evaluation_decide(evaluation, &subject, 1, most_text(evaluation, &found.most));
    }
    free(found.at);
}

/* --- what is new --- */

static bool is_new(mp_measure measure, const mp_difference *difference)
{
    const mp_amounts *base = &difference->base, *now = &difference->now;
    if (measure != MP_MEASURE_NEW_LEAK_SITES)
        return difference->change == MP_CHANGE_NEW;
    return !base->leaked_objects && !base->leaked_bytes &&
           (now->leaked_objects > 0 || now->leaked_bytes > 0);
}

/* By what a new one is told, and how much it is. */
static int64_t weight_of(const mp_rule *rule, const mp_amounts *now)
{
    return rule->measure == MP_MEASURE_NEW_LEAK_SITES          ? now->leaked_bytes
           : mp_measure_rows[rule->measure].has & MP_HAS_COSTS ? now->exclusive_us
                                                               : now->bytes;
}

static void judge_new(mp_evaluation *evaluation)
{
    const mp_rule_context *rule_context = evaluation->rule_context;
    const mp_rule *rule = evaluation->rule;
    mp_level level = mp_measure_rows[rule->measure].level;
    mp_differences all =
        mp_differences_of(rule_context->dictionary, rule_context->base, rule_context->now, level);
    mp_rule_subject subject = {.label = ""};
    const mp_difference *largest = NULL;
    bool any = !rule->by;
    for (size_t i = 0; i < all.count; i++) {
        const mp_difference *at = &all.at[i];
        if (!selects(evaluation, &at->key, label_of(evaluation, rule->by, &at->key)))
            continue;
        any = true;
        if (!is_new(rule->measure, at))
            continue;
        subject.number++;
        if (!largest || weight_of(rule, &at->now) > weight_of(rule, &largest->now))
            largest = at;
    }
    const char *most = "";
    if (largest) {
        mp_measure unit = mp_measure_rows[rule->measure].has & MP_HAS_COSTS ? MP_MEASURE_SECONDS
                                                                            : MP_MEASURE_LEAKED;
        most = mp_arena_format(
            evaluation->scratch, "; %s%s, %s", subject.number > 1 ? "most: " : "",
            mp_quantity_text(evaluation->scratch, unit, weight_of(rule, &largest->now),
                             rule_context->exact_bytes),
            told_of(evaluation, level, &largest->key));
    }
    if (any)
        mp_evaluation_decide(evaluation, &subject, 1, most);
    else
        mp_evaluation_find_nothing(evaluation);
    free(all.at);
}

/* --- rules --- */

static void judge_rule(mp_evaluation *evaluation)
{
    const mp_rule_context *rule_context = evaluation->rule_context;
    const mp_rule *rule = evaluation->rule;
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    bool needs_base = mp_rule_needs_base(rule);
    if (row->has & ~rule_context->now->has)
        mp_evaluation_dismiss(evaluation, "%s does not tell %s",
                              mp_kind_name(rule_context->now->kind), row->told);
    else if (needs_base && !rule_context->base)
        mp_evaluation_dismiss(evaluation,
                              "there is no base to compare with: --base FILE names one");
    else if (needs_base && rule_context->base->kind != rule_context->now->kind)
        mp_evaluation_dismiss(evaluation, "the base is %s, expected %s",
                              mp_kind_name(rule_context->base->kind),
                              mp_kind_name(rule_context->now->kind));
    else if (needs_base && row->has & ~rule_context->base->has)
        mp_evaluation_dismiss(evaluation, "the base does not tell %s", row->told);
    else if (row->is_new)
        judge_new(evaluation);
    else if (rule->measure == MP_MEASURE_GROWTH)
        mp_evaluation_of_growth(evaluation);
    else
        judge_amount(evaluation);
}

mp_rule_results mp_policy_evaluate(const mp_policy *policy, const mp_rule_context *rule_context)
{
    mp_rule_results result = {.count = policy->rule_count};
    result.at = mp_alloc_zero(policy->rule_count + 1, sizeof *result.at);
    result.arena = mp_alloc_zero(1, sizeof *result.arena);
    for (size_t i = 0; i < policy->rule_count; i++) {
        mp_arena scratch = {0};
        mp_rule_result *rule_result = &result.at[i];
        *rule_result = (mp_rule_result){.rule = &policy->rules[i], .message = ""};
        mp_evaluation evaluation = {rule_context, &policy->rules[i], result.arena, &scratch,
                                    rule_result};
        judge_rule(&evaluation);
        result.counts[rule_result->verdict]++;
        mp_arena_free(&scratch);
    }
    return result;
}

void mp_rule_results_free(mp_rule_results *results)
{
    free(results->at);
    if (results->arena)
        mp_arena_free(results->arena);
    free(results->arena);
    *results = (mp_rule_results){0};
}

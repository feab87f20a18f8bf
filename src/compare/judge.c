/* Judging: what a rule measures, summed over what it selects. */
#include "compare/judge.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/measures.h"

/* --- labels --- */

static const char *text_or(const mp_meanings *meanings, uint32_t text, const char *none)
{
    return text ? mp_meaning_text(meanings, text) : none;
}

/* A method with its program; the main block of a program is called by it alone. */
static const char *method_label(mp_hearing *hearing, const mp_meaning *meaning)
{
    const mp_meanings *meanings = hearing->evidence->meanings;
    const char *program = mp_meaning_text(meanings, meaning->program);
    return meaning->name ? mp_arena_format(hearing->scratch, "%s %s",
                                           mp_meaning_text(meanings, meaning->name), program)
                         : program;
}

static const char *label_of(mp_hearing *hearing, mp_select_by by, const mp_meaning *meaning)
{
    const mp_meanings *meanings = hearing->evidence->meanings;
    const char *type = mp_meaning_text(meanings, meaning->type);
    switch (by) {
    case MP_BY_TYPE:
        return type;
    case MP_BY_SOURCE:
        return text_or(meanings, meaning->program, "(session)");
    case MP_BY_NAME:
        return text_or(meanings, meaning->name, "(unnamed)");
    case MP_BY_SITE:
        if (hearing->evidence->now->kind == MP_KIND_DUMP)
            return type;
        return mp_arena_format(hearing->scratch, "%s at %s", type,
                               text_or(meanings, meaning->program, "(session)"));
    case MP_BY_METHOD:
        return method_label(hearing, meaning);
    case MP_BY_MODULE:
        return mp_meaning_text(meanings, meaning->program);
    case MP_BY_NOTHING:
        break;
    }
    return "";
}

/* What a message says of an entry: with the name of the objects where they have one. */
static const char *told_of(mp_hearing *hearing, mp_grain grain, const mp_meaning *meaning)
{
    const mp_meanings *meanings = hearing->evidence->meanings;
    if (grain == MP_GRAIN_METHOD)
        return label_of(hearing, MP_BY_METHOD, meaning);
    if (grain == MP_GRAIN_MODULE)
        return label_of(hearing, MP_BY_MODULE, meaning);
    if (grain == MP_GRAIN_TYPE)
        return label_of(hearing, MP_BY_TYPE, meaning);
    const char *site = label_of(hearing, MP_BY_SITE, meaning);
    const char *type = mp_meaning_text(meanings, meaning->type);
    if (!meaning->name)
        return site;
    return mp_arena_format(hearing->scratch, "%s %s%s", type,
                           mp_meaning_text(meanings, meaning->name), site + strlen(type));
}

bool mp_rule_matches(const mp_rule *rule, const char *label)
{
    return !rule->pattern || fnmatch(rule->pattern, label, 0) == 0;
}

/* A method may be named without its program. */
static bool selects(mp_hearing *hearing, const mp_meaning *meaning, const char *label)
{
    const mp_rule *rule = hearing->rule;
    if (mp_rule_matches(rule, label))
        return true;
    return rule->by == MP_BY_METHOD && meaning->name &&
           mp_rule_matches(rule, mp_meaning_text(hearing->evidence->meanings, meaning->name));
}

/* --- endings --- */

void mp_hearing_dismiss(mp_hearing *hearing, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hearing->judgement->verdict = MP_VERDICT_ERROR;
    hearing->judgement->message = mp_arena_copy(hearing->arena, text, strlen(text));
}

void mp_hearing_find_nothing(mp_hearing *hearing)
{
    const mp_rule *rule = hearing->rule;
    const char *what = mp_select_by_name(rule->by);
    if (rule->if_any)
        hearing->judgement->message = mp_arena_format(hearing->arena, "there is no such %s", what);
    else if (rule->pattern)
        mp_hearing_dismiss(hearing,
                           "no %s matches \"%s\": is it a typing error? (\"if any\" lets "
                           "the rule hold)",
                           what, rule->pattern);
    else
        mp_hearing_dismiss(hearing, "there is no %s (\"if any\" lets the rule hold)", what);
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
static const char *distance_text(mp_hearing *hearing, mp_threshold limit, int64_t number,
                                 const char *limit_text, bool exact)
{
    mp_comparison comparison = hearing->rule->comparison;
    int64_t over = number - limit.number;
    bool upper = comparison == MP_AT_MOST || comparison == MP_LESS;
    if (comparison == MP_EQUAL)
        return mp_arena_format(hearing->arena, "expected %s", limit_text);
    if (over == 0)
        return mp_arena_format(hearing->arena, "not %s %s", upper ? "below" : "above", limit_text);
    return mp_arena_format(
        hearing->arena, "%s %s %s",
        mp_quantity_text(hearing->arena, hearing->rule->measure, over < 0 ? -over : over, exact),
        upper ? "over" : "under", limit_text);
}

/* "1.1 x base" in parentheses where the limit is worked out. */
static const char *limit_text_of(mp_hearing *hearing, const char *limit)
{
    const mp_rule *rule = hearing->rule;
    bool worked_out = rule->bound.reference != MP_OF_NOTHING;
    if (mp_measure_rows[rule->measure].is_new)
        return rule->bound.text;
    return mp_arena_format(hearing->arena, "%s %s%s%s%s", mp_comparison_sign(rule->comparison),
                           limit, worked_out ? " (" : "", worked_out ? rule->bound.text : "",
                           worked_out ? ")" : "");
}

/* Numbers whose texts are alike though they differ are told to the last byte. */
static bool needs_exact(mp_hearing *hearing, int64_t number, int64_t limit)
{
    mp_measure measure = hearing->rule->measure;
    return hearing->evidence->exact_bytes ||
           (number != limit &&
            strcmp(mp_quantity_text(hearing->scratch, measure, number, false),
                   mp_quantity_text(hearing->scratch, measure, limit, false)) == 0);
}

static void set_numbers(mp_hearing *hearing, const mp_party *party, mp_threshold limit)
{
    mp_judgement *judgement = hearing->judgement;
    const mp_rule *rule = hearing->rule;
    judgement->has_measured = judgement->has_limit = true;
    judgement->measured = party->number;
    judgement->limit = limit.number;
    if (rule->bound.reference == MP_OF_BASE) {
        judgement->has_base = true;
        judgement->base = party->reference;
    }
    if (rule->bound.reference == MP_OF_START) {
        judgement->has_limit_percent = true;
        judgement->limit_percent = (double)rule->bound.share * 100 / (double)MP_WHOLE;
        judgement->has_measured_percent = party->reference > 0;
        if (party->reference > 0)
            judgement->measured_percent = (double)party->number * 100 / (double)party->reference;
    }
}

static void set_texts(mp_hearing *hearing, const mp_party *party, mp_threshold limit, size_t failed,
                      size_t count, const char *most)
{
    mp_judgement *judgement = hearing->judgement;
    const mp_rule *rule = hearing->rule;
    bool exact = needs_exact(hearing, party->number, limit.number);
    const char *measured = mp_quantity_text(hearing->arena, rule->measure, party->number, exact);
    const char *allowed = mp_quantity_text(hearing->arena, rule->measure, limit.number, exact);
    const char *percent =
        judgement->has_measured_percent
            ? mp_arena_format(hearing->arena, " (%s)",
                              mp_share_text(hearing->arena, judgement->measured_percent))
            : "";
    judgement->measured_text = mp_arena_format(hearing->arena, "%s%s", measured, percent);
    judgement->limit_text = limit_text_of(hearing, allowed);
    if (judgement->verdict != MP_VERDICT_FAIL)
        return;
    if (mp_measure_rows[rule->measure].is_new) {
        judgement->message = mp_arena_format(
            hearing->arena, "%lld new %s%s%s", (long long)party->number,
            mp_measure_rows[rule->measure].words, party->number == 1 ? "" : "s", most);
        return;
    }
    const char *who = rule->each
                          ? mp_arena_format(hearing->arena, "%zu of %zu %ss, worst %s: ", failed,
                                            count, mp_select_by_name(rule->by), party->label)
                          : "";
    judgement->message = mp_arena_format(
        hearing->arena, "%s%s %s, %s%s", who, measured, mp_measure_rows[rule->measure].done,
        distance_text(hearing, limit, party->number, allowed, exact), most);
}

void mp_hearing_decide(mp_hearing *hearing, const mp_party *parties, size_t count, const char *most)
{
    const mp_rule *rule = hearing->rule;
    size_t worst = 0, failed = 0;
    double farthest = 0;
    for (size_t i = 0; i < count; i++) {
        mp_threshold limit = mp_bound_of(&rule->bound, parties[i].reference);
        double by = excess(rule->comparison, limit, parties[i].number);
        failed += !mp_threshold_holds(limit, rule->comparison, parties[i].number);
        if (i == 0 || by > farthest ||
            (!(by < farthest) && strcmp(parties[i].label, parties[worst].label) < 0)) {
            worst = i;
            farthest = by;
        }
    }
    mp_threshold limit = mp_bound_of(&rule->bound, parties[worst].reference);
    hearing->judgement->verdict = failed ? MP_VERDICT_FAIL : MP_VERDICT_PASS;
    set_numbers(hearing, &parties[worst], limit);
    set_texts(hearing, &parties[worst], limit, failed, count, most);
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

static mp_grain grain_of(const mp_rule *rule)
{
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    if (row->counts)
        return row->grain;
    switch (rule->by) {
    case MP_BY_TYPE:
        return MP_GRAIN_TYPE;
    case MP_BY_METHOD:
        return MP_GRAIN_METHOD;
    case MP_BY_MODULE:
        return MP_GRAIN_MODULE;
    case MP_BY_NOTHING:
        return row->knows & MP_KNOWS_COSTS ? MP_GRAIN_METHOD : MP_GRAIN_SITE;
    default:
        return MP_GRAIN_SITE;
    }
}

static void gather(mp_hearing *hearing, shares *found, const mp_digest *digest, bool now)
{
    const mp_rule *rule = hearing->rule;
    mp_grain grain = grain_of(rule);
    const mp_entries *entries = &digest->lists[grain];
    for (size_t i = 0; i < entries->count; i++) {
        const mp_meaning *meaning = &entries->at[i].meaning;
        const char *label = label_of(hearing, rule->by, meaning);
        int64_t amount = mp_measure_of(rule->measure, &entries->at[i].amounts);
        if (!selects(hearing, meaning, label))
            continue;
        mp_grow(&found->at, &found->capacity, found->count + 1, sizeof *found->at);
        found->at[found->count++] = (share){label, now ? amount : 0, now ? 0 : amount};
        *(now ? &found->sum.now : &found->sum.base) += amount;
        const char *told = now && amount >= found->most.now && amount > 0
                               ? told_of(hearing, grain, meaning)
                               : NULL;
        if (told && (amount > found->most.now || strcmp(told, found->most.label) < 0))
            found->most = (share){told, amount, 0};
    }
}

static int by_label(const void *left, const void *right)
{
    return strcmp(((const share *)left)->label, ((const share *)right)->label);
}

/* One party for each label; they are in the scratch arena. */
static mp_party *parties_of(mp_hearing *hearing, shares *found, size_t *count)
{
    mp_party *parties = mp_arena_alloc(hearing->scratch, (found->count + 1) * sizeof *parties);
    *count = 0;
    if (found->count)
        qsort(found->at, found->count, sizeof *found->at, by_label);
    for (size_t i = 0; i < found->count; i++) {
        const share *at = &found->at[i];
        if (!*count || strcmp(parties[*count - 1].label, at->label) != 0)
            parties[(*count)++] = (mp_party){.label = at->label};
        parties[*count - 1].number += at->now;
        parties[*count - 1].reference += at->base;
    }
    return parties;
}

static const char *most_text(mp_hearing *hearing, const share *most)
{
    const mp_rule *rule = hearing->rule;
    bool counts = mp_measure_rows[rule->measure].counts;
    if (!most->label || counts || (rule->comparison != MP_AT_MOST && rule->comparison != MP_LESS))
        return "";
    return mp_arena_format(hearing->scratch, "; most: %s, %s",
                           mp_quantity_text(hearing->scratch, rule->measure, most->now,
                                            hearing->evidence->exact_bytes),
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

static void judge_amount(mp_hearing *hearing)
{
    const mp_evidence *evidence = hearing->evidence;
    const mp_rule *rule = hearing->rule;
    bool of_peak = rule->measure == MP_MEASURE_PEAK || rule->measure == MP_MEASURE_PEAK_OBJECTS;
    shares found = {0};
    if (!of_peak)
        gather(hearing, &found, evidence->now, true);
    if (!of_peak && evidence->base)
        gather(hearing, &found, evidence->base, false);
    if (rule->by && !found.count) {
        mp_hearing_find_nothing(hearing);
    } else if (rule->each) {
        size_t count;
        mp_party *parties = parties_of(hearing, &found, &count);
        mp_hearing_decide(hearing, parties, count, "");
    } else {
        mp_party party = {"", found.sum.now, found.sum.base};
        if (!rule->by) {
            party.number = total_of(rule, evidence->now, found.sum.now);
            party.reference = evidence->base ? total_of(rule, evidence->base, found.sum.base) : 0;
        }
        mp_hearing_decide(hearing, &party, 1, most_text(hearing, &found.most));
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
    return rule->measure == MP_MEASURE_NEW_LEAK_SITES              ? now->leaked_bytes
           : mp_measure_rows[rule->measure].knows & MP_KNOWS_COSTS ? now->exclusive_us
                                                                   : now->bytes;
}

static void judge_new(mp_hearing *hearing)
{
    const mp_evidence *evidence = hearing->evidence;
    const mp_rule *rule = hearing->rule;
    mp_grain grain = mp_measure_rows[rule->measure].grain;
    mp_differences all =
        mp_differences_of(evidence->meanings, evidence->base, evidence->now, grain);
    mp_party party = {.label = ""};
    const mp_difference *largest = NULL;
    bool any = !rule->by;
    for (size_t i = 0; i < all.count; i++) {
        const mp_difference *at = &all.at[i];
        if (!selects(hearing, &at->meaning, label_of(hearing, rule->by, &at->meaning)))
            continue;
        any = true;
        if (!is_new(rule->measure, at))
            continue;
        party.number++;
        if (!largest || weight_of(rule, &at->now) > weight_of(rule, &largest->now))
            largest = at;
    }
    const char *most = "";
    if (largest) {
        mp_measure unit = mp_measure_rows[rule->measure].knows & MP_KNOWS_COSTS ? MP_MEASURE_SECONDS
                                                                                : MP_MEASURE_LEAKED;
        most =
            mp_arena_format(hearing->scratch, "; %s%s, %s", party.number > 1 ? "most: " : "",
                            mp_quantity_text(hearing->scratch, unit, weight_of(rule, &largest->now),
                                             evidence->exact_bytes),
                            told_of(hearing, grain, &largest->meaning));
    }
    if (any)
        mp_hearing_decide(hearing, &party, 1, most);
    else
        mp_hearing_find_nothing(hearing);
    free(all.at);
}

/* --- rules --- */

static void judge_rule(mp_hearing *hearing)
{
    const mp_evidence *evidence = hearing->evidence;
    const mp_rule *rule = hearing->rule;
    const mp_measure_row *row = &mp_measure_rows[rule->measure];
    bool needs_base = mp_rule_needs_base(rule);
    if (row->knows & ~evidence->now->knows)
        mp_hearing_dismiss(hearing, "%s does not tell %s", mp_kind_name(evidence->now->kind),
                           row->told);
    else if (needs_base && !evidence->base)
        mp_hearing_dismiss(hearing, "there is no base to compare with: --base FILE names one");
    else if (needs_base && evidence->base->kind != evidence->now->kind)
        mp_hearing_dismiss(hearing, "the base is %s, expected %s",
                           mp_kind_name(evidence->base->kind), mp_kind_name(evidence->now->kind));
    else if (needs_base && row->knows & ~evidence->base->knows)
        mp_hearing_dismiss(hearing, "the base does not tell %s", row->told);
    else if (row->is_new)
        judge_new(hearing);
    else if (rule->measure == MP_MEASURE_GROWTH)
        mp_hearing_judge_growth(hearing);
    else
        judge_amount(hearing);
}

mp_judgements mp_policy_judge(const mp_policy *policy, const mp_evidence *evidence)
{
    mp_judgements result = {.count = policy->rule_count};
    result.at = mp_alloc_zero(policy->rule_count + 1, sizeof *result.at);
    result.arena = mp_alloc_zero(1, sizeof *result.arena);
    for (size_t i = 0; i < policy->rule_count; i++) {
        mp_arena scratch = {0};
        mp_judgement *judgement = &result.at[i];
        *judgement = (mp_judgement){.rule = &policy->rules[i], .message = ""};
        mp_hearing hearing = {evidence, &policy->rules[i], result.arena, &scratch, judgement};
        judge_rule(&hearing);
        result.passed += judgement->verdict == MP_VERDICT_PASS;
        result.failed += judgement->verdict == MP_VERDICT_FAIL;
        result.unjudged += judgement->verdict == MP_VERDICT_ERROR;
        mp_arena_free(&scratch);
    }
    return result;
}

void mp_judgements_free(mp_judgements *judgements)
{
    free(judgements->at);
    if (judgements->arena)
        mp_arena_free(judgements->arena);
    free(judgements->arena);
    *judgements = (mp_judgements){0};
}

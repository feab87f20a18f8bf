/* The report gate: check a recording against the rules of a policy. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "compare/policy.h"
#include "document/checks.h"
#include "query/coverage.h"
#include "reports/judging.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

typedef struct gate_row {
    const char *policy, *base, *verdict;
    int64_t rules, passed, failed, unjudged, unread;
} gate_row;

static const mp_column gate_columns[] = {
    MP_COLUMN(gate_row, policy, "Policy", MP_TEXT, 0),
    MP_COLUMN(gate_row, base, "Base", MP_TEXT, 0),
    MP_COLUMN(gate_row, verdict, "Verdict", MP_TEXT, 0),
    MP_COLUMN(gate_row, rules, "Rules", MP_COUNT, MP_ADDS),
    MP_COLUMN(gate_row, passed, "Hold", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(gate_row, failed, "Fail", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(gate_row, unjudged, "Not judged", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(gate_row, unread, "", MP_COUNT, 0),
};

typedef struct rule_row {
    const char *status, *rule, *measured, *limit, *message, *warning;
    mp_texts why;
    struct {
        int64_t measured, limit, base, spread;
    } by_unit[MP_RULE_UNITS];
    double measured_percent, limit_percent;
    int64_t line;
} rule_row;

#define AMOUNT_COLUMNS(rule_unit, suffix, unit)                                                    \
    MP_COLUMN_OF(rule_row, by_unit[rule_unit].measured, "measured_" suffix, "", unit,              \
                 MP_FOR_PROGRAMS),                                                                 \
        MP_COLUMN_OF(rule_row, by_unit[rule_unit].limit, "limit_" suffix, "", unit,                \
                     MP_FOR_PROGRAMS),                                                             \
        MP_COLUMN_OF(rule_row, by_unit[rule_unit].base, "base_" suffix, "", unit, MP_FOR_PROGRAMS)
#define SPREAD_COLUMN(rule_unit, suffix, unit)                                                     \
    MP_COLUMN_OF(rule_row, by_unit[rule_unit].spread, "spread_" suffix, "", unit, MP_FOR_PROGRAMS)

static const mp_column rule_columns[] = {
    MP_COLUMN(rule_row, status, "Status", MP_TEXT, MP_TONED),
    MP_COLUMN(rule_row, rule, "Rule", MP_TEXT, MP_WRAP),
    MP_COLUMN(rule_row, measured, "Measured", MP_TEXT, MP_WRAP),
    MP_COLUMN(rule_row, limit, "Limit", MP_TEXT, 0),
    MP_COLUMN(rule_row, why, "Why", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(rule_row, message, "Why", MP_TEXT, MP_FOR_PROGRAMS),
    AMOUNT_COLUMNS(MP_RULE_BYTES, "bytes", MP_BYTES),
    AMOUNT_COLUMNS(MP_RULE_OBJECTS, "objects", MP_COUNT),
    AMOUNT_COLUMNS(MP_RULE_CALLS, "calls", MP_COUNT),
    AMOUNT_COLUMNS(MP_RULE_COUNT, "count", MP_COUNT),
    AMOUNT_COLUMNS(MP_RULE_US, "seconds", MP_SECONDS),
    MP_COLUMN_OF(rule_row, by_unit[MP_RULE_LINES].measured, "measured_lines", "", MP_COUNT,
                 MP_FOR_PROGRAMS),
    MP_COLUMN(rule_row, measured_percent, "", MP_PERCENT, MP_FOR_PROGRAMS),
    MP_COLUMN(rule_row, limit_percent, "", MP_PERCENT, MP_FOR_PROGRAMS),
    MP_COLUMN(rule_row, line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    SPREAD_COLUMN(MP_RULE_BYTES, "bytes", MP_BYTES),
    SPREAD_COLUMN(MP_RULE_OBJECTS, "objects", MP_COUNT),
    SPREAD_COLUMN(MP_RULE_CALLS, "calls", MP_COUNT),
    SPREAD_COLUMN(MP_RULE_COUNT, "count", MP_COUNT),
    SPREAD_COLUMN(MP_RULE_US, "seconds", MP_SECONDS),
    MP_COLUMN(rule_row, warning, "", MP_TEXT, MP_FOR_PROGRAMS),
    AMOUNT_COLUMNS(MP_RULE_SAMPLES, "samples", MP_COUNT),
    SPREAD_COLUMN(MP_RULE_SAMPLES, "samples", MP_COUNT),
};

static const char *text_of(mp_document *document, const char *text)
{
    return text ? mp_utf8_copy(document->arena, text) : "";
}

static void put_rule(mp_document *document, mp_table *table, const mp_rule_result *result)
{
    mp_rule_unit unit = mp_measure_unit(result->rule->measure);
    rule_row row = {.status = mp_verdict_name(result->verdict),
                    .rule = result->rule->name,
                    .measured = result->measured_text,
                    .limit = result->limit_text,
                    .message = result->message,
                    .measured_percent =
                        result->has_measured_percent ? result->measured_percent : NAN,
                    .limit_percent = result->has_limit_percent ? result->limit_percent : NAN,
                    .line = result->rule->line,
                    .warning = *result->warning ? result->warning : NULL};
    bool warns = result->verdict == MP_VERDICT_PASS && *result->warning;
    const char *why = warns ? mp_document_text(document, "warning: %s", result->warning)
                      : *result->message ? row.message
                                         : NULL;
    row.why = mp_one_text(document, why);
    for (size_t i = 0; i < MP_RULE_UNITS; i++)
        row.by_unit[i].measured = row.by_unit[i].limit = row.by_unit[i].base =
            row.by_unit[i].spread = MP_UNKNOWN;
    if (result->has_measured)
        row.by_unit[unit].measured = result->measured;
    if (result->has_limit)
        row.by_unit[unit].limit = result->limit;
    if (result->has_base)
        row.by_unit[unit].base = result->base;
    if (result->has_spread)
        row.by_unit[unit].spread = result->spread;
    mp_table_put(document, table, &row);
}

static void section_gate(mp_document *document, const mp_request *request,
                         const mp_rule_results *results)
{
    const size_t *counts = results->counts;
    mp_verdict verdict = counts[MP_VERDICT_FAIL]    ? MP_VERDICT_FAIL
                         : counts[MP_VERDICT_ERROR] ? MP_VERDICT_ERROR
                                                    : MP_VERDICT_PASS;
    gate_row row = {.policy = request->policy->path,
                    .base = request->base ? request->base->path : NULL,
                    .verdict = mp_verdict_name(verdict),
                    .rules = (int64_t)results->count,
                    .passed = (int64_t)counts[MP_VERDICT_PASS],
                    .failed = (int64_t)counts[MP_VERDICT_FAIL],
                    .unjudged = (int64_t)counts[MP_VERDICT_ERROR],
                    .unread = MP_UNKNOWN};
    mp_table *table = MP_TABLE(document, "gate", NULL, MP_RECORD, gate_columns);
    table->flags = MP_FOR_PROGRAMS;
    mp_table_put(document, table, &row);
    document->policy = text_of(document, row.policy);
}

/* Say the verdict, and the first rule that caused it. */
static void say_verdict(mp_document *document, const mp_rule_results *results)
{
    const mp_rule_result *first = NULL;
    for (size_t i = 0; i < results->count; i++) {
        mp_verdict verdict = results->items[i].verdict;
        if (verdict != MP_VERDICT_PASS &&
            (!first || (verdict == MP_VERDICT_FAIL && first->verdict != MP_VERDICT_FAIL)))
            first = &results->items[i];
    }
    mp_tone tone = !first                              ? MP_TONE_BETTER
                   : first->verdict == MP_VERDICT_FAIL ? MP_TONE_WORSE
                                                       : MP_TONE_WARNING;
    mp_document_say(document, tone, MP_SAID_VERDICT, "%s, %s",
                    mp_verdict_name(first ? first->verdict : MP_VERDICT_PASS),
                    mp_verdicts_text(document->arena, "rule", results->counts));
    if (first)
        mp_document_say(document, tone,
                        first->verdict == MP_VERDICT_FAIL ? "First to fail" : "Not judged",
                        "%s: %s", first->rule->name, first->message);
}

static void section_rules(mp_document *document, const mp_rule_results *results)
{
    mp_table *table = MP_TABLE(document, "rules", NULL, MP_ROWS, rule_columns);
    table->main = true;
    table->limited = true; /* no row limit applies, because each rule has one row */
    table->flags = MP_OF_CHECKS;
    for (size_t i = 0; i < results->count; i++)
        put_rule(document, table, &results->items[i]);
}

/* --- causes of failed rules --- */

typedef struct worse_row {
    const char *rule, *status, *change, *base, *now, *what, *site;
    struct {
        int64_t change, base, now;
    } by_unit[MP_RULE_UNITS];
} worse_row;

#define CULPRIT_COLUMNS(rule_unit, suffix, unit)                                                   \
    MP_COLUMN_OF(worse_row, by_unit[rule_unit].change, "delta_" suffix, "", unit,                  \
                 MP_FOR_PROGRAMS | MP_SIGNED),                                                     \
        MP_COLUMN_OF(worse_row, by_unit[rule_unit].base, "base_" suffix, "", unit,                 \
                     MP_FOR_PROGRAMS),                                                             \
        MP_COLUMN_OF(worse_row, by_unit[rule_unit].now, "new_" suffix, "", unit, MP_FOR_PROGRAMS)

static const mp_column worse_columns[] = {
    MP_COLUMN(worse_row, rule, "Rule", MP_TEXT, MP_WRAP),
    MP_COLUMN(worse_row, status, "", MP_TEXT, MP_TONED | MP_IF_KNOWN),
    MP_COLUMN(worse_row, change, "Change", MP_TEXT, MP_FOR_PEOPLE | MP_IF_KNOWN),
    MP_COLUMN(worse_row, base, "Base", MP_TEXT, MP_FOR_PEOPLE | MP_IF_KNOWN),
    MP_COLUMN(worse_row, now, "Now", MP_TEXT, MP_FOR_PEOPLE),
    CULPRIT_COLUMNS(MP_RULE_BYTES, "bytes", MP_BYTES),
    CULPRIT_COLUMNS(MP_RULE_OBJECTS, "objects", MP_COUNT),
    CULPRIT_COLUMNS(MP_RULE_CALLS, "calls", MP_COUNT),
    CULPRIT_COLUMNS(MP_RULE_US, "seconds", MP_SECONDS),
    MP_COLUMN(worse_row, what, "What", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(worse_row, site, "Allocation site", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
    CULPRIT_COLUMNS(MP_RULE_SAMPLES, "samples", MP_COUNT),
};

static void put_culprit(mp_document *document, mp_table *table, const mp_rule_result *result,
                        const mp_culprit *culprit)
{
    mp_rule_unit unit = mp_measure_unit(result->culprit_measure);
    mp_arena *arena = document->arena;
    bool exact = document->exact_bytes;
    worse_row row = {.rule = result->rule->name,
                     .status = culprit->status,
                     .now = culprit->told,
                     .what = culprit->what,
                     .site = culprit->site};
    for (size_t i = 0; i < MP_RULE_UNITS; i++)
        row.by_unit[i].change = row.by_unit[i].base = row.by_unit[i].now = MP_UNKNOWN;
    if (!culprit->told) {
        row.by_unit[unit].now = culprit->number;
        row.now = mp_quantity_text(arena, result->culprit_measure, culprit->number, exact);
    }
    if (culprit->has_base) {
        const char *sign = culprit->change > 0 ? "+" : "";
        row.by_unit[unit].change = culprit->change;
        row.by_unit[unit].base = culprit->base;
        row.base = mp_quantity_text(arena, result->culprit_measure, culprit->base, exact);
        row.change = mp_arena_format(
            arena, "%s%s", sign,
            mp_quantity_text(arena, result->culprit_measure, culprit->change, exact));
    }
    mp_table_put(document, table, &row);
}

/* Add the causes of the rules that failed, if any did. */
static void section_worse(mp_document *document, const mp_rule_results *results)
{
    mp_table *table = NULL;
    size_t left_out = 0;
    for (size_t i = 0; i < results->count; i++) {
        const mp_rule_result *result = &results->items[i];
        for (size_t j = 0; j < result->culprit_count; j++) {
            if (!table)
                table = MP_TABLE(document, "worse", "Causes of the failed rules", MP_ROWS,
                                 worse_columns);
            put_culprit(document, table, result, &result->culprits[j]);
        }
        left_out += result->culprits_left_out;
    }
    if (table)
        table->limited = true;
    if (table && left_out)
        table->footer = (mp_line){.rest = {left_out, MP_REST_MORE}};
}

static bool has_same_bytes(const mp_digest *a, const mp_digest *b)
{
    bool same = a->checksum_count && a->checksum_count == b->checksum_count;
    for (size_t i = 0; same && i < a->checksum_count; i++)
        same = mp_checksum_equal(&a->checksums[i], &b->checksums[i]);
    return same;
}

static bool has_same_start(const mp_digest *a, const mp_digest *b)
{
    return (a->start_us && a->start_us == b->start_us) ||
           (a->has_stamp && b->has_stamp && a->stamp_ms == b->stamp_ms) ||
           strcmp(a->path, b->path) == 0;
}

/* Evidence that a recording is its own base; the strongest is the largest. */
typedef enum sameness { NOT_SAME, SAME_RUN, SAME_BYTES } sameness;

static sameness sameness_of(const mp_digest *base, const mp_digest *now)
{
    /* If the totals differ, the digests are of different snapshots. */
    if (!mp_amounts_equal(&base->totals, &now->totals))
        return NOT_SAME;
    return has_same_bytes(base, now) ? SAME_BYTES : has_same_start(base, now) ? SAME_RUN : NOT_SAME;
}

/* Find out if the recording is its own base, or one of the base's runs. It cannot be worse than
 * itself. */
static sameness sameness_of_any(const mp_digest *base, const mp_digest *now)
{
    sameness most = base ? sameness_of(base, now) : NOT_SAME;
    for (size_t i = 0; base && i < base->run_count; i++) {
        const sameness same = sameness_of(base->runs[i], now);
        most = same > most ? same : most;
    }
    return most;
}

static void say_same(mp_document *document, sameness same, const mp_digest *base)
{
    if (same)
        mp_document_say(
            document, MP_TONE_WARNING, same == SAME_BYTES ? "Same bytes" : "Same run",
            same == SAME_BYTES
                ? "those that %s was made from: the recording is compared with itself"
                : "%s has the same start and totals: the recording seems to be compared "
                  "with itself",
            base->path);
}

static void judge(const mp_request *request, mp_document *document, mp_rule_context *rule_context)
{
    rule_context->base = request->base;
    rule_context->culprits = (size_t)mp_number_argument(request, "limit");
    if (request->base)
        rule_context->incomparable =
            mp_incomparable(document->arena, request->base, rule_context->now,
                            rule_context->window_end || request->allow_torn);
    const sameness same = sameness_of_any(request->base, rule_context->now);
    if (same && request->strict && !rule_context->incomparable)
        rule_context->incomparable = "the recording is compared with itself";
    mp_rule_results results = mp_judge_rules(document, request, request->policy, rule_context);
    section_gate(document, request, &results);
    say_verdict(document, &results);
    say_same(document, same, request->base);
    if (request->base)
        mp_say_base_order(document, request->base, rule_context->now);
    section_rules(document, &results);
    section_worse(document, &results);
    mp_rule_results_free(&results);
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_request_window(request, error);
    mp_digest *now = window ? mp_report_digest(request, error) : NULL;
    bool ok = now && mp_base_is_alike(request, now, error);
    if (ok) {
        bool history = request->model->holds & MP_HOLDS_HISTORY;
        mp_section_head(document, request);
        mp_section_session(document, request, false);
        mp_section_heap_totals(document, window, history, false);
        mp_section_suppressions(document, window);
        const mp_heap_arguments *asked = request->arguments;
        mp_rule_context rule_context = {
            .now = now, .model = request->model, .window = window, .window_end = asked->to};
        judge(request, document, &rule_context);
        mp_say_suppressed(document, window);
        mp_say_running(document, window);
        mp_say_late(document, window);
    }
    mp_digest_free(now);
    return ok;
}

/* Say how many programs no rule on coverage counts, because their lines are not recorded. */
static void say_untold(mp_document *document, const mp_policy *policy, const mp_coverage *coverage)
{
    bool judges = false;
    for (size_t i = 0; i < policy->rule_count; i++)
        judges |= policy->rules[i].measure == MP_MEASURE_COVERAGE;
    if (judges && coverage->untold)
        mp_document_say(document, MP_TONE_PLAIN, "Not counted", "%s without coverage",
                        mp_counted_text(document, coverage->untold, "program"));
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_digest *now = mp_report_digest(request, error);
    bool ok = now && mp_base_is_alike(request, now, error);
    if (ok) {
        mp_section_profile(document, request);
        mp_coverage coverage = mp_coverage_of(request->filter);
        mp_rule_context rule_context = {.now = now, .model = request->model, .coverage = &coverage};
        judge(request, document, &rule_context);
        say_untold(document, request->policy, &coverage);
        mp_coverage_free(&coverage);
    }
    mp_digest_free(now);
    return ok;
}

enum { HEAPS = MP_HEAPS | MP_DUMP, ALL = HEAPS | MP_PROFILE };

static const mp_heap_arguments usual = {.limit = MP_DEFAULT_ROWS};
static const mp_argument arguments[] = {
    MP_ASKS_WINDOW(HEAPS),           MP_ASKS("limit", limit, ALL), MP_SHARES("selection", ALL),
    MP_SHARES("base", ALL),          MP_SHARES("policy", ALL),     MP_SHARES_READING,
    MP_SHARES("suppress", MP_HEAPS),
};

const mp_report mp_report_gate = {
    .name = "gate",
    .summary = "check a recording against the rules of a policy",
    .wants_holders = true,
    .example = "gate samples/shop.policy samples/shop-v2.oemp",
    .details =
        "A policy is a file with one rule per line, such as\n"
        "  no leak: trend <= 0\n"
        "  left behind: leaked <= 64 KiB\n"
        "  orders: leaked of source \"*OrderEntry*\" <= 1.1 x base\n"
        "  growth of type \"Dynamic Query\" per snapshot after snapshot 3 <= 2 %\n"
        "  no new leak site\n"
        "trend counts leaks only; leaked also counts caches and objects in use. memprof-policy(5) "
        "describes all forms. Rules that compare need `base`. The exit status is "
        "0 if all rules pass, 1 if some fail, and 3 if none fails but some could not be judged.",
    .operand = MP_OPERAND_POLICY,
    .program_rows = MP_DEFAULT_ROWS,
    MP_ARGUMENTS(arguments, usual),
    .variants = {MP_HEAP_VARIANTS(run_heap),
                 {.needs = MP_HOLDS_LEDGER, .run = run_heap},
                 {.needs = MP_HOLDS_PROFILE, .run = run_profile}},
};

/* Gate: hold a recording to the rules of a policy. */
#include <stdio.h>

#include "base/error.h"
#include "compare/policy.h"
#include "reports/sections.h"

static const mp_column gate_columns[] = {
    {"policy", "Policy", MP_TEXT, 0, 0},
    {"base", "Base", MP_TEXT, 0, 0},
    {"verdict", "Verdict", MP_TEXT, 0, 0},
    {"rules", "Rules", MP_COUNT, MP_ADDS, 0},
    {"passed", "Hold", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
    {"failed", "Fail", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
    {"unjudged", "Not judged", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
};

static const mp_column rule_columns[] = {
    {"status", "Status", MP_TEXT, 0, 0},
    {"rule", "Rule", MP_TEXT, MP_SHORTEN | MP_SHRINKS, 0},
    {"measured", "Measured", MP_TEXT, 0, 0},
    {"limit", "Limit", MP_TEXT, 0, 0},
    {"why", "Why", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
    {"message", "Why", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"measured_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"limit_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"base_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"measured_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"limit_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"base_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"measured_calls", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"limit_calls", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"base_calls", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"measured_count", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"limit_count", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"base_count", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"measured_seconds", "", MP_SECONDS, MP_FOR_PROGRAMS, 0},
    {"limit_seconds", "", MP_SECONDS, MP_FOR_PROGRAMS, 0},
    {"base_seconds", "", MP_SECONDS, MP_FOR_PROGRAMS, 0},
    {"measured_percent", "", MP_PERCENT, MP_FOR_PROGRAMS, 0},
    {"limit_percent", "", MP_PERCENT, MP_FOR_PROGRAMS, 0},
    {"line", "", MP_NUMBER, MP_FOR_PROGRAMS, 0},
};

static void set_amount(mp_table *table, bool known, int64_t number, const char *const *columns,
                       mp_rule_unit unit)
{
    if (known)
        mp_set_number(table, columns[unit], number);
}

static void set_amounts(mp_table *table, const mp_rule_result *rule_result)
{
    static const char *const measured[] = {"measured_bytes", "measured_objects", "measured_calls",
                                           "measured_count", "measured_seconds"};
    static const char *const limit[] = {"limit_bytes", "limit_objects", "limit_calls",
                                        "limit_count", "limit_seconds"};
    static const char *const base[] = {"base_bytes", "base_objects", "base_calls", "base_count",
                                       "base_seconds"};
    mp_rule_unit unit = mp_measure_unit(rule_result->rule->measure);
    set_amount(table, rule_result->has_measured, rule_result->measured, measured, unit);
    set_amount(table, rule_result->has_limit, rule_result->limit, limit, unit);
    set_amount(table, rule_result->has_base, rule_result->base, base, unit);
    if (rule_result->has_measured_percent)
        mp_set_real(table, "measured_percent", rule_result->measured_percent);
    if (rule_result->has_limit_percent)
        mp_set_real(table, "limit_percent", rule_result->limit_percent);
}

static void rule_row(mp_document *document, mp_table *table, const mp_rule_result *rule_result)
{
    mp_table_row(table);
    mp_set_text(document, table, "status", mp_verdict_name(rule_result->verdict));
    mp_set_text(document, table, "rule", rule_result->rule->name);
    mp_set_text(document, table, "measured", rule_result->measured_text);
    mp_set_text(document, table, "limit", rule_result->limit_text);
    mp_set_text(document, table, "message", rule_result->message);
    if (*rule_result->message)
        mp_set_list(document, table, "why", &rule_result->message, 1);
    mp_set_number(table, "line", rule_result->rule->line);
    set_amounts(table, rule_result);
}

static void section_gate(mp_document *document, const mp_request *request,
                         const mp_rule_results *results)
{
    mp_table *table = MP_TABLE(document, "gate", NULL, MP_RECORD, gate_columns);
    table->flags = MP_FOR_PROGRAMS;
    mp_table_row(table);
    mp_set_text(document, table, "policy", request->policy->path);
    if (request->base)
        mp_set_text(document, table, "base", request->base->path);
    mp_set_text(document, table, "verdict",
                mp_verdict_name(results->failed     ? MP_VERDICT_FAIL
                                : results->unjudged ? MP_VERDICT_ERROR
                                                    : MP_VERDICT_PASS));
    mp_set_number(table, "rules", (int64_t)results->count);
    mp_set_number(table, "passed", (int64_t)results->passed);
    mp_set_number(table, "failed", (int64_t)results->failed);
    mp_set_number(table, "unjudged", (int64_t)results->unjudged);
}

static void section_rules(mp_document *document, const mp_rule_results *results)
{
    mp_table *table = MP_TABLE(document, "rules", NULL, MP_ROWS, rule_columns);
    table->main = true;
    for (size_t i = 0; i < results->count; i++)
        rule_row(document, table, &results->at[i]);
    document->rules = (mp_verdicts){results->passed, results->failed, results->unjudged};
    document->failed = results->failed > 0;
    document->unjudged = results->unjudged > 0;
    table->footer.text = mp_verdicts_text(document->arena, "rule", document->rules);
}

static void judge(const mp_request *request, mp_document *document, mp_rule_context *rule_context)
{
    rule_context->base = request->base;
    rule_context->dictionary = request->dictionary;
    rule_context->exact_bytes = document->exact_bytes;
    mp_rule_results results = mp_policy_evaluate(request->policy, rule_context);
    section_gate(document, request, &results);
    section_rules(document, &results);
    mp_rule_results_free(&results);
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    if (!mp_request_window(request, &window, error))
        return false;
    mp_digest *now = mp_report_digest(request, error);
    bool ok = now && mp_base_is_alike(request, now, error);
    if (ok) {
        bool history = request->model->holds & MP_HOLDS_HISTORY;
        mp_leaks leaks = {0};
        if (history)
            leaks = mp_leaks_find(&window);
        mp_section_head(document, request);
        mp_section_session(document, request, false);
        mp_section_heap_totals(document, &window, history ? &leaks : NULL, false);
        mp_section_suppressions(document, &window);
        mp_rule_context rule_context = {
            .now = now, .model = request->model, .window = &window, .to = request->view.to};
        judge(request, document, &rule_context);
        if (history)
            mp_leaks_free(&leaks);
    }
    mp_digest_free(now);
    mp_window_free(&window);
    return ok;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_digest *now = mp_report_digest(request, error);
    bool ok = now && mp_base_is_alike(request, now, error);
    if (ok) {
        mp_section_head(document, request);
        mp_section_session(document, request, false);
        mp_section_profile_totals(document, request->model, false);
        mp_rule_context rule_context = {.now = now};
        judge(request, document, &rule_context);
    }
    mp_digest_free(now);
    return ok;
}

enum { ALL = MP_HONOURS_WINDOW | MP_HONOURS_SELECT | MP_HONOURS_BASE };

const mp_report mp_report_gate = {
    .name = "gate",
    .summary = "hold a recording to the rules of a policy",
    .example = "gate samples/shop.policy samples/shop-v2.oemp",
    .details =
        "A policy is a file with a rule a line, such as\n"
        "  no big leak: leaked <= 64 KiB\n"
        "  orders: leaked of source \"*OrderEntry*\" <= 1.1 x base\n"
        "  growth of type \"Dynamic Query\" per snapshot after snapshot 3 <= 2 %\n"
        "  no new leak site\n"
        "docs/policies.md has all forms. Rules that compare need --base. Exit status 0: all rules\n"
        "hold; 1: some fail; 3: none fails, but some could not be judged.",
    .operand = "POLICY",
    .variants = {{.needs = MP_HOLDS_PROFILE,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_BASE,
                  .run = run_profile},
                 {.needs = MP_HOLDS_EVENTS,
                  .honours = ALL | MP_HONOURS_SUPPRESS | MP_HONOURS_EVENTS,
                  .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE,
                  .honours = ALL | MP_HONOURS_SUPPRESS | MP_HONOURS_SKIP,
                  .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY, .honours = ALL | MP_HONOURS_SUPPRESS, .run = run_heap},
                 {.needs = MP_HOLDS_LEDGER, .honours = ALL | MP_HONOURS_DOMAIN, .run = run_heap}},
};

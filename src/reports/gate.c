/* Gate: hold a recording to the rules of a policy. */
#include <stdio.h>

#include "memprof/policy.h"
#include "reports/sections.h"

static const mp_column gate_columns[] = {
    {"policy", "Policy", MP_TEXT, 0},
    {"base", "Base", MP_TEXT, 0},
    {"verdict", "Verdict", MP_TEXT, 0},
    {"rules", "Rules", MP_COUNT, MP_ADDS},
    {"passed", "Hold", MP_COUNT, MP_ADDS | MP_SUMMARY},
    {"failed", "Fail", MP_COUNT, MP_ADDS | MP_SUMMARY},
    {"unjudged", "Not judged", MP_COUNT, MP_ADDS | MP_SUMMARY},
};

static const mp_column rule_columns[] = {
    {"status", "Status", MP_TEXT, 0},
    {"rule", "Rule", MP_TEXT, MP_SHORTEN | MP_SHRINKS},
    {"measured", "Measured", MP_TEXT, 0},
    {"limit", "Limit", MP_TEXT, 0},
    {"why", "Why", MP_LIST, MP_FOR_PEOPLE | MP_BELOW},
    {"message", "Why", MP_TEXT, MP_FOR_PROGRAMS},
    {"measured_bytes", "", MP_BYTES, MP_FOR_PROGRAMS},
    {"limit_bytes", "", MP_BYTES, MP_FOR_PROGRAMS},
    {"base_bytes", "", MP_BYTES, MP_FOR_PROGRAMS},
    {"measured_objects", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"limit_objects", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"base_objects", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"measured_calls", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"limit_calls", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"base_calls", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"measured_count", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"limit_count", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"base_count", "", MP_COUNT, MP_FOR_PROGRAMS},
    {"measured_seconds", "", MP_SECONDS, MP_FOR_PROGRAMS},
    {"limit_seconds", "", MP_SECONDS, MP_FOR_PROGRAMS},
    {"base_seconds", "", MP_SECONDS, MP_FOR_PROGRAMS},
    {"measured_percent", "", MP_PERCENT, MP_FOR_PROGRAMS},
    {"limit_percent", "", MP_PERCENT, MP_FOR_PROGRAMS},
    {"line", "", MP_NUMBER, MP_FOR_PROGRAMS},
};

static void set_amount(mp_table *table, bool known, int64_t number, const char *const *columns,
                       mp_rule_unit unit)
{
    if (known)
        mp_set_number(table, columns[unit], number);
}

static void set_amounts(mp_table *table, const mp_judgement *judgement)
{
    static const char *const measured[] = {"measured_bytes", "measured_objects", "measured_calls",
                                           "measured_count", "measured_seconds"};
    static const char *const limit[] = {"limit_bytes", "limit_objects", "limit_calls",
                                        "limit_count", "limit_seconds"};
    static const char *const base[] = {"base_bytes", "base_objects", "base_calls", "base_count",
                                       "base_seconds"};
    mp_rule_unit unit = mp_measure_unit(judgement->rule->measure);
    set_amount(table, judgement->has_measured, judgement->measured, measured, unit);
    set_amount(table, judgement->has_limit, judgement->limit, limit, unit);
    set_amount(table, judgement->has_base, judgement->base, base, unit);
    if (judgement->has_measured_percent)
        mp_set_real(table, "measured_percent", judgement->measured_percent);
    if (judgement->has_limit_percent)
        mp_set_real(table, "limit_percent", judgement->limit_percent);
}

static void rule_row(mp_document *document, mp_table *table, const mp_judgement *judgement)
{
    mp_table_row(table);
    mp_set_text(document, table, "status", mp_verdict_name(judgement->verdict));
    mp_set_text(document, table, "rule", judgement->rule->name);
    mp_set_text(document, table, "measured", judgement->measured_text);
    mp_set_text(document, table, "limit", judgement->limit_text);
    mp_set_text(document, table, "message", judgement->message);
    if (*judgement->message)
        mp_set_list(document, table, "why", &judgement->message, 1);
    mp_set_number(table, "line", judgement->rule->line);
    set_amounts(table, judgement);
}

static const char *summary(mp_document *document, const mp_judgements *judgements)
{
    const char *text = mp_document_text(document, "%zu rule%s: %zu hold%s", judgements->count,
                                        judgements->count == 1 ? "" : "s", judgements->passed,
                                        judgements->passed == 1 ? "s" : "");
    if (judgements->failed)
        text = mp_document_text(document, "%s, %zu fail%s", text, judgements->failed,
                                judgements->failed == 1 ? "s" : "");
    if (judgements->unjudged)
        text =
            mp_document_text(document, "%s, %zu could not be judged", text, judgements->unjudged);
    return text;
}

static void section_gate(mp_document *document, const mp_request *request,
                         const mp_judgements *judgements)
{
    mp_table *table = MP_TABLE(document, "gate", NULL, MP_RECORD, gate_columns);
    table->flags = MP_FOR_PROGRAMS;
    mp_table_row(table);
    mp_set_text(document, table, "policy", request->policy->path);
    if (request->base)
        mp_set_text(document, table, "base", request->base->path);
    mp_set_text(document, table, "verdict",
                mp_verdict_name(judgements->failed     ? MP_VERDICT_FAIL
                                : judgements->unjudged ? MP_VERDICT_ERROR
                                                       : MP_VERDICT_PASS));
    mp_set_number(table, "rules", (int64_t)judgements->count);
    mp_set_number(table, "passed", (int64_t)judgements->passed);
    mp_set_number(table, "failed", (int64_t)judgements->failed);
    mp_set_number(table, "unjudged", (int64_t)judgements->unjudged);
}

static void section_rules(mp_document *document, const mp_judgements *judgements)
{
    mp_table *table = MP_TABLE(document, "rules", NULL, MP_ROWS, rule_columns);
    table->main = true;
    for (size_t i = 0; i < judgements->count; i++)
        rule_row(document, table, &judgements->at[i]);
    table->footer = summary(document, judgements);
    document->failed = judgements->failed > 0;
    document->unjudged = judgements->unjudged > 0;
    if (document->failed || document->unjudged)
        document->complaint = mp_document_text(document, "gate: %s", table->footer);
}

static void judge(const mp_request *request, mp_document *document, mp_evidence *evidence)
{
    evidence->base = request->base;
    evidence->meanings = request->meanings;
    evidence->exact_bytes = document->exact_bytes;
    mp_judgements judgements = mp_policy_judge(request->policy, evidence);
    section_gate(document, request, &judgements);
    section_rules(document, &judgements);
    mp_judgements_free(&judgements);
}

static bool run_heap(const mp_request *request, mp_document *document, char *error, size_t size)
{
    mp_window window;
    if (!mp_request_window(request, &window, error, size))
        return false;
    mp_digest *now = mp_report_digest(request, error, size);
    bool ok = now && mp_base_is_alike(request, now, error, size);
    if (ok) {
        bool history = request->model->holds & MP_HOLDS_HISTORY;
        mp_leaks leaks = {0};
        if (history)
            leaks = mp_leaks_find(&window);
        mp_section_head(document, request);
        mp_section_session(document, request, false);
        mp_section_heap_totals(document, &window, history ? &leaks : NULL, false);
        mp_section_suppressions(document, &window);
        mp_evidence evidence = {
            .now = now, .model = request->model, .window = &window, .to = request->view.to};
        judge(request, document, &evidence);
        if (history)
            mp_leaks_free(&leaks);
    }
    mp_digest_free(now);
    mp_window_free(&window);
    return ok;
}

static bool run_profile(const mp_request *request, mp_document *document, char *error, size_t size)
{
    mp_digest *now = mp_report_digest(request, error, size);
    bool ok = now && mp_base_is_alike(request, now, error, size);
    if (ok) {
        mp_section_head(document, request);
        mp_section_session(document, request, false);
        mp_section_profile_totals(document, request->model, false);
        mp_evidence evidence = {.now = now};
        judge(request, document, &evidence);
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

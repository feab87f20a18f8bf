#include "reports/judging.h"

#include <math.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "reports/sections.h"

/* Withdraw all results, because the recording is truncated or nothing matches the filters. */
static void withdraw(mp_rule_results *results, const char *why)
{
    for (size_t i = 0; i < results->count; i++) {
        mp_rule_result *result = &results->items[i];
        results->counts[result->verdict]--;
        result->verdict = MP_VERDICT_ERROR;
        results->counts[result->verdict]++;
        result->message = why;
        result->warning = "";
        result->culprit_count = result->culprits_left_out = 0;
    }
}

static const char *text_of(mp_arena *arena, const char *text)
{
    return text ? mp_utf8_copy(arena, text) : "";
}

mp_check mp_check_of(mp_arena *arena, const mp_rule_result *result)
{
    const mp_rule *rule = result->rule;
    const mp_bound *bound = &rule->bound;
    const bool is_limit = !rule->line, is_size = bound->reference == MP_OF_NOTHING;
    const bool unjudged = result->verdict == MP_VERDICT_ERROR;
    return (mp_check){.verdict = result->verdict,
                      .name = text_of(arena, rule->name),
                      .line = rule->line,
                      .measured = is_limit && unjudged ? "" : text_of(arena, result->measured_text),
                      .limit = text_of(arena, is_limit ? bound->text : result->limit_text),
                      .message = text_of(arena, result->message),
                      .warning = text_of(arena, result->warning),
                      .measured_bytes = result->measured,
                      .limit_bytes = is_size             ? bound->number
                                     : result->has_limit ? result->limit
                                                         : MP_UNKNOWN,
                      .at_least = bound->reference == MP_OF_LINES,
                      .measured_percent =
                          result->has_measured_percent ? result->measured_percent : NAN,
                      .limit_percent = (double)bound->share * 100 / (double)MP_WHOLE};
}

/* Return the first pattern of names, sources or stacks by which objects are selected; NULL: there
 * is none. Patterns that exclude objects do not count, because they keep objects without a name. */
static const char *selected_names(const mp_selection *selection)
{
    for (size_t i = 0; i < selection->count; i++) {
        const mp_criterion *criterion = &selection->criteria[i];
        if (!criterion->negated &&
            (criterion->subject == MP_SUBJECT_NAME || criterion->subject == MP_SUBJECT_SOURCE ||
             criterion->subject == MP_SUBJECT_STACK))
            return criterion->pattern;
    }
    return NULL;
}

static mp_rule_results judge(mp_document *document, const mp_request *request,
                             const mp_policy *policy, mp_rule_context *context)
{
    context->dictionary = request->dictionary;
    context->strict = request->strict;
    context->partly = request->allow_torn;
    context->selected = selected_names(&request->selection);
    context->nameless = mp_diagnostics_count(request->diagnostics, MP_DIAG_UNDEFINED_NAME) ||
                        mp_diagnostics_count(request->diagnostics, MP_DIAG_UNDEFINED_NODE);
    context->exact_bytes = document->exact_bytes;
    context->dashes = mp_diagnostics_dashes(request->diagnostics);
    mp_rule_results results = mp_policy_evaluate(policy, context);
    if (request->torn)
        withdraw(&results, mp_torn_text(document, request));
    else if (document->fits_nothing && !request->one_of_many)
        withdraw(&results, MP_FITS_NOTHING);
    document->failed |= results.counts[MP_VERDICT_FAIL] > 0;
    document->unjudged |= results.counts[MP_VERDICT_ERROR] > 0;
    return results;
}

mp_rule_results mp_judge_rules(mp_document *document, const mp_request *request,
                               const mp_policy *policy, mp_rule_context *context)
{
    mp_rule_results results = judge(document, request, policy, context);
    for (size_t i = 0; i < results.count; i++)
        mp_document_check(document, mp_check_of(document->arena, &results.items[i]));
    return results;
}

void mp_judge_limits(mp_document *document, const mp_request *request, mp_rule *limits,
                     size_t count, mp_rule_context *context, const char *note)
{
    const mp_policy policy = {.rules = limits, .rule_count = count};
    mp_rule_results results = judge(document, request, &policy, context);
    for (size_t i = 0; i < results.count; i++) {
        mp_check check = mp_check_of(document->arena, &results.items[i]);
        const bool judged = check.verdict != MP_VERDICT_ERROR;
        check.note = judged && mp_measure_is_of_leaks(limits[i].measure) ? note : NULL;
        if (*check.warning)
            mp_document_say(document, MP_TONE_WARNING, "Hidden leak", "%s",
                            check.warning + strlen(MP_HIDES_LEAK));
        mp_document_check(document, check);
    }
    mp_rule_results_free(&results);
}

void mp_judge_figures(mp_document *document, const mp_rule *limit, const mp_rule_subject *figures,
                      size_t count, const char *refusal)
{
    const mp_rule_context context = {.exact_bytes = document->exact_bytes};
    mp_rule_result result = {.rule = limit, .message = "", .warning = ""};
    if (refusal) {
        result.verdict = MP_VERDICT_ERROR;
        result.message = refusal;
    } else if (count) {
        result = mp_rule_judge(&context, limit, figures, count, "", document->arena);
    }
    document->failed |= result.verdict == MP_VERDICT_FAIL;
    document->unjudged |= result.verdict == MP_VERDICT_ERROR;
    mp_document_check(document, mp_check_of(document->arena, &result));
}

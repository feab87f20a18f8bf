#include "reports/judging.h"

#include <math.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "reports/sections.h"

/* Withdraw results, because the recording is truncated, or nothing matches a filter. With
 * `passes`, withdraw only those that pass. */
static void withdraw(mp_rule_results *results, bool passes, const char *why)
{
    for (size_t i = 0; i < results->count; i++) {
        mp_rule_result *result = &results->items[i];
        if (passes && result->verdict != MP_VERDICT_PASS)
            continue;
        results->counts[result->verdict]--;
        result->verdict = MP_VERDICT_ERROR;
        results->counts[result->verdict]++;
        result->message = why;
        result->warning = "";
        result->culprit_count = result->culprits_left_out = 0;
    }
}

/* Return the reason for not letting limits pass after a warning; NULL: there is none. */
static const char *strict_text(mp_document *document, const mp_request *request)
{
    const mp_diagnostic *kept;
    const size_t count = mp_diagnostics_kept(request->diagnostics, &kept);
    for (size_t i = 0; i < count; i++)
        if (mp_diagnostic_severity(kept[i].id) == MP_WARNING)
            return mp_document_text(
                document, "nothing passes after a warning, because %sstrict was given: %s",
                mp_diagnostics_dashes(request->diagnostics),
                mp_utf8_copy(document->arena, kept[i].message));
    return NULL;
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

/* Names that a diagnostic reports as missing from the file, shortened or damaged. */
static const struct {
    mp_diagnostic_id id;
    unsigned by;       /* MP_BY_... whose patterns may match these names */
    unsigned subjects; /* bits of mp_subject, likewise */
} missing_names[] = {
    {MP_DIAG_UNDEFINED_TYPE, MP_BY_TYPE | MP_BY_SITE, 1u << MP_SUBJECT_TYPE},
    {MP_DIAG_UNDEFINED_NAME, MP_BY_NAME | MP_BY_SOURCE | MP_BY_SITE | MP_BY_METHOD | MP_BY_MODULE,
     1u << MP_SUBJECT_NAME | 1u << MP_SUBJECT_SOURCE | 1u << MP_SUBJECT_STACK},
    {MP_DIAG_UNDEFINED_NODE, MP_BY_NAME | MP_BY_SOURCE | MP_BY_SITE | MP_BY_METHOD | MP_BY_MODULE,
     1u << MP_SUBJECT_NAME | 1u << MP_SUBJECT_SOURCE | 1u << MP_SUBJECT_STACK},
    {MP_DIAG_UNDEFINED_ROUTINE, MP_BY_SOURCE | MP_BY_SITE,
     1u << MP_SUBJECT_SOURCE | 1u << MP_SUBJECT_STACK},
    {MP_DIAG_NODE_CYCLE, 0, 1u << MP_SUBJECT_STACK},
    {MP_DIAG_CUT_STACKS, 0, 1u << MP_SUBJECT_STACK},
    {MP_DIAG_UNDEFINED_THREAD, 0, 1u << MP_SUBJECT_THREAD},
    {MP_DIAG_LONG_NAME, ~0u, ~0u},
    {MP_DIAG_BAD_TEXT, ~0u, ~0u},
    {MP_DIAG_IS_UTF8, ~0u, ~0u}, /* read in the wrong encoding */
};

/* Set what names are not known as written, and the first pattern by which objects are selected
 * that these may match. Patterns that exclude objects keep objects without a name. */
static void set_missing_names(mp_rule_context *context, const mp_request *request)
{
    unsigned subjects = 0;
    for (size_t i = 0; i < sizeof missing_names / sizeof *missing_names; i++)
        if (mp_diagnostics_count(request->diagnostics, missing_names[i].id)) {
            context->nameless |= missing_names[i].by;
            subjects |= missing_names[i].subjects;
        }
    for (size_t i = request->selection.count; i--;) {
        const mp_criterion *criterion = &request->selection.criteria[i];
        if (!criterion->negated && subjects >> criterion->subject & 1)
            context->selected = criterion->pattern;
    }
}

static mp_rule_results judge(mp_document *document, const mp_request *request,
                             const mp_policy *policy, mp_rule_context *context)
{
    context->dictionary = request->dictionary;
    context->strict = request->strict;
    context->partly = request->allow_torn;
    set_missing_names(context, request);
    context->exact_bytes = document->exact_bytes;
    context->dashes = mp_diagnostics_dashes(request->diagnostics);
    mp_rule_results results = mp_policy_evaluate(policy, context);
    const char *strict = request->strict ? strict_text(document, request) : NULL;
    if (request->torn)
        withdraw(&results, false, mp_torn_text(document, request));
    else if (document->fits_nothing && !request->one_of_many)
        withdraw(&results, false, MP_FITS_NOTHING);
    else if (document->misfit)
        withdraw(&results, false, document->misfit);
    else if (strict)
        withdraw(&results, true, strict);
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
        check.note = judged && limits[i].measure == MP_MEASURE_LEAKED ? note : NULL;
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

void mp_say_base_order(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    if (mp_is_later(base, now))
        mp_document_say(document, MP_TONE_WARNING, "Order",
                        "the base, %s, is the later recording by their start times", base->path);
}

/* --- limits of a heap recording --- */

/* Return a digest that has only the totals that limits need, and no lists. */
static mp_digest whole_of(const mp_window *window)
{
    const mp_totals totals = mp_totals_of(window);
    const bool history = window->model->holds & MP_HOLDS_HISTORY;
    return (mp_digest){.kind = window->model->kind,
                       .holds = window->model->holds,
                       .late = mp_window_ends_late(window),
                       .has = MP_HAS_LIVE | (history ? MP_HAS_HISTORY : 0),
                       .totals = {.bytes = totals.live_bytes,
                                  .objects = totals.live_objects,
                                  .leaked_objects = totals.leaked_objects,
                                  .leaked_bytes = totals.leaked_bytes,
                                  .accepted_bytes = totals.live_bytes - mp_window_held(window)}};
}

void mp_section_limits(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_heap_arguments *asked = request->arguments;
    const struct {
        const char *name;
        mp_measure measure;
        const mp_ceiling *ceiling;
    } rows[] = {
        {"max-leaked", MP_MEASURE_LEAKED, &asked->max_leaked},
        {"max-live", MP_MEASURE_LIVE, &asked->max_live},
        {"max-growth", MP_MEASURE_GROWTH, &asked->max_growth},
        {"max-trend", MP_MEASURE_TREND, &asked->max_trend},
        {"max-platform-growth", MP_MEASURE_PLATFORM_GROWTH, &asked->max_platform_growth},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    mp_rule limits[ROWS];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].ceiling->set)
            limits[count++] =
                mp_rule_of_limit(rows[i].name, rows[i].measure, &rows[i].ceiling->bound);
    if (!count)
        return;
    const char *note = asked->max_leaked.set ? mp_running_text(document, window) : NULL;
    if (note)
        note = mp_document_text(document, "%s: %s", mp_in_use_words(window), note);
    const mp_digest now = whole_of(window);
    mp_rule_context context = {
        .now = &now, .model = window->model, .window = window, .window_end = asked->to};
    mp_judge_limits(document, request, limits, count, &context, note);
}

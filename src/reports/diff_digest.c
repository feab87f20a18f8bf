/* Conversion of a request to a digest. The base and the new recording are converted by the same
 * code. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "reports/diff.h"

mp_level mp_level_asked(unsigned holds, const char *by)
{
    bool profile = holds & MP_HOLDS_PROFILE;
    mp_level first = profile ? MP_LEVEL_LINE : MP_LEVEL_SITE;
    mp_level end = profile ? MP_LEVEL_GROUP : MP_LEVEL_LINE;
    for (mp_level level = first; level < end; level++)
        if (mp_text_is(mp_level_name(level), by))
            return level;
    return mp_holds_dumps(holds) && mp_text_is("dominators", by) ? MP_LEVEL_DOMINATOR
                                                                 : MP_LEVEL_GROUP;
}

/* Choose the stacks that the digest contains: those of the requested metric. If stacks are needed
 * only for a figure, choose those of the default metric. */
static void choose_stacks(const mp_request *request, mp_digest_options *options)
{
    const char *const *name = mp_request_argument(request, "of");
    const bool dumps = mp_holds_dumps(request->model->holds);
    options->paths = (name || request->draws) && request->model->profile;
    if (name)
        options->dominators = *name ? mp_text_is("retained", *name) : dumps;
    else
        options->dominators |= request->draws && dumps;
    options->without_retained |= name != NULL;
}

/* Return the options of the digest: the rules for rewriting names, and the lists to make. Groupings
 * that have their own list need no dimension. */
static mp_digest_options options_of(const mp_request *request)
{
    const char *by = mp_text_argument(request, "by");
    const bool *ignore_lines = mp_request_argument(request, "ignore-lines");
    const mp_argument_texts *substitutions = mp_request_argument(request, "normalize");
    mp_digest_options options = {.ignore_lines = ignore_lines && *ignore_lines,
                                 .without_retained = request->policy != NULL};
    for (size_t i = 0; request->policy && i < request->policy->rule_count; i++)
        options.without_retained &= request->policy->rules[i].measure != MP_MEASURE_RETAINED;
    if (substitutions) {
        options.substitutions = substitutions->items;
        options.substitution_count = substitutions->count;
    }
    options.dominators = by && mp_level_asked(request->model->holds, by) == MP_LEVEL_DOMINATOR;
    options.without_retained |= options.dominators;
    /* The summary of a diff names the holder that grew. Only the report diff has the argument
     * "status". */
    options.dominators |= mp_holds_dumps(request->model->holds) && !request->selection.count &&
                          mp_request_argument(request, "status");
    choose_stacks(request, &options);
    if (by && request->model->holds & MP_HOLDS_LEDGER &&
        mp_level_asked(request->model->holds, by) == MP_LEVEL_GROUP)
        options.dimension = mp_dimension_find(by);
    return options;
}

static void put(mp_text_buffer *text, const char *option, const char *argument)
{
    mp_text_put(text, text->length ? " --" : "--", text->length ? 3 : 2);
    mp_text_put(text, option, strlen(option));
    mp_text_put(text, " ", argument ? 1 : 0);
    mp_text_put(text, argument ? argument : "", argument ? strlen(argument) : 0);
}

/* Append the criteria. They are sorted by subject, because their order on the command line does not
 * matter. */
static void put_criteria(mp_text_buffer *text, const mp_selection *selection)
{
    char option[32], time[MP_UNIT_TEXT];
    for (int subject = 0; subject < MP_SUBJECTS * 2; subject++)
        for (size_t i = 0; i < selection->count; i++) {
            const mp_criterion *criterion = &selection->criteria[i];
            if ((int)criterion->subject * 2 + criterion->negated != subject)
                continue;
            snprintf(option, sizeof option, "%s%s", criterion->negated ? "not-" : "",
                     mp_subject_name(criterion->subject));
            put(text, option, criterion->pattern);
        }
    for (int until = 0; until < 2; until++) {
        const mp_moment *moment = until ? &selection->within.until : &selection->within.since;
        if (!moment->given)
            continue;
        if (!moment->absolute || !mp_format_utc_exact(time, moment->us))
            snprintf(time, sizeof time, "%" PRId64 "us", moment->us);
        put(text, until ? "until" : "since", time);
    }
}

/* Return, as text, the options that select a part of the recording. */
static const char *conditions_of(const mp_request *request)
{
    static const char *const reading[] = {"at", "skip", "domain"};
    const char *from = mp_text_argument(request, "from"), *to = mp_text_argument(request, "to");
    mp_digest_options options = options_of(request);
    mp_text_buffer text = {0};
    put_criteria(&text, &request->selection);
    if (from)
        put(&text, "from", from);
    if (to)
        put(&text, "to", to);
    if (request->suppressions)
        put(&text, "suppress", NULL);
    if (options.ignore_lines)
        put(&text, "ignore-lines", NULL);
    for (size_t i = 0; i < options.substitution_count; i++)
        put(&text, "normalize", options.substitutions[i]);
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        for (size_t j = request->given_count; j-- > 0;)
            if (strcmp(request->given[j].argument, reading[i]) == 0) {
                put(&text, request->given[j].spelled, NULL);
                break;
            }
    const char *conditions =
        mp_dictionary_text(request->dictionary, mp_dictionary_id(request->dictionary, text.text));
    free(text.text);
    return conditions;
}

bool mp_base_is_alike(const mp_request *request, const mp_digest *now, mp_error *error)
{
    const mp_digest *base = request->base;
    if (!base || !base->kept || strcmp(base->conditions, now->conditions) == 0)
        return true;
    return mp_fail(error, MP_ERROR_ARGUMENT,
                   "%s was saved with %s, but this run has %s; use the same options", base->path,
                   *base->conditions ? base->conditions : "no options",
                   *now->conditions ? now->conditions : "none");
}

static mp_digest *digest_of(const mp_request *request, mp_error *error)
{
    mp_window window;
    mp_digest_options options = options_of(request);
    if (!(request->model->holds & MP_HOLDS_LEDGER))
        return mp_digest_of(request->filter, NULL, request->dictionary, &options, error);
    if (!mp_request_window_of(request, request->filter, &window, error))
        return NULL;
    mp_digest *digest =
        mp_digest_of(request->filter, &window, request->dictionary, &options, error);
    mp_window_free(&window);
    return digest;
}

static mp_digest *selected_digest(const mp_request *request, mp_error *error)
{
    if (options_of(request).dominators && request->selection.count) {
        const mp_criterion *first = &request->selection.criteria[0];
        mp_fail(error, MP_ERROR_ARGUMENT, MP_DASHES "%s%s %s: dominator trees need whole dumps",
                first->negated ? "not-" : "", mp_subject_name(first->subject), first->pattern);
        return NULL;
    }
    if (request->filter)
        return digest_of(request, error);
    mp_request selected = *request;
    mp_filter *filter = mp_filter_of(request->model, &request->selection, error);
    if (!filter)
        return NULL;
    selected.filter = filter;
    mp_digest *digest = digest_of(&selected, error);
    mp_filter_free(filter);
    return digest;
}

mp_digest *mp_report_digest(const mp_request *request, mp_error *error)
{
    mp_digest *digest = selected_digest(request, error);
    if (digest)
        digest->conditions = conditions_of(request);
    return digest;
}

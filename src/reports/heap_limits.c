/* The limits that a recording of a heap is held to. */
#include <stdlib.h>

#include "base/diagnose.h"
#include "query/graph_query.h"
#include "query/suppression.h"
#include "reports/sections.h"

/* --- what has most of it --- */

/* "; suppression "x" expired on 2027-06-30": the first that matches leaks and does not suppress
 * them; else "". */
static const char *lapsed_text(mp_document *document, const mp_suppressed *suppressed)
{
    for (size_t i = 0; suppressed && i < suppressed->suppressions->count; i++) {
        const mp_suppression *suppression = &suppressed->suppressions->at[i];
        const mp_suppression_effect *effect = &suppressed->effects[i];
        if (!effect->sites || effect->status == MP_SUPPRESSION_USED)
            continue;
        return effect->status == MP_SUPPRESSION_EXPIRED
                   ? mp_document_text(document, "; suppression \"%s\" expired on %s",
                                      suppression->name, suppression->expires)
                   : mp_document_text(
                         document, "; suppression \"%s\" is %s over its limit", suppression->name,
                         mp_bytes_text(document, effect->bytes - suppression->limit_bytes, false));
    }
    return "";
}

/* The site that is largest, or grew most; of a dump, which does not tell sites, the type. */
static const char *worst_site(mp_document *document, const mp_window *window, bool by_growth)
{
    bool has_sites = window->model->holds & MP_HOLDS_HISTORY;
    const mp_grouping *sites =
        mp_window_groups(window, mp_dimension_find(has_sites ? "site" : "type"), 0);
    const mp_group *worst = NULL;
    int64_t most = 0, *held = mp_held_of_groups(window, sites);
    for (uint32_t i = 0; i < sites->count; i++) {
        const mp_group *site = &sites->groups[i];
        int64_t bytes = held[i] - (by_growth ? site->from_bytes : 0);
        if (!worst || bytes > most) {
            worst = site;
            most = bytes;
        }
    }
    free(held);
    return worst ? mp_document_text(document, "; %s %s: %s, %s",
                                    by_growth ? "fastest growing" : "largest",
                                    has_sites ? "site" : "type",
                                    mp_bytes_text(document, most, false), worst->label)
                 : "";
}

static const char *worst_leak(mp_document *document, const mp_window *window)
{
    const mp_leaks *leaks = mp_window_leak_sites(window);
    const char *lapsed = lapsed_text(document, window->suppressed);
    if (!leaks->count)
        return lapsed;
    const mp_leak *largest = &leaks->at[0];
    return mp_document_text(document, "; %s: %s, %s%s",
                            leaks->leaking ? "worst leak" : "largest site",
                            mp_bytes_text(document, largest->group.leaked.bytes, false),
                            mp_leak_text(document->arena, window->model, largest), lapsed);
}

/* Name the worst leak by the verdict; of dumps, who holds what grew, or else the type. */
static const char *worst_leaking(mp_document *document, const mp_window *window)
{
    int64_t bytes;
    size_t count;
    mp_growing_holder *holder = mp_growing_holders(document->arena, window, 1, &count);
    if (count)
        return mp_document_text(document, "; %s: %s", holder->text,
                                mp_bytes_text(document, holder->bytes - holder->from_bytes, true));
    const char *worst = mp_worst_leak_text(document->arena, window, &bytes);
    return worst ? mp_document_text(document, "; worst %s: %s, %s",
                                    window->model->holds & MP_HOLDS_HISTORY ? "leak" : "type",
                                    mp_bytes_text(document, bytes, false), worst)
                 : "";
}

/* The site that grew most and the worst leak; or who holds what grew. */
static const char *most_grown(mp_document *document, const mp_window *window)
{
    const char *worst = worst_leaking(document, window);
    return mp_window_tells_holders(window) && *worst
               ? worst
               : mp_document_text(document, "%s%s", worst_site(document, window, true), worst);
}

static const char *worst_area(mp_document *document, const mp_window *window)
{
    int64_t most;
    mp_platform_id area = mp_platform_growing(window, &most);
    if (!area.i)
        return "";
    return mp_document_text(document, "; worst area: %s, %s", mp_bytes_text(document, most, false),
                            mp_model_text(window->model, window->model->platforms.at[area.i]));
}

/* --- limits --- */

/* A limit as the user set it, and what is held to it. */
typedef struct limit {
    const char *name;
    const mp_ceiling *ceiling;
    int64_t from; /* what a percentage is of */
    int64_t actual;
    const char *what;    /* behind the figure: "leaked" */
    const char *worst;   /* what has most of it */
    const char *hides;   /* that the figure is less than a leak; NULL: nothing */
    const char *note;    /* what is in the figure; NULL: nothing to tell */
    const char *refusal; /* why it is not judged; NULL: it is */
    const char *part;    /* what of it is not; NULL: all is */
} limit;

/* What cannot be judged is no pass. */
static void refuse(mp_document *document, const char *name, const mp_ceiling *ceiling, int64_t most,
                   const char *why)
{
    mp_document_check(document, (mp_check){.verdict = MP_VERDICT_ERROR,
                                           .name = name,
                                           .limit = ceiling->text,
                                           .measured = "",
                                           .message = why,
                                           .limit_bytes = most});
    document->unjudged = true;
}

static bool exceeds(const mp_ceiling *ceiling, int64_t from, int64_t actual)
{
    return actual > mp_ceiling_bytes(ceiling, from);
}

static void hold(mp_document *document, const mp_request *request, limit held)
{
    const int64_t most = mp_ceiling_bytes(held.ceiling, held.from);
    if (!held.refusal && held.part && !request->allow_torn &&
        !exceeds(held.ceiling, held.from, held.actual))
        held.refusal = mp_document_text(document, "%s (%sallow-torn judges the others)", held.part,
                                        mp_diagnostics_dashes(request->diagnostics));
    if (held.refusal) {
        refuse(document, held.name, held.ceiling, most, held.refusal);
        return;
    }
    const char *shown = mp_bytes_text(document, held.actual, false);
    bool exceeded = exceeds(held.ceiling, held.from, held.actual);
    const char *over = exceeded ? mp_bytes_text(document, held.actual - most, false) : "";
    mp_check check = {.verdict = exceeded ? MP_VERDICT_FAIL : MP_VERDICT_PASS,
                      .name = held.name,
                      .limit = held.ceiling->text,
                      .measured = shown,
                      .message = "",
                      .limit_bytes = most,
                      .measured_bytes = held.actual,
                      .note = held.note};
    if (exceeded) {
        check.message =
            mp_document_text(document, "%s %s, %s over%s", shown, held.what, over, held.worst);
    } else if (held.hides) {
        check.warning = mp_document_text(document, "hides a leak: %s", held.hides);
        mp_document_say(document, MP_TONE_WARNING, "Hidden leak", "%s", held.hides);
        check.message = request->strict ? check.warning : "";
        check.verdict = request->strict ? MP_VERDICT_FAIL : MP_VERDICT_PASS;
    }
    document->failed |= check.verdict == MP_VERDICT_FAIL;
    mp_document_check(document, check);
}

/* "alive", or "alive besides 4.1 KiB that are accepted". */
static const char *besides(mp_document *document, const mp_window *window, const char *what)
{
    const mp_suppressed *suppressed = window->suppressed;
    return suppressed && suppressed->bytes
               ? mp_document_text(document, "%s besides %s that are accepted", what,
                                  mp_bytes_text(document, suppressed->bytes, false))
               : what;
}

static const char *steady_words(const mp_window *window)
{
    return window->model->kind == MP_KIND_DUMP ? "grown from dump to dump" : "leaked steadily";
}

/* Growth that keeps to its limit where what leaked steadily does not, because something else went.
 * NULL: it does not, or is held to a limit of its own. */
static const char *hidden_by_growth(mp_document *document, const mp_window *window,
                                    const mp_heap_arguments *asked, const mp_totals *totals)
{
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    int64_t most = mp_ceiling_bytes(&asked->max_growth, totals->from_bytes);
    if (asked->max_trend.set || verdict->bytes <= most)
        return NULL;
    int64_t growth = mp_window_held(window) - totals->from_bytes;
    return mp_document_text(
        document, "%s %s, but %s %s, %s over %s%s", mp_bytes_text(document, growth, true),
        besides(document, window, "grown"), mp_bytes_text(document, verdict->bytes, false),
        steady_words(window), mp_bytes_text(document, verdict->bytes - most, false),
        asked->max_growth.text, worst_leaking(document, window));
}

static void hold_growth(mp_document *document, const mp_request *request, const mp_window *window,
                        const char *note, const char *refusal)
{
    const mp_heap_arguments *asked = request->arguments;
    mp_totals totals = mp_totals_of(window);
    int64_t growth = mp_window_held(window) - totals.from_bytes;
    hold(document, request,
         (limit){.name = "max-growth",
                 .ceiling = &asked->max_growth,
                 .from = totals.from_bytes,
                 .actual = growth,
                 .what = besides(document, window, "grown"),
                 .worst = exceeds(&asked->max_growth, totals.from_bytes, growth)
                              ? most_grown(document, window)
                              : "",
                 .hides = hidden_by_growth(document, window, asked, &totals),
                 .note = note,
                 .refusal = refusal,
                 .part = mp_verdict_part_text(document->arena, window, false)});
}

/* It can be told of so many moments, or dumps. */
static void hold_trend(mp_document *document, const mp_request *request, const mp_window *window,
                       const char *note, const char *refusal)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    const bool few = mp_verdict_is_unknown(window);
    int64_t from = mp_totals_of(window).from_bytes;
    hold(document, request,
         (limit){.name = "max-trend",
                 .ceiling = &asked->max_trend,
                 .from = from,
                 .actual = verdict->bytes,
                 .what = steady_words(window),
                 .worst = exceeds(&asked->max_trend, from, verdict->bytes)
                              ? worst_leaking(document, window)
                              : "",
                 .note = note,
                 .refusal = !refusal && few ? mp_verdict_refusal(document->arena, window) : refusal,
                 .part = mp_verdict_part_text(document->arena, window, true)});
}

/* Why a limit is not judged: what breaks off, what nothing fits, perhaps because it is misspelt,
 * unless another of many files may have it, what leaked where it is no longer there, and growth
 * where nobody knows what was first. NULL: it is. */
static const char *refusal_of(mp_document *document, const mp_request *request,
                              const mp_window *window, bool of_leaks)
{
    bool nothing = document->fits_nothing && !request->one_of_many;
    return request->torn                             ? mp_torn_text(document, request)
           : nothing                                 ? MP_FITS_NOTHING
           : of_leaks && mp_window_ends_late(window) ? "the window " MP_ENDS_LATE
           : of_leaks && mp_window_is_one(window)    ? MP_ONE_SNAPSHOT
           : of_leaks                                ? mp_dump_order_text(document, window->model)
                                                     : NULL;
}

static void hold_platform(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_heap_arguments *asked = request->arguments;
    const char *refusal = refusal_of(document, request, window, false);
    mp_platform_span all = mp_platform_span_of_all(window);
    hold(document, request,
         (limit){.name = "max-platform-growth",
                 .ceiling = &asked->max_platform_growth,
                 .from = all.from_bytes,
                 .actual = all.to_bytes - all.from_bytes,
                 .what = "of platform memory grown",
                 .worst = worst_area(document, window),
                 .refusal = refusal                    ? refusal
                            : mp_window_is_one(window) ? MP_ONE_SNAPSHOT
                                                       : NULL});
}

static void hold_objects(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_heap_arguments *asked = request->arguments;
    const char *refusal = refusal_of(document, request, window, true);
    bool of_leaks = asked->max_leaked.set || asked->max_growth.set || asked->max_trend.set;
    const char *note = of_leaks ? mp_running_text(document, window) : NULL;
    if (note)
        note = mp_document_text(document, "%s: %s", mp_in_use_words(window), note);
    if (asked->max_leaked.set)
        hold(document, request,
             (limit){.name = "max-leaked",
                     .ceiling = &asked->max_leaked,
                     .actual = mp_window_leak_sites(window)->bytes,
                     .what = "leaked",
                     .worst = worst_leak(document, window),
                     .note = note,
                     .refusal = refusal,
                     .part = mp_verdict_part_text(document->arena, window, false)});
    if (asked->max_live.set)
        hold(document, request,
             (limit){.name = "max-live",
                     .ceiling = &asked->max_live,
                     .actual = mp_window_held(window),
                     .what = besides(document, window, "alive"),
                     .worst = worst_site(document, window, false),
                     .refusal = refusal_of(document, request, window, false)});
    if (asked->max_growth.set)
        hold_growth(document, request, window, note, refusal);
    if (asked->max_trend.set)
        hold_trend(document, request, window, note, refusal);
}

void mp_section_limits(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_heap_arguments *asked = request->arguments;
    hold_objects(document, request, window);
    if (asked->max_platform_growth.set)
        hold_platform(document, request, window);
}

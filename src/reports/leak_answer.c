/* The summary of a heap's leaks, for one file and for several. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "query/leaks.h"
#include "reports/sections.h"
#include "reports/stacks.h"

/* Return how a site behaves: "filled early, then stayed". */
static const char *behaviour(mp_document *document, const mp_leak *leak)
{
    const mp_group *group = mp_leak_group(leak);
    switch (leak->verdict->kind) {
    case MP_SITE_LEAK:
        if (group->grew == group->moments)
            return mp_document_text(document, "grew at every snapshot (%" PRIu32 " of %" PRIu32 ")",
                                    group->grew, group->moments);
        return mp_document_text(document, "grew at %" PRIu32 " of %" PRIu32 " snapshots",
                                group->grew, group->moments);
    case MP_SITE_GROWING_QUEUE:
        if (document->uncounted)
            return "a queue that grows";
        return mp_document_text(document, "a queue that grows: %s added, %s removed",
                                mp_count_text(document, group->end.created),
                                mp_count_text(document, group->end.deleted));
    case MP_SITE_GROWING_OBJECT:
        return mp_leak_objects(leak) == 1 ? "keeps growing" : "keep growing";
    case MP_SITE_FILLED:
        return leak->verdict->seldom ? "grew too seldom to tell a leak from a cache"
                                     : "filled early, then stayed";
    case MP_SITE_BOUNDED:
        return "bounded: turns over and keeps its size";
    case MP_SITE_LOST:
    case MP_SITE_REACHABLE:
        return leak->type; /* the recorder's own words */
    case MP_SITE_IN_USE:
        return "in use: no older than others that were freed";
    case MP_SITE_FREED:
        return "freed at the end";
    default:
        return "too few snapshots to tell a leak from a cache";
    }
}

/* Return the sessions in which the site leaks, as text; "" if there is only one session. */
static const char *session_text(mp_document *document, const mp_model *model, const mp_leak *leak)
{
    const mp_site_verdict *verdict = leak->verdict;
    const uint32_t leaking = verdict->leaking_sessions, sessions = model->sessions.count - 1;
    const char *most = mp_site_kind_leaks(verdict->kind)
                           ? mp_session_text(document, model, verdict->session)
                           : NULL;
    if (!most)
        return "";
    if (leaking < 2)
        return mp_document_text(document, ", in %s", most);
    if (leaking == sessions)
        return sessions == 2
                   ? ", in both sessions"
                   : mp_document_text(document, ", in all %" PRIu32 " sessions", sessions);
    return mp_document_text(document, ", in %" PRIu32 " of %" PRIu32 " sessions, most in %s",
                            leaking, sessions, most);
}

/* Objects of a leak that were created by requests of the same name. */
typedef struct request_share {
    mp_string_id name;
    int64_t objects;
} request_share;

/* Return the request that created most objects of a leak, in words; its API is named if it is
 * known. */
static const char *request_text(mp_document *document, const mp_window *window, const mp_leak *leak)
{
    const mp_model *model = window->model;
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    mp_id_index place_of = {0};
    request_share *shares = NULL, most = {{0}, 0};
    size_t count = 0, capacity = 0;
    bool apis = false;
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        const mp_snapshot *born = &model->snapshots.items[generation->born.i];
        if (!verdict->generations[i] || &verdict->sites[verdict->site_of[i]] != leak->verdict ||
            !mp_generation_is_of_request(model, generation))
            continue;
        apis |= born->request_api.i != 0;
        const mp_string_id name = born->request_api.i ? born->request_api : born->request;
        uint32_t *place = mp_id_index_put(&place_of, name.i);
        if (!*place) {
            *MP_APPEND(shares, count, capacity) = (request_share){name, 0};
            *place = (uint32_t)count;
        }
        assert(shares);
        shares[*place - 1].objects += mp_verdict_objects(window, verdict, i);
    }
    for (size_t i = 0; i < count; i++)
        if (shares[i].objects > most.objects)
            most = shares[i];
    free(shares);
    mp_id_index_free(&place_of);
    const char *words = count > 1 ? "requests such as" : apis ? "requests for" : "request";
    return most.objects
               ? mp_document_text(document, ", in %s %s", words, mp_model_text(model, most.name))
               : "";
}

/* Return "1.2 KiB in ", or "" if the sizes of the objects are not known. */
static const char *size_text(mp_document *document, int64_t bytes, bool with_sign)
{
    if (document->unsized && !bytes)
        return "";
    return mp_document_text(document, "%s in ", mp_unit_text(document, MP_BYTES, bytes, with_sign));
}

/* Return "120 x OOABL Obj shop.Order", or "120 objects" if neither type nor name is recorded. */
static const char *objects_text(mp_document *document, const mp_model *model, const mp_leak *leak)
{
    const int64_t objects = mp_leak_objects(leak);
    if (!mp_leak_has_type(model, leak) || mp_class_states_leaks(leak->class))
        return mp_counted_text(document, objects, "object");
    return mp_document_text(document, "%s x %s%s%s", mp_count_text(document, objects), leak->type,
                            leak->name ? " " : "", leak->name ? leak->name : "");
}

/* Return true if both leaks have the same type and name. */
static bool is_same_kind(const mp_leak *a, const mp_leak *b)
{
    return strcmp(a->type, b->type) == 0 &&
           strcmp(a->name ? a->name : "", b->name ? b->name : "") == 0;
}

/* Return the place of a leak. If one of the first leaks of the same kind has the same place, add
 * the caller, by which they differ. */
static const char *site_text(mp_document *document, const mp_window *window, const mp_leak *leak)
{
    enum { MOST = 50 };
    const mp_model *model = window->model;
    const mp_leaks *leaks = mp_window_leak_sites(window);
    mp_frame site = mp_frame_naming(model, (mp_frame){leak->node, leak->line});
    const char *place = mp_frame_text(document, model, site);
    bool unique = true;
    for (uint32_t i = 0; i < leaks->count && i < MOST && unique; i++) {
        const mp_leak *other = &leaks->items[i];
        const mp_frame there = mp_frame_naming(model, (mp_frame){other->node, other->line});
        unique = other == leak || there.line != site.line || !is_same_kind(leak, other) ||
                 strcmp(mp_frame_text(document, model, there), place) != 0;
    }
    return unique || !mp_frame_caller(model, &site)
               ? place
               : mp_document_text(document, "%s called from %s", place,
                                  mp_frame_text(document, model, site));
}

static const char *place_text(mp_document *document, const mp_window *window, const mp_leak *leak)
{
    const mp_model *model = window->model;
    const bool growth = mp_leak_is_growth(leak);
    const char *kept = "";
    if (!growth && leak->kept_bytes > leak->bytes)
        kept = mp_document_text(
            document, " (%s with what is %s)", mp_bytes_text(document, leak->kept_bytes),
            mp_class_states_leaks(leak->class) ? "lost indirectly" : "scoped to it");
    const char *place = site_text(document, window, leak);
    if (document->uncounted)
        return mp_document_text(document, "%s at %s",
                                mp_unit_text(document, MP_BYTES, mp_leak_bytes(leak), growth),
                                place);
    return mp_document_text(document, "%s%s%s at %s",
                            size_text(document, mp_leak_bytes(leak), growth),
                            objects_text(document, model, leak), kept, place);
}

/* Return how sure the verdict is that a site leaks; "" if it does not, or if the recorder itself
 * states what is lost. */
static const char *sureness(const mp_site_verdict *verdict)
{
    if (!mp_site_kind_leaks(verdict->kind) || verdict->kind == MP_SITE_LOST)
        return "";
    return verdict->confidence >= MP_ALMOST_CERTAIN ? "almost certainly a leak: "
           : verdict->confidence >= MP_VERY_LIKELY  ? "very likely a leak: "
                                                    : "likely a leak: ";
}

/* Return the leak, its place, how sure it is and its behaviour in words. */
static const char *text_of(mp_document *document, const mp_window *window, const mp_leak *leak)
{
    return mp_document_text(document, "%s, %s%s%s%s", place_text(document, window, leak),
                            sureness(leak->verdict), behaviour(document, leak),
                            session_text(document, window->model, leak),
                            request_text(document, window, leak));
}

/* Return "18.6 KiB in 29 objects from 3 sites" or, if some sizes are not known, "29 objects from 3
 * sites (18.6 KiB in those of known size)". */
static const char *sum_text(mp_document *document, int64_t bytes, int64_t objects, int64_t sites)
{
    const char *size = mp_bytes_text(document, bytes);
    const char *places =
        mp_document_text(document, "from %s", mp_counted_text(document, sites, "site"));
    if (document->uncounted && !document->unsized)
        return mp_document_text(document, "%s %s", size, places);
    const char *text = document->uncounted
                           ? mp_document_text(document, "objects %s", places)
                           : mp_document_text(document, "%s %s",
                                              mp_counted_text(document, objects, "object"), places);
    if (!document->unsized)
        return mp_document_text(document, "%s in %s", size, text);
    return bytes ? mp_document_text(document, "%s (%s in those of known size)", text, size) : text;
}

/* Sum up the sites whose verdict is a leak: the objects left behind, and the growth of older
 * objects. Set `left` to the number of sites that left objects behind. */
static const char *leaking_text(mp_document *document, const mp_leaks *leaks, uint32_t *left)
{
    int64_t bytes = 0, objects = 0;
    bool grows = false;
    *left = 0;
    for (uint32_t i = 0; i < leaks->leaking; i++) {
        const mp_leak *leak = &leaks->items[i];
        const int64_t alive = leak->objects;
        grows |= mp_leak_is_growth(leak);
        *left += alive > 0;
        bytes += alive > 0 ? leak->bytes : 0;
        objects += alive > 0 ? alive : 0;
    }
    if (!*left)
        return "objects that grow";
    return mp_document_text(document, "%s%s", sum_text(document, bytes, objects, *left),
                            grows ? ", and objects that grow" : "");
}

const char *mp_leaks_unknown_text(const mp_document *document, const mp_window *window,
                                  const mp_leaks *leaks)
{
    if (leaks->worst)
        return NULL;
    if (document->fits_nothing)
        return MP_FITS_NOTHING;
    if (document->misfit)
        return document->misfit;
    if (!mp_window_has_span(window))
        return MP_ONE_SNAPSHOT;
    if (mp_window_ends_late(window))
        return "the window " MP_ENDS_LATE;
    if (mp_verdict_is_unknown(window))
        return mp_verdict_refusal(document->arena, window);
    return leaks->unknown ? mp_verdict_part_text(document->arena, window, true) : NULL;
}

static const char *reason_of(mp_document *document, const mp_leaks *leaks, const char *unknown)
{
    if (leaks->worst)
        return mp_document_text(document, "%s", behaviour(document, leaks->worst));
    if (unknown)
        return unknown;
    bool seldom = false, reachable = true;
    for (uint32_t i = 0; i < leaks->count; i++) {
        seldom |= leaks->items[i].verdict->seldom;
        reachable &= leaks->items[i].verdict->kind == MP_SITE_REACHABLE;
    }
    return !leaks->left ? "nothing was left behind"
           : reachable  ? "the objects left behind are still reachable"
           : seldom ? "the objects left behind grew too seldom to tell, filled early, turn over or "
                      "are in use"
                    : "the objects left behind filled early, turn over or are in use";
}

void mp_tell_verdict(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_leaks *leaks = mp_window_leak_sites(window);
    const mp_leak *worst = leaks->worst;
    const char *unknown = mp_leaks_unknown_text(document, window, leaks);
    if (!unknown && request->torn) /* what is missing may leak */
        unknown = mp_torn_text(document, request);
    mp_told_verdict told = {.leaks = worst     ? "yes"
                                     : unknown ? "unknown"
                                               : "no",
                            .reason = reason_of(document, leaks, unknown)};
    if (worst) {
        const mp_frame site = mp_frame_naming(window->model, (mp_frame){worst->node, worst->line});
        const mp_texts stack = mp_stack_texts(document, window->model, site);
        told.kind = mp_site_kind_name(worst->verdict->kind);
        told.type = mp_document_text(document, "%s", worst->type);
        told.name = worst->name ? mp_document_text(document, "%s", worst->name) : NULL;
        told.site = mp_document_text(document, "%s", stack.count ? stack.items[0] : "");
        const bool sized = !document->unsized || mp_leak_bytes(worst);
        told.weight = worst->leaking_weight;
        told.bytes = sized ? mp_leak_bytes(worst) : MP_UNKNOWN;
        told.objects = document->uncounted ? MP_UNKNOWN : mp_leak_objects(worst);
        told.leaking_bytes = sized ? worst->leaking_bytes : MP_UNKNOWN;
        told.confidence = worst->verdict->confidence;
        for (uint32_t i = 0; i < leaks->leaking; i++)
            told.total_bytes += leaks->items[i].leaking_bytes;
        if (document->unsized)
            told.total_bytes = MP_UNKNOWN;
    }
    document->verdict = told;
}

/* Set the headline, and the sort keys by which it is compared with the headlines of other files:
 * leaks come first, sorted by size. */
static void set_headline(mp_document *document, const mp_window *window, const mp_leaks *leaks)
{
    const mp_leak *leak = leaks->worst;
    if (!leak && leaks->left && mp_leaks_unknown_text(document, window, leaks))
        leak = leaks->items;
    if (leak)
        document->headline = (mp_headline){.tone = MP_TONE_WORSE,
                                           .label = leaks->worst ? "Worst leak" : "Largest left",
                                           .text = text_of(document, window, leak),
                                           .keys = {leak->leaking_weight, mp_leak_bytes(leak), 0}};
}

/* Return true if objects were left behind, but it is unknown if their sites leak. */
static bool is_untold(const mp_window *window, const mp_leaks *leaks)
{
    return !leaks->leaking && leaks->left && (leaks->unknown || mp_verdict_is_unknown(window));
}

static void say_sums(mp_document *document, const mp_request *request, const mp_window *window,
                     const mp_leaks *leaks)
{
    static const char unread[] = "unknown: none in what could be read";
    const char *text = sum_text(document, leaks->bytes, leaks->objects, leaks->left);
    uint32_t left;
    const char *leaking = leaking_text(document, leaks, &left);
    if (leaks->leaking && left == leaks->left)
        mp_document_say(document, MP_TONE_WORSE, "Leaks", "%s", leaking);
    else if (leaks->leaking)
        mp_document_say(document, MP_TONE_WORSE, "Leaks",
                        left ? "%s, of %s left behind" : "%s; left behind: %s", leaking, text);
    else if (is_untold(window, leaks))
        mp_document_say(document, MP_TONE_WORSE, "Leaks", "unknown: %s; left behind: %s",
                        mp_verdict_is_unknown(window) || window->model->sessions.count <= 2
                            ? "too few snapshots"
                            : "too few snapshots in a session",
                        text);
    else if (leaks->left)
        mp_document_say(document, MP_TONE_PLAIN, "Leaks", "%s; left behind: %s",
                        request->torn ? unread : "none", text);
    else
        mp_document_say(document, MP_TONE_PLAIN, "Leaks", "%s",
                        document->fits_nothing          ? "unknown: " MP_FITS_NOTHING
                        : mp_window_ends_late(window)   ? "none that is still alive"
                        : mp_window_is_one(window)      ? "unknown: there is only one snapshot"
                        : mp_verdict_is_unknown(window) ? "unknown: too few snapshots"
                        : leaks->unknown                ? "unknown: too few snapshots in a session"
                        : request->torn                 ? unread
                                                        : "none");
}

/* Say the last total if the recording has it without its sites. */
static void say_last(mp_document *document, const mp_window *window)
{
    const mp_session_snapshots *listed = &window->filter->listed;
    if (window->model->sessions.count != 2 || listed->first[1] == listed->first[2])
        return;
    const mp_snapshot *last = mp_window_snapshot(window, listed->snapshots[listed->first[2] - 1]);
    if (last->only_total)
        mp_document_say(document, MP_TONE_PLAIN, "Last", "%s at %s, whose sites are not recorded",
                        mp_bytes_text(document, last->live_bytes),
                        mp_snapshot_text(document, window->model, last));
}

/* Return the largest site that does not leak, of those that grew too seldom to be judged or of the
 * others; NULL: there is none. */
static const mp_leak *largest_other(const mp_leaks *leaks, bool seldom)
{
    for (uint32_t i = leaks->leaking; i < leaks->count; i++)
        if (leaks->items[i].verdict->seldom == seldom)
            return &leaks->items[i];
    return NULL;
}

void mp_say_suppressed(mp_document *document, const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    if (suppressed && suppressed->objects)
        mp_document_say(document, MP_TONE_PLAIN, "Suppressed", "%s",
                        mp_amount_text(document, suppressed->objects, suppressed->bytes));
}

void mp_answer_leaks(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_leaks *leaks = mp_window_leak_sites(window);
    const bool untold = is_untold(window, leaks);
    mp_tell_verdict(document, request, window);
    if (untold) /* if nothing is known to leak, name the largest site */
        mp_document_say(document, MP_TONE_WORSE, "Largest left", "%s",
                        place_text(document, window, leaks->items));
    say_sums(document, request, window, leaks);
    if (!window->model->events)
        mp_say_peak(document, window);
    say_last(document, window);
    mp_say_suppressed(document, window);
    mp_say_late(document, window);
    if (mp_totals_of(window).leaked_objects > 0)
        mp_say_in_use(document, window, "");
    if (leaks->worst)
        mp_document_say(document, MP_TONE_WORSE, "Worst leak", "%s",
                        text_of(document, window, leaks->worst));
    const mp_leak *undecided = untold ? NULL : largest_other(leaks, true);
    const mp_leak *other = untold ? NULL : largest_other(leaks, false);
    if (undecided)
        mp_document_say(document, MP_TONE_PLAIN, "May leak", "%s",
                        text_of(document, window, undecided));
    if (other)
        mp_document_say(document, MP_TONE_PLAIN,
                        leaks->worst || undecided ? "Largest other" : "Largest left", "%s",
                        text_of(document, window, other));
    set_headline(document, window, leaks);
    document->running = mp_window_still_runs(window) && leaks->left;
}

/* --- several files --- */

/* Return the sum of the numbers in a column; MP_UNKNOWN if it has no numbers. Set `positive` to how
 * many of them are above 0. */
static int64_t sum_of(const mp_table *table, const char *column, size_t *positive)
{
    const size_t place = mp_table_column_find(table, column);
    int64_t sum = MP_UNKNOWN;
    *positive = 0;
    for (size_t row = 0; row < table->row_count && place < table->column_count; row++) {
        const mp_cell cell = mp_table_cell(table, row, place);
        if (!cell.known)
            continue;
        sum = (sum == MP_UNKNOWN ? 0 : sum) + cell.number;
        *positive += cell.number > 0;
    }
    return sum;
}

/* Return "2 of 15 recordings", between the texts `before` and `after`; "" if there is only one
 * recording. */
static const char *of_files(mp_document *merged, const char *before, size_t count,
                            const char *behind)
{
    return merged->files == 1 ? ""
                              : mp_document_text(merged, "%s%zu of %zu recordings%s", before, count,
                                                 merged->files, behind);
}

/* Say which of several recordings leaks most, by the measure that orders the files: objects, if not
 * all have sizes but all count objects. Say nothing if several leak as much. */
static void say_leaking_file(mp_document *merged, const mp_table *files)
{
    const bool by_objects = merged->unsized && !merged->uncounted;
    const size_t place =
        mp_table_column_find(files, by_objects ? "leaking_objects" : "leaking_bytes");
    int64_t most = 0;
    const char *file = NULL;
    for (size_t row = 0; row < files->row_count && place < files->column_count; row++) {
        const mp_cell cell = mp_table_cell(files, row, place);
        if (!cell.known || cell.number < most)
            continue;
        file = cell.number > most ? mp_table_cell(files, row, MP_SHOWN_FILE_COLUMN).text : NULL;
        most = cell.number;
    }
    if (file && merged->verdict.leaking > 1)
        mp_document_say(merged, MP_TONE_WORSE, "Leaks most", "%s: %s", file,
                        by_objects ? mp_counted_text(merged, most, "object")
                                   : mp_bytes_text(merged, most));
}

void mp_sum_up_leaks(mp_document *merged)
{
    const mp_table *files = mp_document_find(merged, "files");
    if (!files)
        return;
    size_t with, unused; /* with: number of files that have objects left behind */
    const int64_t sites = sum_of(files, "leak_sites", &unused);
    const int64_t known = sum_of(files, "leaked_bytes", &unused);
    const int64_t bytes = merged->unsized && known == MP_UNKNOWN ? 0 : known;
    const int64_t objects =
        sum_of(files, merged->uncounted ? "leaked_bytes" : "leaked_objects", &with);
    if (objects == MP_UNKNOWN || bytes == MP_UNKNOWN || sites == MP_UNKNOWN)
        return;
    const char *left = with ? mp_document_text(merged, "; left behind: %s%s",
                                               sum_text(merged, bytes, objects, sites),
                                               of_files(merged, ", in ", with, ""))
                            : "";
    if (merged->verdict.leaking)
        mp_document_say(merged, MP_TONE_WORSE, "Leaks", "in %zu of %zu recordings%s",
                        merged->verdict.leaking, merged->files, left);
    else
        mp_document_say(merged, MP_TONE_PLAIN, "Leaks", "%s%s",
                        merged->verdict.leaks && strcmp(merged->verdict.leaks, "unknown") == 0
                            ? "unknown"
                            : "none",
                        left);
    say_leaking_file(merged, files);
    if (merged->running)
        mp_document_say(merged, MP_TONE_WARNING, "Still running", "%s%s",
                        of_files(merged, "", merged->running, ": "), MP_IN_USE);
}

/* What a heap leaks, in words: what the whole answer opens with, of one file and of several. */
#include <inttypes.h>
#include <stdlib.h>

#include "query/steady.h"
#include "query/suppression.h"
#include "query/trend.h"
#include "query/turnover.h"
#include "reports/sections.h"

/* What leaks, and of each whether it is what a cache has that turns over. */
typedef struct told_leaks {
    const mp_leaks *all;
    bool *turned;
} told_leaks;

/* A leak grew again and again, is what a cache turns over, or grew once as a cache that filled. */
enum { REPEATED = 1, TURNING = 2, ONCE = 4 };

static unsigned kind_of(const told_leaks *leaks, const mp_leak *leak)
{
    return mp_group_grew_once(&leak->group)       ? ONCE
           : leaks->turned[leak - leaks->all->at] ? TURNING
                                                  : REPEATED;
}

/* A leak, where it is and how it grew. */
static const char *text_of(mp_document *document, const mp_model *model, const told_leaks *leaks,
                           const mp_leak *leak)
{
    const mp_group *group = &leak->group;
    const char *grew = "grew at every snapshot";
    if (!mp_group_growth_told(group))
        grew = "too few snapshots to tell a leak from a cache";
    else if (kind_of(leaks, leak) == ONCE)
        grew = "grew only once";
    else if (kind_of(leaks, leak) == TURNING)
        grew = "as many deleted as alive, the oldest first";
    else if (group->grew != group->moments)
        grew = mp_document_text(document, "grew at %" PRIu32 " of %" PRIu32 " snapshots",
                                group->grew, group->moments);
    const char *kept = "";
    if (group->kept_bytes > group->leaked.bytes)
        kept = mp_document_text(document, " (%s with what is scoped to it)",
                                mp_bytes_text(document, group->kept_bytes, false));
    mp_frame site = mp_frame_naming(model, (mp_frame){leak->node, leak->line});
    return mp_document_text(document, "%s in %s x %s%s%s%s at %s, %s",
                            mp_bytes_text(document, group->leaked.bytes, false),
                            mp_count_text(document, mp_cost_live(group->leaked), false), leak->type,
                            leak->name ? " " : "", leak->name ? leak->name : "", kept,
                            mp_frame_text(document, model, site), grew);
}

static const char *label_of(const mp_leak *leak)
{
    return mp_group_growth_told(&leak->group) ? "Worst leak" : "Largest leak";
}

/* The largest leak of these kinds, or of them the one that grew most often. */
static const mp_leak *worst(const told_leaks *leaks, unsigned kinds, bool most_often)
{
    const mp_leak *found = NULL;
    for (uint32_t i = 0; i < leaks->all->count; i++) {
        const mp_leak *leak = &leaks->all->at[i];
        if (kind_of(leaks, leak) & kinds &&
            (!found || (most_often && leak->group.grew > found->group.grew)))
            found = leak;
    }
    return found;
}

/* "18.6 KiB in 29 objects from 3 sites" */
static const char *sum_text(mp_document *document, int64_t bytes, int64_t objects, int64_t sites)
{
    return mp_document_text(document, "%s in %s object%s from %s site%s",
                            mp_bytes_text(document, bytes, false),
                            mp_count_text(document, objects, false), objects == 1 ? "" : "s",
                            mp_count_text(document, sites, false), sites == 1 ? "" : "s");
}

/* How a leak stands among those of other files. What is steadily left behind is first, by how much
 * of it that is. What else leaked comes by its size where the process came to its end; while it
 * runs all that is in use counts as leaked, so there by how often it grew, and few moments do not
 * tell what is steady. */
static void set_headline(mp_document *document, const mp_window *window, const told_leaks *leaks,
                         const mp_leak *first)
{
    enum { OF_RUNNING, OF_ENDED, STEADY };
    const bool runs = mp_window_still_runs(window);
    const bool told = !runs || mp_window_steady(window)->moments >= MP_TREND_FEWEST;
    int64_t steady;
    const mp_leak *most = told ? mp_steady_leak(window, leaks->turned, &steady) : NULL;
    const mp_leak *leak = most ? most : first;
    if (!leak)
        return;
    const int64_t bytes = leak->group.leaked.bytes, grew = leak->group.grew;
    mp_headline headline = {.tone = MP_TONE_WORSE,
                            .label = label_of(leak),
                            .text = text_of(document, window->model, leaks, leak),
                            .keys = {OF_ENDED, bytes, bytes}};
    if (most || runs) {
        headline.keys[0] = most ? STEADY : OF_RUNNING;
        headline.keys[1] = most ? steady : grew;
    }
    document->headline = headline;
}

void mp_answer_leaks(mp_document *document, const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    const mp_leaks *leaks = mp_window_leak_sites(window);
    bool runs = mp_window_still_runs(window);
    if (leaks->count)
        mp_document_say(document, MP_TONE_WORSE, "Leaks", "%s",
                        sum_text(document, leaks->bytes, leaks->objects, leaks->count));
    else
        mp_document_say(document, MP_TONE_PLAIN, "Leaks", "%s",
                        mp_window_ends_late(window) ? "none that is still there"
                        : mp_window_has_span(window)
                            ? "none"
                            : "none: there is only one snapshot to look at");
    if (suppressed && suppressed->objects)
        mp_document_say(document, MP_TONE_PLAIN, "Suppressed", "%s",
                        mp_amount_text(document, suppressed->objects, suppressed->bytes));
    mp_say_late(document, window);
    if (mp_totals_of(window).leaked_objects > 0)
        mp_say_in_use(document, window, runs ? "; what grew most often comes first" : "");
    const told_leaks told = {leaks, mp_leaks_turned_over(window)};
    const mp_leak *first = worst(&told, REPEATED | TURNING, runs);
    const mp_leak *cache = worst(&told, ONCE, false);
    if (first && kind_of(&told, first) == TURNING) {
        cache = cache && cache < first ? cache : first;
        first = worst(&told, REPEATED, runs);
    }
    if (first)
        mp_document_say(document, MP_TONE_WORSE, label_of(first), "%s",
                        text_of(document, window->model, &told, first));
    if (cache)
        mp_document_say(document, MP_TONE_PLAIN, "Maybe a cache", "%s",
                        text_of(document, window->model, &told, cache));
    set_headline(document, window, &told, first);
    free(told.turned);
    document->running = runs && leaks->count;
}

/* --- of several files --- */

/* A number of the table; MP_UNKNOWN: it does not tell. */
static int64_t number_at(const mp_table *table, size_t row, const char *column)
{
    const size_t place = mp_table_column_find(table, column);
    if (row >= table->row_count || place == table->column_count)
        return MP_UNKNOWN;
    const mp_cell *cell = &table->cells[row * table->column_count + place];
    return cell->known ? cell->number : MP_UNKNOWN;
}

/* "2 of 15 recordings"; of the only one, "". */
static const char *of_files(mp_document *merged, const char *before, size_t count,
                            const char *behind)
{
    return merged->files == 1 ? ""
                              : mp_document_text(merged, "%s%zu of %zu recordings%s", before, count,
                                                 merged->files, behind);
}

void mp_sum_up_leaks(mp_document *merged)
{
    const mp_table *totals = mp_document_find(merged, "totals");
    const mp_table *files = mp_document_find(merged, "files");
    if (!totals || !files)
        return;
    const int64_t objects = number_at(totals, 0, "leaked_objects");
    const int64_t bytes = number_at(totals, 0, "leaked_bytes");
    const int64_t sites = number_at(totals, 0, "leak_sites");
    size_t leaking = 0;
    if (objects == MP_UNKNOWN || bytes == MP_UNKNOWN || sites == MP_UNKNOWN)
        return;
    for (size_t i = 0; i < files->row_count; i++)
        leaking += number_at(files, i, "leaked_objects") > 0;
    if (leaking)
        mp_document_say(merged, MP_TONE_WORSE, "Leaks", "%s%s",
                        sum_text(merged, bytes, objects, sites),
                        of_files(merged, ", in ", leaking, ""));
    else
        mp_document_say(merged, MP_TONE_PLAIN, "Leaks", "none");
    if (merged->running)
        mp_document_say(merged, MP_TONE_WARNING, "Still running", "%s%s",
                        of_files(merged, "", merged->running, ": "), MP_IN_USE);
}

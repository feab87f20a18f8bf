/* What a heap leaks, in words: what the whole answer opens with. */
#include <inttypes.h>

#include "query/suppression.h"
#include "reports/sections.h"

/* A leak and where it is; nothing where there is none. */
static void say_leak(mp_document *document, const mp_model *model, const mp_leak *leak,
                     mp_tone tone, const char *label)
{
    if (!leak)
        return;
    const mp_group *group = &leak->group;
    const char *grew = "grew at every snapshot";
    if (!mp_group_growth_told(group))
        grew = "too few snapshots to tell a leak from a cache";
    else if (mp_group_grew_once(group))
        grew = "grew only once";
    else if (group->grew != group->moments)
        grew = mp_document_text(document, "grew at %" PRIu32 " of %" PRIu32 " snapshots",
                                group->grew, group->moments);
    const char *kept = "";
    if (group->kept_bytes > group->leaked.bytes)
        kept = mp_document_text(document, " (%s with what is scoped to it)",
                                mp_bytes_text(document, group->kept_bytes, false));
    mp_frame site = mp_frame_naming(model, (mp_frame){leak->node, leak->line});
    mp_document_say(document, tone, label, "%s in %s x %s%s%s%s at %s, %s",
                    mp_bytes_text(document, group->leaked.bytes, false),
                    mp_count_text(document, mp_cost_live(group->leaked), false), leak->type,
                    leak->name ? " " : "", leak->name ? leak->name : "", kept,
                    mp_frame_text(document, model, site), grew);
}

/* The largest leak that may have grown again and again, or of these the one that did so most often;
 * one that grew once may be a cache that filled. */
static const mp_leak *worst(const mp_leaks *leaks, bool grew_once, bool most_often)
{
    const mp_leak *found = NULL;
    for (uint32_t i = 0; i < leaks->count; i++)
        if (mp_group_grew_once(&leaks->at[i].group) == grew_once &&
            (!found || (most_often && leaks->at[i].group.grew > found->group.grew)))
            found = &leaks->at[i];
    return found;
}

void mp_answer_leaks(mp_document *document, const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    const mp_leaks *leaks = mp_window_leak_sites(window);
    bool runs = mp_window_still_runs(window);
    if (leaks->count)
        mp_document_say(document, MP_TONE_WORSE, "Leaks", "%s in %s object%s from %s site%s",
                        mp_bytes_text(document, leaks->bytes, false),
                        mp_count_text(document, leaks->objects, false),
                        leaks->objects == 1 ? "" : "s",
                        mp_count_text(document, leaks->count, false), leaks->count == 1 ? "" : "s");
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
    const mp_leak *first = worst(leaks, false, runs);
    say_leak(document, window->model, first, MP_TONE_WORSE,
             first && mp_group_growth_told(&first->group) ? "Worst leak" : "Largest leak");
    say_leak(document, window->model, worst(leaks, true, false), MP_TONE_PLAIN, "Maybe a cache");
}

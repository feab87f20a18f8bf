/* Warnings that leaked objects may still be in use, or that the window ends after the clean-up. */
#include "reports/sections.h"

static const struct {
    const char *label, *subject, *predicate;
} told_as[] = {
    [MP_IN_USE_RUNNING] = {"Still running", "still running", ""},
    [MP_IN_USE_EARLY] = {"Window", "the window ends before the clean-up",
                         "ends before the clean-up: "},
    [MP_IN_USE_EARLY_LOG] = {"Window", "the window ends before the log does",
                             "ends before the log does: "},
    [MP_IN_USE_LOG] = {"Log", "the log may end before its program", "may end before its program: "},
};

const char *mp_in_use_words(const mp_window *window)
{
    return told_as[mp_window_in_use(window)].subject;
}

/* Return the consequence for leaks: "what is in use counts as left behind, 9 of 15 objects are
 * deleted later". */
static const char *consequence(mp_document *document, const mp_window *window)
{
    const int64_t leaked = mp_totals_of(window).leaked_objects;
    const int64_t later = mp_window_deleted_later(window);
    if (!later)
        return MP_IN_USE;
    return mp_document_text(document, MP_IN_USE ", %s of %s object%s %s deleted later",
                            mp_count_text(document, later), mp_count_text(document, leaked),
                            leaked == 1 ? "" : "s", later == 1 ? "is" : "are");
}

const char *mp_in_use_text(mp_document *document, const mp_window *window)
{
    const bool leaks = mp_totals_of(window).leaked_objects > 0;
    const char *words = leaks ? mp_in_use_words(window) : NULL;
    return words ? mp_document_text(document, "%s: %s", words, consequence(document, window))
                 : NULL;
}

void mp_say_in_use(mp_document *document, const mp_window *window, const char *more)
{
    const mp_in_use in_use = mp_window_in_use(window);
    if (in_use != MP_IN_USE_NOT)
        mp_document_say(document, in_use == MP_IN_USE_LOG ? MP_TONE_PLAIN : MP_TONE_WARNING,
                        told_as[in_use].label, "%s%s%s", told_as[in_use].predicate,
                        consequence(document, window), more);
}

const char *mp_running_text(mp_document *document, const mp_window *window)
{
    const mp_in_use in_use = mp_window_in_use(window);
    return in_use == MP_IN_USE_NOT || in_use == MP_IN_USE_LOG
               ? NULL
               : mp_document_text(document, "objects in use at %s count as left behind",
                                  mp_moment_text(document, window, false));
}

void mp_say_running(mp_document *document, const mp_window *window)
{
    const char *text = mp_running_text(document, window);
    const mp_in_use in_use = mp_window_in_use(window);
    if (text)
        mp_document_say(document, MP_TONE_WARNING, told_as[in_use].label, "%s%s",
                        told_as[in_use].predicate, text);
}

void mp_say_late(mp_document *document, const mp_window *window)
{
    if (mp_window_ends_late(window))
        mp_document_say(document, MP_TONE_WARNING, "Window", "%s", MP_ENDS_LATE);
}

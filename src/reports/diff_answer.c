/* The summary of a diff in words: if the recording got better or worse, and by how much. */
#include "base/units.h"
#include "reports/diff.h"
#include "reports/judging.h"

/* A figure by which one recording is better or worse than another. */
typedef struct measure {
    size_t field; /* offset in mp_amounts */
    mp_unit unit;
    const char *what;
    int64_t base, change;
    bool counts; /* the change is as large as requested */
} measure;

enum { MEASURES = 2 }; /* maximum for one kind of recording */

typedef enum outcome {
    SAME,
    WORSE,
    BETTER,
    MIXED, /* the measures point in different directions */
} outcome;

static const struct {
    const char *label[3]; /* labels for memory, for times and for samples */
    mp_tone tone;
} verdicts[] = {
    [SAME] = {{"Same", "Same", "Same"}, MP_TONE_PLAIN},
    [WORSE] = {{"Worse", "Slower", "More samples"}, MP_TONE_WORSE},
    [BETTER] = {{"Better", "Faster", "Fewer samples"}, MP_TONE_BETTER},
    [MIXED] = {{"Mixed", "Mixed", "Mixed"}, MP_TONE_WARNING},
};

#define FIELD(name) (offsetof(mp_amounts, name) / sizeof(int64_t))

static size_t measures_of(const mp_diff *diff, const mp_digest *base, const mp_digest *now,
                          const mp_diff_arguments *asked, measure *measures)
{
    bool profile = diff->holds & MP_HOLDS_PROFILE;
    size_t count = 0;
    measures[count++] = profile ? (measure){FIELD(exclusive_us), MP_SECONDS, .what = ""}
                                : (measure){FIELD(bytes), MP_BYTES, .what = " alive"};
    if (diff->has & MP_HAS_HISTORY && !base->late && !now->late)
        measures[count++] = (measure){FIELD(leaked_bytes), MP_BYTES, .what = " left behind"};
    /* Compare reachable objects, because more garbage is not worse. */
    const bool reached = diff->has & MP_HAS_GARBAGE;
    if (reached)
        measures[0].what = " reachable";
    for (size_t i = 0; i < count; i++) {
        measure *state = &measures[i];
        state->base = base->totals.values[state->field] - (reached ? base->unreachable_bytes : 0);
        state->change =
            now->totals.values[state->field] - (reached ? now->unreachable_bytes : 0) - state->base;
        state->counts = state->change && mp_change_counts(asked, state->change, state->base);
    }
    return count;
}

static outcome outcome_of(const measure *measures, size_t count)
{
    bool up = false, down = false;
    for (size_t i = 0; i < count; i++) {
        up |= measures[i].counts && measures[i].change > 0;
        down |= measures[i].counts && measures[i].change < 0;
    }
    return up && down ? MIXED : up ? WORSE : down ? BETTER : SAME;
}

/* --- texts --- */

/* Return a change in percent, " (+12.3 %)"; "" if the base is 0. */
static const char *share_of(mp_document *document, int64_t change, int64_t base)
{
    char percent[MP_UNIT_TEXT];
    if (!base)
        return "";
    mp_format_change(percent, mp_percent_of(change, base));
    return mp_document_text(document, " (%s)", percent);
}

/* Return the changes that are as large as requested, such as "+350.4 KiB alive (+12.0 %), +18.6 KiB
 * leaked". If the verdict is SAME, return all changes, and the totals of measures that did not
 * change. */
static const char *figures_of(mp_document *document, const measure *measures, size_t count,
                              outcome verdict)
{
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        const measure *state = &measures[i];
        bool change = state->counts || (verdict == SAME && state->change);
        if (!change && verdict != SAME)
            continue;
        text = mp_document_text(
            document, "%s%s%s%s%s", text,
            !*text             ? ""
            : verdict == MIXED ? ", but "
                               : ", ",
            mp_measured_text(document, state->unit, change ? state->change : state->base, change),
            state->what, change ? share_of(document, state->change, state->base) : "");
    }
    return text;
}

/* Return "3 new sites". */
static const char *count_of(mp_document *document, const mp_diff *diff, const char *which,
                            uint64_t count)
{
    const char *one = diff->level == MP_LEVEL_GROUP       ? "group"
                      : diff->level == MP_LEVEL_DOMINATOR ? "branch"
                                                          : mp_level_name(diff->level);
    const char *many = diff->level == MP_LEVEL_DOMINATOR ? "es" : "s";
    return mp_document_text(document, "%s %s%s%s%s", mp_count_text(document, (int64_t)count), which,
                            *which ? " " : "", one, count == 1 ? "" : many);
}

/* Changes in one direction, by a measure. */
typedef struct side {
    uint64_t count, apart; /* apart: number of entries that only one recording has */
    int64_t sum;
    const mp_difference *most; /* NULL = no change by this measure */
    int64_t most_change;
} side;

static side side_of(const mp_diff *diff, const mp_diff_arguments *asked, bool up, size_t field)
{
    side entry = {0};
    for (size_t i = 0; i < diff->differences.count; i++) {
        const mp_difference *difference = &diff->differences.items[i];
        bool apart = difference->change == (up ? MP_CHANGE_NEW : MP_CHANGE_GONE);
        int64_t change = difference->now.values[field] - difference->base.values[field];
        if ((up ? change > entry.most_change : change < entry.most_change) &&
            mp_difference_counts(asked, diff, difference)) {
            entry.most = difference;
            entry.most_change = change;
        }
        if ((!apart && difference->change != (up ? MP_CHANGE_GROWN : MP_CHANGE_SHRUNK)) ||
            !mp_difference_counts(asked, diff, difference))
            continue;
        entry.count++;
        entry.apart += apart;
        entry.sum += change;
    }
    return entry;
}

/* Return ", worst OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155 (+10.4 KiB)". With
 * `named`, include the name of the measure, because a figure of another measure precedes. */
static const char *most_of(mp_document *document, const mp_diff *diff, const side *entry,
                           const measure *by, const char *word, bool named)
{
    if (!entry->most)
        return "";
    return mp_document_text(document, ", %s %s (%s%s)", word,
                            mp_difference_text(document, diff, entry->most),
                            mp_measured_text(document, by->unit, entry->most_change, true),
                            by->unit == MP_SECONDS               ? ""
                            : by->field == FIELD(retained_bytes) ? " retained"
                            : by->field == FIELD(leaked_bytes)   ? " left behind"
                            : named                              ? " alive"
                                                                 : "");
}

/* Return the leak that grew most compared with the base; NULL if no leak grew. */
static const mp_difference *worst_leak(const mp_diff *diff, const mp_diff_arguments *asked,
                                       int64_t *change)
{
    const mp_difference *worst = NULL;
    *change = 0;
    for (size_t i = 0; i < diff->differences.count; i++) {
        const mp_difference *difference = &diff->differences.items[i];
        const int64_t more = mp_leaking_change(&difference->base, &difference->now);
        if (more <= *change || !mp_difference_counts(asked, diff, difference))
            continue;
        worst = difference;
        *change = more;
    }
    return worst;
}

/* --- lines --- */

/* Return the measure of the rows. For dominators, it is retained bytes. */
static measure measure_of_rows(const mp_diff *diff, const measure *state)
{
    return diff->nodes ? (measure){FIELD(retained_bytes), MP_BYTES, .what = " retained"} : *state;
}

/* Say the leak that grew most, unless the verdict has named it already. */
static void say_leak(mp_document *document, const mp_diff *diff, const mp_difference *named,
                     const mp_diff_arguments *asked)
{
    int64_t change;
    const mp_difference *worst =
        diff->has & MP_HAS_HISTORY ? worst_leak(diff, asked, &change) : NULL;
    if (worst && worst != named)
        mp_document_say(document, MP_TONE_WORSE, "Leaks more", "%s (%s steadily)",
                        mp_difference_text(document, diff, worst),
                        mp_bytes_change(document, change));
}

static void say_verdict(mp_document *document, const mp_diff *diff, const measure *measures,
                        size_t count, outcome verdict, const mp_diff_arguments *asked,
                        bool with_most)
{
    bool up = verdict != BETTER, moved = false;
    const size_t unit = document->sampled ? 2 : diff->holds & MP_HOLDS_PROFILE ? 1 : 0;
    const measure *by = measures; /* the measure that decided the verdict */
    for (size_t i = count; i-- > 0;) {
        by = measures[i].counts && (measures[i].change > 0) == up ? &measures[i] : by;
        moved |= measures[i].change != 0;
    }
    measure rows = by->field == FIELD(leaked_bytes) ? *by : measure_of_rows(diff, by);
    side entry = side_of(diff, asked, up, rows.field);
    const char *text = figures_of(document, measures, count, verdict), *apart = "", *most = "";
    if (verdict == SAME && moved)
        apart = mp_document_text(document, ", less than %s%s%s",
                                 asked->min_bytes ? mp_bytes_text(document, asked->min_bytes) : "",
                                 asked->min_bytes && asked->min_change.set ? " or " : "",
                                 asked->min_change.set ? asked->min_change.bound.text : "");
    else if (verdict != SAME && verdict != BETTER && entry.apart)
        apart = mp_document_text(document, ", %s", count_of(document, diff, "new", entry.apart));
    if (verdict != SAME && with_most)
        most = most_of(document, diff, &entry, &rows, "most by", count > 1);
    mp_document_say(document, verdicts[verdict].tone, verdicts[verdict].label[unit], "%s%s%s", text,
                    apart, most);
    say_leak(document, diff, *most && up ? entry.most : NULL, asked);
}

/* Say the changes in one direction, "+21.9 KiB in 5 sites (2 new)". */
static void say_side(mp_document *document, const mp_diff *diff, const measure *by, bool up,
                     bool with_most, const mp_diff_arguments *asked)
{
    measure rows = measure_of_rows(diff, by);
    side entry = side_of(diff, asked, up, rows.field);
    const char *apart = "", *word = up ? "new" : "gone";
    if (!entry.count)
        return;
    if (entry.apart)
        apart = entry.apart == entry.count
                    ? mp_document_text(document, " (%s%s)", entry.count > 1 ? "all " : "", word)
                    : mp_document_text(document, " (%s %s)",
                                       mp_count_text(document, (int64_t)entry.apart), word);
    /* Nodes overlap, because each retains the nodes below it. A sum over nodes therefore means
     * nothing. */
    const char *sum = entry.sum && !diff->nodes
                          ? mp_document_text(document, "%s in ",
                                             mp_measured_text(document, by->unit, entry.sum, true))
                          : "";
    mp_document_say(document, MP_TONE_PLAIN, up ? "More" : "Less", "%s%s%s%s", sum,
                    count_of(document, diff, "", entry.count), apart,
                    with_most ? most_of(document, diff, &entry, &rows, "most by", false) : "");
}

/* Say how the number of calls changed, because a run that does less work is not faster code. */
static void say_calls(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    int64_t calls = base->totals.calls, change = now->totals.calls - calls;
    if (change)
        mp_document_say(document, MP_TONE_PLAIN, "Calls", "%s%s, from %s to %s",
                        mp_unit_text(document, MP_COUNT, change, true),
                        share_of(document, change, calls), mp_count_text(document, calls),
                        mp_count_text(document, now->totals.calls));
}

/* Say that the peak is higher. It does not change the verdict, but must be visible next to it. */
static void say_peak(mp_document *document, const mp_diff *diff, const mp_digest *base,
                     const mp_digest *now, outcome verdict, const mp_diff_arguments *asked)
{
    int64_t change = now->peak_bytes - base->peak_bytes;
    /* Compare the peaks of whole recordings only, because the peak up to a later moment is never
     * lower. */
    bool whole = !base->of_moment && !now->of_moment;
    if (verdict != WORSE && diff->has & MP_HAS_HISTORY && whole && change > 0 &&
        mp_change_counts(asked, change, base->peak_bytes))
        mp_document_say(
            document, MP_TONE_WARNING, "Peak", "%s%s, from %s to %s",
            mp_bytes_change(document, change), share_of(document, change, base->peak_bytes),
            mp_bytes_text(document, base->peak_bytes), mp_bytes_text(document, now->peak_bytes));
}

static void say_garbage(mp_document *document, const mp_diff *diff, const mp_digest *base,
                        const mp_digest *now)
{
    int64_t change = now->unreachable_bytes - base->unreachable_bytes;
    if (diff->has & MP_HAS_GARBAGE && change)
        mp_document_say(document, MP_TONE_PLAIN, "Unreachable",
                        "%s%s, from %s to %s: garbage not yet collected",
                        mp_bytes_change(document, change),
                        share_of(document, change, base->unreachable_bytes),
                        mp_bytes_text(document, base->unreachable_bytes),
                        mp_bytes_text(document, now->unreachable_bytes));
}

/* Warn if leaks cannot be told from objects in use, or if leaked objects were freed before the end
 * of the window, so that no verdict includes them. */
static void warn_window(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    const bool was_in_use = base->in_use && base->totals.leaked_bytes;
    const bool is_in_use = now->in_use && now->totals.leaked_bytes;
    if (was_in_use || is_in_use)
        mp_document_say(document, MP_TONE_WARNING, "Left behind", "%s before the process: %s",
                        was_in_use && is_in_use ? "both windows end"
                        : is_in_use             ? "the window of the new one ends"
                                                : "the window of the base ends",
                        MP_IN_USE);
    if (base->late || now->late)
        mp_document_say(document, MP_TONE_WARNING, "Warning", "the window of %s %s",
                        (now->late ? now : base)->path, MP_ENDS_LATE);
}

void mp_diff_say(mp_document *document, const mp_diff *diff, const mp_digest *base,
                 const mp_digest *now, const mp_diff_arguments *asked)
{
    measure measures[MEASURES];
    size_t count = measures_of(diff, base, now, asked, measures);
    outcome verdict = outcome_of(measures, count);
    const char *why = mp_incomparable(document->arena, base, now, asked->to);
    if (why) { /* no verdict; the figures follow side by side */
        mp_document_say(document, MP_TONE_WARNING, "Not comparable", "%s", why);
        return;
    }
    const char *holder = verdict == WORSE && mp_holds_dumps(diff->holds)
                             ? mp_diff_holder_text(document, diff, base, now)
                             : NULL;
    say_verdict(document, diff, measures, count, verdict, asked, !holder);
    if (holder)
        mp_document_say(document, MP_TONE_WORSE, "Holder", "%s", holder);
    mp_say_base_order(document, base, now);
    warn_window(document, base, now);
    say_garbage(document, diff, base, now);
    say_peak(document, diff, base, now, verdict, asked);
    if (diff->holds & MP_HOLDS_PROFILE && !document->uncalled)
        say_calls(document, base, now);
    say_side(document, diff, measures, true, verdict == SAME || verdict == BETTER, asked);
    say_side(document, diff, measures, false, verdict != BETTER, asked);
}

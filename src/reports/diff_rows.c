/* The table of a diff: entries that are new, gone, grown or shrunk, and the step in which each was
 * matched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "compare/decide.h"
#include "query/code_names.h"
#include "reports/diff.h"
#include "reports/stacks.h"

/* A row for any kind of recording; missing figures are unknown. */
typedef struct diff_row {
    const char *status, *matched_by;
    mp_amounts base, now, delta;
    int64_t base_inclusive, now_inclusive, delta_inclusive; /* bytes including scoped objects */
    int64_t scoped_bytes; /* scoped bytes now; MP_UNKNOWN if not shown */
    double delta_percent;
    double base_average, now_average, average_percent; /* seconds per call; change in percent */
    int64_t entries; /* number of entries that the row sums up, if it is more than one */
    int64_t line, start_line;
    const char *key, *type, *name, *what, *site, *program, *runtime_class;
    mp_texts stack;
} diff_row;

#define BASE(field, name, title, unit, flags)                                                      \
    MP_COLUMN_OF(diff_row, base.field, "base_" name, title, unit, flags)
#define NOW(field, name, title, unit, flags)                                                       \
    MP_COLUMN_OF(diff_row, now.field, "new_" name, title, unit, flags)
#define DELTA(field, name, title, unit, flags)                                                     \
    MP_COLUMN_OF(diff_row, delta.field, "delta_" name, title, unit, MP_SIGNED | (flags))

static const mp_column heap_columns[] = {
    MP_COLUMN(diff_row, status, "", MP_TEXT, MP_TONED),
    DELTA(bytes, "bytes", "Change", MP_BYTES, 0),
    MP_COLUMN(diff_row, delta_percent, "%", MP_PERCENT, MP_SIGNED),
    BASE(bytes, "bytes", "Base", MP_BYTES, 0),
    NOW(bytes, "bytes", "New", MP_BYTES, 0),
    DELTA(objects, "objects", "Objects", MP_COUNT, 0),
    BASE(objects, "objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    NOW(objects, "objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, scoped_bytes, "With scoped", MP_BYTES,
              MP_FOR_PEOPLE | MP_SIGNED | MP_IF_KNOWN),
    DELTA(retained_bytes, "retained_bytes", "Retained", MP_BYTES, MP_IF_KNOWN),
    BASE(retained_bytes, "retained_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    NOW(retained_bytes, "retained_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    BASE(created, "created_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    NOW(created, "created_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    DELTA(created, "created_objects", "Created", MP_COUNT, MP_IF_KNOWN | MP_MINOR),
    BASE(deleted, "deleted_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    NOW(deleted, "deleted_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    DELTA(deleted, "deleted_objects", "Deleted", MP_COUNT, MP_IF_KNOWN | MP_MINOR),
    BASE(leaked_objects, "leaked_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    NOW(leaked_objects, "leaked_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    BASE(leaked_bytes, "leaked_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    NOW(leaked_bytes, "leaked_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, matched_by, "Matched by", MP_TEXT, MP_MINOR),
    MP_COLUMN_OF(diff_row, entries, "sites", "Sum of", MP_COUNT, MP_IF_KNOWN),
    MP_COLUMN(diff_row, key, "Group", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN(diff_row, type, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, name, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, what, "Type and name", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN(diff_row, site, "Allocation site", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN(diff_row, stack, "", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, start_line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(diff_row, base_inclusive, "base_inclusive_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(diff_row, now_inclusive, "new_inclusive_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(diff_row, delta_inclusive, "delta_inclusive_bytes", "", MP_BYTES,
                 MP_FOR_PROGRAMS | MP_SIGNED),
};

static const mp_column profile_columns[] = {
    MP_COLUMN(diff_row, status, "", MP_TEXT, MP_TONED),
    DELTA(exclusive_us, "seconds", "Seconds", MP_SECONDS, 0),
    MP_COLUMN(diff_row, delta_percent, "%", MP_PERCENT, MP_SIGNED),
    BASE(exclusive_us, "seconds", "Base seconds", MP_SECONDS, 0),
    NOW(exclusive_us, "seconds", "New seconds", MP_SECONDS, 0),
    DELTA(calls, "calls", "Calls", MP_COUNT, 0),
    BASE(calls, "calls", "Base calls", MP_COUNT, MP_MINOR),
    NOW(calls, "calls", "New calls", MP_COUNT, MP_MINOR),
    MP_COLUMN_OF(diff_row, base_average, "base_average_seconds", "Base average", MP_AVERAGE,
                 MP_MINOR),
    MP_COLUMN_OF(diff_row, now_average, "new_average_seconds", "New average", MP_AVERAGE, MP_MINOR),
    MP_COLUMN(diff_row, average_percent, "Average %", MP_PERCENT, MP_SIGNED),
    MP_COLUMN(diff_row, matched_by, "Matched by", MP_TEXT, MP_MINOR),
    MP_COLUMN(diff_row, site, "Where", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(diff_row, program, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(diff_row, name, "method", "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, start_line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(diff_row, runtime_class, "Run by", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN_OF(diff_row, entries, "lines", "Sum of", MP_COUNT, MP_IF_KNOWN),
};

mp_amounts mp_amounts_known(const mp_amounts *amounts, unsigned has)
{
    mp_amounts known = *amounts;
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        if (!(mp_amount_fields[i].has & has))
            known.values[i] = MP_UNKNOWN;
    return known;
}

/* --- rows --- */

/* Set the stack of a row, and the first of its frames that is not an allocator. */
static void fill_stack(mp_document *document, const mp_diff *diff, const mp_entry_key *key,
                       diff_row *row)
{
    bool starts = diff->holds & MP_HOLDS_STARTS;
    mp_stack_frame frame = {key->frame, key->line};
    row->stack = mp_digest_stack_texts(document, diff->dictionary, frame, starts);
    row->site = row->stack.empty;
    if (frame.place)
        row->site = mp_digest_frame_text(document, diff->dictionary,
                                         mp_dictionary_site(diff->dictionary, frame), starts);
}

/* Return the bytes including scoped objects; MP_UNKNOWN if they are a sum that might count objects
 * twice. */
static int64_t inclusive_of(const mp_amounts *amounts)
{
    return amounts->scoped_bytes < 0 ? MP_UNKNOWN : amounts->bytes + amounts->scoped_bytes;
}

static int64_t inclusive_change(const mp_difference *difference)
{
    int64_t base = inclusive_of(&difference->base), now = inclusive_of(&difference->now);
    return base == MP_UNKNOWN || now == MP_UNKNOWN ? MP_UNKNOWN : now - base;
}

static double average_of(const mp_amounts *amounts)
{
    return amounts->calls ? (double)amounts->exclusive_us / 1e6 / (double)amounts->calls : NAN;
}

static void name_row(mp_document *document, const mp_diff *diff, const mp_entry_key *key,
                     diff_row *row)
{
    const mp_dictionary *dictionary = diff->dictionary;
    bool profile = diff->holds & MP_HOLDS_PROFILE, group = diff->level == MP_LEVEL_GROUP;
    bool site = diff->level == MP_LEVEL_SITE && !mp_holds_dumps(diff->holds);
    const char *name = mp_dictionary_text(dictionary, key->name);
    row->line = (profile || site) && key->line != MP_NO_LINE ? (int32_t)key->line : MP_UNKNOWN;
    row->start_line = key->start ? key->start : MP_UNKNOWN;
    row->type = mp_dictionary_text(dictionary, key->type);
    row->runtime_class = profile ? row->type : NULL;
    row->program = mp_dictionary_text(dictionary, key->program);
    row->name = group ? NULL : name;
    if (group)
        row->key = key->start ? mp_document_text(document, "%s (from %u)", name, key->start) : name;
    else if (profile)
        row->site = mp_code_label(document->arena, &(mp_code_place){.program = row->program,
                                                                    .method = name,
                                                                    .run_by = "",
                                                                    .start_line = row->start_line,
                                                                    .line = row->line});
    else
        row->what = mp_document_text(document, "%s%s%s", row->type, *name ? " " : "", name);
    if (site && !profile)
        fill_stack(document, diff, key, row);
    if (diff->holds & MP_HOLDS_STARTS) {
        row->start_line = row->line;
        row->line = MP_UNKNOWN;
    }
}

const char *mp_difference_text(mp_document *document, const mp_diff *diff,
                               const mp_difference *difference)
{
    const mp_entry_key *key = &difference->key;
    diff_row row = {0};
    if (diff->nodes)
        return key->frame
                   ? mp_dictionary_text(diff->dictionary,
                                        mp_dictionary_frame_at(diff->dictionary, key->frame)->name)
                   : "(unreachable)";
    name_row(document, diff, key, &row);
    if (row.key || !row.what)
        return row.key ? row.key : row.site;
    return row.site && key->frame ? mp_document_text(document, "%s at %s", row.what, row.site)
                                  : row.what;
}

/* Return true if the entry has retained sizes. Native objects of a database do not, because their
 * references are not recorded. */
static bool retains(const mp_diff *diff, const mp_amounts *amounts)
{
    return mp_holds_dumps(diff->holds) || amounts->retained_bytes || !amounts->objects;
}

static void put_row(mp_document *document, mp_table *table, const mp_diff *diff,
                    const mp_difference *difference, bool with_scoped)
{
    const mp_amounts *base = &difference->base, *now = &difference->now;
    mp_amounts delta = mp_amounts_subtract(*now, *base);
    unsigned has =
        diff->level == MP_LEVEL_TYPE ? diff->has : diff->has & ~(unsigned)MP_HAS_RETAINED;
    bool profile = diff->holds & MP_HOLDS_PROFILE, scoped = has & MP_HAS_SCOPED;
    bool sums = diff->level != MP_LEVEL_GROUP && diff->level != MP_LEVEL_TYPE;
    int64_t before = profile ? base->exclusive_us : base->bytes;
    int64_t change = profile ? delta.exclusive_us : delta.bytes;
    double base_average = average_of(base), now_average = average_of(now);
    diff_row row = {
        .status = mp_change_name(difference->change),
        .matched_by = mp_match_name(difference->match),
        .base = mp_amounts_known(base, has),
        .now = mp_amounts_known(now, has),
        .delta = mp_amounts_known(&delta, has),
        .base_inclusive = scoped ? inclusive_of(base) : MP_UNKNOWN,
        .now_inclusive = scoped ? inclusive_of(now) : MP_UNKNOWN,
        .delta_inclusive = scoped ? inclusive_change(difference) : MP_UNKNOWN,
        .scoped_bytes = scoped && with_scoped ? inclusive_change(difference) : MP_UNKNOWN,
        .delta_percent = before ? mp_percent_of(change, before) : NAN,
        .base_average = base_average,
        .now_average = now_average,
        .average_percent =
            base->exclusive_us ? (now_average - base_average) * 100 / base_average : NAN,
        .entries = sums && difference->entries > 1 ? (int64_t)difference->entries : MP_UNKNOWN};
    row.base.retained_bytes = retains(diff, base) ? row.base.retained_bytes : MP_UNKNOWN;
    row.now.retained_bytes = retains(diff, now) ? row.now.retained_bytes : MP_UNKNOWN;
    if (!retains(diff, base) || !retains(diff, now))
        row.delta.retained_bytes = MP_UNKNOWN;
    name_row(document, diff, &difference->key, &row);
    mp_table_put(document, table, &row);
}

/* --- the table --- */

bool mp_change_counts(const mp_diff_arguments *asked, int64_t change, int64_t before)
{
    const mp_bound *least = &asked->min_change.bound;
    change = llabs(change);
    if (change < asked->min_bytes)
        return false;
    if (least->reference && !before) /* a change from 0 exceeds any percentage */
        return true;
    return mp_threshold_holds(mp_bound_of(least, before, 0), MP_AT_LEAST, change);
}

bool mp_difference_counts(const mp_diff_arguments *asked, const mp_diff *diff,
                          const mp_difference *difference)
{
    mp_amounts delta = mp_amounts_subtract(difference->now, difference->base);
    bool heap = !(diff->holds & MP_HOLDS_PROFILE);
    bool node = diff->nodes && difference->key.frame;
    int64_t change = node ? delta.retained_bytes : heap ? delta.bytes : delta.exclusive_us;
    int64_t before = node   ? difference->base.retained_bytes
                     : heap ? difference->base.bytes
                            : difference->base.exclusive_us;
    const int64_t count = heap                             ? delta.objects
                          : diff->holds & MP_HOLDS_SAMPLES ? delta.exclusive_us
                                                           : delta.calls;
    return llabs(count) >= asked->min_count && mp_change_counts(asked, change, before);
}

/* A row to be shown, with its sort key. */
typedef struct ranked {
    int64_t rank; /* sort key, the largest first; rows with equal keys keep their order */
    const mp_difference *difference;
} ranked;

static int by_rank(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    int order = MP_COMPARE(b->rank, a->rank);
    return order ? order : MP_COMPARE(a->difference, b->difference);
}

/* Return the sort key of a difference. Differences are already sorted by the size of their
 * change. */
static int64_t rank_of(mp_diff_order order, const mp_difference *difference)
{
    int64_t with_scoped = inclusive_change(difference);
    switch (order) {
    case MP_DIFF_WORSE:
        return difference->change == MP_CHANGE_NEW || difference->change == MP_CHANGE_GROWN;
    case MP_DIFF_OBJECTS:
        return llabs(difference->now.objects - difference->base.objects);
    case MP_DIFF_CALLS:
        return llabs(difference->now.calls - difference->base.calls);
    case MP_DIFF_INCLUSIVE:
        return with_scoped == MP_UNKNOWN ? -1 : llabs(with_scoped);
    case MP_DIFF_SIZE:
        break;
    }
    return 0;
}

/* Return true if the row has a requested status. By default, an entry of which only the scoped
 * bytes changed is shown only if rows are sorted by them. */
static bool is_wanted(const mp_diff *diff, const mp_diff_arguments *asked,
                      const mp_difference *difference)
{
    const char *name = mp_change_name(difference->change);
    if (asked->status) {
        for (const char *cursor = asked->status;; cursor += strcspn(cursor, ",") + 1) {
            size_t length = strcspn(cursor, ",");
            if (strlen(name) == length && memcmp(cursor, name, length) == 0)
                return true;
            if (!cursor[length])
                return false;
        }
    }
    int64_t with_scoped = inclusive_change(difference);
    return difference->change != MP_CHANGE_NONE ||
           (diff->order == MP_DIFF_INCLUSIVE && with_scoped != MP_UNKNOWN && with_scoped);
}

/* Return the differences that are large enough, in order. Release with free(). Set `small` to the
 * number of smaller ones. */
static ranked *ranked_changes(const mp_diff *diff, const mp_diff_arguments *asked, size_t *count,
                              size_t *small)
{
    ranked *rows = mp_alloc((diff->differences.count + 1) * sizeof *rows);
    *count = *small = 0;
    for (size_t i = 0; i < diff->differences.count; i++) {
        const mp_difference *difference = &diff->differences.items[i];
        if (!is_wanted(diff, asked, difference))
            continue;
        bool same = asked->status && difference->change == MP_CHANGE_NONE;
        if (!same && !mp_difference_counts(asked, diff, difference)) {
            ++*small;
            continue;
        }
        rows[(*count)++] =
            (ranked){.rank = rank_of(diff->order, difference), .difference = difference};
    }
    qsort(rows, *count, sizeof *rows, by_rank);
    return rows;
}

void mp_differences_want(const mp_diff *diff, const mp_diff_arguments *asked)
{
    size_t count, small;
    if (!diff->nodes || !diff->view)
        return;
    ranked *rows = ranked_changes(diff, asked, &count, &small);
    for (size_t i = 0; i < mp_shown_of(count, (size_t)asked->limit); i++)
        mp_want_node(diff, rows[i].difference);
    free(rows);
}

void mp_section_differences(mp_document *document, const mp_diff *diff,
                            const mp_diff_arguments *asked)
{
    if (diff->view)
        mp_references_read(diff->view, document->arena);
    bool heap = !(diff->holds & MP_HOLDS_PROFILE);
    mp_table *table = diff->nodes ? mp_node_table(document)
                      : heap      ? MP_TABLE(document, "diff", NULL, MP_ROWS, heap_columns)
                                  : MP_TABLE(document, "diff", NULL, MP_ROWS, profile_columns);
    table->title = mp_document_text(
        document, "Changes by %s",
        diff->level == MP_LEVEL_GROUP ? mp_dimension_title(mp_dimension_find(diff->by)) : diff->by);
    table->main = true;
    table->empty = asked->status ? "none" : "nothing changed";
    size_t count, small;
    ranked *rows = ranked_changes(diff, asked, &count, &small);
    const size_t shown = mp_shown_of(count, (size_t)asked->limit);
    bool says_more = false; /* true if inclusive changes differ from the changes of a row itself */
    for (size_t i = 0; i < diff->differences.count; i++) {
        const mp_difference *difference = &diff->differences.items[i];
        says_more |= inclusive_change(difference) != difference->now.bytes - difference->base.bytes;
    }
    for (size_t i = 0; i < shown; i++)
        if (diff->nodes)
            mp_put_node(document, table, diff, rows[i].difference);
        else
            put_row(document, table, diff, rows[i].difference, says_more);
    free(rows);
    if (small)
        table->empty = mp_document_text(document, "no change is as large; %s smaller",
                                        mp_count_text(document, (int64_t)small));
    mp_table_left_out(table, count);
    if (small && table->row_count && !table->footer.rest.count)
        table->footer.rest = (mp_rest){small, MP_REST_SMALLER};
}

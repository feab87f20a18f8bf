/* The table of a diff: what is new, gone, grown and shrunk, and which step matched it. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/diff.h"

static const mp_column heap_columns[] = {
    {"status", "", MP_TEXT, 0, 0},
    {"delta_bytes", "Change", MP_BYTES, MP_SIGNED, 0},
    {"delta_percent", "%", MP_PERCENT, MP_SIGNED, 0},
    {"base_bytes", "Base", MP_BYTES, 0, 0},
    {"new_bytes", "New", MP_BYTES, 0, 0},
    {"delta_objects", "Objects", MP_COUNT, MP_SIGNED, 0},
    {"base_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"new_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"delta_retained_bytes", "Retained", MP_BYTES, MP_SIGNED, 0},
    {"base_retained_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"new_retained_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"base_created_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"new_created_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"delta_created_objects", "Created", MP_COUNT, MP_SIGNED, 0},
    {"base_deleted_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"new_deleted_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"delta_deleted_objects", "Deleted", MP_COUNT, MP_SIGNED, 0},
    {"base_leaked_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"new_leaked_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"base_leaked_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"new_leaked_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"matched_by", "Matched by", MP_TEXT, 0, 0},
    {"sites", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"key", "Group", MP_TEXT, MP_SHORTEN, 0},
    {"type", "", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"name", "", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"what", "Type and name", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN | MP_SHRINKS, 0},
    {"site", "Allocation site", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN, 0},
    {"stack", "", MP_LIST, MP_FOR_PROGRAMS, 0},
    {"line", "", MP_NUMBER, MP_FOR_PROGRAMS, 0},
};

static const mp_column profile_columns[] = {
    {"status", "", MP_TEXT, 0, 0},
    {"delta_seconds", "Change", MP_SECONDS, MP_SIGNED, 0},
    {"delta_percent", "%", MP_PERCENT, MP_SIGNED, 0},
    {"base_seconds", "Base", MP_SECONDS, 0, 0},
    {"new_seconds", "New", MP_SECONDS, 0, 0},
    {"delta_calls", "Calls", MP_COUNT, MP_SIGNED, 0},
    {"base_calls", "Base", MP_COUNT, 0, 0},
    {"new_calls", "New", MP_COUNT, 0, 0},
    {"base_average_seconds", "Average", MP_AVERAGE, 0, 0},
    {"new_average_seconds", "New", MP_AVERAGE, 0, 0},
    {"average_percent", "%", MP_PERCENT, MP_SIGNED, 0},
    {"matched_by", "Matched by", MP_TEXT, 0, 0},
    {"program", "Program", MP_TEXT, MP_SHORTEN, 0},
    {"line", "Line", MP_NUMBER, 0, 0},
    {"method", "Method", MP_TEXT, MP_SHORTEN | MP_SHRINKS, 0},
    {"lines", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
};

/* --- frames --- */

static const char *frame_text(mp_document *document, const mp_dictionary *dictionary, uint32_t name,
                              uint32_t line)
{
    const char *text = mp_dictionary_text(dictionary, name);
    return line == MP_NO_LINE ? mp_document_text(document, "%s", text)
                              : mp_document_text(document, "%s:%d", text, (int)(int32_t)line);
}

static void set_stack(mp_document *document, mp_table *table, const mp_dictionary *dictionary,
                      const mp_entry_key *key)
{
    const char **frames = NULL;
    const char *site = NULL;
    size_t count = 0, capacity = 0;
    uint32_t line = key->line;
    if (!key->frame) {
        mp_set_empty_list(document, table, "stack", "(session)");
        mp_set_text(document, table, "site", "(session)");
        return;
    }
    for (uint32_t at = key->frame; at;) {
        const mp_frame_key *frame = mp_dictionary_frame_at(dictionary, at);
        mp_grow(&frames, &capacity, count + 1, sizeof *frames);
        frames[count] = frame_text(document, dictionary, frame->name, line);
        if (!site && !frame->allocator)
            site = frames[count];
        count++;
        line = frame->line;
        at = frame->caller;
    }
    mp_set_list(document, table, "stack", frames, count);
    mp_set_text(document, table, "site", site ? site : frames[0]);
    free(frames);
}

/* --- rows --- */

static void set_change(mp_document *document, mp_table *table, const mp_difference *difference)
{
    mp_table_row(table);
    mp_set_text(document, table, "status", mp_change_name(difference->change));
    mp_set_text(document, table, "matched_by", mp_match_name(difference->match));
}

static void set_heap_history(mp_table *table, const mp_difference *difference)
{
    const mp_amounts *base = &difference->base, *now = &difference->now;
    mp_set_number(table, "base_created_objects", base->created);
    mp_set_number(table, "new_created_objects", now->created);
    mp_set_number(table, "delta_created_objects", now->created - base->created);
    mp_set_number(table, "base_deleted_objects", base->deleted);
    mp_set_number(table, "new_deleted_objects", now->deleted);
    mp_set_number(table, "delta_deleted_objects", now->deleted - base->deleted);
    mp_set_number(table, "base_leaked_objects", base->leaked_objects);
    mp_set_number(table, "new_leaked_objects", now->leaked_objects);
    mp_set_number(table, "base_leaked_bytes", base->leaked_bytes);
    mp_set_number(table, "new_leaked_bytes", now->leaked_bytes);
}

static void heap_row(mp_document *document, mp_table *table, const diff_call *opaque,
                     const mp_difference *difference)
{
    const mp_amounts *base = &difference->base, *now = &difference->now;
    const mp_entry_key *key = &difference->key;
    const mp_dictionary *dictionary = opaque->dictionary;
    set_change(document, table, difference);
    mp_set_number(table, "base_objects", base->objects);
    mp_set_number(table, "new_objects", now->objects);
    mp_set_number(table, "delta_objects", now->objects - base->objects);
    mp_set_number(table, "base_bytes", base->bytes);
    mp_set_number(table, "new_bytes", now->bytes);
    mp_set_number(table, "delta_bytes", now->bytes - base->bytes);
    if (base->bytes)
        mp_set_real(table, "delta_percent", mp_percent_of(now->bytes - base->bytes, base->bytes));
    if (opaque->has & MP_HAS_RETAINED && opaque->level == MP_LEVEL_TYPE) {
        mp_set_number(table, "base_retained_bytes", base->retained_bytes);
        mp_set_number(table, "new_retained_bytes", now->retained_bytes);
        mp_set_number(table, "delta_retained_bytes", now->retained_bytes - base->retained_bytes);
    }
    if (opaque->has & MP_HAS_HISTORY)
        set_heap_history(table, difference);
    mp_set_text(document, table, "type", mp_dictionary_text(dictionary, key->type));
    if (opaque->level == MP_LEVEL_GROUP) {
        mp_set_text(document, table, "key", mp_dictionary_text(dictionary, key->name));
        return;
    }
    const char *name = mp_dictionary_text(dictionary, key->name);
    mp_set_text(document, table, "name", name);
    mp_set_text(document, table, "what",
                mp_document_text(document, "%s%s%s", mp_dictionary_text(dictionary, key->type),
                                 *name ? " " : "", name));
    if (opaque->level != MP_LEVEL_SITE || opaque->kind == MP_KIND_DUMP)
        return;
    set_stack(document, table, dictionary, key);
    if (key->line != MP_NO_LINE)
        mp_set_number(table, "line", (int32_t)key->line);
    if (difference->entries > 1)
        mp_set_number(table, "sites", (int64_t)difference->entries);
}

static double average_of(const mp_amounts *amounts)
{
    return (double)amounts->exclusive_us / 1e6 / (double)amounts->calls;
}

static void profile_row(mp_document *document, mp_table *table, const diff_call *opaque,
                        const mp_difference *difference)
{
    const mp_amounts *base = &difference->base, *now = &difference->now;
    const mp_entry_key *key = &difference->key;
    int64_t delta = now->exclusive_us - base->exclusive_us;
    set_change(document, table, difference);
    mp_set_number(table, "base_seconds", base->exclusive_us);
    mp_set_number(table, "new_seconds", now->exclusive_us);
    mp_set_number(table, "delta_seconds", delta);
    if (base->exclusive_us)
        mp_set_real(table, "delta_percent", mp_percent_of(delta, base->exclusive_us));
    mp_set_number(table, "base_calls", base->calls);
    mp_set_number(table, "new_calls", now->calls);
    mp_set_number(table, "delta_calls", now->calls - base->calls);
    if (base->calls)
        mp_set_real(table, "base_average_seconds", average_of(base));
    if (now->calls)
        mp_set_real(table, "new_average_seconds", average_of(now));
    if (base->calls && now->calls && base->exclusive_us)
        mp_set_real(table, "average_percent",
                    (average_of(now) - average_of(base)) * 100 / average_of(base));
    mp_set_text(document, table, "program", mp_dictionary_text(opaque->dictionary, key->program));
    mp_set_text(document, table, "method", mp_dictionary_text(opaque->dictionary, key->name));
    if (key->line != MP_NO_LINE)
        mp_set_number(table, "line", (int32_t)key->line);
    if (difference->entries > 1)
        mp_set_number(table, "lines", (int64_t)difference->entries);
}

/* --- the table --- */

/* Whether a change is as large as --min-change says: of the base where that is a percentage. */
static bool is_large(const mp_view *view, bool heap, const mp_difference *difference)
{
    const mp_ceiling *least = &view->min_change;
    mp_amounts delta = mp_amounts_subtract(difference->now, difference->base);
    int64_t change = llabs(heap ? delta.bytes : delta.exclusive_us);
    int64_t before = heap ? difference->base.bytes : difference->base.exclusive_us;
    int64_t count = llabs(heap ? delta.objects : delta.calls);
    if (!mp_view_keeps(view, heap ? change : view->min_bytes, count))
        return false;
    if (!least->set)
        return true;
    if (least->is_percent) /* what was not there grew beyond any percentage */
        return !before || (double)change * 100 >= least->percent * (double)before;
    return change >= least->bytes;
}

void mp_section_differences(mp_document *document, const diff_call *opaque,
                            const mp_differences *differences, const mp_view *view, size_t rows)
{
    bool heap = opaque->kind != MP_KIND_PROFILE;
    mp_table *table = heap ? MP_TABLE(document, "diff", NULL, MP_ROWS, heap_columns)
                           : MP_TABLE(document, "diff", NULL, MP_ROWS, profile_columns);
    table->title = mp_document_text(document, "Changes by %s", opaque->by);
    table->main = true;
    table->empty = "nothing changed";
    size_t large = 0, small = 0;
    for (size_t i = 0; i < differences->count; i++) {
        const mp_difference *difference = &differences->at[i];
        if (difference->change == MP_CHANGE_NONE)
            continue;
        if (!is_large(view, heap, difference)) {
            small++;
            continue;
        }
        if (rows && large++ >= rows)
            continue;
        if (heap)
            heap_row(document, table, opaque, difference);
        else
            profile_row(document, table, opaque, difference);
    }
    if (small)
        table->empty = mp_document_text(document, "nothing changed as much; %zu smaller", small);
    mp_table_left_out(document, table, rows ? large : table->row_count);
    if (small && table->row_count && !table->footer.rest.count)
        table->footer.rest = (mp_rest){small, MP_REST_SMALLER};
}

/* Baselines as they are written: one entry a line, in an order that does not depend on its figures:
 * a change of one site is a change of one line, which version control shows well. */
#include "compare/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "compare/baseline_lines.h"
#include "compare/runs.h"

static void put_line(mp_text_buffer *buffer, struct json_object *object)
{
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
    mp_text_put(buffer, text, strlen(text));
    mp_text_put(buffer, "\n", 1);
    json_object_put(object);
}

/* A figure of each run: one number where all have the same, nothing where that is 0. */
static void add_figure(struct json_object *object, const char *name, const int64_t *figures,
                       size_t runs, size_t stride, bool with_0)
{
    bool same = true;
    for (size_t i = 1; i < runs; i++)
        same &= figures[i * stride] == figures[0];
    if (same) {
        if (figures[0] || with_0)
            json_object_object_add(object, name, json_object_new_int64(figures[0]));
        return;
    }
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < runs; i++)
        json_object_array_add(list, json_object_new_int64(figures[i * stride]));
    json_object_object_add(object, name, list);
}

/* `of`: of each run. */
static void add_amounts(struct json_object *object, const mp_amounts *of, size_t runs)
{
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        add_figure(object, mp_amount_fields[i].name, &of->at[i], runs, MP_AMOUNTS, false);
}

static void add_text(struct json_object *object, const char *name, const char *text)
{
    if (*text)
        json_object_object_add(object, name, json_object_new_string(text));
}

static struct json_object *frame_value(const mp_dictionary *dictionary, const mp_frame_key *frame,
                                       uint32_t line)
{
    struct json_object *value = json_object_new_array();
    json_object_array_add(value,
                          json_object_new_string(mp_dictionary_text(dictionary, frame->name)));
    if (line != MP_NO_LINE || frame->allocator)
        json_object_array_add(value,
                              line == MP_NO_LINE ? NULL : json_object_new_int((int32_t)line));
    if (frame->allocator)
        json_object_array_add(value, json_object_new_boolean(true));
    return value;
}

/* Callers of deep stacks, each with its callers a line of its own, outermost first. */
typedef struct shared_callers {
    mp_id_index numbers; /* by frame and line, from 1 */
    mp_text_buffer lines;
    uint32_t *way; /* of a stack, whose lines are not written yet */
    size_t capacity;
} shared_callers;

/* The number of a frame's callers, which are written where they are new. */
static uint32_t callers_of(shared_callers *shared, const mp_dictionary *dictionary, uint32_t frame)
{
    size_t length = 0;
    uint32_t number = 0;
    for (uint32_t at = frame; !number;) {
        const mp_frame_key *called = mp_dictionary_frame_at(dictionary, at);
        if (!called->caller)
            break;
        number = mp_id_index_get(&shared->numbers, (uint64_t)called->caller << 32 | called->line);
        mp_grow(&shared->way, &shared->capacity, length + 1, sizeof *shared->way);
        shared->way[length] = at;
        length += !number;
        at = called->caller;
    }
    while (length) {
        const mp_frame_key *called = mp_dictionary_frame_at(dictionary, shared->way[--length]);
        const mp_frame_key *caller = mp_dictionary_frame_at(dictionary, called->caller);
        struct json_object *object = json_object_new_object();
        json_object_object_add(object, "of", json_object_new_string("caller"));
        json_object_object_add(object, "frame", frame_value(dictionary, caller, called->line));
        if (number)
            json_object_object_add(object, "caller", json_object_new_int64(number));
        put_line(&shared->lines, object);
        uint32_t *place =
            mp_id_index_put(&shared->numbers, (uint64_t)called->caller << 32 | called->line);
        number = *place = (uint32_t)shared->numbers.count;
    }
    return number;
}

/* Of a deep one the innermost frame, and the number of its callers. */
static void add_stack(struct json_object *object, shared_callers *shared,
                      const mp_dictionary *dictionary, const mp_entry_key *key)
{
    enum { DEEP = 64 };
    struct json_object *stack = json_object_new_array();
    uint32_t line = key->line;
    const bool deep = mp_dictionary_facts(dictionary, key->frame)->depth > DEEP;
    for (uint32_t at = key->frame; at;) {
        const mp_frame_key *frame = mp_dictionary_frame_at(dictionary, at);
        json_object_array_add(stack, frame_value(dictionary, frame, line));
        if (deep)
            json_object_array_add(stack, json_object_new_int64(callers_of(shared, dictionary, at)));
        line = frame->line;
        at = deep ? 0 : frame->caller;
    }
    json_object_object_add(object, "stack", stack);
}

static void put_entry(mp_text_buffer *buffer, shared_callers *shared,
                      const mp_dictionary *dictionary, mp_level level, const mp_entry_key *key,
                      const mp_amounts *amounts, size_t runs)
{
    struct json_object *object = json_object_new_object();
    json_object_object_add(object, "of", json_object_new_string(mp_level_name(level)));
    add_text(object, "type", mp_dictionary_text(dictionary, key->type));
    add_text(object, "name", mp_dictionary_text(dictionary, key->name));
    if (key->frame)
        add_stack(object, shared, dictionary, key);
    else
        add_text(object, "program", mp_dictionary_text(dictionary, key->program));
    if (!key->frame && key->line != MP_NO_LINE)
        json_object_object_add(object, "line", json_object_new_int((int32_t)key->line));
    if (key->start)
        json_object_object_add(object, "start", json_object_new_int64(key->start));
    if (key->overload)
        json_object_object_add(object, "overload", json_object_new_int64(key->overload));
    add_amounts(object, amounts, runs);
    put_line(buffer, object);
}

/* The runs of a digest. */
typedef struct run_list {
    const mp_digest *const *at;
    size_t count;
} run_list;

/* The place of an entry among those of all runs. */
typedef struct listed {
    mp_entry_key key;
    size_t place;
} listed;

static int by_key(const void *left, const void *right, void *dictionary)
{
    const listed *a = left, *b = right;
    return mp_key_compare(dictionary, &a->key, &b->key);
}

/* Gives how many entries there are. */
static uint64_t put_list(mp_text_buffer *buffer, shared_callers *shared,
                         const mp_dictionary *dictionary, mp_level level, run_list runs)
{
    mp_entries all = {0};
    for (size_t run = 0; run < runs.count; run++)
        for (size_t i = 0; i < runs.at[run]->lists[level].count; i++)
            mp_entry_for(&all, runs.at[run]->lists[level].at[i].key);
    mp_amounts *amounts = mp_alloc_zero(all.count * runs.count + 1, sizeof *amounts);
    for (size_t run = 0; run < runs.count; run++)
        for (size_t i = 0; i < runs.at[run]->lists[level].count; i++) {
            const mp_entry *entry = &runs.at[run]->lists[level].at[i];
            size_t place = (size_t)(mp_entry_for(&all, entry->key) - all.at);
            amounts[place * runs.count + run] = entry->amounts;
        }
    listed *order = mp_alloc((all.count + 1) * sizeof *order);
    for (size_t i = 0; i < all.count; i++)
        order[i] = (listed){all.at[i].key, i};
    if (all.count)
        qsort_r(order, all.count, sizeof *order, by_key, (void *)(uintptr_t)dictionary);
    for (size_t i = 0; i < all.count; i++)
        put_entry(buffer, shared, dictionary, level, &order[i].key,
                  &amounts[order[i].place * runs.count], runs.count);
    uint64_t count = all.count;
    free(order);
    free(amounts);
    mp_entries_free(&all);
    return count;
}

static void put_head(mp_text_buffer *buffer, const mp_digest *digest, run_list runs, int version)
{
    struct json_object *head = json_object_new_object();
    char utc[MP_UNIT_TEXT], time[32];
    int64_t start_us = 0; /* of the first run */
    for (size_t i = 0; i < runs.count; i++)
        if (runs.at[i]->start_us && (!start_us || runs.at[i]->start_us < start_us))
            start_us = runs.at[i]->start_us;
    json_object_object_add(head, MP_BASELINE_HEAD, json_object_new_int(version));
    json_object_object_add(head, "kind", json_object_new_string(mp_baseline_kinds[digest->kind]));
    json_object_object_add(head, "knows", json_object_new_int((int)digest->has));
    if (!digest->complete || !digest->open_ended) /* else nobody knows */
        json_object_object_add(head, "complete", json_object_new_boolean(digest->complete));
    if (digest->torn)
        json_object_object_add(head, "torn", json_object_new_boolean(true));
    if (start_us && mp_format_utc(utc, start_us)) {
        snprintf(time, sizeof time, "%.19s.%06dZ", utc, (int)(start_us % 1000000));
        add_text(head, "start_time", time);
    }
    if (runs.count > 1)
        json_object_object_add(head, "runs", json_object_new_int64((int64_t)runs.count));
    add_text(head, "options", digest->conditions);
    put_line(buffer, head);
}

static void put_totals(mp_text_buffer *buffer, run_list runs, uint64_t entries)
{
    typedef struct total {
        int64_t peak_objects, peak_bytes, modules;
    } total;
    enum { FIGURES = sizeof(total) / sizeof(int64_t) };
    struct json_object *totals = json_object_new_object();
    total *of = mp_alloc(runs.count * sizeof *of);
    mp_amounts *amounts = mp_alloc(runs.count * sizeof *amounts);
    for (size_t i = 0; i < runs.count; i++) {
        const mp_digest *run = runs.at[i];
        of[i] = (total){run->peak_objects, run->peak_bytes, (int64_t)run->modules};
        amounts[i] = run->totals;
    }
    json_object_object_add(totals, "of", json_object_new_string("totals"));
    add_figure(totals, "peak_objects", &of->peak_objects, runs.count, FIGURES, true);
    add_figure(totals, "peak_bytes", &of->peak_bytes, runs.count, FIGURES, true);
    add_figure(totals, "modules", &of->modules, runs.count, FIGURES, true);
    json_object_object_add(totals, "entries", json_object_new_int64((int64_t)entries));
    add_amounts(totals, amounts, runs.count);
    put_line(buffer, totals);
    free(amounts);
    free(of);
}

/* What each run was made of, in its order. Gives whether anything is known of that. */
static bool put_recordings(mp_text_buffer *buffer, run_list runs)
{
    char text[MP_CHECKSUM_TEXT];
    size_t length = buffer->length;
    for (size_t run = 0; run < runs.count; run++)
        for (size_t i = 0; i < runs.at[run]->checksum_count; i++) {
            const mp_checksum *checksum = &runs.at[run]->checksums[i];
            struct json_object *object = json_object_new_object();
            json_object_object_add(object, "of", json_object_new_string("recording"));
            if (runs.count > 1)
                json_object_object_add(object, "run", json_object_new_int64((int64_t)run + 1));
            json_object_object_add(object, "size", json_object_new_int64((int64_t)checksum->bytes));
            add_text(object, "checksum", mp_checksum_text(checksum, text));
            put_line(buffer, object);
        }
    return buffer->length > length;
}

char *mp_baseline_text(const mp_digest *digest, const mp_dictionary *dictionary, size_t *length)
{
    mp_text_buffer buffer = {0}, recordings = {0}, lists = {0};
    shared_callers shared = {.way = NULL};
    run_list runs = {&digest, 1};
    uint64_t entries = 0;
    if (digest->run_count)
        runs = (run_list){(const mp_digest *const *)digest->runs, digest->run_count};
    for (int level = 0; level < MP_LEVELS; level++)
        if (mp_level_name((mp_level)level))
            entries += put_list(&lists, &shared, dictionary, (mp_level)level, runs);
    put_head(&buffer, digest, runs,
             put_recordings(&recordings, runs) ? MP_BASELINE_VERSION
             : shared.lines.length             ? MP_BASELINE_SHARES
                                               : MP_BASELINE_SHARELESS);
    put_totals(&buffer, runs, entries);
    mp_text_put(&buffer, recordings.length ? recordings.at : "", recordings.length);
    mp_text_put(&buffer, shared.lines.length ? shared.lines.at : "", shared.lines.length);
    mp_text_put(&buffer, lists.length ? lists.at : "", lists.length);
    mp_id_index_free(&shared.numbers);
    free(shared.lines.at);
    free(shared.way);
    free(recordings.at);
    free(lists.at);
    *length = buffer.length;
    return buffer.at;
}

/* Writer of baselines. Each entry is one line, and the order does not depend on figures. A change
 * of one site is therefore a change of one line, which suits version control. */
#include "compare/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "compare/baseline_lines.h"

/* Begin a line, which is an object. */
static mp_json begin_line(mp_text_buffer *buffer)
{
    mp_json line = {.buffer = buffer};
    mp_json_open(&line, '{');
    return line;
}

static void end_line(mp_json *line)
{
    mp_json_close(line, '}');
    mp_json_put_word(line, "\n");
}

static void add_text_if_any(mp_json *line, const char *name, const char *text)
{
    if (*text)
        mp_json_text(line, name, text);
}

/* Add a figure of all runs: one number if they agree, otherwise a list. A figure of 0 in all runs
 * is left out unless `with_0`. */
static void add_figure(mp_json *line, const char *name, const int64_t *figures, size_t runs,
                       size_t stride, bool with_0)
{
    bool same = true;
    for (size_t i = 1; i < runs; i++)
        same &= figures[i * stride] == figures[0];
    if (same) {
        if (figures[0] || with_0)
            mp_json_number(line, name, figures[0]);
        return;
    }
    mp_json_open_member(line, name, '[');
    for (size_t i = 0; i < runs; i++) {
        mp_json_next(line);
        mp_json_put_number(line, figures[i * stride]);
    }
    mp_json_close(line, ']');
}

/* The runs of a digest. */
typedef struct run_list {
    const mp_digest *const *items;
    size_t count;
} run_list;

/* Add the amounts of an entry, one element of `amounts` per run. */
static void add_amounts(mp_json *line, const mp_amounts *amounts, run_list runs)
{
    for (size_t i = 0; i < MP_AMOUNTS && mp_amount_fields[i].name; i++)
        add_figure(line, mp_amount_name(i, runs.items[0]->has), &amounts->values[i], runs.count,
                   MP_AMOUNTS, false);
}

static void put_frame(mp_json *line, const mp_dictionary *dictionary, const mp_frame_key *frame,
                      uint32_t index)
{
    const char *name = mp_dictionary_text(dictionary, frame->name);
    mp_json_open(line, '[');
    mp_json_next(line);
    mp_json_put_text(line, name, strlen(name));
    if (index != MP_NO_LINE || frame->allocator)
        mp_json_next(line);
    if (index != MP_NO_LINE)
        mp_json_put_number(line, (int32_t)index);
    else if (frame->allocator)
        mp_json_put_word(line, "null");
    if (frame->allocator) {
        mp_json_next(line);
        mp_json_put_word(line, "true");
    }
    mp_json_close(line, ']');
}

/* Callers of deep stacks. Each has a separate line, which refers to the line of its caller, so
 * outermost callers come first. */
typedef struct shared_callers {
    mp_id_index numbers; /* numbers of the callers, from 1, by frame and line */
    mp_text_buffer lines;
    uint32_t *way; /* frames of a stack that are not written yet */
    size_t capacity;
} shared_callers;

/* Return the number of the callers of a frame. Callers that are new are written first. */
static uint32_t callers_of(shared_callers *shared, const mp_dictionary *dictionary, uint32_t frame)
{
    size_t length = 0;
    uint32_t number = 0;
    for (uint32_t index = frame; !number;) {
        const mp_frame_key *called = mp_dictionary_frame_at(dictionary, index);
        if (!called->caller)
            break;
        number = mp_id_index_get(&shared->numbers, (uint64_t)called->caller << 32 | called->line);
        mp_grow(&shared->way, &shared->capacity, length + 1, sizeof *shared->way);
        shared->way[length] = index;
        length += !number;
        index = called->caller;
    }
    while (length) {
        const mp_frame_key *called = mp_dictionary_frame_at(dictionary, shared->way[--length]);
        const mp_frame_key *caller = mp_dictionary_frame_at(dictionary, called->caller);
        mp_json line = begin_line(&shared->lines);
        mp_json_text(&line, "of", "caller");
        mp_json_name(&line, "frame");
        put_frame(&line, dictionary, caller, called->line);
        if (number)
            mp_json_number(&line, "caller", number);
        end_line(&line);
        uint32_t *place =
            mp_id_index_put(&shared->numbers, (uint64_t)called->caller << 32 | called->line);
        number = *place = (uint32_t)shared->numbers.count;
    }
    return number;
}

/* Add a stack. A deep stack has only its innermost frame and the number of its callers. */
static void add_stack(mp_json *line, shared_callers *shared, const mp_dictionary *dictionary,
                      const mp_entry_key *key)
{
    enum { DEEP = 64 };
    uint32_t called = key->line;
    const bool deep = mp_dictionary_facts(dictionary, key->frame)->depth > DEEP;
    mp_json_open_member(line, "stack", '[');
    for (uint32_t index = key->frame; index;) {
        const mp_frame_key *frame = mp_dictionary_frame_at(dictionary, index);
        mp_json_next(line);
        put_frame(line, dictionary, frame, called);
        if (deep) {
            mp_json_next(line);
            mp_json_put_number(line, callers_of(shared, dictionary, index));
        }
        called = frame->line;
        index = deep ? 0 : frame->caller;
    }
    mp_json_close(line, ']');
}

static void put_entry(mp_text_buffer *buffer, shared_callers *shared,
                      const mp_dictionary *dictionary, mp_level level, const mp_entry_key *key,
                      const mp_amounts *amounts, run_list runs)
{
    mp_json line = begin_line(buffer);
    mp_json_text(&line, "of", mp_level_name(level));
    add_text_if_any(&line, "type", mp_dictionary_text(dictionary, key->type));
    add_text_if_any(&line, "name", mp_dictionary_text(dictionary, key->name));
    if (key->frame)
        add_stack(&line, shared, dictionary, key);
    else
        add_text_if_any(&line, "program", mp_dictionary_text(dictionary, key->program));
    if (!key->frame && key->line != MP_NO_LINE)
        mp_json_number(&line, "line", (int32_t)key->line);
    if (key->start)
        mp_json_number(&line, "start", key->start);
    if (key->overload)
        mp_json_number(&line, "overload", key->overload);
    add_amounts(&line, amounts, runs);
    end_line(&line);
}

/* An entry, by its index among the entries of all runs. */
typedef struct listed {
    mp_entry_key key;
    size_t place;
} listed;

static int by_key(const void *left, const void *right, void *dictionary)
{
    const listed *a = left, *b = right;
    return mp_key_compare(dictionary, &a->key, &b->key);
}

/* Write the entries of all runs at a level, and return their number. */
static uint64_t put_list(mp_text_buffer *buffer, shared_callers *shared,
                         const mp_dictionary *dictionary, mp_level level, run_list runs)
{
    mp_entries entries = {0};
    for (size_t run = 0; run < runs.count; run++)
        for (size_t i = 0; i < runs.items[run]->lists[level].count; i++)
            mp_entry_for(&entries, runs.items[run]->lists[level].items[i].key);
    mp_amounts *amounts = mp_alloc_zero(entries.count * runs.count + 1, sizeof *amounts);
    for (size_t run = 0; run < runs.count; run++)
        for (size_t i = 0; i < runs.items[run]->lists[level].count; i++) {
            const mp_entry *entry = &runs.items[run]->lists[level].items[i];
            size_t place = (size_t)(mp_entry_for(&entries, entry->key) - entries.items);
            amounts[place * runs.count + run] = entry->amounts;
        }
    listed *order = mp_alloc((entries.count + 1) * sizeof *order);
    for (size_t i = 0; i < entries.count; i++)
        order[i] = (listed){entries.items[i].key, i};
    if (entries.count)
        qsort_r(order, entries.count, sizeof *order, by_key, (void *)(uintptr_t)dictionary);
    for (size_t i = 0; i < entries.count; i++)
        put_entry(buffer, shared, dictionary, level, &order[i].key,
                  &amounts[order[i].place * runs.count], runs);
    uint64_t count = entries.count;
    free(order);
    free(amounts);
    mp_entries_free(&entries);
    return count;
}

static void put_head(mp_text_buffer *buffer, const mp_digest *digest, run_list runs, int version)
{
    mp_json head = begin_line(buffer);
    char time[MP_UNIT_TEXT];
    int64_t start_us = 0; /* earliest start of a run */
    for (size_t i = 0; i < runs.count; i++)
        if (runs.items[i]->start_us && (!start_us || runs.items[i]->start_us < start_us))
            start_us = runs.items[i]->start_us;
    mp_json_number(&head, MP_BASELINE_HEAD, version);
    mp_json_text(&head, "kind", mp_baseline_kinds[digest->kind]);
    add_text_if_any(&head, "measure", digest->measure);
    mp_json_number(&head, "knows", digest->has);
    if (!digest->complete ||
        !digest->open_ended) /* left out if unknown, for example for logs without an end */
        mp_json_flag(&head, "complete", digest->complete);
    if (digest->torn)
        mp_json_flag(&head, "torn", true);
    if (digest->late)
        mp_json_flag(&head, "late", true);
    if (digest->in_use)
        mp_json_flag(&head, "in_use", true);
    if (digest->holds & MP_HOLDS_PROFILE && !digest->tells_no_part)
        mp_json_flag(&head, "partial", digest->partial);
    if (start_us && mp_format_utc_exact(time, start_us))
        mp_json_text(&head, "start_time", time);
    if (runs.count > 1)
        mp_json_number(&head, "runs", (int64_t)runs.count);
    add_text_if_any(&head, "options", digest->conditions);
    end_line(&head);
}

static void put_totals(mp_text_buffer *buffer, run_list runs, uint64_t entries)
{
    typedef struct total {
        int64_t peak_objects, peak_bytes, unreachable_bytes, modules;
    } total;
    enum { FIGURES = sizeof(total) / sizeof(int64_t) };
    mp_json line = begin_line(buffer);
    total *state = mp_alloc(runs.count * sizeof *state);
    mp_amounts *amounts = mp_alloc(runs.count * sizeof *amounts);
    for (size_t i = 0; i < runs.count; i++) {
        const mp_digest *run = runs.items[i];
        state[i] = (total){run->peak_objects, run->peak_bytes, run->unreachable_bytes,
                           (int64_t)run->modules};
        amounts[i] = run->totals;
    }
    mp_json_text(&line, "of", "totals");
    add_figure(&line, "peak_objects", &state->peak_objects, runs.count, FIGURES, true);
    add_figure(&line, "peak_bytes", &state->peak_bytes, runs.count, FIGURES, true);
    add_figure(&line, "unreachable_bytes", &state->unreachable_bytes, runs.count, FIGURES, false);
    add_figure(&line, "modules", &state->modules, runs.count, FIGURES, true);
    mp_json_number(&line, "entries", (int64_t)entries);
    add_amounts(&line, amounts, runs);
    end_line(&line);
    free(amounts);
    free(state);
}

/* Write the checksums of the recordings from which each run was made. Return true if there are
 * any. */
static bool put_recordings(mp_text_buffer *buffer, run_list runs)
{
    char text[MP_CHECKSUM_TEXT];
    size_t length = buffer->length;
    for (size_t run = 0; run < runs.count; run++)
        for (size_t i = 0; i < runs.items[run]->checksum_count; i++) {
            const mp_checksum *checksum = &runs.items[run]->checksums[i];
            mp_json line = begin_line(buffer);
            mp_json_text(&line, "of", "recording");
            if (runs.count > 1)
                mp_json_number(&line, "run", (int64_t)run + 1);
            mp_json_number(&line, "size", (int64_t)checksum->bytes);
            mp_json_text(&line, "checksum", mp_checksum_text(checksum, text));
            end_line(&line);
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
    mp_text_put(&buffer, recordings.length ? recordings.text : "", recordings.length);
    mp_text_put(&buffer, shared.lines.length ? shared.lines.text : "", shared.lines.length);
    mp_text_put(&buffer, lists.length ? lists.text : "", lists.length);
    mp_id_index_free(&shared.numbers);
    MP_FREE(shared.lines.text, shared.way, recordings.text, lists.text);
    *length = buffer.length;
    return buffer.text;
}

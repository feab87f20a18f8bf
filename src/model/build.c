#include "model/build.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checksum.h"
#include "base/text.h"
#include "model/graph.h"

const char *mp_kind_name(mp_kind kind)
{
    static const char *const names[] = {
        "nothing",     "a memory recording",    "an execution profile", "a log of heap events",
        "a heap dump", "an allocation database"};
    return names[kind];
}

const char *mp_holds_name(mp_kind kind, unsigned holds)
{
    static const char samples[] = "a profile of samples", times[] = "a profile of sampled time";
    return holds & MP_HOLDS_SAMPLES    ? samples
           : holds & MP_HOLDS_UNCALLED ? times
                                       : mp_kind_name(kind);
}

const char *mp_model_name(const mp_model *model)
{
    const char *noun = model->inputs.count > 1 ? model->inputs.items[1].noun : NULL;
    return noun ? noun : mp_holds_name(model->kind, model->holds);
}

unsigned mp_kind_holds(mp_kind kind)
{
    enum {
        HEAP = MP_HOLDS_LEDGER | MP_HOLDS_HISTORY | MP_HOLDS_SITES | MP_HOLDS_OBJECTS,
    };
    static const unsigned holds[] = {
        [MP_KIND_RECORDING] = HEAP | MP_HOLDS_BIRTHS | MP_HOLDS_RUNTIME | MP_HOLDS_TIMES,
        [MP_KIND_PROFILE] = MP_HOLDS_PROFILE,
        [MP_KIND_EVENTS] = HEAP | MP_HOLDS_BIRTHS | MP_HOLDS_EVENTS | MP_HOLDS_NATIVE,
        [MP_KIND_DUMP] = MP_HOLDS_LEDGER | MP_HOLDS_GRAPH | MP_HOLDS_CONTENTS,
        [MP_KIND_DATABASE] = HEAP | MP_HOLDS_NATIVE | MP_HOLDS_GRAPH | MP_HOLDS_STARTS,
    };
    return holds[kind];
}

/* All lists of a model and of a profile. Each list is created with element 0, which is reserved for
 * "none". */
/* clang-format off */
#define MODEL_LISTS(DO)                                                                            \
    DO(types) DO(symbols) DO(nodes) DO(contexts) DO(generations) DO(deltas) DO(snapshots)          \
    DO(sessions) DO(platforms) DO(platform_samples) DO(inputs) DO(objects) DO(root_counts) DO(holdings) DO(places) DO(type_peaks) DO(tree) DO(indirect_losses)
#define PROFILE_LISTS(DO)                                                                          \
    DO(headers) DO(modules) DO(lines) DO(calls) DO(nodes) DO(traces) DO(executions) DO(coverage)                 \
    DO(coverage_lines) DO(coverage_codes) DO(statistics) DO(user_data)
/* clang-format on */

static uint32_t add_string(mp_strings *strings, mp_slice text)
{
    uint32_t made = strings->count++;
    mp_grow(&strings->texts, &strings->texts_capacity, made + 1u, sizeof *strings->texts);
    mp_grow(&strings->lengths, &strings->lengths_capacity, made + 1u, sizeof *strings->lengths);
    strings->texts[made] = mp_arena_copy(&strings->arena, text.start, text.length);
    strings->lengths[made] = text.length;
    return made;
}

mp_model *mp_model_new(void)
{
    mp_model *model = mp_alloc_zero(1, sizeof *model);
    model->strings = mp_alloc_zero(1, sizeof *model->strings);
    model->private = mp_alloc_zero(1, sizeof *model->private);
    add_string(model->strings, (mp_slice){"", 0}); /* text number 0, which is never looked up */
#define START(list) (void)MP_ADD(&model->list);
    MODEL_LISTS(START)
#undef START
    (void)MP_ADD(&model->contexts);    /* MP_CONTEXT_UNKNOWN */
    (void)MP_ADD(&model->generations); /* MP_GENERATION_PENDING */
    return model;
}

mp_profile *mp_model_profile(mp_model *model)
{
    if (model->profile)
        return model->profile;
    mp_profile *profile = model->profile = mp_alloc_zero(1, sizeof *profile);
    model->holds |= MP_HOLDS_PROFILE;
    profile->stated_total_us = profile->elapsed_us = -1;
#define START(list) (void)MP_ADD(&profile->list);
    PROFILE_LISTS(START)
#undef START
    return profile;
}

static void profile_free(mp_profile *profile)
{
    if (!profile)
        return;
#define FREE(list) free(profile->list.items);
    PROFILE_LISTS(FREE)
#undef FREE
    free(profile);
}

void mp_model_free(mp_model *model)
{
    if (!model)
        return;
    mp_arena_free(&model->strings->arena);
    mp_arena_free(&model->strings->scratch);
    free(model->strings->texts);
    free(model->strings->lengths);
    mp_hash_index_free(&model->strings->index);
    free(model->strings);
    mp_hash_index_free(&model->private->contexts);
    mp_hash_index_free(&model->private->generations);
    mp_id_index_free(&model->private->types);
    free(model->private->last_of_type);
    free(model->private);
#define FREE(list) free(model->list.items);
    MODEL_LISTS(FREE)
#undef FREE
    free(model->tree_of);
    profile_free(model->profile);
    mp_events_free(model->events);
    mp_ages_free(model->ages);
    mp_graph_free(model->graph);
    free(model);
}

mp_snapshot *mp_model_begin_snapshot(mp_model *model, mp_session_id session)
{
    mp_snapshot *snapshot = MP_ADD(&model->snapshots);
    snapshot->session = session;
    return snapshot;
}

mp_snapshot *mp_model_end_snapshot(mp_model *model, mp_snapshot_id id, mp_tally *tally)
{
    mp_snapshot *snapshot = &model->snapshots.items[id.i];
    assert(id.i && !snapshot->whole);
    assert(tally->live_objects >= 0 && tally->live_bytes >= 0);
    snapshot->whole = true;
    snapshot->ordinal = ++model->sessions.items[snapshot->session.i].snapshots;
    snapshot->created_objects = tally->created;
    snapshot->deleted_objects = tally->deleted;
    snapshot->changed_objects = tally->changed;
    snapshot->live_objects = tally->live_objects;
    snapshot->live_bytes = tally->live_bytes;
    tally->created = tally->deleted = tally->changed = 0;
    return snapshot;
}

typedef struct string_probe {
    const mp_strings *strings;
    mp_slice text;
} string_probe;

static bool same_string(const void *opaque, uint32_t value)
{
    const string_probe *probe = opaque;
    return probe->strings->lengths[value] == probe->text.length &&
           memcmp(probe->strings->texts[value], probe->text.start, probe->text.length) == 0;
}

/* Replace NUL characters by their Unicode symbol, because texts of the model end at a NUL. */
static mp_slice without_nul(mp_arena *scratch, mp_slice text)
{
    static const char symbol[] = "\xe2\x90\x80";
    if (!text.length || !memchr(text.start, '\0', text.length))
        return text;
    char *start = mp_arena_alloc(scratch, text.length * 3), *out = start;
    for (size_t i = 0; i < text.length; i++) {
        if (text.start[i])
            *out++ = text.start[i];
        else
            out = (char *)memcpy(out, symbol, 3) + 3;
    }
    return (mp_slice){start, (size_t)(out - start)};
}

/* Cut a text to its beginning, followed by its length and a hash that distinguish it from other
 * texts with this beginning. The hash has no key, because the result must be the same in each
 * run. */
static mp_slice cut(mp_arena *scratch, mp_slice text, size_t longest)
{
    enum { ROOM = 64 };
    while (longest && ((unsigned char)text.start[longest] & 0xc0) == 0x80)
        longest--; /* do not cut within a character */
    char *start = mp_arena_alloc(scratch, longest + ROOM);
    memcpy(start, text.start, longest);
    const int more = snprintf(start + longest, ROOM, "… (%zu bytes, %016" PRIx64 ")", text.length,
                              mp_checksum_of_text(text.start, text.length).low);
    return (mp_slice){start, longest + (size_t)more};
}

mp_string_id mp_model_intern(mp_model *model, mp_slice text)
{
    mp_strings *strings = model->strings;
    bool changed = false;
    if (text.length == 0)
        return (mp_string_id){0};
    text = without_nul(&strings->scratch, mp_utf8_from_bytes(&strings->scratch, text, &changed));
    model->converted |= changed;
    size_t longest = model->longest_name ? (size_t)model->longest_name : MP_LONGEST_NAME;
    if (text.length > longest) {
        text = cut(&strings->scratch, text, longest);
        model->cut_names = true;
    }

    string_probe probe = {strings, text};
    uint64_t hash = mp_hash_bytes(text.start, text.length);
    uint32_t *found = mp_hash_index_put(&strings->index, hash, same_string, &probe);
    if (!*found)
        *found = add_string(strings, text);
    mp_arena_free(&strings->scratch); /* few texts need scratch memory, so none is kept */
    return (mp_string_id){*found};
}

mp_string_id mp_model_intern_text(mp_model *model, const char *text)
{
    const bool converted = model->converted;
    const mp_string_id id = mp_model_intern(model, mp_slice_of(text));
    model->converted = converted;
    return id;
}

mp_string_id mp_model_intern_format(mp_model *model, const char *format, ...)
{
    mp_arena arena = {0};
    va_list arguments;
    va_start(arguments, format);
    const char *text = mp_arena_format_list(&arena, format, arguments);
    va_end(arguments);
    const mp_string_id id = mp_model_intern_text(model, text);
    mp_arena_free(&arena);
    return id;
}

mp_type_id mp_model_type_named(mp_model *model, mp_string_id name)
{
    uint32_t *place = mp_id_index_put(&model->private->types, name.i);
    if (!*place) {
        *place = model->types.count;
        MP_ADD(&model->types)->name = name;
    }
    return (mp_type_id){*place};
}

mp_session_id mp_model_add_session(mp_model *model)
{
    (void)MP_ADD(&model->sessions);
    return (mp_session_id){model->sessions.count - 1};
}

const char *mp_model_text(const mp_model *model, mp_string_id id)
{
    return model->strings->texts[id.i];
}

mp_ages *mp_model_ages(mp_model *model)
{
    if (!model->ages)
        model->ages = mp_ages_new();
    return model->ages;
}

bool mp_model_is_clean_up(const mp_model *model, mp_string_id tag)
{
    return mp_text_is(mp_model_text(model, tag), "_PreCleanUp");
}

bool mp_model_is_exit(const mp_model *model, mp_string_id tag)
{
    return model->holds & MP_HOLDS_RUNTIME && mp_text_is(mp_model_text(model, tag), "_Exit");
}

bool mp_model_is_request_end(const mp_model *model, mp_string_id tag)
{
    return mp_text_is(mp_model_text(model, tag), "_EndOfRequest");
}

/* A walk keeps one open archive for each level of nesting. */
#include "input/walk.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "input/archive.h"

#ifdef MEMPROF_ARCHIVE
#include "input/libarchive.h"

struct mp_walk {
    mp_archive levels[MP_MOST_NESTED];
    mp_member_place place;
    mp_layers layers; /* layers around the members of the innermost level */
    mp_unpack_limits limits;
    mp_stream *file;
    uint64_t given; /* decompressed bytes of all members */
    uint32_t files;
    mp_arena names;
    mp_failure failure;
};

int mp_place_compare(const mp_member_place *a, const mp_member_place *b)
{
    for (uint32_t i = 0; i < a->depth && i < b->depth; i++)
        if (a->indexes[i] != b->indexes[i])
            return a->indexes[i] < b->indexes[i] ? -1 : 1;
    return MP_COMPARE(a->depth, b->depth);
}

/* --- one member --- */

typedef struct entry_stream {
    mp_stream stream;
    mp_walk *walk;
    mp_archive *level;
    mp_entry_data data;
} entry_stream;

static size_t entry_read(mp_stream *stream, char *buffer, size_t room)
{
    entry_stream *state = (entry_stream *)stream;
    mp_walk *walk = state->walk;
    size_t got = mp_entry_read(&state->data, state->level->archive, buffer, room);
    if (!got && state->data.failed) {
        const char *why;
        mp_fault fault = mp_archive_fault(state->level, &why);
        if (fault == MP_FAULT_TORN)
            why = mp_packing_name(state->level->packing);
        return mp_stream_fail(stream, fault, "%s", why);
    }
    walk->given += got;
    mp_unpack_check(stream, &walk->limits, walk->given, walk->file->given);
    /* If members overlap, the same bytes of the file are read repeatedly. */
    uint64_t size = mp_stream_size(walk->file);
    if (size && walk->file->given > 2 * size + MP_RATIO_FROM)
        mp_stream_fail(stream, MP_FAULT_LIMIT, "has members that overlap");
    return got;
}

static void entry_close(mp_stream *stream)
{
    (void)stream;
}

static const mp_stream_kind entry_kind = {entry_read, NULL, entry_close, NULL};

static mp_stream *entry_new(mp_walk *walk)
{
    entry_stream *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &entry_kind;
    state->stream.bottom = walk->file;
    state->walk = walk;
    state->level = &walk->levels[walk->place.depth - 1];
    return &state->stream;
}

/* --- levels --- */

static const char *name_of(mp_walk *walk, uint32_t depth)
{
    const char *name = mp_archive_name(&walk->levels[depth], &walk->names);
    return name ? name
                : mp_arena_format(&walk->names, "member %u", (unsigned)walk->place.indexes[depth]);
}

/* Return the name of the member at a depth, preceded by those of the archives around it. */
static const char *full_name(mp_walk *walk, uint32_t depth)
{
    mp_arena_free(&walk->names);
    const char *name = name_of(walk, 0);
    for (uint32_t i = 1; i < depth; i++)
        name = mp_arena_format(&walk->names, "%s:%s", name, name_of(walk, i));
    return name;
}

/* Return the target of the innermost level's current entry, a link, as a full name; "" if it leads
 * out of the archive. */
static const char *full_target(mp_walk *walk, const char *name)
{
    const mp_archive *level = &walk->levels[walk->place.depth - 1];
    const char *text = name_of(walk, walk->place.depth - 1);
    const size_t around = strlen(name) - strlen(text);
    const char *target = mp_archive_target(level, text, &walk->names);
    return target ? mp_arena_format(&walk->names, "%.*s%s", (int)around, name, target) : "";
}

/* Record the first fault. A limit overrides it, and ends the whole walk. */
static void stop(mp_walk *walk, mp_fault fault, const char *packing, const char *why)
{
    mp_failure *failure = &walk->failure;
    const uint32_t depth = fault == MP_FAULT_LIMIT ? 1 : walk->place.depth;
    if (failure->fault && fault != MP_FAULT_LIMIT)
        return;
    free(failure->inside);
    const char *inside = depth > 1 ? full_name(walk, depth - 1) : NULL;
    *failure = (mp_failure){fault, inside ? mp_copy(inside, strlen(inside)) : NULL, ""};
    snprintf(failure->why, sizeof failure->why, "%s%s%s", packing, *packing ? ": " : "", why);
}

/* Enter an archive. Its stream belongs to the level from now on, even on failure. */
static bool enter(mp_walk *walk, mp_stream *from, mp_packing packing)
{
    assert(walk->place.depth < MP_MOST_NESTED);
    mp_archive *archive = &walk->levels[walk->place.depth];
    bool ok = mp_archive_open(archive, from, packing);
    archive->before = walk->layers.count;
    walk->place.indexes[walk->place.depth++] = 0;
    if (!ok && packing == MP_7ZIP && !archive->seeks)
        stop(walk, MP_FAULT_READ, "",
             "a 7z archive inside another archive is not supported; extract it first");
    else if (!ok)
        stop(walk, MP_FAULT_READ, mp_packing_name(packing), mp_archive_why(archive));
    return ok;
}

static void leave(mp_walk *walk)
{
    mp_archive *archive = &walk->levels[--walk->place.depth];
    mp_archive_close(archive);
    /* Members that follow are not in this archive, so forget its layers. */
    walk->layers.count = walk->place.depth ? walk->levels[walk->place.depth - 1].before + 1 : 0;
}

/* Decompress an entry that libarchive would decompress to skip it, so that its bytes count against
 * the limits. */
static bool pass_over(mp_walk *walk, mp_archive *state)
{
    const void *block;
    size_t length;
    la_int64_t offset;
    if (!state->entry || !mp_archive_unpacks(state))
        return true;
    mp_stream counted = {.fault = MP_FAULT_NONE};
    while (mp_la.archive_read_data_block(state->archive, &block, &length, &offset) == ARCHIVE_OK) {
        walk->given += length;
        if (!mp_unpack_check(&counted, &walk->limits, walk->given, walk->file->given)) {
            stop(walk, counted.fault, "", counted.why);
            return false;
        }
    }
    return true;
}

/* Advance to the next file or link of the innermost level. Damaged entries are skipped, and their
 * fault is recorded. */
static bool next_entry(mp_walk *walk)
{
    mp_archive *archive = &walk->levels[walk->place.depth - 1];
    for (;;) {
        if (!pass_over(walk, archive))
            return false;
        mp_fault fault;
        const char *why;
        bool more = mp_archive_next(archive, &fault, &why);
        if (fault)
            stop(walk, fault, mp_packing_name(archive->packing), why);
        if (!more)
            return false;
        if (!archive->entry || archive->came_before)
            continue;
        walk->place.indexes[walk->place.depth - 1]++;
        if (++walk->files > walk->limits.files) {
            char text[100];
            snprintf(text, sizeof text,
                     "has more than %u members, the limit of " MP_DASHES "max-files",
                     (unsigned)walk->limits.files);
            stop(walk, MP_FAULT_LIMIT, "", text);
            return false;
        }
        mp_entry_kind kind = mp_archive_kind(archive);
        if (kind == MP_ENTRY_ODD || kind == MP_ENTRY_LOST)
            stop(walk, MP_FAULT_READ, mp_packing_name(archive->packing),
                 "a member with data is not a regular file");
        if (kind == MP_ENTRY_FILE || kind == MP_ENTRY_ODD || kind == MP_ENTRY_LINK)
            return true;
    }
}

/* Open the current entry of the innermost level, decompressed. */
static mp_packing open_entry(mp_walk *walk, mp_stream **stream)
{
    const mp_archive *archive = &walk->levels[walk->place.depth - 1];
    walk->layers.count = archive->before + 1;
    walk->layers.layers[archive->before] = (uint8_t)archive->packing;
    *stream = entry_new(walk);
    if (mp_la.archive_entry_is_data_encrypted(archive->entry) == 1) {
        mp_stream_fail(*stream, MP_FAULT_READ, "it is encrypted; encryption is not supported");
        return MP_UNPACKED;
    }
    return mp_unpack_all(stream, &walk->layers, &walk->limits);
}

bool mp_walk_next(mp_walk *walk, mp_member *member)
{
    while (walk->place.depth && walk->failure.fault != MP_FAULT_LIMIT) {
        mp_stream *stream;
        if (!next_entry(walk)) {
            if (walk->failure.fault && walk->place.depth == 1)
                return false;
            leave(walk);
            continue;
        }
        mp_archive *level = &walk->levels[walk->place.depth - 1];
        if (mp_archive_kind(level) == MP_ENTRY_LINK) {
            *member = (mp_member){.name = full_name(walk, walk->place.depth), .place = walk->place};
            member->target = full_target(walk, member->name);
            return true;
        }
        mp_packing packing = open_entry(walk, &stream);
        if (!mp_packing_is_archive(packing)) {
            *member = (mp_member){.name = full_name(walk, walk->place.depth),
                                  .place = walk->place,
                                  .layers = walk->layers,
                                  .stream = stream};
            return true;
        }
        if (!enter(walk, stream, packing))
            leave(walk);
    }
    return false;
}

const mp_member_place *mp_walk_place(const mp_walk *walk)
{
    return &walk->place;
}

const mp_failure *mp_walk_failure(const mp_walk *walk)
{
    return &walk->failure;
}

mp_walk *mp_walk_new(mp_stream *stream, mp_packing packing, const mp_layers *layers,
                     const mp_unpack_limits *limits)
{
    mp_walk *walk = mp_alloc_zero(1, sizeof *walk);
    walk->file = stream->bottom;
    walk->layers = *layers;
    walk->limits = *limits;
    if (!enter(walk, stream, packing))
        leave(walk);
    return walk;
}

void mp_walk_free(mp_walk *walk)
{
    if (!walk)
        return;
    while (walk->place.depth)
        leave(walk);
    mp_arena_free(&walk->names);
    free(walk->failure.inside);
    free(walk);
}

#else /* built without libarchive: mp_unpack_all detects no archives */

struct mp_walk {
    mp_member_place place;
};

int mp_place_compare(const mp_member_place *a, const mp_member_place *b)
{
    return memcmp(a, b, sizeof *a);
}

mp_walk *mp_walk_new(mp_stream *stream, mp_packing packing, const mp_layers *layers,
                     const mp_unpack_limits *limits)
{
    (void)stream, (void)packing, (void)layers, (void)limits;
    return NULL;
}

void mp_walk_free(mp_walk *walk)
{
    (void)walk;
}

bool mp_walk_next(mp_walk *walk, mp_member *member)
{
    (void)walk, (void)member;
    return false;
}

const mp_member_place *mp_walk_place(const mp_walk *walk)
{
    return &walk->place;
}

const mp_failure *mp_walk_failure(const mp_walk *walk)
{
    static const mp_failure none;
    (void)walk;
    return &none;
}

#endif

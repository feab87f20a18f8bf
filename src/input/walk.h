/* Walks through the members of an archive, in the order in which they are stored.
 *
 * An archive inside an archive is walked too, at its place; the names of its members have both
 * parts, "inner.tar:shop.oemp". Folders and devices are skipped. */
#pragma once

#include <string.h>

#include "base/memory.h"
#include "input/unpack.h"

typedef struct mp_walk mp_walk;

/* Position of a member: its index in the outermost archive, then in the archive inside that, and so
 * on, each from 1. */
typedef struct mp_member_place {
    uint32_t indexes[MP_MOST_NESTED];
    uint32_t depth;
} mp_member_place;

typedef struct mp_member {
    const char *name; /* valid UTF-8; valid until the next member */
    mp_member_place place;
    mp_layers layers;  /* compressions and archives around it */
    mp_stream *stream; /* decompressed data; close it before the next member; NULL for a link */
    /* Name to which a link leads, in the same form as `name`; "": the link leads out of the
     * archive. NULL: the member is a file. Valid until the next member. */
    const char *target;
} mp_member;

/* Failure of an archive, or of an archive inside it. */
typedef struct mp_failure {
    mp_fault fault;
    char *inside; /* inner archive, "x.zip:y.tar"; NULL: the outermost; use free() */
    char why[200];
} mp_failure;

static inline mp_failure mp_failure_copy(const mp_failure *failure)
{
    mp_failure copy = *failure;
    copy.inside = copy.inside ? mp_copy(copy.inside, strlen(copy.inside)) : NULL;
    return copy;
}

/* Compare two positions by their order in the archive. Return less than, equal to or greater than
 * 0. */
int mp_place_compare(const mp_member_place *a, const mp_member_place *b);

/* Start a walk through the archive in `stream`, which the walk owns from now on. `layers` are the
 * compressions around it. */
mp_walk *mp_walk_new(mp_stream *stream, mp_packing packing, const mp_layers *layers,
                     const mp_unpack_limits *limits);
/* Release the walk; NULL is allowed. */
void mp_walk_free(mp_walk *walk);
/* Advance to the next member. Return false at the end and at a failure (mp_walk_failure). */
bool mp_walk_next(mp_walk *walk, mp_member *member);
const mp_member_place *mp_walk_place(const mp_walk *walk);
/* Return the first failure of all archives walked so far; borrowed. */
const mp_failure *mp_walk_failure(const mp_walk *walk);

/* Archives: going through their members, one after the other, as they stand in them.
 *
 * An archive in an archive is gone through where it stands; its members are called by both names,
 * "inner.tar:shop.oemp". Folders and devices are passed over. */
#ifndef MP_INPUT_WALK_H
#define MP_INPUT_WALK_H

#include <string.h>

#include "base/memory.h"
#include "input/unpack.h"

typedef struct mp_walk mp_walk;

/* Position of a member: its number in the archive, in the archive inside that, and so on, from 1.
 */
typedef struct mp_member_place {
    uint32_t indexes[MP_MOST_NESTED];
    uint32_t depth;
} mp_member_place;

typedef struct mp_member {
    const char *name; /* valid UTF-8; until the next member */
    mp_member_place place;
    mp_layers layers;  /* layers that it is packed by */
    mp_stream *stream; /* its bytes, unpacked; closed before the walk goes on; NULL of a link */
    /* Name of what a link leads to, if that were in the archive; "": it leads out of the archive.
     * NULL: it is a file. Until the next member. */
    const char *target;
} mp_member;

/* Fault of an archive, or of one inside it. */
typedef struct mp_failure {
    mp_fault fault;
    char *inside; /* the one in it, "x.zip:y.tar"; NULL: itself. Release with free(). */
    char why[200];
} mp_failure;

static inline mp_failure mp_failure_copy(const mp_failure *failure)
{
    mp_failure copy = *failure;
    copy.inside = copy.inside ? mp_copy(copy.inside, strlen(copy.inside)) : NULL;
    return copy;
}

/* Compare the order of two positions, as strcmp does. */
int mp_place_compare(const mp_member_place *a, const mp_member_place *b);

/* Start at the archive that `stream` gives, which it owns from now on. `layers`: the packings
 * around it. */
mp_walk *mp_walk_new(mp_stream *stream, mp_packing packing, const mp_layers *layers,
                     const mp_unpack_limits *limits);
/* NULL: nothing happens. */
void mp_walk_free(mp_walk *walk);
/* Go on to the next member; false at the end, and at a failure: see mp_walk_failure. */
bool mp_walk_next(mp_walk *walk, mp_member *member);
const mp_member_place *mp_walk_place(const mp_walk *walk);
/* Return the first failure of all archives that it went through; borrowed. */
const mp_failure *mp_walk_failure(const mp_walk *walk);

#endif

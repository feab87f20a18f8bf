/* Members of archives by their names, "agent.zip:shop.oemp". */
#ifndef MP_INPUT_MEMBERS_H
#define MP_INPUT_MEMBERS_H

#include "input/walk.h"
#include "memprof/memprof.h"

/* What is open, and known to be an archive. */
typedef struct mp_opened_archive {
    mp_stream *stream; /* at its start */
    mp_packing packing;
    const mp_layers *layers; /* that were undone to get there */
    const mp_unpack_limits *limits;
} mp_opened_archive;

/* Called with each member and the path that it can be opened by, which are borrowed, in the order
 * of the archive. Of those of one name, the last counts, as it would where they were unpacked. */
typedef void mp_member_visit(void *opaque, const char *path, mp_member *member);
/* Go through the archive, whose stream is done with then: of kept bytes, those of the file at
 * `path`. Gives what is wrong with it, whose `inside` is the caller's. */
mp_failure mp_members_visit(const char *path, const mp_opened_archive *archive,
                            mp_member_visit *visit, void *opaque);

/* How much of the path is that of an archive, and not of a member; 0: it is no member's path. */
size_t mp_members_archive(const char *path);
/* The stream of a member of the archive, whose own stream is done with then, and what is undone
 * around it. NULL: there is none of this name; with *failure, in what can be read of the archive,
 * else the one that is probably meant is put into `meant`, or "". */
mp_stream *mp_members_open(const mp_opened_archive *archive, const char *name, mp_layers *around,
                           mp_failure *failure, char *meant, size_t size);

/* Forget what archives have and where their reading was left. */
void mp_members_forget(void);

#endif

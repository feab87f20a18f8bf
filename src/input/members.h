/* Archives and their members by name, "agent.zip:shop.oemp".
 *
 * An archive is walked through once: its members are listed, and those that will be read are put
 * into a temporary file as they pass, from where they come in any order. What finds no room there
 * is walked to again. */
#ifndef MP_INPUT_MEMBERS_H
#define MP_INPUT_MEMBERS_H

#include "input/load_options.h"
#include "input/walk.h"

typedef struct mp_members mp_members;

/* An open input that is an archive. */
typedef struct mp_opened_archive {
    mp_inputs *inputs;  /* that it is kept among; NULL: none are kept */
    const char *path;   /* as it was opened by */
    struct stat origin; /* status at its opening */
    bool is_file;       /* it can be opened again, and is known by its origin, not by its path */
    mp_stream *stream;  /* at its start */
    mp_packing packing;
    mp_layers layers; /* that were undone to get there */
    mp_unpack_limits limits;
} mp_opened_archive;

/* Called with each member and the path that it can be opened by, which are borrowed, in the order
 * of the archive; it may take the stream. Of those of one name, the last counts, as it would where
 * they were unpacked. It sets *wanted, before it closes the stream, if the member will be opened.
 * Links whose targets are not in the archive come last. */
typedef void mp_member_visit(void *opaque, const char *path, mp_member *member, bool *wanted);
/* Go through the archive, whose stream is done with then. The members are released below. */
mp_members *mp_members_visit(const mp_opened_archive *archive, mp_member_visit *visit,
                             void *opaque);
/* Return the members of an archive that was gone through and has not changed since; NULL: none. */
mp_members *mp_members_find(mp_inputs *inputs, const char *path);
void mp_members_release(mp_members *members);

/* Return what is wrong with the archive, whose `inside` is the caller's. */
mp_failure mp_members_failure(const mp_members *members);
/* Return the status of the archive when it was opened; borrowed. */
const struct stat *mp_members_origin(const mp_members *members);

/* Return the length of the archive's path in that of a member; 0 if it is no member's. */
size_t mp_members_archive(mp_inputs *inputs, const char *path);
/* Open a member; *around has its compressions and archives. NULL if there is none of this name:
 * with *failure set, in the readable part of the archive; else `meant` gets the most similar name
 * or "".
 */
mp_stream *mp_members_open(mp_members *members, const char *name, mp_layers *around,
                           mp_failure *failure, char *meant, size_t size);

/* Forget all archives, and release their temporary files once nobody reads from them. */
void mp_members_forget(mp_inputs *inputs);

#endif

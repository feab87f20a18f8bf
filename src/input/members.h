/* Archives and their members by name, such as "agent.zip:shop.oemp".
 *
 * An archive is walked once. Its members are listed, and those that will be read are copied to a
 * temporary file on the way, from which they can be read in any order. Members that do not fit
 * there are found again by another walk. */
#pragma once

#include "input/load_options.h"
#include "input/walk.h"

typedef struct mp_members mp_members;

/* An input that is an archive. */
typedef struct mp_opened_archive {
    mp_inputs *inputs;  /* set of inputs that keeps its member list; NULL: none does */
    const char *path;   /* path as given to mp_input_open */
    struct stat origin; /* status when it was opened */
    bool is_file;       /* a file, identified by its origin; a pipe is identified by its path */
    mp_stream *stream;  /* positioned at its start */
    mp_packing packing;
    mp_layers layers; /* compressions and archives around it */
    mp_unpack_limits limits;
} mp_opened_archive;

/* Visit a member of an archive, in the order of the archive. `path` is the path by which the member
 * can be opened; both are borrowed. The function may take the stream. It sets *wanted, before it
 * closes the stream, if the member will be opened later. Of members with equal names, the last
 * counts, as if the archive were extracted. Links whose targets are not in the archive come
 * last. */
typedef void mp_member_visit(void *opaque, const char *path, mp_member *member, bool *wanted);
/* Walk through the archive and visit its members; this consumes the stream. Release the list with
 * mp_members_release. */
mp_members *mp_members_visit(const mp_opened_archive *archive, mp_member_visit *visit,
                             void *opaque);
/* Return the member list of an archive that was visited and has not changed since; NULL: none. */
mp_members *mp_members_find(mp_inputs *inputs, const char *path);
void mp_members_release(mp_members *members);

/* Return the failure of the archive. The caller releases its `inside`. */
mp_failure mp_members_failure(const mp_members *members);
/* Return the status of the archive when it was opened; borrowed. */
const struct stat *mp_members_origin(const mp_members *members);

/* Return the length of the archive's path within the path of a member; 0: it is not a member. */
size_t mp_members_archive(mp_inputs *inputs, const char *path);
/* Open a member, and set *around to its compressions and archives. Return NULL if no member has
 * this name: if the archive is damaged, *failure is set; otherwise `meant` is set to the most
 * similar name or "". */
mp_stream *mp_members_open(mp_members *members, const char *name, mp_layers *around,
                           mp_failure *failure, char *meant, size_t size);

/* Drop the lists of all archives. Their temporary files are released when nobody reads them any
 * more. */
void mp_members_forget(mp_inputs *inputs);

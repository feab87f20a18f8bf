/* An output file that appears complete or not at all. It is written under another name
 * and replaces its target when it is closed.
 *
 * If the file system supports it, the file has no name until it is complete, so a process that is
 * killed leaves nothing behind. Otherwise it has a temporary name beside the target, and
 * mp_outputs_abandon must be called before the process ends early. */
#pragma once

#include <stdio.h>

#include "base/error.h"

/* An output file. It must not move in memory while it is open. */
typedef struct mp_output {
    FILE *file;
    int descriptor;
    int why;          /* errno of the first failed write; 0: none */
    const char *path; /* path as requested; borrowed */
    char *target;     /* file to be replaced; NULL: the path is written to directly */
    char *temporary;  /* temporary name beside the target */
    bool named;       /* the temporary name exists on disk */
} mp_output;

/* Open a file for writing. If the path is a symbolic link, the file that it leads to is replaced.
 * The new file keeps the permissions of the old one. A device, a pipe or a descriptor (/dev/stdout,
 * /dev/fd/3) is written to directly. Return false with an error (MP_ERROR_OUTPUT); otherwise close
 * it with mp_output_close. */
bool mp_output_open(mp_output *output, const char *path, mp_error *error);
/* Close the file. With `keep`, flush it to disk and move it into place; otherwise discard it and
 * leave the old file. Return false with an error; unless the error says otherwise, the old file is
 * then unchanged. */
bool mp_output_close(mp_output *output, bool keep, mp_error *error);

/* Return the path of the file that mp_output_open would replace or create, with all links followed;
 * NULL if the path names a descriptor or cannot be resolved. Release with free(). */
char *mp_output_target(const char *path);

/* Flush a stream. Return false with errno if this write or an earlier one failed. The reason of an
 * earlier failure is taken from errno, so set errno to 0 when you open the stream. */
bool mp_stream_flush(FILE *file);

/* Remove all incomplete files that have a name. Safe in signal handlers. */
void mp_outputs_abandon(void);

/* A file that is written whole or not at all: out of sight first, then in the place of its target.
 *
 * Where the file system can, it has no name until it is whole, so nothing is left of it however the
 * process ends. Elsewhere it has a name beside its target, and who ends the process calls
 * mp_outputs_abandon. */
#ifndef MP_BASE_OUTPUT_H
#define MP_BASE_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

/* Opened, it must not be moved. */
typedef struct mp_output {
    FILE *file;
    int descriptor;   /* descriptor of the file */
    int why;          /* not all could be written to it: an error number */
    const char *path; /* as it was asked for, borrowed */
    char *target;     /* that is replaced; NULL: what cannot be is written through */
    char *temporary;  /* the name beside it */
    bool named;       /* it has this name already */
} mp_output;

/* Open a file for writing. For a link, its target is replaced, not the link. The new file keeps
 * the permissions of the old one. A device, a pipe or a descriptor (/dev/stdout, /dev/fd/3) is
 * written to directly. False with an error (MP_ERROR_OUTPUT); otherwise the caller closes it. */
bool mp_output_open(mp_output *output, const char *path, mp_error *error);
/* Put the file in its place, on the disk, or leave what was there where `keep` is false. False with
 * an error; unless it says otherwise, what was there is then still there. */
bool mp_output_close(mp_output *output, bool keep, mp_error *error);

/* The file that opening would replace or make, at the end of all links; NULL: there is none, or the
 * path is a descriptor. Release with free(). */
char *mp_output_target(const char *path);

/* Flush a stream; false with errno if not all was written since it was opened. Why an earlier write
 * failed is known where that is what errno tells yet: who opens it sets errno to 0. */
bool mp_stream_flush(FILE *file);

/* Remove what has a name and is not whole. For what ends the process: safe in signal handlers. */
void mp_outputs_abandon(void);

#endif

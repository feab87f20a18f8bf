/* A file that is written whole or not at all: beside its target first, then in its place. */
#ifndef MP_BASE_OUTPUT_H
#define MP_BASE_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

typedef struct mp_output {
    FILE *file;
    const char *path;         /* as it was asked for, borrowed */
    char *target, *temporary; /* NULL: what cannot be replaced is written through */
} mp_output;

/* What a link points to is replaced, not the link; a device, or a link to nothing, is written
 * through. False with an error (MP_ERROR_OUTPUT); else close it. */
bool mp_output_open(mp_output *output, const char *path, mp_error *error);
/* Put the file in its place, or leave what was there where `keep` is false. False with an error;
 * what was there is then still there. */
bool mp_output_close(mp_output *output, bool keep, mp_error *error);

#endif

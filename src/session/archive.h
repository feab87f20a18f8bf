/* An archive of recordings: compressed files, in a folder for each day. */
#pragma once

#include "base/error.h"

/* The place of a recording in the archive. It depends only on the recording, so archiving a
 * recording again replaces its file. Release with mp_archive_place_free. */
typedef struct mp_archive_place {
    char *folder; /* ARCHIVE/2026-03-02: the day of the last change of the file, UTC */
    char *name;   /* name of the file, a dot, and the checksum of its bytes */
    char *path;   /* folder, name, and the ending of the compression */
} mp_archive_place;

/* Find the place of a file, and create its folder. Return false with an error. */
bool mp_archive_find(const char *archive, const char *path, mp_archive_place *place,
                     mp_error *error);
void mp_archive_place_free(mp_archive_place *place);

/* Write the compressed file to its place, with the time of the file, and flush it to disk. The file
 * itself stays. Return false with an error; the place is then as it was before. */
bool mp_archive_put(const char *path, const mp_archive_place *place, mp_error *error);

/* Limits of an archive; 0: no limit. */
typedef struct mp_archive_limits {
    int64_t bytes, days;
} mp_archive_limits;

/* Parse "20G" or "90days". Return false if the text is neither. */
bool mp_archive_limits_parse(const char *text, mp_archive_limits *limits);
/* Remove the oldest files until the archive is within its limits. Files and folders whose names
 * memprof would not use stay, and do not count. Return false with an error. */
bool mp_archive_trim(const char *archive, const mp_archive_limits *limits, mp_error *error);

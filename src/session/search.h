/* Finding files: folders and archives are searched for what a reader claims, in the order of their
 * names, numbers in which are numbers, so that two runs read the same. */
#ifndef MP_SESSION_SEARCH_H
#define MP_SESSION_SEARCH_H

#include "base/memory.h"
#include "readers/reader.h"
#include "session/reading.h"

/* A file, or a member of an archive. */
typedef struct mp_file {
    const char *path;
    const char *name;        /* as it was given: with its snapshot */
    const char *snapshot;    /* up to which it is read; NULL: all of it */
    const mp_reader *reader; /* that claimed it; NULL: it has not been looked at, or none did */
    mp_place place;          /* among the parts of one recording */
    bool placed;             /* the reader knows its place */
} mp_file;

/* A file on its way into a group. */
typedef struct mp_found_file {
    mp_file file;
    bool found;   /* in a folder */
    bool copied;  /* a first file of a recording: some part of it is there twice */
    size_t first; /* file of the same recording; of none, itself */
    size_t turn;  /* as which it was looked at */
    size_t group;
} mp_found_file;

typedef struct mp_file_search {
    const mp_reading *reading;
    bool many; /* the report is asked of baselines, too */
    mp_diagnostics *diagnostics;
    mp_arena *arena;
    const char *snapshot; /* up to which the archive is read that is looked through; NULL: all */
    mp_found_file *files;
    size_t count, capacity;
    bool joins_dumps; /* dumps of one application are joined */
    size_t passed_over, archives_left, turns;
    uint64_t seen;       /* files of this folder */
    const char *archive; /* that was named; NULL: none */
    bool folders;        /* there is more than what was named */
    bool ok;
} mp_file_search;

/* Add the files of these paths: FILE or FILE@SNAPSHOT, folders and archives with what is in them.
 * What is wrong with them, or is passed over, is diagnosed; then search->ok is false if what was
 * found is not all. search->files is released with free(). */
void mp_search_paths(mp_file_search *search, const char *const *paths, size_t count);

/* Set which recording each file belongs to, from the file `from` on. Parts share a UUID and differ
 * in number. If a number occurs twice they are copies. Dumps share an application. */
void mp_search_find_parts(mp_file_search *search, size_t from);

#endif

/* File search: find the recordings in folders and archives. Results are sorted by name, with
 * numbers in names compared as numbers, so that every run reads them in the same order. */
#pragma once

#include "base/index.h"
#include "base/memory.h"
#include "readers/reader.h"
#include "session/reading.h"

/* A file, or a member of an archive. */
typedef struct mp_file {
    const char *path;
    const char *name;        /* path as given, including the snapshot */
    const char *snapshot;    /* last snapshot to read; NULL: read the whole file */
    const mp_reader *reader; /* reader that accepts the file; NULL: none, or not examined yet */
    mp_place place;          /* place of the file among the parts of its recording */
    bool placed;             /* `place` is set */
} mp_file;

/* A found file, before it is put into a group. */
typedef struct mp_found_file {
    mp_file file;
    bool found;   /* found in a folder or an archive, not named by the user */
    bool copied;  /* first file of a recording, of which a part occurs twice */
    size_t first; /* index of the first file of the same recording; own index if the recording has
                     only this file */
    size_t turn;  /* position in the order of the search */
    size_t group;
} mp_found_file;

typedef struct mp_file_search {
    const mp_reading *reading;
    bool many; /* the report also takes baselines */
    mp_diagnostics *diagnostics;
    mp_arena *arena;
    const char *snapshot; /* last snapshot to read in members of the current archive; NULL: all */
    mp_found_file *files;
    size_t count, capacity;
    bool joins_dumps; /* combine dumps of one application */
    size_t passed_over, archives_left, turns;
    uint64_t seen;       /* number of files examined in this folder */
    const char *archive; /* archive that the user named last; NULL: none */
    bool folders;        /* a folder, or an archive with several recordings, was named */
    bool ok;
} mp_file_search;

/* Add the files of these paths: FILE, FILE@SNAPSHOT, folders and archives. Folders and archives are
 * searched. Problems and skipped files are reported as diagnostics; search->ok becomes false if
 * recordings may be missing. Release search->files with free(). */
void mp_search_paths(mp_file_search *search, const char *const *paths, size_t count);

/* Return what the index has for the recording of a placed file, for reading and writing. Files of
 * one reader with the same group and application belong to one recording. */
uint32_t *mp_recording_of(mp_key_index *recordings, const mp_file *file);
/* Set, from index `from` on, the recording to which each file belongs. Parts of a recording have
 * the same UUID and different numbers; if a number occurs twice, the files are copies. Dumps of one
 * application are one recording if search->joins_dumps is set. */
void mp_search_find_parts(mp_file_search *search, size_t from);

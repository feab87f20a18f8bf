/* A folder of tables, one file for each table. All tables belong to one export.
 *
 * Files are written under hidden names, and appear when all recordings are written. The first table
 * is the list of recordings. It is removed before another file of an earlier export is replaced,
 * and appears last. So if a folder contains it, all tables belong to one export. */
#pragma once

#include <stdio.h>

#include "base/error.h"

/* The files of a folder. Texts are static. */
typedef struct mp_table_files {
    const char *(*name)(size_t table); /* return the name of a table, NULL after the last */
    const char *ending;                /* ending of the files' names */
    /* Beginning of each file. A file of an earlier export is recognized by it. A file without rows
     * may contain a line feed instead. */
    const char *head;
} mp_table_files;

typedef struct mp_table_folder {
    const char *path; /* borrowed */
    const mp_table_files *kind;
    size_t count;                /* number of tables */
    struct mp_table_file *files; /* indexed by table; NULL: not open */
    bool made;                   /* the folder did not exist */
} mp_table_folder;

/* Create the folder, or check that it has only files of an earlier export, and open the files.
 * `folder` must be zero. Return false with an error (MP_ERROR_OUTPUT). In both cases end with
 * mp_table_folder_close. */
bool mp_table_folder_open(mp_table_folder *folder, const char *path, const mp_table_files *kind,
                          mp_error *error);
/* Return the file of a table. */
FILE *mp_table_folder_file(const mp_table_folder *folder, size_t table);
/* Close the files. With `keep`, they replace the files of an earlier export; otherwise the folder
 * is left as it was. Return true if all files were kept. Return false otherwise, with an error if
 * `keep` is set. A folder that was never opened cannot be kept. */
bool mp_table_folder_close(mp_table_folder *folder, bool keep, mp_error *error);

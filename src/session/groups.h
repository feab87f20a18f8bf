/* Groups of files: the files to read, and which of them are read together. */
#pragma once

#include "reports/report.h"
#include "session/search.h"

/* Files that are read into one model. */
typedef struct mp_file_group {
    const char *name; /* path of the only file, or a name for several files */
    mp_file *files;
    size_t count, capacity;
    bool found; /* found in a folder, not named by the user */
    bool agent; /* the files are the sessions of one agent */
    size_t turn;
} mp_file_group;

typedef struct mp_file_groups {
    mp_inputs *inputs; /* inputs that keep the opened files */
    mp_file_group *items;
    size_t count, capacity;
    bool apart;         /* groups are reported separately, even if there is only one */
    const char *folder; /* the only path if it is a folder or an archive; otherwise NULL */
    const char *within; /* the only path and a colon if it is an archive; otherwise NULL */
    mp_arena arena;     /* arena of all texts */
} mp_file_groups;

/* Find all files of the paths and group them for this report (NULL: for any report). A path is
 * FILE, FILE@SNAPSHOT, a folder or an archive; folders and archives are searched. Problems and
 * skipped files go to `diagnostics`. Return false if there is no file, or a folder was empty or
 * unreadable. Release with mp_file_groups_free in either case. */
bool mp_file_groups_find(mp_file_groups *groups, const char *const *paths, size_t count,
                         const mp_reading *reading, const mp_report *report,
                         mp_diagnostics *diagnostics);
/* Return the indexes of the groups in the best reading order, which is the order of members in
 * archives. Release with free(). */
size_t *mp_file_groups_turns(const mp_file_groups *groups);
void mp_file_groups_free(mp_file_groups *groups);

/* Read all files of a group into the model and build its call tree. Return false, after a
 * diagnostic of severity error, if a file could not be read or had no usable data; the model then
 * has the data of the other files. If the group has both memory recordings and execution profiles,
 * nothing is read. */
bool mp_file_group_load(const mp_file_group *group, const mp_load_options *options, mp_model *model,
                        mp_diagnostics *diagnostics);

/* Groups: the files that are read, and which of them are read together. */
#ifndef MP_SESSION_GROUPS_H
#define MP_SESSION_GROUPS_H

#include "reports/report.h"
#include "session/search.h"

/* Files that are read into one model. */
typedef struct mp_file_group {
    const char *name; /* a path, or what stands for several */
    mp_file *files;
    size_t count, capacity;
    bool found; /* in a folder, not named by the user */
    bool agent; /* sessions of one */
    size_t turn;
} mp_file_group;

typedef struct mp_file_groups {
    mp_inputs *inputs; /* that files were put back among */
    mp_file_group *items;
    size_t count, capacity;
    bool apart;         /* groups are reported separately, even if there is only one */
    const char *folder; /* the only path, where that is a folder or an archive; else NULL */
    const char *within; /* that one with a colon, where it is an archive; else NULL */
    mp_arena arena;     /* has all texts */
} mp_file_groups;

/* Find all files of the paths, FILE or FILE@SNAPSHOT, folders and archives with what is in them,
 * and group them for this report (NULL: for none in particular). What was wrong or passed over goes
 * to `diagnostics`; false if a folder had nothing or could not be read, or if there is no file at
 * all. Release with mp_file_groups_free in each case. */
bool mp_file_groups_find(mp_file_groups *groups, const char *const *paths, size_t count,
                         const mp_reading *reading, const mp_report *report,
                         mp_diagnostics *diagnostics);
/* The groups in the order in which they are read best: as they stand in archives. Release with
 * free(). */
size_t *mp_file_groups_turns(const mp_file_groups *groups);
void mp_file_groups_free(mp_file_groups *groups);

/* Read all files of a group into the model and build its call tree. False, after a diagnostic of
 * severity error, if any of them could not be read or had nothing usable: what the others gave is
 * in the model all the same. Memory recordings beside execution profiles are refused, and nothing
 * is read. */
bool mp_file_group_load(const mp_file_group *group, const mp_load_options *options, mp_model *model,
                        mp_diagnostics *diagnostics);

#endif

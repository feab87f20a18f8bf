/* Which files are read, and which of them together. */
#ifndef MP_CLI_FILES_H
#define MP_CLI_FILES_H

#include "base/memory.h"
#include "cli/options.h"

/* Files that are read into one model. */
typedef struct cli_group {
    const char *name; /* a path, or what stands for several */
    const char **paths;
    size_t path_count, path_capacity;
    bool found; /* in a folder, not named by the user */
    bool agent; /* sessions of one */
    size_t turn;
} cli_group;

typedef struct cli_groups {
    cli_group *at;
    size_t count, capacity;
    bool apart;         /* groups are reported separately, even if there is only one */
    const char *folder; /* the only operand, where that is a folder or an archive; else NULL */
    const char *within; /* that one with a colon, where it is an archive; else NULL */
    mp_arena arena;     /* has all texts */
} cli_groups;

/* All files of the operands: folders are looked through. What was wrong or passed over goes to
 * `diagnostics`; false if a folder had nothing or could not be read, or if there is no file at all.
 * Release with cli_groups_free in each case. */
bool cli_groups_find(cli_groups *groups, const cli_options *options, mp_diagnostics *diagnostics);
/* The groups in the order in which they are read best: as they stand in archives. Release with
 * free(). */
size_t *cli_groups_turns(const cli_groups *groups);
/* Whether the output, NULL for none, is none of these files. False after a message. */
bool cli_groups_spared(const cli_groups *groups, const char *output);
void cli_groups_free(cli_groups *groups);

#endif

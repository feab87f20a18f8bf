/* The folders that a client may read. They are given on the command line. After all links and dots
 * are resolved, a path of the client must be a file or folder inside of them. */
#pragma once

#include "cli/options.h"

typedef struct mcp_folders {
    char **items; /* real paths, without links */
    size_t count;
} mcp_folders;

/* Resolve the folders of the command line. Return false after a message if one of them is not a
 * folder. Release with mcp_folders_free in either case. */
bool mcp_folders_begin(mcp_folders *folders, const cli_options *options);
void mcp_folders_free(mcp_folders *folders);

/* Return the real path for a client's path. The client's path may be relative to any of the
 * folders, and may be a part of a file (FILE@SNAPSHOT, ARCHIVE:MEMBER). Return NULL, with the
 * reason in `why`, if the path is outside of the folders, if it is neither a file nor a folder, or
 * if it is a folder with links that lead out of the folders. All texts are in the arena. */
const char *mcp_folders_resolve(const mcp_folders *folders, mp_arena *arena, const char *path,
                                const char **why);

/* Return the files in the folders as an array of objects, sorted by path. Set `total` to the number
 * of files, which may be larger than the array. Links and hidden files are left out. */
json_t *mcp_folders_list(const mcp_folders *folders, size_t *total);

#include "cli/mcp_folders.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 10000, MOST_ENTRIES = 1000000 };

bool mcp_folders_begin(mcp_folders *folders, const cli_options *options)
{
    *folders = (mcp_folders){mp_alloc_zero(options->path_count, sizeof(char *)), 0};
    for (size_t i = 0; i < options->path_count; i++) {
        const char *path = options->paths[i];
        char *real = mp_is_folder(path) ? realpath(path, NULL) : NULL;
        if (!real)
            return cli_refuse(options, "%s is not a folder", path);
        folders->items[folders->count++] = real;
    }
    return true;
}

void mcp_folders_free(mcp_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->items[i]);
    free(folders->items);
}

/* Return true if a real path is one of the folders, or is in one of them. */
static bool has(const mcp_folders *folders, const char *real)
{
    for (size_t i = 0; i < folders->count; i++) {
        const size_t length = strlen(folders->items[i]);
        if (strncmp(folders->items[i], real, length) == 0 &&
            (!real[length] || real[length] == '/' || length == 1))
            return true;
    }
    return false;
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strverscmp((*left)->fts_name, (*right)->fts_name);
}

/* Return true if no link in the folder leads out of the permitted folders. */
static bool is_closed(const mcp_folders *folders, const char *folder)
{
    char *const paths[] = {(char *)folder, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    size_t entries = 0;
    bool closed = walk != NULL;
    for (const FTSENT *entry; closed && (entry = fts_read(walk)) != NULL;) {
        char *target = entry->fts_info == FTS_SL ? realpath(entry->fts_path, NULL) : NULL;
        closed = (!target || has(folders, target)) && ++entries <= MOST_ENTRIES;
        free(target);
    }
    if (walk)
        fts_close(walk);
    return closed;
}

/* Return the real path of the longest part of `path` that exists. The text after this part is
 * appended: a snapshot, or a member of an archive. NULL: no part exists. Release with free(). */
static char *real_path(const char *path, struct stat *status)
{
    size_t length = strlen(path);
    char *part = mp_copy(path, length), *real = realpath(part, NULL);
    while (!real && length) {
        do
            length--;
        while (length && part[length] != '@' && part[length] != ':');
        part[length] = '\0';
        real = length ? realpath(part, NULL) : NULL;
    }
    free(part);
    char *whole = NULL;
    if (real && stat(real, status) == 0 && (!path[length] || S_ISREG(status->st_mode))) {
        whole = mp_alloc(strlen(real) + strlen(path + length) + 1);
        stpcpy(stpcpy(whole, real), path + length);
    }
    free(real);
    return whole;
}

const char *mcp_folders_resolve(const mcp_folders *folders, mp_arena *arena, const char *path,
                                const char **why)
{
    struct stat status;
    char *real = *path == '/' ? real_path(path, &status) : NULL;
    for (size_t i = 0; !real && *path && *path != '/' && i < folders->count; i++)
        real = real_path(mp_arena_format(arena, "%s/%s", folders->items[i], path), &status);
    const char *found = NULL;
    /* say nothing about files elsewhere, not even whether they exist */
    if (!real || !has(folders, real))
        *why =
            mp_arena_format(arena, "%s: no file or folder in the folders that can be read", path);
    else if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        *why = mp_arena_format(arena, "%s: neither a file nor a folder", path);
    else if (S_ISDIR(status.st_mode) && !is_closed(folders, real))
        *why = mp_arena_format(arena,
                               "%s: has links that lead out of the folders that can be read; name "
                               "its files",
                               path);
    else
        found = mp_arena_copy(arena, real, strlen(real));
    free(real);
    return found;
}

json_t *mcp_folders_list(const mcp_folders *folders, size_t *total)
{
    char **paths = mp_alloc_zero(folders->count + 1, sizeof *paths);
    memcpy(paths, folders->items, folders->count * sizeof *paths);
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    json_t *files = json_array();
    *total = 0;
    for (FTSENT *entry; walk && (entry = fts_read(walk)) != NULL;) {
        const bool hidden = entry->fts_level > 0 && *entry->fts_name == '.';
        if (hidden && entry->fts_info == FTS_D)
            fts_set(walk, entry, FTS_SKIP);
        char time[MP_UNIT_TEXT];
        if (hidden || entry->fts_info != FTS_F || !S_ISREG(entry->fts_statp->st_mode) ||
            ++*total > MOST_FILES ||
            !mp_utf8_valid((mp_slice){entry->fts_path, entry->fts_pathlen}) ||
            !mp_format_utc(time, entry->fts_statp->st_mtime * INT64_C(1000000)))
            continue;
        json_array_append_new(files, json_pack("{s:s, s:I, s:s}", "path", entry->fts_path, "bytes",
                                               (json_int_t)entry->fts_statp->st_size,
                                               "modified_utc", time));
    }
    if (walk)
        fts_close(walk);
    free(paths);
    return files;
}

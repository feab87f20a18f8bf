#include "export/table_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"

typedef struct mp_table_file {
    char *path;
    mp_output output;
    bool is_open;
} table_file;

static bool fail(const char *path, mp_error *error)
{
    mp_fail_file(error, path, 0, 0, "cannot write: %s", strerror(errno));
    error->code = MP_ERROR_OUTPUT;
    return false;
}

static char *path_in(const char *folder, const char *name, const char *ending)
{
    char *path = mp_alloc(strlen(folder) + strlen(name) + strlen(ending) + sizeof "/");
    stpcpy(stpcpy(stpcpy(stpcpy(path, folder), "/"), name), ending);
    return path;
}

/* Return true if a name is that of a table's file. */
static bool is_named(const mp_table_files *kind, const char *name)
{
    for (size_t i = 0; kind->name(i); i++) {
        const size_t length = strlen(kind->name(i));
        if (strncmp(name, kind->name(i), length) == 0 && strcmp(name + length, kind->ending) == 0)
            return true;
    }
    return false;
}

/* Return true if a file is a table of an earlier export. */
static bool is_table(const mp_table_files *kind, const char *path, const char *name)
{
    char head[32];
    struct stat status;
    if (!is_named(kind, name) || lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    const size_t expected = strlen(kind->head);
    return (length >= expected && memcmp(head, kind->head, expected) == 0) ||
           (length == 1 && *head == '\n');
}

/* Check that the folder contains only tables of an earlier export. */
static bool check_folder(const mp_table_folder *state, mp_error *error)
{
    DIR *folder = opendir(state->path);
    bool ok = folder || fail(state->path, error);
    const struct dirent *entry;
    while (ok && (entry = readdir(folder))) {
        char *path = path_in(state->path, entry->d_name, "");
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !is_table(state->kind, path, entry->d_name))
            ok = mp_fail(error, MP_ERROR_OUTPUT,
                         "%s: is no table that memprof wrote, expected a new or empty folder, or "
                         "one with an earlier export",
                         path);
        free(path);
    }
    if (folder)
        closedir(folder);
    return ok;
}

bool mp_table_folder_open(mp_table_folder *folder, const char *path, const mp_table_files *kind,
                          mp_error *error)
{
    *folder = (mp_table_folder){.path = path, .kind = kind};
    folder->made = mkdir(path, 0777) == 0;
    if (!folder->made && errno != EEXIST)
        return fail(path, error);
    if (!check_folder(folder, error))
        return false;
    while (kind->name(folder->count))
        folder->count++;
    folder->files = mp_alloc_zero(folder->count, sizeof *folder->files);
    bool ok = true;
    for (size_t i = 0; ok && i < folder->count; i++) {
        table_file *file = &folder->files[i];
        file->path = path_in(path, kind->name(i), kind->ending);
        ok = file->is_open = mp_output_open(&file->output, file->path, error);
    }
    return ok;
}

FILE *mp_table_folder_file(const mp_table_folder *folder, size_t table)
{
    return folder->files[table].output.file;
}

/* Return true if all rows could be written; otherwise set errno. */
static bool is_written(const mp_table_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        if (!mp_stream_flush(folder->files[i].output.file))
            return false;
    return true;
}

bool mp_table_folder_close(mp_table_folder *folder, bool keep, mp_error *error)
{
    mp_error closing = {0};
    keep = keep && folder->files;
    if (keep && !is_written(folder))
        keep = fail(folder->path, error);
    if (keep && unlink(folder->files[0].path) != 0 && errno != ENOENT)
        keep = fail(folder->files[0].path, error);
    for (size_t i = folder->files ? folder->count : 0; i-- > 0;) {
        table_file *file = &folder->files[i];
        if (file->is_open)
            keep = mp_output_close(&file->output, keep, keep ? error : &closing) && keep;
        free(file->path);
    }
    if (!keep && folder->made)
        rmdir(folder->path);
    free(folder->files);
    *folder = (mp_table_folder){.path = NULL};
    return keep;
}

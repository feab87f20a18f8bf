#include "input/read_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"

typedef struct file_identity {
    dev_t device;
    ino_t number;
    bool is_database;
} file_identity;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool asked_for;
static file_identity *files;
static size_t file_count, capacity;

void mp_read_set_begin(void)
{
    asked_for = true;
}

void mp_read_set_forget(void)
{
    free(files);
    files = NULL;
    file_count = capacity = 0;
    asked_for = false;
}

void mp_read_set_add(const struct stat *file, bool is_database)
{
    if (!asked_for || !S_ISREG(file->st_mode))
        return;
    pthread_mutex_lock(&lock);
    mp_grow(&files, &capacity, file_count + 1, sizeof *files);
    files[file_count++] = (file_identity){file->st_dev, file->st_ino, is_database};
    pthread_mutex_unlock(&lock);
}

/* Return whether the path is one of the files. */
static bool is_there(const char *path, bool databases_only)
{
    struct stat status;
    bool is = false;
    if (stat(path, &status) != 0)
        return false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < file_count && !is; i++)
        is = files[i].device == status.st_dev && files[i].number == status.st_ino &&
             (files[i].is_database || !databases_only);
    pthread_mutex_unlock(&lock);
    return is;
}

/* Return whether the path without one of the endings is a database that was read. */
static bool is_sidecar(const char *path)
{
    static const char *const endings[] = {"-wal", "-journal", "-shm"};
    size_t length = strlen(path);
    bool is = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !is; i++) {
        size_t ending = strlen(endings[i]);
        if (length <= ending || strcmp(path + length - ending, endings[i]) != 0)
            continue;
        char *database = mp_copy(path, length - ending);
        is = is_there(database, true);
        free(database);
    }
    return is;
}

mp_read_state mp_read_set_find(const char *path)
{
    if (is_there(path, false))
        return MP_READ;
    char *target = mp_output_target(path);
    bool sidecar = target && is_sidecar(target);
    free(target);
    return sidecar ? MP_READ_SIDECAR : MP_NOT_READ;
}

#include "input/taken.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/output.h"

typedef struct taken_file {
    dev_t device;
    ino_t number;
    bool is_database;
} taken_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool asked_for;
static taken_file *files;
static size_t file_count, capacity;

void mp_taken_begin(void)
{
    asked_for = true;
}

void mp_taken_forget(void)
{
    free(files);
    files = NULL;
    file_count = capacity = 0;
    asked_for = false;
}

void mp_taken_add(int file, bool is_database)
{
    struct stat status;
    if (!asked_for || fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    pthread_mutex_lock(&lock);
    mp_grow(&files, &capacity, file_count + 1, sizeof *files);
    files[file_count++] = (taken_file){status.st_dev, status.st_ino, is_database};
    pthread_mutex_unlock(&lock);
}

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

/* Whether the path without one of the endings is a database. */
static bool is_beside(const char *path)
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

mp_taken mp_taken_is(const char *path)
{
    if (is_there(path, false))
        return MP_TAKEN;
    char *target = mp_output_target(path);
    bool beside = target && is_beside(target);
    free(target);
    return beside ? MP_TAKEN_BESIDE : MP_NOT_TAKEN;
}

#include "input/reopen.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "input/input.h"

typedef struct put_back {
    struct put_back *next;
    mp_input *input;
    struct stat was; /* the file, when it was put back */
    char path[];
} put_back;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static put_back *inputs;
static size_t file_count;

static size_t most_files(void)
{
    enum { SHARE = 8 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / SHARE >= MP_MOST_PUT_BACK)
        return MP_MOST_PUT_BACK;
    return limit.rlim_cur / SHARE;
}

void mp_reopen_put(mp_input *input)
{
    const size_t size = strlen(input->path) + 1;
    put_back *entry = mp_alloc_zero(1, sizeof *entry + size);
    memcpy(entry->path, input->path, size);
    entry->input = input;
    pthread_mutex_lock(&lock);
    const bool keeps =
        !input->is_file ||
        (file_count < most_files() && fstat(mp_stream_descriptor(input->file), &entry->was) == 0);
    if (keeps) {
        entry->next = inputs;
        inputs = entry;
        file_count += input->is_file;
    }
    pthread_mutex_unlock(&lock);
    if (!keeps) {
        mp_input_close(input);
        free(entry);
    }
}

/* Remove and return the entry of a path. NULL: there is none. */
static put_back *take(const char *path, bool only_files)
{
    pthread_mutex_lock(&lock);
    put_back **at = &inputs;
    while (*at && (strcmp((*at)->path, path) != 0 || (only_files && !(*at)->input->is_file)))
        at = &(*at)->next;
    put_back *entry = *at;
    if (entry) {
        *at = entry->next;
        file_count -= entry->input->is_file;
    }
    pthread_mutex_unlock(&lock);
    return entry;
}

mp_input *mp_reopen_take(const char *path)
{
    struct stat now;
    put_back *entry = take(path, false);
    if (!entry)
        return NULL;
    mp_input *input = entry->input;
    const bool is_member = input->is_file && stat(path, &now) != 0;
    if (is_member && fstat(mp_stream_descriptor(input->file), &now) != 0)
        now.st_ino = 0;
    if (input->is_file && !mp_file_is_same(&now, &entry->was)) {
        mp_input_close(input);
        input = NULL;
    }
    free(entry);
    return input;
}

void mp_reopen_discard(const char *path)
{
    put_back *entry = take(path, true);
    if (entry)
        mp_input_close(entry->input);
    free(entry);
}

void mp_reopen_forget(void)
{
    while (inputs) {
        put_back *entry = inputs;
        inputs = entry->next;
        mp_input_close(entry->input);
        free(entry);
    }
    file_count = 0;
}

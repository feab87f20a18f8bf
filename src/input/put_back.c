/* Inputs that were put back after a look: the next to open the same path gets them as they are, so
 * that a file is opened, decompressed and looked at once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "input/input.h"
#include "input/members.h"
#include "input/private.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mp_input *inputs; /* each by a path of its own */
static size_t file_count;

/* Return the maximum number of files that wait: fewer in a process that may open few. */
static size_t most_files(void)
{
    enum { MOST = 64, SHARE = 8 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / SHARE >= MOST)
        return MOST;
    return limit.rlim_cur / SHARE;
}

void mp_input_put_back(mp_input *input)
{
    pthread_mutex_lock(&lock);
    const bool waits = !input->is_file || file_count < most_files();
    if (waits) {
        input->path = mp_copy(input->path, strlen(input->path));
        input->next = inputs;
        inputs = input;
        file_count += input->is_file;
    }
    pthread_mutex_unlock(&lock);
    if (!waits)
        mp_input_close(input);
}

/* Remove and return the input of a path. NULL: there is none. */
static mp_input *take(const char *path, bool only_files)
{
    pthread_mutex_lock(&lock);
    mp_input **at = &inputs;
    while (*at && (strcmp((*at)->path, path) != 0 || (only_files && !(*at)->is_file)))
        at = &(*at)->next;
    mp_input *input = *at;
    if (input) {
        *at = input->next;
        file_count -= input->is_file;
        free((char *)(uintptr_t)input->path);
        input->path = path;
    }
    pthread_mutex_unlock(&lock);
    return input;
}

/* Return true if the file, or the archive of a member, is still the one that was opened. */
static bool is_unchanged(const mp_input *input)
{
    struct stat now;
    if (stat(input->path, &now) == 0)
        return mp_file_is_same(&now, &input->origin);
    char *archive = mp_copy(input->path, mp_members_archive(input->path));
    const bool is = stat(archive, &now) == 0 && mp_file_is_same(&now, &input->origin);
    free(archive);
    return is;
}

mp_input *mp_input_take_back(const char *path)
{
    mp_input *input = take(path, false);
    if (!input || !input->is_file || is_unchanged(input))
        return input;
    mp_input_close(input);
    return NULL;
}

void mp_input_discard(const char *path)
{
    mp_input_close(take(path, true));
}

void mp_input_discard_all(void)
{
    while (inputs)
        mp_input_close(take(inputs->path, false));
}

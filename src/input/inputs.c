/* Inputs of a session. An input that was put back after its format was detected is reused by the
 * next caller that opens the same path, so each file is opened, decompressed and examined once. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/output.h"
#include "input/input.h"
#include "input/members.h"
#include "input/private.h"

mp_inputs *mp_inputs_new(void)
{
    mp_inputs *inputs = mp_alloc_zero(1, sizeof *inputs);
    pthread_mutex_init(&inputs->lock, NULL);
    return inputs;
}

/* Remove and return the input of a path; NULL: there is none. */
static mp_input *take(mp_inputs *inputs, const char *path, bool only_files)
{
    pthread_mutex_lock(&inputs->lock);
    mp_input **state = &inputs->put_back;
    while (*state && (strcmp((*state)->path, path) != 0 || (only_files && !(*state)->is_file)))
        state = &(*state)->next;
    mp_input *input = *state;
    if (input) {
        *state = input->next;
        inputs->open_files -= input->is_file;
        free((char *)(uintptr_t)input->path);
        input->path = path;
    }
    pthread_mutex_unlock(&inputs->lock);
    return input;
}

void mp_inputs_free(mp_inputs *inputs)
{
    if (!inputs)
        return;
    while (inputs->put_back)
        mp_input_close(take(inputs, inputs->put_back->path, false));
    mp_members_forget(inputs);
    pthread_mutex_destroy(&inputs->lock);
    free(inputs->files);
    free(inputs);
}

/* --- inputs that were put back --- */

/* Return the maximum number of files that stay open. It is lower if the process may open only a
 * few. */
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
    mp_inputs *inputs = input->inputs;
    bool waits = inputs != NULL;
    if (waits) {
        pthread_mutex_lock(&inputs->lock);
        waits = !input->is_file || inputs->open_files < most_files();
        if (waits) {
            input->path = mp_copy(input->path, strlen(input->path));
            input->next = inputs->put_back;
            inputs->put_back = input;
            inputs->open_files += input->is_file;
        }
        pthread_mutex_unlock(&inputs->lock);
    }
    if (!waits)
        mp_input_close(input);
}

/* Return true if the file, or the archive of a member, is unchanged since it was opened. */
static bool is_unchanged(const mp_input *input)
{
    struct stat now;
    if (stat(input->path, &now) == 0)
        return mp_file_is_same(&now, &input->origin);
    char *archive = mp_copy(input->path, mp_members_archive(input->inputs, input->path));
    const bool is = stat(archive, &now) == 0 && mp_file_is_same(&now, &input->origin);
    free(archive);
    return is;
}

mp_input *mp_inputs_take_back(mp_inputs *inputs, const char *path)
{
    mp_input *input = inputs ? take(inputs, path, false) : NULL;
    if (!input || !input->is_file || is_unchanged(input))
        return input;
    mp_input_close(input);
    return NULL;
}

void mp_inputs_discard(mp_inputs *inputs, const char *path)
{
    if (inputs)
        mp_input_close(take(inputs, path, true));
}

/* --- files that were read --- */

void mp_input_note_read(const mp_input *input, const struct stat *file, bool is_database)
{
    mp_inputs_note_read(input->inputs, file, is_database);
}

void mp_inputs_note_read(mp_inputs *inputs, const struct stat *file, bool is_database)
{
    if (!inputs || !S_ISREG(file->st_mode))
        return;
    pthread_mutex_lock(&inputs->lock);
    *MP_APPEND(inputs->files, inputs->count, inputs->capacity) =
        (mp_read_file){file->st_dev, file->st_ino, is_database};
    pthread_mutex_unlock(&inputs->lock);
}

/* Return true if the path is one of the files that were read. */
static bool is_there(mp_inputs *inputs, const char *path, bool databases_only)
{
    struct stat status;
    bool is = false;
    if (stat(path, &status) != 0)
        return false;
    pthread_mutex_lock(&inputs->lock);
    for (size_t i = 0; i < inputs->count && !is; i++) {
        const mp_read_file *file = &inputs->files[i];
        is = file->device == status.st_dev && file->number == status.st_ino &&
             (file->is_database || !databases_only);
    }
    pthread_mutex_unlock(&inputs->lock);
    return is;
}

/* Return true if the path is a sidecar file of a database that was read. */
static bool is_sidecar(mp_inputs *inputs, const char *path)
{
    static const char *const endings[] = {"-wal", "-journal", "-shm"};
    size_t length = strlen(path);
    bool is = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !is; i++) {
        size_t ending = strlen(endings[i]);
        if (length <= ending || strcmp(path + length - ending, endings[i]) != 0)
            continue;
        char *database = mp_copy(path, length - ending);
        is = is_there(inputs, database, true);
        free(database);
    }
    return is;
}

mp_read_state mp_inputs_state(mp_inputs *inputs, const char *path)
{
    if (is_there(inputs, path, false))
        return MP_READ;
    char *target = mp_output_target(path);
    bool sidecar = target && is_sidecar(inputs, target);
    free(target);
    return sidecar ? MP_READ_SIDECAR : MP_NOT_READ;
}

#include "api/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"
#include "compare/baseline.h"
#include "model/profile.h"
#include "readers/reader.h"

/* As read(), whatever signals come. */
static ssize_t read_some(int file, char *into, size_t room)
{
    ssize_t got;
    do
        got = read(file, into, room);
    while (got < 0 && errno == EINTR);
    return got;
}

bool mp_file_read(const char *path, char **text, size_t *length, mp_error *error)
{
    size_t capacity = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : 1;
    *text = NULL;
    *length = 0;
    while (got > 0) {
        mp_grow(text, &capacity, *length + 4096, 1);
        got = read_some(file, *text + *length, capacity - *length);
        *length += got > 0 ? (size_t)got : 0;
    }
    bool ok = got == 0;
    if (!ok) {
        char meant[512] = "";
        int why = errno;
        if (why == EISDIR)
            mp_fail_file(error, path, 0, 0, "is a directory, expected a file");
        else
            mp_fail_file(error, path, 0, 0, "cannot read: %s%s", strerror(why),
                         why == ENOENT ? mp_near_file(path, meant, sizeof meant) : meant);
        error->code = MP_ERROR_INPUT;
    }
    if (file >= 0)
        close(file);
    return ok;
}

bool mp_file_is_stream(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

bool mp_file_is_baseline(const char *path)
{
    char head[32];
    size_t length = 0;
    int file = mp_file_is_stream(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t got = file < 0 ? 0 : 1; got > 0 && length < sizeof head; length += (size_t)got)
        if ((got = read_some(file, head + length, sizeof head - length)) < 0)
            got = 0;
    if (file >= 0)
        close(file);
    return mp_is_baseline(head, length);
}

bool mp_is_no_recording(const char *path, mp_slice text, const char *expected, mp_error *error)
{
    const mp_reader *second, *reader = mp_reader_claiming(text, &second);
    return !reader || mp_fail_file(error, path, 0, 0, "is a recording (%s), expected %s",
                                   reader->name, expected);
}

bool mp_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool mp_source_read(const void *folders, const mp_slice *names, size_t count, mp_arena *arena,
                    mp_source_text *text, mp_error *error)
{
    const mp_argument_texts *below = folders;
    struct stat status;
    for (size_t i = 0; i < below->count; i++)
        for (size_t k = 0; k < count; k++) {
            char *bytes;
            size_t length;
            const char *path =
                mp_arena_format(arena, "%s/%.*s", below->at[i], (int)names[k].length, names[k].at);
            if (!names[k].length || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
                continue;
            bool ok = mp_file_read(path, &bytes, &length, error), converted;
            if (ok) {
                mp_slice kept = {mp_arena_copy(arena, bytes, length), length};
                text->path = path;
                text->text = mp_slice_without_mark(mp_utf8_from_bytes(arena, kept, &converted));
            }
            free(bytes);
            return ok;
        }
    mp_fail(error, MP_ERROR_INPUT, "there is no %.*s below %s%s", (int)names[0].length, names[0].at,
            below->at[0], below->count > 1 ? " and the other folders of sources" : "");
    return false;
}

mp_digest *mp_baseline_read(const char *path, mp_dictionary *dictionary, mp_error *error)
{
    char *text;
    size_t length;
    mp_digest *digest = NULL;
    if (mp_file_read(path, &text, &length, error))
        digest = mp_baseline_parse(path, text, length, dictionary, error);
    free(text);
    return digest;
}

bool mp_suppressions_read(mp_suppressions *suppressions, const char *path, mp_error *error)
{
    char *text;
    size_t length;
    bool ok = mp_file_read(path, &text, &length, error);
    if (ok && !mp_suppressions_parse(suppressions, path, (mp_slice){text, length}, error)) {
        mp_is_no_recording(path, (mp_slice){text, length}, "suppressions", error);
        ok = false;
    }
    free(text);
    return ok;
}

int32_t mp_today(void)
{
    time_t now = time(NULL);
    struct tm tm = {0};
    localtime_r(&now, &tm);
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

bool mp_model_is_usable(const mp_model *model)
{
    mp_filter *filter = mp_filter_of(model, NULL, NULL);
    bool any =
        filter->sessions.first[model->sessions.count] > 0 ||
        (model->profile && (model->profile->lines.count > 1 || model->profile->coverage.count > 1));
    mp_filter_free(filter);
    return any;
}

bool mp_model_is_whole(const mp_model *model, const mp_diagnostics *diagnostics)
{
    for (uint32_t i = 1; i < model->inputs.count; i++)
        if (!model->inputs.at[i].complete)
            return false;
    return mp_diagnostics_severity_count(diagnostics, MP_WARNING) == 0;
}

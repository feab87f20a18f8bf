#include "input/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "input/private.h"

/* Number of leading bytes that identify a file: in a recording they contain start time and
 * process. */
enum { HEAD = 256 };

struct mp_follow {
    mp_follow_how how;
    int notify; /* inotify descriptor; -1: changes are not reported */
    int folder_watch, file_watch;
    int file;        /* descriptor that is read; -1: none */
    bool is_regular; /* a regular file, not a pipe */
    bool has_name;   /* false for standard input */
    struct stat is;  /* status of the file when it was opened */
    off_t taken;     /* bytes read */
    char head[HEAD];
    size_t head_length;
    int64_t last_us; /* time of the last data, or of the start */
    bool waits, renamed, stopped, ended;
    mp_follow_event last;
};

static int64_t now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

mp_follow *mp_follow_new(const mp_follow_how *how)
{
    mp_follow *follow = mp_alloc_zero(1, sizeof *follow);
    follow->how = *how;
    follow->has_name = strcmp(how->path, "-") != 0;
    bool told = follow->has_name && !how->by_looking;
    follow->notify = told ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1;
    follow->folder_watch = follow->file_watch = follow->file = -1;
    follow->last_us = now_us();
    return follow;
}

void mp_follow_free(mp_follow *follow)
{
    if (!follow)
        return;
    if (follow->notify >= 0)
        close(follow->notify);
    free(follow);
}

mp_follow_event mp_follow_last(const mp_follow *follow)
{
    return follow->last;
}

void mp_follow_stop(mp_follow *follow)
{
    follow->stopped = true;
}

/* --- waiting --- */

/* Watch the folder for a new file of this name. */
static void watch_folder(mp_follow *follow)
{
    if (follow->notify < 0 || follow->folder_watch >= 0)
        return;
    const char *path = follow->how.path, *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    follow->folder_watch =
        inotify_add_watch(follow->notify, folder, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
    free(folder);
}

/* Watch the open file, even if it is renamed. */
static void watch_file(mp_follow *follow)
{
    char path[64];
    if (follow->notify < 0)
        return;
    if (follow->file_watch >= 0)
        inotify_rm_watch(follow->notify, follow->file_watch);
    snprintf(path, sizeof path, "/proc/self/fd/%d", follow->file);
    const uint32_t changes = IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_CLOSE_WRITE;
    follow->file_watch = inotify_add_watch(follow->notify, path, changes);
    if (follow->file_watch < 0) /* /proc is not mounted */
        follow->file_watch = inotify_add_watch(follow->notify, follow->how.path, changes);
}

/* Discard the kernel's events. They only wake the follow, which then examines the file itself. */
static void forget_changes(const mp_follow *follow)
{
    char events[4096];
    while (follow->notify >= 0 && read(follow->notify, events, sizeof events) > 0)
        continue;
}

/* End the input; if no input is open, end the whole follow. Return false. */
static bool end(mp_follow *follow, mp_follow_event event)
{
    follow->last = event;
    follow->ended = true;
    if (event < MP_FOLLOW_STOPPED && follow->how.tell)
        follow->how.tell(follow->how.opaque, event);
    return false;
}

static int milliseconds(int64_t us)
{
    return us <= 0 ? 0 : us > 3600000000 ? 3600000 : (int)((us + 999) / 1000);
}

static bool has_more(mp_follow *follow);

/* End the follow, because nothing was written, unless something was written at the last moment.
 * Return false if the follow or the input ends. */
static bool end_quiet(mp_follow *follow)
{
    if (follow->file >= 0 && has_more(follow))
        return true;
    return follow->ended ? false : end(follow, MP_FOLLOW_QUIET);
}

/* Wait until something may have changed; if `waits` is false, only check. Return false if the
 * follow ends. */
static bool wait_for_change(mp_follow *follow, bool waits)
{
    bool pipe = follow->file >= 0 && !follow->is_regular;
    struct pollfd files[3] = {{.fd = follow->how.stop, .events = POLLIN},
                              {.fd = follow->notify, .events = POLLIN},
                              {.fd = pipe ? follow->file : -1, .events = POLLIN}};
    int64_t left = follow->how.look_us, quiet = follow->how.quiet_us;
    if (quiet) {
        int64_t until = follow->last_us + quiet - now_us();
        left = until < left ? until : left;
    }
    poll(files, 3, waits ? milliseconds(left) : 0);
    if (files[0].revents || follow->stopped)
        return end(follow, MP_FOLLOW_STOPPED);
    if (waits)
        forget_changes(follow);
    if (waits && quiet && !files[2].revents && now_us() - follow->last_us >= quiet)
        return end_quiet(follow);
    return true;
}

/* --- reading --- */

/* Return true if the first bytes are unchanged, and remember more of them as they come. */
static bool has_same_head(mp_follow *follow)
{
    char head[HEAD];
    size_t want = follow->taken < HEAD ? (size_t)follow->taken : HEAD;
    ssize_t got = pread(follow->file, head, want, 0);
    if (got < 0 || (size_t)got < want || memcmp(head, follow->head, follow->head_length) != 0)
        return false;
    memcpy(follow->head, head, want);
    follow->head_length = want;
    return true;
}

/* Return true if another file has the name now, and is not empty. The writer has then finished the
 * old file. */
static bool is_replaced(mp_follow *follow)
{
    struct stat other;
    if (!follow->has_name)
        return false;
    if (stat(follow->how.path, &other) != 0) {
        if (!follow->renamed)
            follow->how.tell(follow->how.opaque, MP_FOLLOW_RENAMED);
        follow->renamed = true;
        return false;
    }
    bool same = other.st_dev == follow->is.st_dev && other.st_ino == follow->is.st_ino;
    if (same)
        follow->renamed = false;
    return !same && other.st_size > 0;
}

/* Return true if the file has bytes that were not read yet. Ends the input if the file was
 * truncated or replaced. */
static bool has_more(mp_follow *follow)
{
    struct stat status;
    struct pollfd pipe = {.fd = follow->file, .events = POLLIN};
    if (!follow->is_regular)
        return poll(&pipe, 1, 0) > 0;
    for (int look = 0; look < 2; look++) {
        if (fstat(follow->file, &status) != 0) /* deleted on a file server */
            return end(follow, MP_FOLLOW_REPLACED);
        if (status.st_size < follow->taken || !has_same_head(follow))
            return end(follow, MP_FOLLOW_TRUNCATED);
        if (status.st_size > follow->taken)
            return true;
        /* Check once more for bytes written before the file was replaced. */
        if (!is_replaced(follow))
            return false;
    }
    return end(follow, MP_FOLLOW_REPLACED);
}

typedef struct follow_stream {
    mp_stream stream;
    mp_follow *follow;
} follow_stream;

/* Skip most of a hole, which may be terabytes of zeros. The remaining zeros are enough to be
 * reported as a line that is too long. */
static void pass_hole(mp_follow *follow)
{
    enum { ENOUGH = 32 * 1024 * 1024 };
    struct stat status;
    if (!follow->is_regular || fstat(follow->file, &status) != 0)
        return;
    off_t end = lseek(follow->file, follow->taken, SEEK_DATA);
    if (end < 0 && errno == ENXIO)
        end =
            status.st_size; /* data that was written since the check counts as a part of the hole */
    if (end - follow->taken > ENOUGH)
        follow->taken = end - ENOUGH;
    lseek(follow->file, follow->taken, SEEK_SET);
}

static size_t read_stream(mp_stream *stream, char *buffer, size_t room)
{
    mp_follow *follow = ((follow_stream *)stream)->follow;
    for (bool waits = false; !follow->ended; waits = true) {
        if (!wait_for_change(follow, waits))
            break;
        if (has_more(follow)) {
            pass_hole(follow);
            ssize_t got = read(follow->file, buffer, room);
            if (got > 0) {
                follow->taken += got;
                follow->last_us = now_us();
                return (size_t)got;
            }
            if (got == 0 && !follow->is_regular)
                return end(follow, MP_FOLLOW_CLOSED);
            if (got < 0 && errno == ESTALE)
                return end(follow, MP_FOLLOW_REPLACED);
            if (got < 0 && errno != EAGAIN && errno != EINTR) {
                follow->last = MP_FOLLOW_FAILED;
                return mp_stream_fail(stream, MP_FAULT_READ, "%s", strerror(errno));
            }
        }
        if (stream->looks)
            break;
    }
    return 0;
}

static void close_stream(mp_stream *stream)
{
    mp_follow *follow = ((follow_stream *)stream)->follow;
    close(follow->file);
    follow->file = -1;
}

static const mp_stream_kind follow_kind = {read_stream, NULL, close_stream, NULL};

static mp_stream *stream_of(mp_follow *follow)
{
    follow_stream *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &follow_kind;
    state->stream.bottom = &state->stream;
    state->stream.grows = true;
    state->follow = follow;
    return &state->stream;
}

/* --- opening --- */

/* Open the file and get its status. Return -1 with errno set on failure. */
static int open_file(mp_follow *follow)
{
    int file = follow->has_name
                   ? open(follow->how.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (file < 0 || fstat(file, &follow->is) == 0)
        return file;
    int why = errno;
    close(file);
    errno = why;
    return -1;
}

static mp_input *give_up(mp_follow *follow, mp_diagnostics *diagnostics, mp_diagnostic_id id,
                         const char *format, const char *why)
{
    mp_diagnose(diagnostics, id, follow->how.path, 0, format, why);
    follow->last = MP_FOLLOW_FAILED;
    return NULL;
}

mp_input *mp_follow_next(mp_follow *follow, mp_diagnostics *diagnostics)
{
    bool over = follow->last >= MP_FOLLOW_CLOSED;
    while (!over && wait_for_change(follow, follow->waits)) {
        watch_folder(follow);
        int file = open_file(follow);
        if (file < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ESTALE)) {
            if (!follow->waits)
                follow->how.tell(follow->how.opaque, MP_FOLLOW_WAITS);
            follow->waits = true;
            continue;
        }
        if (file < 0)
            return give_up(follow, diagnostics, MP_DIAG_CANNOT_OPEN, "cannot open: %s",
                           strerror(errno));
        if (S_ISDIR(follow->is.st_mode)) {
            close(file);
            return give_up(follow, diagnostics, MP_DIAG_IS_DIRECTORY, "is a directory, expected %s",
                           "a recording: name the files in it");
        }
        follow->is_regular = S_ISREG(follow->is.st_mode);
        /* Standard input cannot be reopened, so reading continues at its current position, unless
         * it was truncated. */
        bool anew = !follow->has_name && follow->last == MP_FOLLOW_TRUNCATED;
        off_t offset = follow->is_regular ? lseek(file, 0, anew ? SEEK_SET : SEEK_CUR) : 0;
        if (offset < 0) {
            const char *why = strerror(errno);
            close(file);
            return give_up(follow, diagnostics, MP_DIAG_CANNOT_OPEN, "cannot open: %s", why);
        }
        follow->file = file;
        follow->taken = offset;
        follow->waits = follow->renamed = follow->ended = false;
        follow->head_length = 0;
        watch_file(follow);
        return mp_input_from_stream(follow->has_name ? follow->how.path : "(standard input)",
                                    stream_of(follow), follow->how.encoding, diagnostics);
    }
    return NULL;
}

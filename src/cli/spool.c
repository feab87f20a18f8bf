/* The command "spool". It runs beside agents that write recordings to a folder. It adds each
 * finished recording to the database and to the archive, and then removes it from the folder.
 *
 * The folder is the only state. A recording stays there until all its steps are done, and steps may
 * be repeated. Therefore the process can be killed at any moment. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/spool_steps.h"

enum {
    SETTLE_US = 10 * 1000000, /* time without a change after which a file is finished */
    LOCK_WAIT_MS = 10 * 1000, /* time in which an earlier process should end its last command */
    LOOK_MS = 60 * 1000,      /* maximum time between two checks of the folder */
    FIRST_WAIT_MS = 1000, /* first wait after a failure of the database; each later wait is twice as
                             long, up to: */
    LONGEST_WAIT_MS = 5 * 60 * 1000
};

const mp_argument_table cli_spool_arguments = {.count = 0};

/* A file in the folder. */
typedef struct spool_file {
    char *name;
    int64_t changed_us; /* time of the file's last change */
    int64_t bytes;
} spool_file;

typedef struct spool_files {
    spool_file *items;
    size_t count, capacity;
} spool_files;

typedef struct spool {
    const cli_options *options;
    const char *folder, *archive, *work; /* `work` is a hidden folder in `folder` */
    mp_archive_limits limits;
    int64_t settle_us;
    int notifications; /* file descriptor of inotify */
    spool_files
        refused; /* files that could not be read, with the state that they had at that time */
} spool;

/* --- files --- */

static void free_files(spool_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].name);
    free(files->items);
    *files = (spool_files){0};
}

static void add_file(spool_files *files, const char *name, int64_t changed_us, int64_t bytes)
{
    *MP_APPEND(files->items, files->count, files->capacity) =
        (spool_file){mp_copy(name, strlen(name)), changed_us, bytes};
}

static int by_age(const void *left, const void *right)
{
    const spool_file *a = left, *b = right;
    return a->changed_us != b->changed_us ? (a->changed_us > b->changed_us) * 2 - 1
                                          : strcmp(a->name, b->name);
}

/* Return true if the file could not be read before and has not changed since. */
static bool is_refused(const spool *state, const spool_file *file)
{
    for (size_t i = 0; i < state->refused.count; i++) {
        const spool_file *refused = &state->refused.items[i];
        if (refused->changed_us == file->changed_us && refused->bytes == file->bytes &&
            strcmp(refused->name, file->name) == 0)
            return true;
    }
    return false;
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* List the finished files, the oldest first. Return the milliseconds until the next file may be
 * finished; LOOK_MS if there is none; -1 after a message. */
static int find_files(const spool *state, spool_files *files)
{
    int64_t next_us = (int64_t)LOOK_MS * 1000;
    const int64_t now = now_us();
    DIR *folder = opendir(state->folder);
    if (!folder) {
        cli_put_fault(state->folder, "cannot be read: %s", strerror(errno));
        return -1;
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        if (entry->d_name[0] == '.' ||
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        const int64_t changed =
            (int64_t)status.st_mtim.tv_sec * 1000000 + status.st_mtim.tv_nsec / 1000;
        const int64_t left = changed + state->settle_us - now;
        if (left <= 0)
            add_file(files, entry->d_name, changed, status.st_size);
        else if (left < next_us)
            next_us = left;
    }
    closedir(folder);
    if (files->count)
        qsort(files->items, files->count, sizeof *files->items, by_age);
    return (int)(next_us / 1000) + 1;
}

/* --- passes over the folder --- */

static void put_archived(const char *name)
{
    printf("%s: archived\n", name);
    fflush(stdout);
}

/* Work on all finished files. Return the worst outcome. A second CLI_SPOOL_LATER ends the pass,
 * because the reason is then not in one recording, and the next one would fail too. */
static cli_spool_outcome pass(spool *state, const spool_files *files)
{
    cli_spool_outcome worst = CLI_SPOOL_DONE;
    bool failed = false;
    for (size_t i = 0; i < files->count; i++) {
        const spool_file *file = &files->items[i];
        mp_arena texts = {0};
        const char *path = mp_arena_format(&texts, "%s/%s", state->folder, file->name);
        cli_spool_outcome outcome = CLI_SPOOL_BAD;
        if (!is_refused(state, file)) {
            outcome = cli_spool_recording(state->options, path, state->archive, state->work);
            if (outcome == CLI_SPOOL_BAD)
                add_file(&state->refused, file->name, file->changed_us, file->bytes);
            else if (outcome == CLI_SPOOL_DONE)
                put_archived(file->name);
        }
        mp_arena_free(&texts);
        if (outcome == CLI_SPOOL_LATER && failed)
            return outcome;
        failed = failed || outcome == CLI_SPOOL_LATER;
        worst = outcome == CLI_SPOOL_BAD ? outcome : worst;
    }
    return failed ? CLI_SPOOL_LATER : worst;
}

static void wait_for_change(const spool *state, int most_ms)
{
    char events[4096];
    struct pollfd ready = {.fd = state->notifications, .events = POLLIN};
    if (poll(&ready, 1, most_ms) > 0)
        while (read(state->notifications, events, sizeof events) > 0)
            continue;
}

/* Work for ever; with --once, for one pass. Return the exit status. */
static int serve(spool *state)
{
    for (int wait_ms = 0, backoff_ms = FIRST_WAIT_MS;; wait_for_change(state, wait_ms)) {
        spool_files files = {0};
        mp_error error = {0};
        wait_ms = find_files(state, &files);
        const cli_spool_outcome outcome = wait_ms < 0 ? CLI_SPOOL_LATER : pass(state, &files);
        free_files(&files);
        if ((state->limits.bytes || state->limits.days) &&
            !mp_archive_trim(state->archive, &state->limits, &error))
            cli_put_error(&error);
        if (state->options->once)
            return outcome == CLI_SPOOL_DONE && !error.code ? CLI_OK : CLI_UNREADABLE;
        if (outcome != CLI_SPOOL_LATER) {
            backoff_ms = FIRST_WAIT_MS;
            continue;
        }
        struct timespec pause = {backoff_ms / 1000, backoff_ms % 1000 * 1000000L};
        nanosleep(&pause, NULL); /* a new recording is no reason to try again earlier */
        backoff_ms = backoff_ms * 2 < LONGEST_WAIT_MS ? backoff_ms * 2 : LONGEST_WAIT_MS;
        wait_ms = 0;
    }
}

/* --- start --- */

/* Lock the folder, so that only one process works on it. Commands inherit the lock: if this process
 * is killed, the next process waits for the command that is still running. Return false after a
 * message. */
static bool lock_folder(const spool *state)
{
    mp_arena texts = {0};
    const char *path = mp_arena_format(&texts, "%s/lock", state->work);
    bool ok = mkdir(state->work, 0777) == 0 || errno == EEXIST;
    const int lock = ok ? open(path, O_RDWR | O_CREAT, 0666) : -1;
    ok = false;
    if (lock < 0)
        cli_put_fault(state->work, "cannot be written: %s", strerror(errno));
    for (int waited = 0; lock >= 0 && !ok && waited < LOCK_WAIT_MS; waited += 100) {
        ok = flock(lock, LOCK_EX | LOCK_NB) == 0;
        if (!ok)
            poll(NULL, 0, 100);
    }
    if (lock >= 0 && !ok)
        cli_put_fault(state->folder, "another memprof spool works on this folder");
    mp_arena_free(&texts);
    return ok;
}

static bool check(const cli_options *options, mp_archive_limits *limits)
{
    struct stat status;
    if (!options->operand)
        return cli_refuse(options, "spool needs the folder to which recordings are written");
    if (stat(options->operand, &status) != 0 || !S_ISDIR(status.st_mode))
        return cli_refuse(options, "%s is not a folder", options->operand);
    if (!options->row_command == !options->row_folder)
        return cli_refuse(options, "spool needs either --to COMMAND or --rows DIR");
    if (options->keep && !mp_archive_limits_parse(options->keep, limits))
        return cli_refuse(options,
                          "invalid value \"%s\" for --keep, expected a size such as 20G, or a "
                          "number of days such as 90days",
                          options->keep);
    mp_error error = {0};
    if (mp_clickhouse_check_labels(&options->labels, &error))
        return true;
    cli_put_error(&error);
    return false;
}

int cli_spool(cli_options *options)
{
    spool state = {.options = options,
                   .folder = options->operand,
                   .settle_us = options->settle_us ? options->settle_us : SETTLE_US};
    if (!check(options, &state.limits))
        return CLI_USAGE;
    mp_arena texts = {0};
    state.archive = options->archive ? options->archive
                                     : mp_arena_format(&texts, "%s/archive", options->operand);
    state.work = mp_arena_format(&texts, "%s/.spool", options->operand);
    state.notifications = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    inotify_add_watch(state.notifications, state.folder, IN_CLOSE_WRITE | IN_MOVED_TO);
    const int status = lock_folder(&state) ? serve(&state) : CLI_UNREADABLE;
    close(state.notifications);
    free_files(&state.refused);
    mp_arena_free(&texts);
    return status;
}

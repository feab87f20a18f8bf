#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/whole.h"

static bool cannot_write(const char *path, mp_error *error)
{
    mp_fail_file(error, path, 0, 0, "cannot write: %s", strerror(errno));
    error->code = MP_ERROR_OUTPUT;
    return false;
}

/* --- named files that are removed if the process ends early --- */

enum { MOST_NAMED = 64 };
static _Atomic(char *) named[MOST_NAMED];

static void change_named(char *from, char *to)
{
    for (size_t i = 0; i < MOST_NAMED; i++) {
        char *expected = from;
        if (atomic_compare_exchange_strong(&named[i], &expected, to))
            return;
    }
}

void mp_outputs_abandon(void)
{
    for (size_t i = 0; i < MOST_NAMED; i++) {
        const char *path = atomic_load(&named[i]);
        if (path)
            unlink(path);
    }
}

/* Block all signals while a file gets its name and is registered in `named`. Otherwise a signal
 * handler that runs in between would miss the file. */
static void hold_signals(sigset_t *before)
{
    sigset_t signals;
    sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, before);
}

static void release_signals(const sigset_t *before)
{
    int why = errno;
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = why;
}

/* --- target of the path --- */

/* Return the descriptor that a path such as "/dev/fd/3" names, or -1 if it names none. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *number = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 && *number && strlen(number) < 9 &&
            strspn(number, "0123456789") == strlen(number))
            return (int)strtol(number, NULL, 10);
    }
    return -1;
}

/* Return the length of the path's folder with its slash; 0: the current folder. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Return the path of `name` in the folder of `path`, or `name` itself if it is absolute. */
static char *beside(const char *path, const char *name)
{
    size_t folder = *name == '/' ? 0 : folder_length(path), length = strlen(name);
    char *text = mp_alloc(folder + length + 1);
    memcpy(text, path, folder);
    memcpy(text + folder, name, length + 1);
    return text;
}

/* Return the path at the end of a chain of links; the file need not exist. A path that names a
 * descriptor ends the chain. Return NULL with errno ELOOP if there are too many links. */
static char *follow(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *cursor = beside("", path), link[PATH_MAX];
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t length = descriptor_of(cursor) < 0 ? readlink(cursor, link, sizeof link - 1) : -1;
        if (length < 0)
            return cursor;
        link[length] = '\0';
        char *next = beside(cursor, link);
        free(cursor);
        cursor = next;
    }
    free(cursor);
    errno = ELOOP;
    return NULL;
}

char *mp_output_target(const char *path)
{
    char *target = follow(path);
    if (!target || descriptor_of(target) < 0)
        return target;
    free(target);
    return NULL;
}

/* --- the new file --- */

/* Replace the end of `temporary` with a name that no other thread or process generates. */
static void name_anew(char *temporary)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    static atomic_uint count;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t number = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40;
    number = (number + atomic_fetch_add(&count, 1)) * UINT64_C(0x9e3779b97f4a7c15);
    for (char *last = temporary + strlen(temporary) - 1; *last != '-'; last--, number >>= 5)
        *last = letters[number >> 24 & 31];
}

enum { MOST_NAMES = 100 };

/* Write the /proc path of the descriptor, through which linkat can name the file. */
static void way_to(int file, char way[32])
{
    snprintf(way, 32, "/proc/self/fd/%d", file);
}

static int open_nameless(const mp_output *output, mode_t mode)
{
    char way[32], *folder = beside(output->target, ".");
    struct stat status, seen;
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    free(folder);
    if (file < 0)
        return -1;
    way_to(file, way);
    if (fstat(file, &status) == 0 && stat(way, &seen) == 0 && status.st_ino == seen.st_ino &&
        status.st_dev == seen.st_dev)
        return file;
    close(file); /* /proc is not mounted */
    return -1;
}

static int open_named(mp_output *output, mode_t mode)
{
    sigset_t before;
    int file = -1;
    hold_signals(&before);
    for (int i = 0; i < MOST_NAMES && file < 0; i++) {
        name_anew(output->temporary);
        file = open(output->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST)
            break;
    }
    output->named = file >= 0;
    if (output->named)
        change_named(NULL, output->temporary);
    release_signals(&before);
    return file;
}

/* Give the new file the owner, group, permissions and access list of the old one, so that nobody
 * gains access. If group or access list cannot be set, the group gets only the permissions of
 * others. */
static bool take_after(int file, const char *target, const struct stat *old)
{
    static const char list[] = "system.posix_acl_access";
    char entries[4096];
    struct stat status;
    mode_t mode = old->st_mode & ACCESSPERMS, everybody = (mode & S_IRWXO) << 3;
    if (fstat(file, &status) != 0)
        return false;
    bool owner = status.st_uid == old->st_uid || fchown(file, old->st_uid, old->st_gid) == 0;
    bool group = (owner && status.st_uid != old->st_uid) || status.st_gid == old->st_gid ||
                 fchown(file, (uid_t)-1, old->st_gid) == 0;
    ssize_t length = getxattr(target, list, entries, sizeof entries);
    if (length > 0)
        group &= fsetxattr(file, list, entries, (size_t)length, 0) == 0;
    else
        fremovexattr(file, list); /* remove the list inherited from the folder, if any */
    if (!group || (length < 0 && errno == ERANGE))
        mode = (mode & ~(mode_t)S_IRWXG) | (mode & everybody);
    return fchmod(file, mode) == 0;
}

static bool forget(mp_output *output)
{
    int why = errno;
    if (output->named) {
        unlink(output->temporary);
        change_named(output->temporary, NULL);
    }
    free(output->temporary);
    free(output->target);
    output->temporary = output->target = NULL;
    output->named = false;
    errno = why;
    return false;
}

/* Write all bytes. After the first failure every write fails, because output that lost a part to a
 * full disk cannot become complete again. */
static ssize_t put(void *opaque, const char *bytes, size_t size)
{
    mp_output *output = opaque;
    if (!output->why && !mp_write_all(output->descriptor, bytes, size))
        output->why = errno;
    return output->why ? 0 : (ssize_t)size;
}

static bool open_stream(mp_output *output, int file)
{
    output->descriptor = file;
    output->file = fopencookie(output, "w", (cookie_io_functions_t){.write = put});
    return output->file != NULL;
}

/* Open the new file. `old` describes the file that it replaces; NULL: none exists. */
static bool open_beside(mp_output *output, const struct stat *old)
{
    /* A new file gets the default mode, subject to the umask and the folder's access list. */
    mode_t mode = old ? S_IRUSR | S_IWUSR : DEFFILEMODE;
    output->temporary = beside(output->target, ".memprof-XXXXXXXX");
    int file = open_nameless(output, mode);
    if (file < 0)
        file = open_named(output, mode);
    if (file < 0)
        return forget(output);
    if ((!old || take_after(file, output->target, old)) && open_stream(output, file))
        return true;
    forget(output);
    close(file);
    return false;
}

static bool open_through(mp_output *output, int descriptor, const char *path)
{
    int file = descriptor < 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, DEFFILEMODE)
                              : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (file < 0 || open_stream(output, file))
        return file >= 0;
    close(file);
    return false;
}

bool mp_output_open(mp_output *output, const char *path, mp_error *error)
{
    struct stat status;
    *output = (mp_output){.path = path};
    bool exists = stat(path, &status) == 0, ok = false;
    char *target = exists || errno == ENOENT ? follow(path) : NULL;
    int descriptor = target ? descriptor_of(target) : -1;
    if (target && (descriptor >= 0 || (exists && !S_ISREG(status.st_mode)))) {
        ok = open_through(output, descriptor, path);
        free(target);
    } else if (target) {
        output->target = target;
        /* A write-protected file is not replaced, although its folder would allow that. */
        ok = !exists || faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) == 0;
        ok = ok ? open_beside(output, exists ? &status : NULL) : forget(output);
    }
    return ok || cannot_write(path, error);
}

/* --- moving the file into place --- */

/* Flush a file to disk. File systems that do not support fsync count as flushed. */
static bool is_flushed(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
}

/* Flush the folder, so that the file's name survives a crash. A folder that is writable but not
 * readable cannot be flushed, which is not an error. */
static bool flush_folder(const char *target)
{
    char *folder = beside(target, ".");
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = file < 0 ? errno == EACCES : is_flushed(file);
    int why = errno;
    free(folder);
    if (file >= 0)
        close(file);
    errno = why;
    return ok;
}

/* Move the file to its target. If the file has no name and the target does not exist, link it
 * there. Otherwise give it a temporary name, and rename it. */
static bool put_in_place(mp_output *output)
{
    sigset_t before;
    char way[32];
    way_to(output->descriptor, way);
    hold_signals(&before);
    bool placed =
        !output->named && linkat(AT_FDCWD, way, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0;
    for (int i = 0; !placed && !output->named && i < MOST_NAMES && errno == EEXIST; i++) {
        name_anew(output->temporary);
        output->named = linkat(AT_FDCWD, way, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0;
    }
    bool renamed = output->named && rename(output->temporary, output->target) == 0;
    if (output->named && !renamed) {
        int why = errno;
        unlink(output->temporary);
        errno = why;
    }
    change_named(output->temporary, NULL);
    output->named = false;
    release_signals(&before);
    return placed || renamed;
}

/* Return true for errors that only a write can have set. */
static bool tells_of_space(int why)
{
    return why == ENOSPC || why == EDQUOT || why == EFBIG;
}

bool mp_stream_flush(FILE *file)
{
    int last = errno;
    errno = 0;
    bool ok = fflush(file) == 0 && !ferror(file);
    if (!ok && !errno) /* an earlier write failed; the stream does not keep its errno */
        errno = tells_of_space(last) ? last : EIO;
    return ok;
}

bool mp_output_close(mp_output *output, bool keep, mp_error *error)
{
    bool replaces = output->target && keep;
    bool ok = fclose(output->file) == 0 && !output->why;
    if (!ok && output->why)
        errno = output->why;
    ok = ok && (!replaces || (is_flushed(output->descriptor) && put_in_place(output)));
    if (!ok) {
        cannot_write(output->path, error);
    } else if (replaces && !flush_folder(output->target)) {
        ok = mp_fail_file(error, output->path, 0, 0,
                          "is written, but its folder entry may not be on disk: %s",
                          strerror(errno));
        error->code = MP_ERROR_OUTPUT;
    }
    /* The data is already flushed, but some devices report errors only on close. */
    if (close(output->descriptor) != 0 && ok && !output->target)
        ok = cannot_write(output->path, error);
    forget(output);
    return ok;
}

/* Inputs that are not files. Their bytes are copied into an anonymous file, which can be read
 * repeatedly and may contain an archive, compressed data or a database like any other file. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "session/session.h"

typedef ptrdiff_t reading(void *opaque, void *buffer, size_t size);

static bool put(int file, const char *bytes, size_t length)
{
    while (length) {
        ssize_t put = write(file, bytes, length);
        if (put < 0)
            return false;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

/* Copy everything that `read` returns. Return false with errno set. */
static bool copy(int file, reading *read, void *opaque)
{
    char buffer[65536];
    ptrdiff_t got;
    errno = 0;
    while ((got = read(opaque, buffer, sizeof buffer)) > 0)
        if (!put(file, buffer, (size_t)got))
            return false;
    return got == 0;
}

static bool add(mp_session *session, const char *name, reading *read, void *opaque, mp_error *error)
{
    int file = memfd_create("memprof", MFD_CLOEXEC);
    if (file < 0 || !copy(file, read, opaque)) {
        int why = errno;
        if (file >= 0)
            close(file);
        mp_fail_file(error, name, 0, 0, "cannot be read: %s",
                     why ? strerror(why) : "who gives its bytes failed");
        error->code = MP_ERROR_INPUT;
        return false;
    }
    size_t place = session->copy_count++;
    char *path = mp_arena_format(&session->texts, "/proc/self/fd/%d", file);
    mp_grow(&session->copies, &session->copy_capacity, place + 1, sizeof *session->copies);
    mp_grow(&session->aliases, &session->alias_capacity, place + 1, sizeof *session->aliases);
    session->copies[place] = file;
    session->aliases[place] = (mp_alias){path, mp_arena_format(&session->texts, "%s", name)};
    mp_session_add(session, path);
    return true;
}

bool mp_session_add_stream(mp_session *session, const char *name, reading *read, void *opaque,
                           mp_error *error)
{
    return mp_session_told(session, add(session, name, read, opaque, mp_session_tells(session)),
                           error);
}

typedef struct memory_left {
    const char *path;
    size_t left;
} memory_left;

static ptrdiff_t read_memory(void *opaque, void *buffer, size_t size)
{
    memory_left *memory = opaque;
    size = size < memory->left ? size : memory->left;
    memcpy(buffer, memory->path, size);
    memory->path += size;
    memory->left -= size;
    return (ptrdiff_t)size;
}

bool mp_session_add_memory(mp_session *session, const char *name, const void *bytes, size_t length,
                           mp_error *error)
{
    return mp_session_add_stream(session, name, read_memory, &(memory_left){bytes, length}, error);
}

static ptrdiff_t read_descriptor(void *opaque, void *buffer, size_t size)
{
    return read(*(int *)opaque, buffer, size);
}

bool mp_session_add_descriptor(mp_session *session, const char *name, int descriptor,
                               mp_error *error)
{
    return mp_session_add_stream(session, name, read_descriptor, &descriptor, error);
}

#include "base/whole.h"

#include <errno.h>
#include <unistd.h>

bool mp_read_all(int file, void *buffer, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(file, (char *)buffer + done, length - done);
        errno = got == 0 ? 0 : errno;
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

bool mp_write_all(int file, const void *from, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = write(file, (const char *)from + done, length - done);
        errno = put == 0 ? ENOSPC : errno;
        if (put > 0)
            done += (size_t)put;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

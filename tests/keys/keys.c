/* A preloaded library that derives the random hash keys from the number in MEMPROF_TEST_KEYS. 0: no
 * random bytes are available, as on an old kernel. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

ssize_t getrandom(void *bytes, size_t length, unsigned flags);

ssize_t getrandom(void *bytes, size_t length, unsigned flags)
{
    const char *asked = getenv("MEMPROF_TEST_KEYS");
    uint64_t state = asked ? strtoull(asked, NULL, 10) : 1;
    unsigned char *out = bytes;
    (void)flags;
    if (!state) {
        errno = ENOSYS;
        return -1;
    }
    for (size_t i = 0; i < length; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out[i] = (unsigned char)(state >> 56);
    }
    return (ssize_t)length;
}

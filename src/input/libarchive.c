#include "input/libarchive.h"

#ifdef MEMPROF_ARCHIVE
#include <pthread.h>

mp_libarchive mp_la;
static const char *failure;

/* Defined only in the static program (src/cli/static), into which libarchive is linked. */
extern const mp_libarchive mp_libarchive_linked __attribute__((weak));

static void load(void)
{
    if (&mp_libarchive_linked) {
        mp_la = mp_libarchive_linked;
        return;
    }
    static const char *const names[] = {MP_LIBARCHIVE(MP_LATE_NAME)};
    if (!mp_late_load(MEMPROF_ARCHIVE, names, sizeof names / sizeof *names, &mp_la))
        failure = MP_LATE_FAILURE(MEMPROF_ARCHIVE);
}

const char *mp_libarchive_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}
#else
const char *mp_libarchive_load(void)
{
    return "built without libarchive";
}
#endif

#include "input/libarchive.h"

#ifdef MEMPROF_ARCHIVE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

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
    void *library = dlopen(MEMPROF_ARCHIVE, RTLD_NOW | RTLD_LOCAL);
    bool complete = library;
#define LOAD(name) complete = complete && (*(void **)&mp_la.name = dlsym(library, #name)) != NULL;
    MP_LIBARCHIVE(LOAD)
#undef LOAD
    failure = complete ? NULL : "needs " MEMPROF_ARCHIVE ", which cannot be loaded";
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

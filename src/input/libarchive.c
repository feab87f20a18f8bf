#include "input/libarchive.h"

#include "base/zlib.h"

#ifdef MEMPROF_ARCHIVE
mp_libarchive mp_la;

/* Defined only in the static program (src/cli/static), into which libarchive is linked. */
extern const mp_libarchive mp_libarchive_linked __attribute__((weak));

const char *mp_libarchive_load(void)
{
    static const char *const names[] = {MP_LIBARCHIVE(MP_LATE_NAME)};
    static mp_late library = MP_LATE(MEMPROF_ARCHIVE, names, mp_la, mp_libarchive_linked);
    const char *missing = mp_zlib_load(); /* libarchive needs it, too */
    return missing ? missing : mp_late_load(&library);
}
#else
const char *mp_libarchive_load(void)
{
    return "built without libarchive";
}
#endif

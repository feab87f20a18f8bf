#include "base/zlib.h"

#ifdef MEMPROF_ZLIB
mp_zlib mp_z;

/* Defined only in the static program (src/cli/static), into which zlib is linked. */
extern const mp_zlib mp_zlib_linked __attribute__((weak));

const char *mp_zlib_load(void)
{
    static const char *const names[] = {MP_ZLIB(MP_LATE_NAME)};
    static mp_late library = MP_LATE(MEMPROF_ZLIB, names, mp_z, mp_zlib_linked);
    return mp_late_load(&library);
}
#else
const char *mp_zlib_load(void)
{
    return "built without zlib";
}
#endif

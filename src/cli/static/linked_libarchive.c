/* libarchive's functions of the static program, which contains that library. */
#include "input/libarchive.h"

#ifdef MEMPROF_ARCHIVE
extern const mp_libarchive mp_libarchive_linked;

#define LINKED(name) .name = name,
const mp_libarchive mp_libarchive_linked = {MP_LIBARCHIVE(LINKED)};
#else
typedef int mp_no_libarchive;
#endif

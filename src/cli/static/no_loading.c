/* Replace dlopen in the static program (by the linker's --wrap). SQLite can load extensions, which
 * memprof never does, and the C library's loader would need the shared libraries of the system on
 * which the program was linked. Modules of iconv would need them too, so src/base/encoding.c avoids
 * iconv there. */
#include <stddef.h>

extern const char mp_loads_no_modules;
const char mp_loads_no_modules = 1;

void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}

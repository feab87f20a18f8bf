/* Replacement of dlopen in the static program (by the linker's --wrap). memprof loads no extensions
 * of SQLite, although SQLite could. The loader of the C library would need the shared libraries of
 * the system on which the program was linked. Modules of iconv would need them too, so
 * src/base/encoding.c does not use iconv there. */
#include <stddef.h>

extern const char mp_loads_no_modules;
const char mp_loads_no_modules = 1;

void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}

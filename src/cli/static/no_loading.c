/* What the static program has in place of dlopen (the linker's --wrap puts it there): SQLite has a
 * way to load extensions, which memprof never goes, and the C library's loader would want the
 * shared libraries of the system that the program was linked on. So would the modules of its
 * iconv, which src/base/encoding.c then keeps away from. */
#include <stddef.h>

extern const char mp_loads_no_modules;
const char mp_loads_no_modules = 1;

void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}

#include "base/late.h"

#include <dlfcn.h>
#include <string.h>

bool mp_late_load(const char *soname, const char *const *names, size_t count, void *table)
{
    void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
    bool complete = library;
    for (size_t i = 0; i < count && complete; i++) {
        void *symbol = dlsym(library, names[i]);
        memcpy((char *)table + i * sizeof symbol, &symbol, sizeof symbol);
        complete = symbol;
    }
    return complete;
}

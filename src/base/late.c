#include "base/late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static bool load(const mp_late *library)
{
    if (library->linked) {
        memcpy(library->table, library->linked, library->size);
        return true;
    }
    void *shared = dlopen(library->soname, RTLD_LAZY | RTLD_LOCAL);
    bool complete = shared;
    for (size_t i = 0; i < library->size / sizeof(void *) && complete; i++) {
        void *symbol = dlsym(shared, library->names[i]);
        memcpy((char *)library->table + i * sizeof symbol, &symbol, sizeof symbol);
        complete = symbol;
    }
    return complete;
}

const char *mp_late_load(mp_late *library)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!library->tried)
        library->loaded = load(library);
    library->tried = true;
    pthread_mutex_unlock(&lock);
    return library->loaded ? NULL : library->failure;
}

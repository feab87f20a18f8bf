#include "base/json.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

static void use_own_memory(void)
{
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    if (allocate == malloc && release == free)
        json_set_alloc_funcs(mp_alloc, free);
}

void mp_json_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_own_memory);
}

#include "base/json.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t users;
static bool is_ours;

void mp_json_begin(void)
{
    json_malloc_t allocate;
    json_free_t release;
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        json_get_alloc_funcs(&allocate, &release);
        is_ours = allocate == malloc && release == free;
        if (is_ours)
            json_set_alloc_funcs(mp_alloc, free);
    }
    pthread_mutex_unlock(&lock);
}

void mp_json_end(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0 && is_ours)
        json_set_alloc_funcs(malloc, free);
    pthread_mutex_unlock(&lock);
}

#include "base/beside.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

struct mp_beside {
    void (*work)(void *argument);
    void *argument;
    pthread_t thread;
    bool threaded;
};

static void *run(void *opaque)
{
    const mp_beside *beside = opaque;
    beside->work(beside->argument);
    return NULL;
}

mp_beside *mp_beside_begin(void (*work)(void *argument), void *argument)
{
    mp_beside *beside = mp_alloc_zero(1, sizeof *beside);
    beside->work = work;
    beside->argument = argument;
    beside->threaded = pthread_create(&beside->thread, NULL, run, beside) == 0;
    if (!beside->threaded)
        work(argument);
    return beside;
}

void mp_beside_end(mp_beside **beside)
{
    if (*beside && (*beside)->threaded)
        pthread_join((*beside)->thread, NULL);
    free(*beside);
    *beside = NULL;
}

#include "input/pipes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct put_pipe {
    struct put_pipe *next;
    mp_stream *stream;
    char name[];
} put_pipe;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static put_pipe *pipes;

void mp_pipes_put(const char *name, mp_stream *stream)
{
    size_t size = strlen(name) + 1;
    put_pipe *pipe = mp_alloc(sizeof *pipe + size);
    memcpy(pipe->name, name, size);
    pipe->stream = stream;
    pthread_mutex_lock(&lock);
    pipe->next = pipes;
    pipes = pipe;
    pthread_mutex_unlock(&lock);
}

/* Under the lock: what points to it. */
static put_pipe **find(const char *name)
{
    put_pipe **at = &pipes;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

bool mp_pipes_has(const char *name)
{
    pthread_mutex_lock(&lock);
    bool has = *find(name) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

mp_stream *mp_pipes_again(const char *name)
{
    pthread_mutex_lock(&lock);
    const put_pipe *pipe = *find(name);
    mp_stream *again = pipe ? mp_stream_again(pipe->stream) : NULL;
    pthread_mutex_unlock(&lock);
    return again;
}

void mp_pipes_forget(void)
{
    while (pipes) {
        put_pipe *pipe = pipes;
        pipes = pipe->next;
        mp_stream_close(pipe->stream);
        free(pipe);
    }
}

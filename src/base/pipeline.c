/* The ring: batches [done, submitted) wait for the worker or are being worked on, and batch
 * `submitted` is being filled. Both counters only grow; a batch's place is its number modulo the
 * ring's size. */
#include "base/pipeline.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

/* The ring is so long because the threads do not take equally long for all parts of an input: while
 * one is slow, the other works ahead. */
enum { RING = 64, BATCHES_BEFORE_A_THREAD = 4, WAKE = 4 };

struct mp_pipeline {
    void (*work)(void *batch);
    char *ring;
    size_t size;
    uint64_t submitted, done;
    bool threaded, no_thread, closing;
    bool at_once; /* the caller's thread does a batch now */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more, less;
};

static void *place_of(const mp_pipeline *pipeline, uint64_t number)
{
    return pipeline->ring + (size_t)(number % RING) * pipeline->size;
}

mp_pipeline *mp_pipeline_new(size_t size, void (*work)(void *batch))
{
    mp_pipeline *pipeline = mp_alloc_zero(1, sizeof *pipeline);
    pipeline->work = work;
    pipeline->size = size;
    pipeline->ring = mp_alloc(RING * size); /* pages that are never used are never allocated */
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->more, NULL);
    pthread_cond_init(&pipeline->less, NULL);
    return pipeline;
}

void mp_pipeline_alone(mp_pipeline *pipeline)
{
    pipeline->no_thread = true;
}

void *mp_pipeline_batch(mp_pipeline *pipeline)
{
    return place_of(pipeline, pipeline->submitted);
}

static void *worker(void *opaque)
{
    mp_pipeline *pipeline = opaque;
    pthread_mutex_lock(&pipeline->lock);
    for (;;) {
        while (pipeline->done == pipeline->submitted && !pipeline->closing)
            pthread_cond_wait(&pipeline->more, &pipeline->lock);
        if (pipeline->done == pipeline->submitted)
            break;
        void *batch = place_of(pipeline, pipeline->done);
        pthread_mutex_unlock(&pipeline->lock);
        pipeline->work(batch);
        pthread_mutex_lock(&pipeline->lock);
        pipeline->done++;
        /* Wake the caller only when half the ring is free, or all of it. Waking it for each free
         * place would make both threads take turns. */
        const uint64_t left = pipeline->submitted - pipeline->done;
        if (left == RING / 2 || left == 0)
            pthread_cond_signal(&pipeline->less);
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

static void submit_to_thread(mp_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->submitted++;
    /* Likewise, wake the worker only when there is work for a while. */
    if (pipeline->submitted - pipeline->done >= WAKE)
        pthread_cond_signal(&pipeline->more);
    /* Wait until the next batch to be filled is free. */
    while (pipeline->submitted - pipeline->done >= RING)
        pthread_cond_wait(&pipeline->less, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
}

static void do_at_once(mp_pipeline *pipeline)
{
    pipeline->at_once = true;
    pipeline->work(mp_pipeline_batch(pipeline));
    pipeline->at_once = false;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->submitted++;
    pipeline->done++;
    pthread_mutex_unlock(&pipeline->lock);
}

static bool is_idle(mp_pipeline *pipeline)
{
    if (!pipeline->threaded)
        return true;
    pthread_mutex_lock(&pipeline->lock);
    bool idle = pipeline->done == pipeline->submitted;
    pthread_mutex_unlock(&pipeline->lock);
    return idle;
}

void mp_pipeline_submit_last(mp_pipeline *pipeline)
{
    if (is_idle(pipeline))
        do_at_once(pipeline);
    else
        submit_to_thread(pipeline);
}

void mp_pipeline_submit(mp_pipeline *pipeline)
{
    if (!pipeline->threaded && !pipeline->no_thread &&
        pipeline->submitted >= BATCHES_BEFORE_A_THREAD) {
        pipeline->threaded = pthread_create(&pipeline->thread, NULL, worker, pipeline) == 0;
        pipeline->no_thread = !pipeline->threaded;
    }
    if (pipeline->threaded)
        submit_to_thread(pipeline);
    else
        do_at_once(pipeline);
}

void mp_pipeline_drain(mp_pipeline *pipeline)
{
    if (!pipeline->threaded)
        return;
    pthread_mutex_lock(&pipeline->lock);
    pthread_cond_signal(&pipeline->more);
    while (pipeline->done < pipeline->submitted)
        pthread_cond_wait(&pipeline->less, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
}

bool mp_pipeline_is_inside(const mp_pipeline *pipeline)
{
    /* `at_once` belongs to the caller's thread. `thread` is set before the worker gets a batch. */
    if (pipeline->threaded && pthread_equal(pthread_self(), pipeline->thread))
        return true;
    return pipeline->at_once;
}

void mp_pipeline_free(mp_pipeline *pipeline)
{
    if (!pipeline)
        return;
    if (pipeline->threaded) {
        mp_pipeline_drain(pipeline);
        pthread_mutex_lock(&pipeline->lock);
        pipeline->closing = true;
        pthread_cond_signal(&pipeline->more);
        pthread_mutex_unlock(&pipeline->lock);
        pthread_join(pipeline->thread, NULL);
    }
    pthread_cond_destroy(&pipeline->less);
    pthread_cond_destroy(&pipeline->more);
    pthread_mutex_destroy(&pipeline->lock);
    free(pipeline->ring);
    free(pipeline);
}

/* A pipeline of two threads: the caller fills batches of work, and a worker thread does them in
 * order.
 *
 * All batches have the same size and rotate in a ring. The worker may use the data of the work
 * until mp_pipeline_drain returns; only then may the caller use it again. For a few batches no
 * thread is started: the caller's thread does the work at once, with the same result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct mp_pipeline mp_pipeline;

/* Make a pipeline whose batches have `size` bytes; `work` does one batch. mp_pipeline_free waits
 * for all submitted batches and releases it. */
mp_pipeline *mp_pipeline_new(size_t size, void (*work)(void *batch));
void mp_pipeline_free(mp_pipeline *pipeline);

/* Do all work in the caller's thread. Call it before the first batch. */
void mp_pipeline_alone(mp_pipeline *pipeline);

/* Return the batch to be filled next. It has the contents of its previous use. */
void *mp_pipeline_batch(mp_pipeline *pipeline);
/* Submit the batch that the caller has filled. */
void mp_pipeline_submit(mp_pipeline *pipeline);
/* Submit the last batch before a drain. If the worker is idle, the caller's thread does the work,
 * which is faster than waking the worker and waiting for it. */
void mp_pipeline_submit_last(mp_pipeline *pipeline);
/* Wait until all submitted batches are done. */
void mp_pipeline_drain(mp_pipeline *pipeline);
/* Return true if the caller does a batch now, in either thread. */
bool mp_pipeline_is_inside(const mp_pipeline *pipeline);

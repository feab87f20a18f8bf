/* A pipeline of two steps: the caller makes batches of work, another thread does them, in order.
 *
 * Batches are of one size and go round in a ring. Until mp_pipeline_drain, what the work touches
 * belongs to it; after it, to the caller. Little work never starts the thread: it is done at once,
 * on the caller's, with the same result. */
#ifndef MP_BASE_PIPELINE_H
#define MP_BASE_PIPELINE_H

#include <stddef.h>

typedef struct mp_pipeline mp_pipeline;

/* `work` does one batch of `size` bytes. Release with mp_pipeline_free, which waits for all. */
mp_pipeline *mp_pipeline_new(size_t size, void (*work)(void *batch));
void mp_pipeline_free(mp_pipeline *pipeline);

/* All is done on the caller's thread; before the first batch. */
void mp_pipeline_alone(mp_pipeline *pipeline);

/* The batch that the caller fills, as it was left when it was last used. */
void *mp_pipeline_batch(mp_pipeline *pipeline);
/* Hand it over. */
void mp_pipeline_submit(mp_pipeline *pipeline);
/* Hand it over as the last before a drain: where nothing else waits it is done at once, on the
 * caller's thread, which would only wait for the other to wake up. */
void mp_pipeline_submit_last(mp_pipeline *pipeline);
/* Wait until all that was handed over is done. */
void mp_pipeline_drain(mp_pipeline *pipeline);

#endif

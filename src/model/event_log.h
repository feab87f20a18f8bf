/* What the replay of blocks writes down beside the ledger, for the model layer alone. */
#ifndef MP_MODEL_EVENT_LOG_H
#define MP_MODEL_EVENT_LOG_H

#include "model/blocks.h"

void mp_events_free(mp_events *events);

/* The event contradicts the block that is alive at its address. */
void mp_events_contradicted(mp_blocks *blocks, mp_anomaly_kind kind, const mp_event *event,
                            const mp_block *block);
/* A deletion at an address where nothing is alive; `freed`: what was there, or NULL. */
void mp_events_unmatched(mp_blocks *blocks, const mp_event *event, const mp_block *freed);
void mp_events_age(mp_blocks *blocks, mp_context_id context, int64_t age_us, int64_t bytes);
/* Write down the ages that wait for their place in the table. */
void mp_events_flush_ages(mp_blocks *blocks);
void mp_events_handover(mp_blocks *blocks, const mp_block *block, const mp_event *event);

#endif

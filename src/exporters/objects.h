/* What exporters of objects have in common: which objects were alive at which moments. */
#ifndef MP_EXPORTERS_OBJECTS_H
#define MP_EXPORTERS_OBJECTS_H

#include "memprof/analysis.h"
#include "memprof/graph.h"
#include "memprof/model.h"

typedef struct mp_living {
    uint64_t id; /* as in the file, or, where those are not unique, a number from 1 */
    int64_t bytes;
    mp_lot_id lot;
    mp_mark_id born; /* none: not told */
    mp_mark_id from, until;
    uint32_t vertex; /* in the model's graph; 0: it is not in it */
} mp_living;

/* Moments of one session and the objects that were alive at any of them. */
typedef struct mp_population {
    const mp_model *model;
    mp_session_id session;
    mp_mark_id *marks; /* in the order of time */
    size_t mark_count;
    mp_living *living;
    size_t living_count;
} mp_population;

/* All snapshots where objects were kept, else the one that the graph is of. False with a message
 * where neither is there, or there are several sessions. */
bool mp_population_of(const mp_model *model, mp_population *population, char *error, size_t size);
void mp_population_free(mp_population *population);

static inline bool mp_is_alive_at(const mp_living *living, mp_mark_id mark)
{
    return living->from.i <= mark.i && (!living->until.i || living->until.i > mark.i);
}

#endif

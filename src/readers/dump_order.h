/* The order of heap dumps that are read one after the other. Growth depends on it. */
#ifndef MP_READERS_DUMP_ORDER_H
#define MP_READERS_DUMP_ORDER_H

#include "memprof/diagnostics.h"
#include "model/model.h"

/* The previous dump. Initialise with the stamp -1. */
typedef struct mp_dump_order {
    const char *path; /* NULL: there was no dump; the path belongs to the model */
    int64_t stamp;    /* milliseconds of a 32-bit clock; -1: unknown */
} mp_dump_order;

/* Return the milliseconds between two stamps; -1: a stamp is unknown, or the clock went
 * backwards. */
int64_t mp_dump_interval(int64_t begin, int64_t end);

/* Note the next dump. Report a stamp that is earlier than the previous one, and set
 * model->misplaced if the dump seems to be earlier. Dumps are in the order of their stamps if all
 * of them have one. Otherwise they are in the order of the command line, where a shell sorts
 * "dump-10" before "dump-2". */
void mp_dump_order_check(mp_dump_order *order, mp_model *model, mp_diagnostics *diagnostics,
                         const char *path, int64_t stamp);

#endif

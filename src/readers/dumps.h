/* What readers of heap dumps share: the series of dumps that are read one after the other, and
 * problems that any of them may have. */
#ifndef MP_READERS_DUMPS_H
#define MP_READERS_DUMPS_H

#include "base/diagnose.h"
#include "base/index.h"
#include "input/load_options.h"
#include "model/graph_builder.h"

/* The previous dump of a series. Growth depends on the order. Initialise with the stamp -1. */
typedef struct mp_dump_order {
    const char *path; /* NULL: there was no dump; the path belongs to the model */
    int64_t stamp;    /* milliseconds of a 32-bit clock; -1: unknown */
} mp_dump_order;

/* Return the milliseconds between two stamps; -1: a stamp is unknown, or the clock went
 * backwards. */
int64_t mp_dump_interval(int64_t begin, int64_t end);

/* Note the next dump. Report one that has the same path as the previous one, or an earlier stamp,
 * and set model->misplaced if the dump seems to be earlier. Dumps are in the order of their stamps
 * if all of them have one. Otherwise they are in the order of the command line, where a shell sorts
 * "dump-10" before "dump-2". */
void mp_dump_order_check(mp_dump_order *order, mp_model *model, mp_diagnostics *diagnostics,
                         const char *path, int64_t stamp);

/* Report that an input repeats the previous one of its series. `noun`: "dump", "profile". */
void mp_dump_tell_repeated(mp_diagnostics *diagnostics, const char *path, const char *noun);

/* Dumps of one program, each of them a snapshot of one session. */
typedef struct mp_dumps {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const char *path;      /* path of the current dump; belongs to the model */
    mp_session_id session; /* 0: no dump was begun */
    mp_type_counts counts; /* ledger of the dumps */
    mp_dump_order order;
    int64_t first_stamp; /* stamp of the first dump that has one, in milliseconds; -1: none */
} mp_dumps;

/* Start a series. Release it with mp_dumps_free. */
mp_dumps mp_dumps_of(mp_model *model, mp_diagnostics *diagnostics);
/* Report texts that are not UTF-8, and release the series, but not the struct. */
void mp_dumps_free(mp_dumps *dumps);
/* Functions of a reader (mp_reader.open, close) whose whole state is a series. */
void *mp_dumps_open(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options);
void mp_dumps_close(void *dumps);

/* Begin the dump of this input. Return its snapshot. */
mp_snapshot_id mp_dumps_begin(mp_dumps *dumps, uint32_t summary);
/* Enter the model's graph as the dump that was begun, and end its snapshot, which is returned.
 * `stamp` is in milliseconds of the recorder's clock; -1: unknown. */
mp_snapshot *mp_dumps_end(mp_dumps *dumps, int64_t stamp);
/* Mark all types as untracked: it is unknown what keeps their objects alive. */
void mp_dumps_untrack(const mp_dumps *dumps, mp_graph *graph);

/* Report a diagnostic about the current dump: MP_TELL_DUMP(dumps, TORN, FORMAT, ...). */
#define MP_TELL_DUMP(dumps, id, ...)                                                               \
    mp_diagnose((dumps)->diagnostics, MP_DIAG_##id, (dumps)->path, 0, __VA_ARGS__)
/* Report that the dump has more objects or references than the model can number. */
void mp_dumps_tell_too_many(const mp_dumps *dumps);
/* Report ids of the model's graph that occur twice, and references and roots that lead to no
 * object. */
void mp_dumps_tell_ids(const mp_dumps *dumps);

#endif

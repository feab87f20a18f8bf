#include "readers/dumps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "readers/reader.h"

/* --- order --- */

int64_t mp_dump_interval(int64_t begin, int64_t end)
{
    uint32_t later = (uint32_t)(end - begin);
    return begin >= 0 && end >= 0 && later <= INT32_MAX ? (int64_t)later : -1;
}

static const char *skip_number(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* Return true if the paths differ only in numbers, and the first path has the higher numbers. It is
 * then probably a later dump. */
static bool is_numbered_after(const char *first, const char *second)
{
    const char *a = first, *b = second;
    while (*a || *b) {
        const char *end_a = skip_number(a), *end_b = skip_number(b);
        bool numbers = end_a > a && end_b > b;
        if (!numbers && *a != *b)
            return false;
        a = numbers ? end_a : a + 1;
        b = numbers ? end_b : b + 1;
    }
    return strverscmp(first, second) > 0;
}

void mp_dump_tell_repeated(mp_diagnostics *diagnostics, const char *path, const char *noun)
{
    mp_diagnose(diagnostics, MP_DIAG_DUPLICATE_SNAPSHOT, path, 0,
                "is the %s before it again, expected another moment", noun);
}

void mp_dump_order_check(mp_dump_order *order, mp_model *model, mp_diagnostics *diagnostics,
                         const char *path, int64_t stamp)
{
    bool both = order->stamp >= 0 && stamp >= 0, same = stamp == order->stamp;
    bool earlier = both && mp_dump_interval(order->stamp, stamp) < 0;
    if (order->path && strcmp(order->path, path) == 0)
        mp_dump_tell_repeated(diagnostics, path, "dump");
    if (earlier)
        mp_diagnose(diagnostics, MP_DIAG_TIME_ORDER, path, 0,
                    "has an earlier time stamp than the dump before it, expected the oldest first; "
                    "growth may be in the wrong order");
    if (order->path && !model->misplaced &&
        (earlier || ((!both || same) && is_numbered_after(order->path, path))))
        model->misplaced = path;
    order->path = path;
    if (stamp >= 0)
        order->stamp = stamp;
}

/* --- the series --- */

mp_dumps mp_dumps_of(mp_model *model, mp_diagnostics *diagnostics)
{
    return (mp_dumps){.model = model,
                      .diagnostics = diagnostics,
                      .counts.model = model,
                      .order.stamp = -1,
                      .first_stamp = -1};
}

void mp_dumps_free(mp_dumps *dumps)
{
    mp_type_counts_free(&dumps->counts);
}

void *mp_dumps_open(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    (void)options;
    mp_dumps *dumps = mp_alloc(sizeof *dumps);
    *dumps = mp_dumps_of(model, diagnostics);
    return dumps;
}

void mp_dumps_close(void *dumps)
{
    mp_dumps_free(dumps);
    free(dumps);
}

mp_snapshot_id mp_dumps_begin(mp_dumps *dumps, uint32_t summary)
{
    mp_model *model = dumps->model;
    if (!dumps->session.i)
        dumps->session = mp_model_add_session(model);
    mp_model_begin_snapshot(model, dumps->session)->input = summary;
    dumps->path = model->inputs.items[summary].path;
    return (mp_snapshot_id){model->snapshots.count - 1};
}

/* Return true if the dump is a copy of the one before it, under another name: it has the same stamp
 * and figures. */
static bool is_repeated(const mp_dumps *dumps, const mp_snapshot *snapshot, int64_t stamp)
{
    const mp_snapshot *before = snapshot - 1;
    return snapshot->ordinal > 1 && stamp >= 0 && stamp == dumps->order.stamp &&
           strcmp(dumps->path, dumps->order.path) != 0 &&
           snapshot->live_objects == before->live_objects &&
           snapshot->live_bytes == before->live_bytes;
}

mp_snapshot *mp_dumps_end(mp_dumps *dumps, int64_t stamp)
{
    mp_snapshot *snapshot = mp_type_counts_enter(&dumps->counts);
    snapshot->sequence = snapshot->ordinal;
    if (dumps->first_stamp < 0)
        dumps->first_stamp = stamp;
    const int64_t clock = stamp < 0 ? -1 : (int64_t)(uint32_t)stamp;
    if (is_repeated(dumps, snapshot, clock))
        mp_dump_tell_repeated(dumps->diagnostics, dumps->path, "dump");
    mp_dump_order_check(&dumps->order, dumps->model, dumps->diagnostics, dumps->path, clock);
    return snapshot;
}

void mp_dumps_untrack(const mp_dumps *dumps, mp_graph *graph)
{
    const uint32_t types = dumps->model->types.count;
    graph->untracked = mp_alloc(types * sizeof *graph->untracked);
    memset(graph->untracked, true, types * sizeof *graph->untracked);
}

/* --- problems --- */

void mp_dumps_tell_too_many(const mp_dumps *dumps)
{
    MP_TELL_DUMP(dumps, NOTHING_USABLE,
                 "has more than two thousand million objects, or four of references: more than "
                 "memprof can number");
}

void mp_dumps_tell_ids(const mp_dumps *dumps)
{
    const mp_graph *graph = dumps->model->graph;
    uint64_t missing = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        missing += !graph->roots.items[i].object;
    if (graph->duplicates)
        MP_TELL_DUMP(dumps, DUPLICATE_OBJECT,
                     "objects with the id of an earlier one, ignored: %" PRIu64, graph->duplicates);
    if (graph->dangling)
        MP_TELL_DUMP(dumps, DANGLING_REFERENCE,
                     "references to objects that are not in the file: %" PRIu64, graph->dangling);
    if (missing)
        MP_TELL_DUMP(dumps, ROOT_WITHOUT_OBJECT,
                     "roots of objects that are not in the file: %" PRIu64, missing);
}

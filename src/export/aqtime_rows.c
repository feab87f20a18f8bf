#include "export/aqtime_rows.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"

/* Limits on the number of rows. Up to ALWAYS rows are always allowed. A larger number is allowed if
 * it is at most TIMES the number of rows that all objects would have in a single set. */
enum { ALWAYS = 2000000, TIMES = 32 };

/* Numbers of rows for objects, stacks and classes. All other tables have fewer rows than these, or
 * only a few per set. */
typedef struct aq_rows {
    int64_t total; /* in all result sets */
    int64_t once;  /* number of rows if each object, stack and class were in a single set */
} aq_rows;

/* Return the number of result sets whose snapshots precede this one. */
static size_t sets_before(const mp_live_objects *live, mp_snapshot_id snapshot)
{
    size_t count = 0;
    MP_BISECT(count, live->snapshot_count, live->snapshots[middle].i < snapshot.i);
    return count;
}

static void add(aq_rows *rows, size_t sets, int64_t each)
{
    rows->total += (int64_t)sets * each;
    rows->once += sets ? each : 0;
}

/* Return the number of rows per object for each context: one row for the object, and one for each
 * frame of its stack. Release with free(). */
static int64_t *rows_of_objects(const mp_model *model)
{
    int64_t *rows = mp_alloc_zero(model->contexts.count, sizeof *rows);
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        const mp_context *context = &model->contexts.items[i];
        mp_frame frame = {model->tree_of[context->node.i], context->line};
        rows[i] = frame.node ? 2 : 1;
        while (frame.node && rows[i] < AQ_CALLERS + 2 && mp_frame_caller(model, &frame))
            rows[i]++;
    }
    return rows;
}

static void add_objects(aq_rows *rows, const mp_live_objects *live)
{
    int64_t *each = rows_of_objects(live->model);
    for (size_t i = 0; i < live->living_count; i++) {
        const mp_living *living = &live->living[i];
        size_t from = sets_before(live, living->from);
        size_t until = living->until.i ? sets_before(live, living->until) : live->snapshot_count;
        add(rows, until > from ? until - from : 0, each[living->context.i]);
    }
    free(each);
}

/* Add the rows of classes. A class is in its first set and in all later ones. */
static void add_classes(aq_rows *rows, const mp_live_objects *live)
{
    const mp_model *model = live->model;
    bool *seen = mp_alloc_zero(model->types.count, sizeof *seen);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        mp_context_id id = model->generations.items[delta->generation.i].context;
        const mp_context *context = &model->contexts.items[id.i];
        mp_type_id type = mp_context_type(model, context);
        if (seen[type.i] || context->session.i != live->session.i)
            continue;
        seen[type.i] = true;
        add(rows, live->snapshot_count - sets_before(live, delta->snapshot), 1);
    }
    free(seen);
}

bool aq_rows_afforded(const mp_live_objects *live, mp_error *error)
{
    aq_rows rows = {0};
    if (live->snapshot_count < 2)
        return true;
    add_objects(&rows, live);
    add_classes(&rows, live);
    return rows.total <= ALWAYS || rows.total / TIMES <= rows.once ||
           mp_fail(
               error, MP_ERROR_NO_ANSWER,
               "the live objects of %zu snapshots make %" PRId64
               " rows of objects, stacks and classes, expected at most %d, or %d times the %" PRId64
               " of each once; end earlier with FILE@SNAPSHOT, or " MP_DASHES
               "to ndjson, which has each object once",
               live->snapshot_count, rows.total, ALWAYS, TIMES, rows.once);
}

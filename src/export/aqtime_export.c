/* Export to an AQTime allocation database, with one result set per snapshot. The database is
 * written to a temporary file next to its target, and replaces the target when it is complete. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/output.h"
#include "export/aqtime_references.h"
#include "export/aqtime_rows.h"
#include "export/exporter.h"
#include "export/objects.h"

/* A routine at a line: a row of META_ROUTINES. */
typedef struct aq_routine {
    uint32_t node; /* index in model->tree: any node with the routine's symbol */
    uint32_t line;
    uint32_t set; /* number of the last set that has a row for it */
} aq_routine;

/* The stack of a context's objects, as indexes in `frames`. */
typedef struct aq_stack {
    size_t first, count;
    bool known, cut;
} aq_stack;

/* Figures of a class up to the current set. */
typedef struct aq_class {
    int64_t live, live_size, peak, peak_size, total, total_size;
    bool seen;
} aq_class;

typedef struct aq_sets {
    aq_out *out;
    const mp_model *model;
    const mp_live_objects *live;
    uint32_t ordinal; /* number of the current set, from 1 */
    mp_arena scratch; /* memory of labels */

    mp_id_index routine_index; /* (symbol or node, line) to routine */
    aq_routine *routines;      /* elements from 1 */
    size_t routine_count, routine_capacity;
    aq_stack *stacks; /* indexed by context */
    uint32_t *frames; /* routines, innermost first */
    size_t frame_count, frame_capacity;
    uint32_t
        *thread_sets;  /* indexed by string: number of the last set that has a row for the thread */
    aq_class *classes; /* indexed by type */
    uint32_t next_delta;
    aq_out_link *links;     /* indexed by vertex; NULL = no graph */
    int64_t objects, bytes; /* sums of the current set */
    int64_t cut;            /* number of objects in the set with a cut stack */
    size_t *alive; /* indexes in live->living of the objects in the current set, ascending */
    size_t alive_count, next_living;
} aq_sets;

static void open_sets(aq_sets *sets, aq_out *out, const mp_live_objects *live)
{
    const mp_model *model = live->model;
    uint32_t strings = 1;
    for (uint32_t i = 1; i < model->contexts.count; i++)
        if (model->contexts.items[i].thread.i >= strings)
            strings = model->contexts.items[i].thread.i + 1;
    *sets = (aq_sets){.out = out,
                      .model = model,
                      .live = live,
                      .next_delta = 1,
                      .alive = mp_alloc((live->living_count + 1) * sizeof *sets->alive),
                      .stacks = mp_alloc_zero(model->contexts.count, sizeof *sets->stacks),
                      .thread_sets = mp_alloc_zero(strings, sizeof *sets->thread_sets),
                      .classes = mp_alloc_zero(model->types.count, sizeof *sets->classes),
                      .links = live->filter->graph ? aq_out_links_of(live->filter->graph) : NULL};
}

static void close_sets(aq_sets *sets)
{
    mp_id_index_free(&sets->routine_index);
    mp_arena_free(&sets->scratch);
    MP_FREE(sets->routines, sets->stacks, sets->frames, sets->thread_sets, sets->classes,
            sets->links, sets->alive);
}

/* --- routines and stacks --- */

/* Write the routine's row. It is written once in each set in which a stack refers to it. */
static void put_routine(aq_sets *sets, uint32_t id)
{
    const mp_model *model = sets->model;
    aq_routine *routine = &sets->routines[id];
    const mp_symbol *symbol = &model->symbols.items[model->tree.items[routine->node].symbol.i];
    int64_t line = routine->line != MP_NO_LINE ? (int32_t)routine->line
                   : symbol->start_line        ? (int64_t)symbol->start_line
                                               : MP_UNKNOWN;
    if (routine->set == sets->ordinal)
        return;
    routine->set = sets->ordinal;
    const char *name = mp_tree_label(&sets->scratch, model, routine->node);
    int64_t row = AQ_OUT_PUT(
        sets->out, AQ_OUT_ROUTINES, AQ_OUT_NO_PARENT, id, AQ_OUT_TEXT("COL_ROUTINE_NAME", name),
        AQ_OUT_TEXT("COL_SOURCE_FILE", mp_model_text(model, symbol->source)),
        AQ_OUT_TEXT("COL_MODULE_NAME", mp_model_text(model, symbol->module)),
        AQ_OUT_NUMBER("COL_HIT_COUNT", symbol->hits ? symbol->hits : MP_UNKNOWN),
        AQ_OUT_NUMBER("COL_SOURCE_LINE", line));
    if (line != MP_UNKNOWN && line)
        AQ_OUT_PUT(sets->out, AQ_OUT_META_LINES, row, 1, AQ_OUT_NUMBER("COL_SOURCE_LINE", line));
    mp_arena_free(&sets->scratch);
}

static uint32_t routine_of(aq_sets *sets, mp_frame frame)
{
    const uint64_t nameless = (uint64_t)1 << 63;
    mp_symbol_id symbol = sets->model->tree.items[frame.node].symbol;
    uint64_t key = symbol.i ? (uint64_t)symbol.i << 32 : nameless | (uint64_t)frame.node << 32;
    uint32_t *place = mp_id_index_put(&sets->routine_index, key | frame.line);
    if (!*place) {
        *place = (uint32_t)++sets->routine_count;
        mp_grow(&sets->routines, &sets->routine_capacity, sets->routine_count + 1,
                sizeof *sets->routines);
        sets->routines[*place] = (aq_routine){.node = frame.node, .line = frame.line};
    }
    return *place;
}

static const aq_stack *stack_of(aq_sets *sets, mp_context_id context)
{
    const mp_context *state = &sets->model->contexts.items[context.i];
    aq_stack *stack = &sets->stacks[context.i];
    mp_frame frame = {sets->model->tree_of[state->node.i], state->line};
    if (stack->known)
        return stack;
    *stack = (aq_stack){.first = sets->frame_count, .known = true};
    if (!frame.node)
        return stack;
    do {
        *MP_APPEND(sets->frames, sets->frame_count, sets->frame_capacity) = routine_of(sets, frame);
        stack->cut = sets->frame_count - stack->first > AQ_CALLERS + 1;
    } while (!stack->cut && mp_frame_caller(sets->model, &frame));
    sets->frame_count -= stack->cut;
    stack->count = sets->frame_count - stack->first;
    return stack;
}

/* --- objects --- */

static mp_type_id type_of(const aq_sets *sets, mp_context_id context)
{
    return mp_context_type(sets->model, &sets->model->contexts.items[context.i]);
}

/* Write the rows of an object, its thread and its stack. */
static void put_object(aq_sets *sets, const mp_living *living)
{
    aq_out *out = sets->out;
    const mp_model *model = sets->model;
    aq_out_link none = {0}, *link = living->vertex ? &sets->links[living->vertex] : NULL;
    mp_string_id thread = model->contexts.items[living->context.i].thread;
    mp_type_id type = type_of(sets, living->context);
    if (thread.i && sets->thread_sets[thread.i] != sets->ordinal) {
        sets->thread_sets[thread.i] = sets->ordinal;
        AQ_OUT_PUT(out, AQ_OUT_THREADS, AQ_OUT_NO_PARENT, thread.i,
                   AQ_OUT_TEXT("COL_NAME", mp_model_text(model, thread)));
    }
    const mp_snapshot *born = living->born.i ? &model->snapshots.items[living->born.i] : NULL;
    int64_t row =
        AQ_OUT_PUT(out, AQ_OUT_OBJECTS, AQ_OUT_NO_PARENT, (int64_t)living->id,
                   AQ_OUT_NUMBER("COL__", (int64_t)living->id),
                   AQ_OUT_NUMBER("COL_CLASSRID", type.i), AQ_OUT_NUMBER("COL_SIZE", living->bytes),
                   AQ_OUT_NUMBER("COL_GET_", born ? born->ordinal : MP_UNKNOWN),
                   AQ_OUT_NUMBER("COL_THREADRID", thread.i ? thread.i : MP_UNKNOWN),
                   AQ_OUT_NUMBER("COL_ROOT", link ? link->root : MP_UNKNOWN),
                   AQ_OUT_NUMBER("COL_REFERENCES_FROM", link ? link->from : MP_UNKNOWN),
                   AQ_OUT_NUMBER("COL_REFERENCES_TO", link ? link->to : MP_UNKNOWN),
                   AQ_OUT_NUMBER("COL_ADDRESS",
                                 link ? aq_out_address(sets->live->filter->graph, living->vertex)
                                      : MP_UNKNOWN));
    link = link ? link : &none;
    link->row = row;
    link->id = living->id;
    const aq_stack *stack = stack_of(sets, living->context);
    for (size_t i = 0; i < stack->count && !out->failed; i++)
        put_routine(sets, sets->frames[stack->first + i]);
    if (stack->count)
        aq_out_put_stack(out, row, sets->frames + stack->first, stack->count);
    sets->cut += stack->cut;
    sets->classes[type.i].seen = true;
    sets->classes[type.i].live++;
    sets->classes[type.i].live_size += living->bytes;
    sets->objects++;
    sets->bytes += living->bytes;
}

/* --- classes --- */

/* Add the objects created since the previous set. Include objects that are in no set because they
 * died before its snapshot. */
static void add_created(aq_sets *sets, mp_snapshot_id snapshot)
{
    const mp_model *model = sets->model;
    for (; sets->next_delta < model->deltas.count; sets->next_delta++) {
        const mp_delta *delta = &model->deltas.items[sets->next_delta];
        if (delta->snapshot.i > snapshot.i)
            return;
        mp_context_id context = model->generations.items[delta->generation.i].context;
        if (model->contexts.items[context.i].session.i != sets->live->session.i ||
            model->contexts.items[context.i].reusable)
            continue;
        aq_class *entry = &sets->classes[type_of(sets, context).i];
        entry->seen = true;
        entry->total += delta->cost.created;
        entry->total_size += delta->cost.created_bytes;
        if (delta->cost.found > 0)
            entry->total += delta->cost.found;
        if (delta->cost.retyped > 0)
            entry->total += delta->cost.retyped;
    }
}

static void rise(int64_t *most, int64_t now)
{
    *most = now > *most ? now : *most;
}

/* Raise peaks to those that the recording states. The recorded program may have reached them
 * between snapshots. */
static void add_stated_peaks(aq_sets *sets, mp_snapshot_id snapshot)
{
    const mp_model *model = sets->model;
    for (uint32_t i = 1; i < model->type_peaks.count && !sets->live->filter->selects; i++) {
        const mp_type_peak *stated = &model->type_peaks.items[i];
        if (stated->snapshot.i != snapshot.i)
            continue;
        rise(&sets->classes[stated->type.i].peak, stated->objects);
        rise(&sets->classes[stated->type.i].peak_size, stated->bytes);
    }
}

static void put_class(aq_sets *sets, uint32_t type)
{
    aq_class *entry = &sets->classes[type];
    const mp_type *told = &sets->model->types.items[type];
    const char *name = mp_type_label(&sets->scratch, sets->model, (mp_type_id){type});
    const char *module = mp_model_text(sets->model, told->module);
    int64_t finalizable =
        told->finalizable == MP_NOT_TOLD ? MP_UNKNOWN : told->finalizable == MP_TOLD_YES;
    rise(&entry->peak, entry->live);
    rise(&entry->peak_size, entry->live_size);
    rise(&entry->total, entry->peak);
    rise(&entry->total_size, entry->peak_size); /* objects may have grown since their creation */
    AQ_OUT_PUT(sets->out, AQ_OUT_CLASSES, AQ_OUT_NO_PARENT, type,
               AQ_OUT_TEXT("COL_CLASS_NAME", name), AQ_OUT_TEXT("COL_MODULE_NAME", module),
               AQ_OUT_NUMBER("COL_FINALIZABLE", finalizable),
               AQ_OUT_NUMBER("COL_LIVE_COUNT", entry->live),
               AQ_OUT_NUMBER("COL_LIVE_SIZE", entry->live_size),
               AQ_OUT_NUMBER("COL_PEAK_CREATED", entry->peak),
               AQ_OUT_NUMBER("COL_PEAK_SIZE", entry->peak_size),
               AQ_OUT_NUMBER("COL_TOTAL_CREATED", entry->total),
               AQ_OUT_NUMBER("COL_TOTAL_SIZE", entry->total_size));
    AQ_OUT_PUT(sets->out, AQ_OUT_META_CLASSES, AQ_OUT_NO_PARENT, type,
               AQ_OUT_TEXT("COL_CLASS_NAME", name), AQ_OUT_TEXT("COL_MODULE_NAME", module),
               AQ_OUT_NUMBER("COL_FINALIZABLE", finalizable));
    mp_arena_free(&sets->scratch);
}

/* --- result sets --- */

static void put_relations(aq_out *out)
{
    static const aq_out_table pairs[][2] = {
        {AQ_OUT_INSTANCES, AQ_OUT_TABLES}, {AQ_OUT_CLASSES, AQ_OUT_TABLES},
        {AQ_OUT_OBJECTS, AQ_OUT_TABLES},   {AQ_OUT_META_CLASSES, AQ_OUT_TABLES},
        {AQ_OUT_ROUTINES, AQ_OUT_TABLES},  {AQ_OUT_THREADS, AQ_OUT_TABLES},
        {AQ_OUT_STACKS, AQ_OUT_OBJECTS},   {AQ_OUT_FROM, AQ_OUT_OBJECTS},
        {AQ_OUT_TO, AQ_OUT_OBJECTS},       {AQ_OUT_META_LINES, AQ_OUT_ROUTINES},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bool has_parent = pairs[i][1] != AQ_OUT_TABLES;
        AQ_OUT_PUT(
            out, AQ_OUT_RELATIONS, AQ_OUT_NO_PARENT, 0,
            AQ_OUT_TEXT("COL_CHILD_TABLE", aq_out_table_name(pairs[i][0])),
            AQ_OUT_TEXT("COL_PARENT_TABLE", has_parent ? aq_out_table_name(pairs[i][1]) : ""));
    }
}

/* Write the objects of a snapshot. Objects are sorted by creation, so a set consists of the objects
 * of the previous set that are still alive, followed by new ones. */
static void put_objects(aq_sets *sets, mp_snapshot_id id)
{
    const mp_live_objects *live = sets->live;
    size_t kept = 0;
    for (; sets->next_living < live->living_count && live->living[sets->next_living].from.i <= id.i;
         sets->next_living++)
        sets->alive[sets->alive_count++] = sets->next_living;
    for (size_t i = 0; i < sets->alive_count && !sets->out->failed; i++) {
        if (!mp_is_alive_at(&live->living[sets->alive[i]], id))
            continue;
        put_object(sets, &live->living[sets->alive[i]]);
        sets->alive[kept++] = sets->alive[i];
    }
    sets->alive_count = kept;
}

/* Write all rows of a snapshot's result set. Snapshots must come in order. Return false with a
 * message if the sums differ from those of reports. */
static bool put_set(aq_sets *sets, mp_snapshot_id id)
{
    aq_out *out = sets->out;
    const mp_live_objects *live = sets->live;
    const mp_snapshot *snapshot = &sets->model->snapshots.items[id.i];
    sets->ordinal++;
    sets->objects = sets->bytes = sets->cut = 0;
    for (uint32_t i = 0; i < sets->model->types.count; i++)
        sets->classes[i].live = sets->classes[i].live_size = 0;
    AQ_OUT_PUT(out, AQ_OUT_INSTANCES, AQ_OUT_NO_PARENT, 0,
               AQ_OUT_TEXT("CAPTION", mp_model_text(sets->model, snapshot->tag)));
    put_relations(out);
    put_objects(sets, id);
    add_created(sets, id);
    add_stated_peaks(sets, id);
    for (uint32_t i = 0; i < sets->model->types.count; i++)
        if (sets->classes[i].seen)
            put_class(sets, i);
    if (sets->links && live->filter->graph->snapshot.i == id.i)
        aq_out_references(out, live->filter->graph, sets->links);
    if (out->failed)
        return false;
    return (sets->objects == snapshot->live_objects && sets->bytes == snapshot->live_bytes) ||
           mp_fail(out->error, MP_ERROR_OUTPUT,
                   "snapshot %" PRIu64 " has %" PRId64 " objects of %" PRId64
                   " bytes, but only %" PRId64 " of %" PRId64
                   " bytes are known one by one; a database would be incomplete",
                   snapshot->sequence, snapshot->live_objects, snapshot->live_bytes, sets->objects,
                   sets->bytes);
}

/* Return true if the snapshots' numbers ascend; result sets can then have the same numbers. */
static bool numbers_rise(const mp_live_objects *live)
{
    const mp_snapshot *before = NULL;
    for (size_t i = 0; i < live->snapshot_count; i++) {
        const mp_snapshot *snapshot = &live->model->snapshots.items[live->snapshots[i].i];
        if (!mp_snapshot_number_rises(before, snapshot))
            return false;
        before = snapshot;
    }
    return true;
}

/* Write all result sets. `cut`: set to the number of objects in the last set whose stacks were
 * cut. */
static bool put_sets(aq_out *out, const mp_live_objects *live, int64_t *cut)
{
    aq_sets sets;
    bool rises = numbers_rise(live), ok = true;
    open_sets(&sets, out, live);
    for (size_t i = 0; i < live->snapshot_count && ok; i++) {
        uint64_t number = live->model->snapshots.items[live->snapshots[i].i].sequence;
        aq_out_begin(out, rises ? (int64_t)number : (int64_t)i + 1);
        ok = put_set(&sets, live->snapshots[i]);
    }
    *cut = sets.cut;
    close_sets(&sets);
    return ok;
}

/* --- the command's document --- */

typedef struct totals_row {
    int64_t snapshots, live_objects, live_bytes, truncated_stacks;
} totals_row;

static const mp_column total_columns[] = {
    MP_COLUMN(totals_row, snapshots, "Result sets", MP_COUNT, 0),
    MP_COLUMN(totals_row, live_objects, "", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(totals_row, live_bytes, "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(totals_row, live_objects, "objects", "Objects of the last", MP_COUNT,
                 MP_FOR_PEOPLE),
    MP_COLUMN_OF(totals_row, live_bytes, "size", "Their size", MP_BYTES, MP_FOR_PEOPLE),
    MP_COLUMN(totals_row, truncated_stacks, "Stacks cut to 64 callers", MP_COUNT, MP_IF_KNOWN),
};

static void describe(mp_document *document, const char *path, const aq_out *out,
                     const mp_live_objects *live, int64_t cut)
{
    const mp_snapshot *last =
        &live->model->snapshots.items[live->snapshots[live->snapshot_count - 1].i];
    totals_row totals = {(int64_t)live->snapshot_count, last->live_objects, last->live_bytes,
                         cut ? cut : MP_UNKNOWN};
    document->title =
        mp_document_text(document, "%s: AQTime allocation database of %zu result set%s", path,
                         live->snapshot_count, live->snapshot_count == 1 ? "" : "s");
    mp_table_put(document, MP_TABLE(document, "totals", NULL, MP_RECORD, total_columns), &totals);
    mp_table *tables = mp_written_table(document);
    for (int i = 0; i < AQ_OUT_TABLES; i++)
        mp_written_rows(document, tables, aq_out_table_name((aq_out_table)i), out->rows[i]);
}

/* --- the file --- */

static bool refuse_target(mp_error *error, const char *path)
{
    return mp_fail(error, MP_ERROR_OUTPUT, "%s: is not a file, expected one that can be replaced",
                   path);
}

static bool write_file(const mp_live_objects *live, const char *path, mp_document *document,
                       mp_error *error)
{
    struct stat status;
    mp_output output;
    mp_error closing = {0};
    int64_t cut = 0;
    aq_out out = {.path = path, .error = error};
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return refuse_target(error, path);
    if (!mp_output_open(&output, path, error))
        return false;
    bool replaces = output.target != NULL;
    bool ok = replaces && aq_out_open(&out, output.descriptor) && put_sets(&out, live, &cut);
    if (replaces)
        ok &= aq_out_close(&out);
    else
        refuse_target(error, path);
    if (!mp_output_close(&output, ok, ok ? error : &closing) || !ok)
        return false;
    describe(document, path, &out, live, cut);
    return true;
}

static bool write_aqtime(const mp_request *request, mp_document *document, mp_error *error)
{
    if (request->model->holds & MP_HOLDS_UNCOUNTED)
        return mp_fail(error, MP_ERROR_INPUT,
                       "a database needs numbers of objects, which are not recorded");
    mp_live_objects live;
    if (!mp_live_objects_of(request->filter, &live, error))
        return false;
    bool ok = aq_rows_afforded(&live, error) && write_file(&live, request->path, document, error);
    mp_live_objects_free(&live);
    return ok;
}

enum { OF_LOGS = 1, OF_DUMPS = 4 }; /* bits that tell the variants apart */

static const mp_heap_arguments defaults;

static const mp_argument arguments[] = {
    MP_SHARES("slices", OF_LOGS),
    MP_SHARES("reorder", OF_LOGS),
    MP_SHARES("domain", OF_DUMPS),
};

const mp_exporter mp_exporter_aqtime = {
    .name = "aqtime",
    .endings = ".sqlite .db",
    .report = {.name = MP_EXPORT_TO("aqtime"),
               .summary = "AQTime allocation profiler database (SQLite)",
               MP_ARGUMENTS(arguments, defaults),
               .wants_threads = true,
               .wants_objects = true,
               .loads = mp_sqlite_load,
               .variants = {{.needs = MP_HOLDS_LEDGER | MP_HOLDS_EVENTS, .run = write_aqtime},
                            {.needs = MP_HOLDS_LEDGER | MP_HOLDS_HISTORY, .run = write_aqtime},
                            {.needs = MP_HOLDS_LEDGER, .run = write_aqtime}}},
    .binary = true,
    .in_place = true,
};

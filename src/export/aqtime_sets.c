#include "export/aqtime_sets.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NO_PARENT = -1 };

void aq_out_sets_open(aq_out_sets *sets, aq_out *out, const mp_live_objects *live)
{
    const mp_model *model = live->model;
    uint32_t strings = 1;
    for (uint32_t i = 1; i < model->contexts.count; i++)
        if (model->contexts.at[i].thread.i >= strings)
            strings = model->contexts.at[i].thread.i + 1;
    *sets = (aq_out_sets){.out = out,
                          .model = model,
                          .live = live,
                          .next_delta = 1,
                          .stacks = mp_alloc_zero(model->contexts.count, sizeof *sets->stacks),
                          .thread_sets = mp_alloc_zero(strings, sizeof *sets->thread_sets),
                          .classes = mp_alloc_zero(model->types.count, sizeof *sets->classes)};
    if (live->filter->graph)
        sets->links = aq_out_links_new(live->filter->graph);
}

void aq_out_sets_close(aq_out_sets *sets)
{
    mp_id_index_free(&sets->routine_index);
    mp_arena_free(&sets->scratch);
    free(sets->routines);
    free(sets->stacks);
    free(sets->frames);
    free(sets->thread_sets);
    free(sets->classes);
    aq_out_links_free(sets->links);
    *sets = (aq_out_sets){0};
}

int64_t aq_out_row(aq_out_sets *sets, aq_out_table table, int64_t parent, int64_t record)
{
    int64_t id = ++sets->ids[table];
    aq_out_number(sets->out, table, "ID", id);
    aq_out_number(sets->out, table, "PARENT_ID", parent);
    aq_out_number(sets->out, table, "REC_ID", record);
    aq_out_put(sets->out, table);
    mp_arena_free(&sets->scratch);
    return id;
}

/* --- routines --- */

static const char *node_text(aq_out_sets *sets, uint32_t node)
{
    return mp_tree_label(&sets->scratch, sets->model, node);
}

/* The routine's row, once in each set that needs it. */
static void put_routine(aq_out_sets *sets, uint32_t id)
{
    const mp_model *model = sets->model;
    aq_out_routine *routine = &sets->routines[id];
    const mp_symbol *symbol = &model->symbols.at[model->tree.at[routine->node].symbol.i];
    if (routine->set == sets->ordinal)
        return;
    routine->set = sets->ordinal;
    aq_out_text(sets->out, AQ_OUT_ROUTINES, "COL_ROUTINE_NAME", node_text(sets, routine->node));
    aq_out_text(sets->out, AQ_OUT_ROUTINES, "COL_SOURCE_FILE",
                mp_model_text(model, symbol->source));
    aq_out_text(sets->out, AQ_OUT_ROUTINES, "COL_MODULE_NAME",
                mp_model_text(model, symbol->module));
    if (routine->line != MP_NO_LINE)
        aq_out_number(sets->out, AQ_OUT_ROUTINES, "COL_SOURCE_LINE", (int32_t)routine->line);
    int64_t row = aq_out_row(sets, AQ_OUT_ROUTINES, NO_PARENT, id);
    if (routine->line == MP_NO_LINE || !routine->line)
        return;
    aq_out_number(sets->out, AQ_OUT_META_LINES, "COL_SOURCE_LINE", (int32_t)routine->line);
    aq_out_row(sets, AQ_OUT_META_LINES, row, 1);
}

static uint32_t routine_of(aq_out_sets *sets, mp_frame frame)
{
    const uint64_t nameless = (uint64_t)1 << 63;
    mp_symbol_id symbol = sets->model->tree.at[frame.node].symbol;
    uint64_t key = symbol.i ? (uint64_t)symbol.i << 32 : nameless | (uint64_t)frame.node << 32;
    uint32_t *place = mp_id_index_put(&sets->routine_index, key | frame.line);
    if (!*place) {
        *place = (uint32_t)++sets->routine_count;
        mp_grow(&sets->routines, &sets->routine_capacity, sets->routine_count + 1,
                sizeof *sets->routines);
        sets->routines[*place] = (aq_out_routine){.node = frame.node, .line = frame.line};
    }
    return *place;
}

static const aq_out_stack *stack_of(aq_out_sets *sets, mp_context_id context)
{
    const mp_context *at = &sets->model->contexts.at[context.i];
    aq_out_stack *stack = &sets->stacks[context.i];
    mp_frame frame = {sets->model->tree_of[at->node.i], at->line};
    if (stack->known)
        return stack;
    *stack = (aq_out_stack){.first = sets->frame_count, .known = true};
    if (!frame.node)
        return stack;
    do {
        mp_grow(&sets->frames, &sets->frame_capacity, sets->frame_count + 1, sizeof *sets->frames);
        sets->frames[sets->frame_count++] = routine_of(sets, frame);
    } while (mp_frame_caller(sets->model, &frame));
    stack->count = sets->frame_count - stack->first;
    return stack;
}

static void put_stack(aq_out_sets *sets, mp_context_id context, int64_t object)
{
    const aq_out_stack *stack = stack_of(sets, context);
    for (size_t i = 0; i < stack->count && !sets->out->failed; i++) {
        uint32_t routine = sets->frames[stack->first + i];
        put_routine(sets, routine);
        aq_out_number(sets->out, AQ_OUT_STACKS, "COL_ROUTINERID", routine);
        aq_out_row(sets, AQ_OUT_STACKS, object, (int64_t)i + 1);
    }
}

/* --- threads --- */

static void put_thread(aq_out_sets *sets, mp_string_id thread)
{
    if (sets->thread_sets[thread.i] == sets->ordinal)
        return;
    sets->thread_sets[thread.i] = sets->ordinal;
    aq_out_text(sets->out, AQ_OUT_THREADS, "COL_NAME", mp_model_text(sets->model, thread));
    aq_out_row(sets, AQ_OUT_THREADS, NO_PARENT, thread.i);
}

/* --- classes --- */

static mp_type_id type_of(const aq_out_sets *sets, mp_context_id context)
{
    return mp_context_type(sets->model, &sets->model->contexts.at[context.i]);
}

/* What was created since the set before, also of objects that no set shows. */
static void add_created(aq_out_sets *sets, mp_snapshot_id snapshot)
{
    const mp_model *model = sets->model;
    for (; sets->next_delta < model->deltas.count; sets->next_delta++) {
        const mp_delta *delta = &model->deltas.at[sets->next_delta];
        if (delta->snapshot.i > snapshot.i)
            return;
        mp_context_id context = model->generations.at[delta->generation.i].context;
        if (model->contexts.at[context.i].session.i != sets->live->session.i ||
            model->contexts.at[context.i].reusable)
            continue;
        aq_out_class *at = &sets->classes[type_of(sets, context).i];
        at->seen = true;
        at->total += delta->cost.created;
        at->total_size += delta->cost.created_bytes;
        if (delta->cost.found > 0)
            at->total += delta->cost.found;
        if (delta->cost.retyped > 0)
            at->total += delta->cost.retyped;
    }
}

static void rise(int64_t *most, int64_t now)
{
    *most = now > *most ? now : *most;
}

static void put_class(aq_out_sets *sets, uint32_t type)
{
    aq_out *out = sets->out;
    aq_out_class *at = &sets->classes[type];
    const char *name = mp_type_label(&sets->scratch, sets->model, (mp_type_id){type});
    rise(&at->peak, at->live);
    rise(&at->peak_size, at->live_size);
    rise(&at->total, at->peak);
    rise(&at->total_size, at->peak_size); /* objects may grow */
    aq_out_text(out, AQ_OUT_META_CLASSES, "COL_CLASS_NAME", name);
    aq_out_text(out, AQ_OUT_CLASSES, "COL_CLASS_NAME", name);
    aq_out_number(out, AQ_OUT_CLASSES, "COL_LIVE_COUNT", at->live);
    aq_out_number(out, AQ_OUT_CLASSES, "COL_LIVE_SIZE", at->live_size);
    aq_out_number(out, AQ_OUT_CLASSES, "COL_PEAK_CREATED", at->peak);
    aq_out_number(out, AQ_OUT_CLASSES, "COL_PEAK_SIZE", at->peak_size);
    aq_out_number(out, AQ_OUT_CLASSES, "COL_TOTAL_CREATED", at->total);
    aq_out_number(out, AQ_OUT_CLASSES, "COL_TOTAL_SIZE", at->total_size);
    aq_out_number(out, AQ_OUT_CLASSES, "ID", ++sets->ids[AQ_OUT_CLASSES]);
    aq_out_number(out, AQ_OUT_CLASSES, "PARENT_ID", NO_PARENT);
    aq_out_number(out, AQ_OUT_CLASSES, "REC_ID", type);
    aq_out_put(out, AQ_OUT_CLASSES);
    aq_out_row(sets, AQ_OUT_META_CLASSES, NO_PARENT, type);
}

/* --- objects --- */

/* What only the graph tells. */
static void set_links(aq_out_sets *sets, const mp_living *living)
{
    const mp_graph *graph = sets->links->graph;
    const aq_out_link *link = &sets->links->at[living->vertex];
    aq_out_number(sets->out, AQ_OUT_OBJECTS, "COL_ROOT", link->root);
    aq_out_number(sets->out, AQ_OUT_OBJECTS, "COL_REFERENCES_FROM", link->from);
    aq_out_number(sets->out, AQ_OUT_OBJECTS, "COL_REFERENCES_TO", link->to);
    if (graph->hexadecimal) /* such ids are addresses */
        aq_out_number(sets->out, AQ_OUT_OBJECTS, "COL_ADDRESS",
                      (int64_t)graph->ids[living->vertex]);
}

static void put_object(aq_out_sets *sets, const mp_living *living)
{
    aq_out *out = sets->out;
    mp_string_id thread = sets->model->contexts.at[living->context.i].thread;
    mp_type_id type = type_of(sets, living->context);
    aq_out_number(out, AQ_OUT_OBJECTS, "COL__", (int64_t)living->id);
    aq_out_number(out, AQ_OUT_OBJECTS, "COL_CLASSRID", type.i);
    aq_out_number(out, AQ_OUT_OBJECTS, "COL_SIZE", living->bytes);
    if (living->born.i)
        aq_out_number(out, AQ_OUT_OBJECTS, "COL_GET_",
                      sets->model->snapshots.at[living->born.i].ordinal);
    if (living->vertex)
        set_links(sets, living);
    if (thread.i) {
        put_thread(sets, thread);
        aq_out_number(out, AQ_OUT_OBJECTS, "COL_THREADRID", thread.i);
    }
    int64_t row = aq_out_row(sets, AQ_OUT_OBJECTS, NO_PARENT, (int64_t)living->id);
    if (living->vertex) {
        sets->links->at[living->vertex].row = row;
        sets->links->at[living->vertex].id = living->id;
    }
    put_stack(sets, living->context, row);
    sets->classes[type.i].seen = true;
    sets->classes[type.i].live++;
    sets->classes[type.i].live_size += living->bytes;
    sets->objects++;
    sets->bytes += living->bytes;
}

/* --- the set --- */

static void put_instance(aq_out_sets *sets, const mp_snapshot *snapshot)
{
    aq_out_text(sets->out, AQ_OUT_INSTANCES, "CAPTION", mp_model_text(sets->model, snapshot->tag));
    aq_out_put(sets->out, AQ_OUT_INSTANCES);
}

static void put_relations(aq_out_sets *sets)
{
    static const aq_out_table pairs[][2] = {
        {AQ_OUT_INSTANCES, AQ_OUT_TABLES}, {AQ_OUT_CLASSES, AQ_OUT_TABLES},
        {AQ_OUT_OBJECTS, AQ_OUT_TABLES},   {AQ_OUT_META_CLASSES, AQ_OUT_TABLES},
        {AQ_OUT_ROUTINES, AQ_OUT_TABLES},  {AQ_OUT_THREADS, AQ_OUT_TABLES},
        {AQ_OUT_STACKS, AQ_OUT_OBJECTS},   {AQ_OUT_FROM, AQ_OUT_OBJECTS},
        {AQ_OUT_TO, AQ_OUT_OBJECTS},       {AQ_OUT_META_LINES, AQ_OUT_ROUTINES},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        aq_out_text(sets->out, AQ_OUT_RELATIONS, "COL_CHILD_TABLE", aq_out_table_name(pairs[i][0]));
        if (pairs[i][1] != AQ_OUT_TABLES)
            aq_out_text(sets->out, AQ_OUT_RELATIONS, "COL_PARENT_TABLE",
                        aq_out_table_name(pairs[i][1]));
        aq_out_number(sets->out, AQ_OUT_RELATIONS, "ID", ++sets->ids[AQ_OUT_RELATIONS]);
        aq_out_put(sets->out, AQ_OUT_RELATIONS);
    }
}

static void begin_set(aq_out_sets *sets)
{
    sets->ordinal++;
    sets->objects = sets->bytes = 0;
    for (int i = 0; i < AQ_OUT_TABLES; i++)
        sets->ids[i] = 0;
    for (uint32_t i = 0; i < sets->model->types.count; i++)
        sets->classes[i].live = sets->classes[i].live_size = 0;
}

void aq_out_set(aq_out_sets *sets, mp_snapshot_id snapshot)
{
    const mp_live_objects *live = sets->live;
    begin_set(sets);
    put_instance(sets, &sets->model->snapshots.at[snapshot.i]);
    put_relations(sets);
    for (size_t i = 0; i < live->living_count && !sets->out->failed; i++)
        if (mp_is_alive_at(&live->living[i], snapshot))
            put_object(sets, &live->living[i]);
    add_created(sets, snapshot);
    for (uint32_t i = 0; i < sets->model->types.count; i++)
        if (sets->classes[i].seen)
            put_class(sets, i);
    if (sets->links && sets->links->graph->snapshot.i == snapshot.i)
        aq_out_references(sets);
}

/* V8 heap snapshots: from nodes and edges to objects, references and roots.
 *
 * The rules are those of Chrome's DevTools for retained sizes (HeapSnapshot.ts, "essential
 * edges"); docs/formats/heapsnapshot.md explains them. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/heapsnapshot.h"

/* Marks of nodes. ROOTS: the node represents roots. USER: an object of the program, to which a
 * shortcut of the root leads. */
enum { ROOTS = 1, USER = 2 };

typedef struct rebuild {
    v8_state *state;
    mp_graph *graph;
    uint8_t *marks;  /* by object */
    uint32_t *stack; /* objects still to be visited */
    uint32_t depth;
    uint32_t *removed; /* objects that represent roots, ascending */
    uint32_t removed_count;
    mp_id_index types; /* types of objects in this snapshot */
} rebuild;

static v8_class *class_of(const rebuild *job, uint32_t object)
{
    return &job->state->classes.items[job->graph->types[object]];
}

static v8_rule rule_of(const rebuild *job, uint32_t object)
{
    return job->state->kinds[class_of(job, object)->kind].rule;
}

/* --- types --- */

/* Return the type of the objects of a class. */
static uint32_t type_of_class(rebuild *job, v8_class *class)
{
    v8_state *state = job->state;
    if (class->type)
        return class->type;
    const mp_string_id name = class->label.i ? class->label : state->kinds[class->kind].label;
    class->type = mp_model_type_named(state->model, name).i;
    uint32_t *seen = mp_id_index_put(&job->types, class->type);
    state->graph->declared_types += !*seen;
    *seen = 1;
    return class->type;
}

/* --- nodes that stand for roots --- */

static void visit(rebuild *job, uint32_t object, uint8_t mark)
{
    job->marks[object] |= mark;
    job->stack[job->depth++] = object;
}

/* Mark the root. Also mark synthetic nodes without a size if only marked nodes refer to them. */
static void find_root_nodes(rebuild *job)
{
    const mp_graph *graph = job->graph;
    if (rule_of(job, 1) == V8_SYNTHETIC && !graph->sizes[1])
        visit(job, 1, ROOTS);
    while (job->depth) {
        const uint32_t object = job->stack[--job->depth];
        for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
            const uint32_t target = graph->targets[i];
            if (!job->marks[target] && rule_of(job, target) == V8_SYNTHETIC &&
                !graph->sizes[target])
                visit(job, target, ROOTS);
        }
    }
    for (uint32_t next = 1; next <= graph->count; next++) {
        if (job->marks[next] & ROOTS)
            continue;
        job->stack[job->depth++] = next;
        while (job->depth) {
            const uint32_t object = job->stack[--job->depth];
            for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
                const uint32_t target = graph->targets[i];
                if (!(job->marks[target] & ROOTS))
                    continue;
                job->marks[target] = 0;
                job->stack[job->depth++] = target;
            }
        }
    }
    size_t capacity = 0;
    for (uint32_t i = 1; i <= graph->count; i++)
        if (job->marks[i] & ROOTS) {
            *MP_APPEND(job->removed, job->removed_count, capacity) = i;
        }
}

/* Return the new number of an object, which must be kept. */
static uint32_t number_of(const rebuild *job, uint32_t object)
{
    uint32_t before = 0;
    MP_BISECT(before, job->removed_count, job->removed[middle] < object);
    return object - before;
}

/* Return the kind of roots that a node represents: "Stack" for "(Stack roots)". */
static uint32_t kind_of(rebuild *job, uint32_t object)
{
    const mp_string_id label = class_of(job, object)->label;
    mp_slice name = mp_slice_of(mp_model_text(job->state->model, label));
    if (name.length > 2 && name.start[0] == '(' && name.start[name.length - 1] == ')')
        name = (mp_slice){name.start + 1, name.length - 2};
    if (name.length > 6 && memcmp(name.start + name.length - 6, " roots", 6) == 0)
        name.length -= 6;
    return mp_root_kind_named(job->state->model, name);
}

/* --- objects of the user --- */

static bool is_document_trees(const rebuild *job, uint32_t object)
{
    const mp_string_id label = class_of(job, object)->label;
    return job->marks[object] & ROOTS &&
           strcmp(mp_model_text(job->state->model, label), "(Document DOM trees)") == 0;
}

/* Mark the objects that can be reached from the shortcuts of the root (global objects) and from the
 * documents of pages. */
static void find_user_objects(rebuild *job)
{
    const mp_graph *graph = job->graph;
    for (uint32_t i = 0; i < job->state->entries.count; i++) {
        const v8_entry entry = job->state->entries.items[i];
        if ((entry.is_shortcut || is_document_trees(job, entry.object)) &&
            !(job->marks[entry.object] & USER))
            visit(job, entry.object, USER);
    }
    while (job->depth) {
        const uint32_t object = job->stack[--job->depth];
        for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++)
            if (!(job->marks[graph->targets[i]] & USER))
                visit(job, graph->targets[i], USER);
    }
}

/* --- objects, references and roots --- */

/* Return true if the edge leads from the table of a WeakMap to a value. */
static bool is_of_table(const v8_state *state, uint32_t name, uint64_t id)
{
    const uint32_t table = name ? mp_id_index_get(&state->tables, name) : 0;
    return table && table == id;
}

static void add_root(rebuild *job, uint32_t kind, uint32_t object)
{
    mp_root *root = MP_ADD(&job->graph->roots);
    root->kind = kind;
    root->object = object;
}

/* Keep the references of an object, or the roots that a node represents. The edges of the object or
 * node are `from` to `end`; `names` has the names of edges if it is an array. */
static void keep_edges(rebuild *job, uint32_t object, uint32_t from, uint32_t end,
                       const uint32_t *names)
{
    mp_graph *graph = job->graph;
    const bool stands = job->marks[object] & ROOTS,
               trusted = object == 1 || job->marks[object] & USER;
    const uint32_t kind = !stands || from == end ? 0
                          : object == 1          ? graph->globals
                                                 : kind_of(job, object);
    for (uint32_t i = from; i < end; i++) {
        const uint32_t target = graph->targets[i];
        const bool essential =
            (trusted || !(job->marks[target] & USER)) &&
            !(names && is_of_table(job->state, names[i - from], graph->ids[object]));
        if (!essential || job->marks[target] & ROOTS)
            continue;
        if (stands)
            add_root(job, kind, number_of(job, target));
        else
            graph->targets[job->state->kept++] = number_of(job, target);
    }
}

/* Remove the nodes that represent roots, and the edges that keep nothing alive, in place. */
static void rebuild_arrays(rebuild *job)
{
    mp_graph *graph = job->graph;
    v8_state *state = job->state;
    const uint32_t *names = state->array_names.items;
    const uint32_t count = graph->count;
    uint32_t kept = 0, from = graph->first[1];
    graph->globals = mp_root_kind_named(state->model, mp_slice_of("user"));
    if (!(job->marks[1] & ROOTS))
        add_root(job, MP_ROOT_UNSPECIFIED, 1);
    state->kept = 0;
    for (uint32_t i = 1; i <= count; i++) {
        const uint32_t end = graph->first[i + 1];
        const bool is_array = state->kinds[class_of(job, i)->kind].is_array;
        const uint32_t start = state->kept;
        keep_edges(job, i, from, end, is_array ? names : NULL);
        names = is_array && names ? names + (end - from) : names;
        from = end;
        if (job->marks[i] & ROOTS)
            continue;
        kept++;
        graph->types[kept] = type_of_class(job, class_of(job, i));
        graph->ids[kept] = graph->ids[i];
        graph->sizes[kept] = graph->sizes[i];
        graph->first[kept] = start;
    }
    graph->count = kept;
    graph->first[kept + 1] = state->kept;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        graph->roots.items[i].id = graph->ids[graph->roots.items[i].object];
}

void v8_finish_graph(v8_state *state)
{
    mp_graph *graph = state->graph;
    const size_t count = (size_t)graph->count + 1;
    rebuild job = {.state = state,
                   .graph = graph,
                   .marks = mp_alloc_zero(count, sizeof *job.marks),
                   .stack = mp_alloc(count * sizeof *job.stack)};
    find_root_nodes(&job);
    find_user_objects(&job);
    free(job.stack);
    rebuild_arrays(&job);
    mp_id_index_free(&job.types);
    free(job.removed);
    free(job.marks);
    graph->left_out = state->edges_read - state->kept - graph->dangling;
}

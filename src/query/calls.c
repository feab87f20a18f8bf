#include "query/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/index.h"

/* --- edges of a tree --- */

static bool same_edge(const void *opaque, uint32_t value)
{
    const mp_calls *calls = opaque;
    const mp_call_edge *a = &calls->edges[value], *b = &calls->edges[0];
    return a->caller == b->caller && a->callee == b->callee && a->line == b->line &&
           a->has_line == b->has_line;
}

/* Return the index of the edge that equals edges[0]; add it if it is new. */
static uint32_t edge_put(mp_calls *calls, size_t *capacity, mp_hash_index *index)
{
    const mp_call_edge *wanted = &calls->edges[0];
    uint64_t hash = mp_hash_pair(mp_joined(wanted->caller, wanted->callee), (uint32_t)wanted->line);
    uint32_t *found = mp_hash_index_put(index, hash, same_edge, calls);
    if (!*found) {
        *found = (uint32_t)calls->edge_count;
        mp_call_edge *added = MP_APPEND(calls->edges, calls->edge_count, *capacity);
        *added = calls->edges[0];
    }
    return *found;
}

static void add(mp_call_amount *call_amount, mp_call_amount amount)
{
    call_amount->cost += amount.cost;
    call_amount->objects += amount.objects;
}

static void subtract(mp_call_amount *from, mp_call_amount amount)
{
    from->cost = from->cost > amount.cost ? from->cost - amount.cost
                                          : 0; /* times are rounded and may not add up */
    from->objects -= amount.objects;
}

void mp_calls_of_nodes(mp_calls *calls, const mp_call_node *nodes, uint32_t count)
{
    mp_hash_index index = {0};
    size_t capacity = 0;
    uint32_t *innermost = mp_alloc_zero((size_t)calls->count + 1, sizeof *innermost);
    uint32_t *outer = mp_alloc_zero(count, sizeof *outer);
    uint32_t *depth = mp_alloc_zero(count, sizeof *depth);
    uint32_t *edge = mp_alloc_zero(count, sizeof *edge);
    /* node at each depth of the current path */
    uint32_t *path = mp_alloc_zero((size_t)count + 1, sizeof *path);
    mp_grow(&calls->edges, &capacity, 1, sizeof *calls->edges);
    calls->edge_count = 1; /* edges[0] is the edge to look up */
    for (uint32_t i = 1; i < count; i++) {
        const mp_call_node *node = &nodes[i];
        depth[i] = depth[node->parent] + 1;
        path[depth[i]] = i;
        calls->edges[0] =
            (mp_call_edge){.caller = node->parent ? nodes[node->parent].callable : MP_NO_CALLER,
                           .callee = node->callable,
                           .line = node->line,
                           .has_line = node->has_line};
        edge[i] = edge_put(calls, &capacity, &index);
        uint32_t above = innermost[node->callable];
        while (above && i >= above + nodes[above].span)
            above = outer[above]; /* that call has ended */
        outer[i] = above;
        innermost[node->callable] = i;
        mp_call_edge *call_edge = &calls->edges[edge[i]];
        call_edge->calls += node->calls;
        add(&call_edge->as_callee, node->total);
        if (!above) {
            add(&call_edge->as_caller, node->total);
            continue;
        }
        call_edge->nested += node->calls;
        calls->items[node->callable].recursive = true;
        /* The call is recursive: its cost is also part of the cost of the callee through which the
         * outer call reached it. Subtract it there, so that only the callees of the inner call have
         * it. */
        subtract(&calls->edges[edge[path[depth[above] + 1]]].as_callee, node->total);
    }
    calls->edge_count--;
    memmove(calls->edges, calls->edges + 1, calls->edge_count * sizeof *calls->edges);
    mp_hash_index_free(&index);
    MP_FREE(innermost, outer, depth, edge, path);
}

void mp_calls_free(mp_calls *calls)
{
    free(calls->items);
    free(calls->edges);
    mp_arena_free(&calls->names);
    *calls = (mp_calls){0};
}

/* --- names --- */

/* Ways to match a name, from the strictest to the loosest. */
enum { EXACT, PART, PATTERN, ANY_CASE, WAYS };

/* Return the name "method class" of an inherited method, which is recorded as "method class
 * runtime-class"; NULL for other names. */
static const char *without_runtime_class(mp_arena *arena, const mp_callable *callable,
                                         const mp_model *model)
{
    const char *first = strchr(callable->name, ' '),
               *second = first ? strchr(first + 1, ' ') : NULL;
    if (!second || (model->kind != MP_KIND_RECORDING && !callable->program.i))
        return NULL;
    return mp_arena_copy(arena, callable->name, (size_t)(second - callable->name));
}

static bool is_part(const mp_callable *callable, const mp_model *model, const char *name)
{
    const char *blank = strchr(callable->name, ' ');
    size_t length = strlen(name);
    if (callable->program.i)
        return strcmp(mp_model_text(model, callable->program), name) == 0 ||
               strcmp(mp_model_text(model, callable->method), name) == 0;
    return blank && (strcmp(blank + 1, name) == 0 || ((size_t)(blank - callable->name) == length &&
                                                      memcmp(callable->name, name, length) == 0));
}

static bool fits(mp_arena *arena, const mp_callable *callable, const mp_model *model,
                 const char *name, const char *ending, int way)
{
    unsigned flags =
        MP_GLOB_NO_ESCAPES |
        (way == ANY_CASE ? MP_GLOB_ANY_CASE : 0u); /* backslashes in paths are literal */
    if (way == EXACT)
        return strcmp(callable->name, name) == 0;
    if (way == PART)
        return is_part(callable, model, name);
    const char *defined = without_runtime_class(arena, callable, model);
    return mp_glob_fits(name, callable->name, flags) ||
           mp_glob_fits(ending, callable->name, flags) ||
           (defined && mp_glob_fits(ending, defined, flags));
}

uint32_t *mp_calls_named(const mp_calls *calls, const mp_model *model, const char *name,
                         const bool *wanted, size_t *count)
{
    mp_arena scratch = {0};
    const char *ending = mp_arena_format(&scratch, "*[!A-Za-z0-9_-]%s", name);
    uint32_t *found = mp_alloc(((size_t)calls->count + 1) * sizeof *found);
    *count = 0;
    for (int way = EXACT; way < WAYS && *count == 0; way++)
        for (uint32_t i = 0; i < calls->count; i++)
            if ((!wanted || wanted[i]) &&
                fits(&scratch, &calls->items[i], model, name, ending, way))
                found[(*count)++] = i;
    mp_arena_free(&scratch);
    return found;
}

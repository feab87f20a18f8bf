#include "gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gen_add(gen_sum *sum, int64_t objects, int64_t bytes)
{
    sum->objects += objects;
    sum->bytes += bytes;
}

gen_sum gen_minus(gen_sum sum, gen_sum part)
{
    return (gen_sum){sum.objects - part.objects, sum.bytes - part.bytes};
}

void gen_raise(gen_sum *peak, gen_sum now)
{
    peak->objects = now.objects > peak->objects ? now.objects : peak->objects;
    peak->bytes = now.bytes > peak->bytes ? now.bytes : peak->bytes;
}

void gen_answer_totals(gen_json *json, gen_sum live, gen_sum created, int64_t deleted, gen_sum peak)
{
    gen_json_open(json, "totals", '{');
    gen_json_sum(json, "live", live);
    gen_json_sum(json, "created", created);
    gen_json_number(json, "deleted_objects", deleted);
    gen_json_sum(json, "peak", peak);
}

void gen_answer_snapshot(gen_json *json, int sequence, const char *tag, int64_t time,
                         int64_t created, int64_t deleted, gen_sum live)
{
    gen_json_row(json);
    gen_json_number(json, "sequence", sequence);
    if (tag)
        gen_json_text(json, "tag", tag);
    if (time >= 0)
        gen_json_number(json, "time_us", time);
    gen_json_number(json, "created_objects", created);
    gen_json_number(json, "deleted_objects", deleted);
    gen_json_sum(json, "live", live);
}

/* --- rows --- */

gen_row *gen_row_of(gen_row *rows, size_t *count, const char *key)
{
    size_t i = 0;
    while (i < *count && strcmp(rows[i].key, key))
        i++;
    if (i == *count)
        rows[(*count)++] = (gen_row){.key = key};
    return &rows[i];
}

static int more_first(int64_t left, int64_t right)
{
    return (left < right) - (left > right);
}

static int by_bytes(const void *left, const void *right)
{
    const gen_row *a = left, *b = right;
    int order = more_first(a->live.bytes, b->live.bytes);
    return order ? order : strcmp(a->key, b->key);
}

static int by_change(const void *left, const void *right)
{
    const gen_row *a = left, *b = right;
    int order =
        more_first(llabs(a->live.bytes - a->before.bytes), llabs(b->live.bytes - b->before.bytes));
    return order ? order : strcmp(a->key, b->key);
}

static int by_leak(const void *left, const void *right)
{
    const gen_row *a = left, *b = right;
    int order = more_first(a->live.bytes, b->live.bytes);
    order = order ? order : more_first(a->live.objects, b->live.objects);
    order = order ? order : strcmp(a->key, b->key);
    for (int i = 0; !order && i < a->depth && i < b->depth; i++)
        order = strcmp(a->stack[i], b->stack[i]);
    order = order ? order : a->depth - b->depth;
    return order ? order : a->line - b->line;
}

static void leak(gen_json *json, const gen_row *row, int64_t rank)
{
    gen_json_open(json, NULL, '{');
    gen_json_number(json, "rank", rank);
    gen_json_text(json, "type", row->key);
    if (row->name)
        gen_json_text(json, "name", row->name);
    if (row->inferred) {
        gen_json_text(json, "inferred_type", row->inferred);
        gen_json_ratio(json, "inferred_type_percent", row->inferred_deletions * 100, row->deleted,
                       9);
    }
    gen_json_sum(json, NULL, row->live);
    if (row->created) {
        gen_json_number(json, "created_objects", row->created);
        gen_json_number(json, "deleted_objects", row->deleted);
    }
    gen_json_number(json, "grew_snapshots", row->births);
    gen_json_number(json, "window_snapshots", row->moments);
    gen_json_text(json, "trend",
                  row->births == 1              ? "once"
                  : row->births == row->moments ? "every"
                                                : "repeated");
    gen_json_open(json, "stack", '[');
    for (int i = 0; i < row->depth; i++)
        gen_json_text(json, NULL, row->stack[i]);
    gen_json_close(json);
    if (row->line)
        gen_json_number(json, "line", row->line);
    gen_json_close(json);
}

void gen_answer_leaks(gen_json *json, gen_row *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, by_leak);
    gen_json_open(json, "leaks", '[');
    for (size_t i = 0; i < count && rows[i].live.objects; i++)
        leak(json, &rows[i], (int64_t)i + 1);
    gen_json_close(json);
}

void gen_answer_top(gen_json *json, gen_row *rows, size_t count, bool ranked, bool retained)
{
    qsort(rows, count, sizeof *rows, by_bytes);
    gen_json_open(json, "top", '[');
    for (size_t i = 0; i < count && rows[i].live.objects; i++) {
        gen_json_row(json);
        if (ranked)
            gen_json_number(json, "rank", (int64_t)i + 1);
        gen_json_text(json, "key", rows[i].key);
        gen_json_sum(json, NULL, rows[i].live);
        if (retained)
            gen_json_number(json, "retained_bytes", rows[i].retained);
        gen_json_close(json);
    }
    gen_json_close(json);
}

void gen_answer_growth(gen_json *json, gen_row *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, by_change);
    gen_json_open(json, "growth", '[');
    for (size_t i = 0; i < count; i++) {
        gen_sum from = rows[i].before, total = rows[i].live;
        gen_json_row(json);
        gen_json_text(json, "key", rows[i].key);
        gen_json_number(json, "from_objects", from.objects);
        gen_json_number(json, "to_objects", total.objects);
        gen_json_number(json, "delta_objects", total.objects - from.objects);
        gen_json_number(json, "from_bytes", from.bytes);
        gen_json_number(json, "to_bytes", total.bytes);
        gen_json_number(json, "delta_bytes", total.bytes - from.bytes);
        gen_json_close(json);
    }
    gen_json_close(json);
}

/* --- object graphs --- */

/* Mark the objects that roots reach if no path goes through object `without` (-1 = none) or through
 * objects of `type` (NULL = no type). Return the number of marked objects. */
static size_t walk(const gen_graph_view *view, int64_t without, const char *type,
                   unsigned char *reached, uint32_t *found)
{
    enum { LEFT_OUT = 2 };
    size_t count = 0;
    memset(reached, 0, (size_t)view->count);
    for (int64_t i = 0; i < view->count; i++)
        if (i == without || (type && strcmp(view->object(view->plan, i).type, type) == 0))
            reached[i] = LEFT_OUT;
    for (int64_t i = 0; i < view->count; i++)
        if (!reached[i] && view->object(view->plan, i).strong_root) {
            reached[i] = 1;
            found[count++] = (uint32_t)i;
        }
    for (size_t done = 0; done < count; done++) {
        int64_t object = found[done], references = view->reference_count(view->plan, object);
        for (int64_t i = 0; i < references; i++) {
            int64_t target = view->reference(view->plan, object, i);
            if (target >= 0 && !reached[target]) {
                reached[target] = 1;
                found[count++] = (uint32_t)target;
            }
        }
    }
    for (int64_t i = 0; i < view->count; i++)
        reached[i] = reached[i] == 1;
    return count;
}

/* Find the nearest dominator of each object. An object dominates the objects that can be reached
 * with it but not without it. Each dominator of an object dominates the next one, so the nearest
 * one dominates the fewest objects. */
static void find_dominators(gen_graph *graph, const gen_graph_view *view, size_t total,
                            unsigned char *reached, uint32_t *found)
{
    size_t count = (size_t)view->count;
    size_t *dominated = gen_alloc(count, sizeof *dominated);
    graph->retained = gen_alloc(count, sizeof *graph->retained);
    graph->dominators = gen_alloc(count, sizeof *graph->dominators);
    for (size_t i = 0; i < count; i++)
        graph->dominators[i] = -1;
    for (size_t i = 0; i < count; i++) {
        if (!graph->reached[i])
            continue;
        dominated[i] = total - walk(view, (int64_t)i, NULL, reached, found);
        for (size_t j = 0; j < count; j++) {
            int nearest = graph->dominators[j];
            if (!graph->reached[j] || reached[j])
                continue;
            graph->retained[i] += view->object(view->plan, (int64_t)j).size;
            if (i != j && (nearest < 0 || dominated[i] < dominated[nearest]))
                graph->dominators[j] = (int)i;
        }
    }
    free(dominated);
}

void gen_graph_build(gen_graph *graph, const gen_graph_view *view)
{
    size_t count = (size_t)view->count;
    uint32_t *found = gen_alloc(count, sizeof *found);
    *graph = (gen_graph){.reached = gen_alloc(count, 1)};
    size_t total = walk(view, -1, NULL, graph->reached, found);
    if (count <= GEN_MOST_DOMINATED) {
        unsigned char *reached = gen_alloc(count, 1);
        find_dominators(graph, view, total, reached, found);
        free(reached);
    }
    free(found);
}

int64_t gen_graph_held(const gen_graph *graph, const gen_graph_view *view, const char *type)
{
    unsigned char *reached = gen_alloc((size_t)view->count, 1);
    uint32_t *found = gen_alloc((size_t)view->count, sizeof *found);
    int64_t held = 0;
    walk(view, -1, type, reached, found);
    for (int64_t i = 0; i < view->count; i++)
        held += graph->reached[i] && !reached[i] ? view->object(view->plan, i).size : 0;
    free(reached);
    free(found);
    return held;
}

void gen_graph_free(gen_graph *graph)
{
    free(graph->reached);
    free(graph->retained);
    free(graph->dominators);
}

typedef struct held_object {
    int64_t object, retained;
    uint64_t id;
} held_object;

static int by_retained(const void *left, const void *right)
{
    const held_object *a = left, *b = right;
    int order = more_first(a->retained, b->retained);
    order = order ? order : (a->id > b->id) - (a->id < b->id);
    return order ? order : more_first(b->object, a->object);
}

/* Write the kinds of roots. If there are none, write nothing. */
static void put_kinds(gen_json *json, const gen_graph_view *view, const char *name, unsigned bits)
{
    const char *kinds = NULL;
    for (int kind = 0; bits >> kind; kind++)
        if (bits >> kind & 1)
            kinds = gen_keep("%s%s%s", kinds ? kinds : "", kinds ? "+" : "", view->root_kind(kind));
    if (kinds)
        gen_json_text(json, name, kinds);
}

static const char *id_text(const gen_graph_view *view, uint64_t id)
{
    return view->decimal_ids ? gen_keep("%" PRIu64, id) : gen_keep("%" PRIx64, id);
}

void gen_answer_retained(gen_json *json, const gen_graph *graph, const gen_graph_view *view)
{
    held_object *rows = gen_alloc((size_t)view->count, sizeof *rows);
    size_t count = 0;
    for (int64_t i = 0; i < view->count; i++)
        if (graph->reached[i])
            rows[count++] = (held_object){i, graph->retained[i], view->object(view->plan, i).id};
    qsort(rows, count, sizeof *rows, by_retained);
    gen_json_open(json, "retained", '[');
    for (size_t i = 0; i < count; i++) {
        gen_object object = view->object(view->plan, rows[i].object);
        int dominator = graph->dominators[rows[i].object];
        const char *id = NULL;
        if (dominator >= 0)
            id = id_text(view, view->object(view->plan, dominator).id);
        gen_json_row(json);
        gen_json_number(json, "rank", (int64_t)i + 1);
        gen_json_text(json, "object", id_text(view, object.id));
        gen_json_text(json, "type", object.type);
        gen_json_number(json, "self_bytes", object.size);
        gen_json_number(json, "retained_bytes", rows[i].retained);
        gen_json_text(json, "dominator", id);
        put_kinds(json, view, "root_kind", object.root_kinds);
        put_kinds(json, view, "weak_root_kind", object.weak_root_kinds);
        gen_json_close(json);
    }
    gen_json_close(json);
    free(rows);
}

/* Write the number of roots of each kind that an object has. */
static void answer_roots(gen_json *json, const gen_graph_view *view)
{
    unsigned kinds = 0;
    for (int64_t i = 0; i < view->count; i++)
        kinds |= view->object(view->plan, i).root_kinds;
    gen_json_open(json, "roots", '[');
    for (int kind = 0; kinds >> kind; kind++) {
        int64_t roots = 0;
        for (int64_t i = 0; i < view->count; i++)
            roots += view->object(view->plan, i).root_kinds >> kind & 1;
        gen_json_row(json);
        gen_json_text(json, "kind", view->root_kind(kind));
        gen_json_number(json, "roots", roots);
        gen_json_number(json, "objects", roots);
        gen_json_close(json);
    }
    gen_json_close(json);
}

void gen_answer_graph(gen_json *json, const gen_graph_view *view, int64_t references, int64_t types)
{
    gen_row rows[64] = {{0}};
    size_t count = 0;
    gen_sum live = {0, 0}, reachable = {0, 0};
    gen_graph graph;
    gen_graph_build(&graph, view);
    for (int64_t i = 0; i < view->count; i++) {
        const gen_object object = view->object(view->plan, i);
        gen_add(&live, 1, object.size);
        gen_add(&gen_row_of(rows, &count, object.type)->live, 1, object.size);
        if (graph.reached[i])
            gen_add(&reachable, 1, object.size);
    }
    for (size_t i = 0; i < count; i++)
        rows[i].retained = gen_graph_held(&graph, view, rows[i].key);
    gen_json_open(json, "totals", '{');
    gen_json_sum(json, "live", live);
    gen_json_number(json, "references", references);
    gen_json_sum(json, "reachable", reachable);
    gen_json_sum(json, "unreachable", gen_minus(live, reachable));
    gen_json_number(json, "types", types ? types : (int64_t)count);
    gen_json_close(json);
    answer_roots(json, view);
    gen_answer_top(json, rows, count, true, true);
    gen_answer_retained(json, &graph, view);
    gen_graph_free(&graph);
}

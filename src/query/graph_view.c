/* Views of a graph, and properties of single objects. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/beside.h"
#include "query/graph_query.h"
#include "query/paths.h"

mp_graph_view mp_graph_view_of(const mp_filter *filter)
{
    mp_graph_view view = {.filter = filter,
                          .model = filter->model,
                          .graph = filter->graph,
                          .dominators = mp_dominators_of(filter->graph),
                          .roots = mp_roots_by_object(filter->graph)};
    view.totals = mp_graph_totals_of(view.graph, &view.dominators);
    return view;
}

void mp_graph_view_free(mp_graph_view *view)
{
    mp_beside_end(&view->sharer);
    mp_groups_free(&view->kinds);
    mp_groups_free(&view->statics);
    mp_groups_free(&view->holders);
    mp_histogram_free(&view->types);
    free(view->sharing.items);
    free(view->suspects);
    if (view->distances)
        mp_distances_free(view->distances);
    MP_FREE(view->distances, view->names.items, view->accumulations, view->unknown,
            view->accumulated, view->census, view->static_census);
    mp_object_roots_free(&view->roots);
    mp_dominators_free(&view->dominators);
}

mp_graph_totals mp_graph_totals_of(const mp_graph *graph, const mp_dominators *dominators)
{
    mp_graph_totals totals = {.objects = graph->count,
                              .roots = (int64_t)graph->roots.count - 1,
                              .references = mp_graph_references(graph) + (int64_t)graph->dangling +
                                            (int64_t)graph->left_out,
                              .dangling_references = (int64_t)graph->dangling,
                              .duplicate_objects = (int64_t)graph->duplicates};
    mp_distances reached = {0};
    if (!dominators)
        reached = mp_distances_from(graph, MP_ANY_KIND, 0, NULL);
    for (uint32_t i = 1; i <= graph->count; i++) {
        bool alive = dominators ? mp_is_reached(dominators, i) : reached.above[i] != 0;
        bool lost = !alive && mp_graph_tracks(graph, i);
        int64_t bytes = (int64_t)graph->sizes[i];
        totals.bytes += bytes;
        totals.reachable_objects += alive;
        totals.reachable_bytes += alive ? bytes : 0;
        totals.unreachable_objects += lost;
        totals.unreachable_bytes += lost ? bytes : 0;
    }
    mp_distances_free(&reached);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        totals.roots_without_object += !graph->roots.items[i].object;
    totals.untracked_objects =
        totals.objects - totals.reachable_objects - totals.unreachable_objects;
    totals.untracked_bytes = totals.bytes - totals.reachable_bytes - totals.unreachable_bytes;
    return totals;
}

uint32_t mp_graph_find(const mp_graph *graph, const char *id)
{
    char *end;
    id += *id == '@' && !graph->hexadecimal; /* DevTools write @103 */
    if (!*id || !strchr("0123456789abcdefABCDEF", *id))
        return 0;
    uint64_t number = strtoull(id, &end, graph->hexadecimal ? 16 : 10);
    for (uint32_t i = 1; !*end && i <= graph->count; i++)
        if (graph->ids[i] == number)
            return i;
    return 0;
}

int mp_object_compare(const mp_graph *graph, uint32_t a, uint32_t b)
{
    int order = MP_COMPARE(graph->ids[a], graph->ids[b]);
    return order ? order : MP_COMPARE(a, b);
}

int mp_retained_compare(const mp_graph_view *view, uint32_t a, uint32_t b)
{
    uint64_t bytes_a = view->dominators.retained[a], bytes_b = view->dominators.retained[b];
    int order = MP_COMPARE(bytes_b, bytes_a);
    return order ? order : mp_object_compare(view->graph, a, b);
}

uint32_t mp_domain_of(const mp_graph *graph, uint32_t object)
{
    for (uint32_t i = 1; i < graph->domains.count; i++)
        if (object - graph->domains.items[i].first_object < graph->domains.items[i].objects)
            return i;
    return 0;
}

/* --- texts --- */

const char *mp_object_id_text(mp_arena *arena, const mp_graph *graph, uint32_t object)
{
    if (!object)
        return "";
    return graph->hexadecimal ? mp_arena_format(arena, "%" PRIx64, graph->ids[object])
                              : mp_arena_format(arena, "%" PRIu64, graph->ids[object]);
}

const char *mp_type_text(mp_arena *arena, const mp_model *model, uint32_t type)
{
    return mp_type_label(arena, model, (mp_type_id){type});
}

const char *mp_object_text(mp_arena *arena, const mp_graph_view *view, uint32_t object)
{
    return mp_arena_format(arena, "%s %s",
                           mp_type_text(arena, view->model, view->graph->types[object]),
                           mp_object_id_text(arena, view->graph, object));
}

int mp_type_compare(const mp_model *model, mp_type_id a, mp_type_id b)
{
    mp_arena scratch = {0};
    int order = strcmp(mp_type_label(&scratch, model, a), mp_type_label(&scratch, model, b));
    mp_arena_free(&scratch);
    return order;
}

/* --- names of references --- */

void mp_reference_want(mp_graph_view *view, uint32_t from, uint32_t to)
{
    mp_reference_names *names = &view->names;
    if (!view->diagnostics || !view->graph->names.read || names->are_read)
        return;
    *MP_APPEND(names->items, names->count, names->capacity) =
        (mp_named_reference){.from = view->graph->ids[from], .to = view->graph->ids[to]};
}

void mp_references_read(mp_graph_view *view, mp_arena *texts)
{
    mp_reference_names *names = &view->names;
    const mp_reference_source *source = &view->graph->names;
    size_t count = 0;
    if (names->are_read)
        return;
    names->are_read = true;
    if (!names->count)
        return;
    qsort(names->items, names->count, sizeof *names->items, mp_named_reference_order);
    for (size_t i = 0; i < names->count; i++)
        if (!count || mp_named_reference_order(&names->items[count - 1], &names->items[i]))
            names->items[count++] = names->items[i];
    names->count = count;
    source->read(source->opaque, names->items, count, texts, view->diagnostics);
}

const char *mp_reference_name(const mp_graph_view *view, uint32_t from, uint32_t to)
{
    const mp_named_reference *found = mp_named_reference_find(
        view->names.items, view->names.count, view->graph->ids[from], view->graph->ids[to]);
    return found && found->name && *found->name ? found->name : NULL;
}

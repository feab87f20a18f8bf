#include "query/areas.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"

static int by_names(const void *left, const void *right)
{
    const mp_area *a = left, *b = right;
    int order = strcmp(a->group, b->group);
    return order ? order : strcmp(a->key, b->key);
}

/* Sort the areas, merge those with equal names, and drop empty ones. */
static void settle(mp_areas *areas)
{
    size_t kept = 0;
    if (areas->count)
        qsort(areas->items, areas->count, sizeof *areas->items, by_names);
    for (size_t i = 0; i < areas->count; i++) {
        mp_area *last = kept ? &areas->items[kept - 1] : NULL;
        if (last && by_names(last, &areas->items[i]) == 0) {
            last->amount += areas->items[i].amount;
            last->count += areas->items[i].count;
        } else if (areas->items[i].amount || areas->items[i].count) {
            areas->items[kept++] = areas->items[i];
        }
    }
    areas->count = kept;
}

/* Return the area for a pair of numbers, each from 1; add it if it is new. */
static mp_area *area_of(mp_areas *areas, mp_id_index *index, uint32_t group, uint32_t key)
{
    uint32_t *place = mp_id_index_put(index, (uint64_t)group << 32 | key);
    if (!*place) {
        *MP_APPEND(areas->items, areas->count, areas->capacity) = (mp_area){0};
        *place = (uint32_t)areas->count;
    }
    return &areas->items[*place - 1];
}

/* --- heaps --- */

mp_areas mp_areas_of_heap(const mp_window *window, const mp_dimension *dimension, bool leaked)
{
    const mp_model *model = window->model;
    const mp_dimension *type = mp_dimension_find("type"), *source = mp_dimension_find("source");
    bool by_type = dimension == type && mp_dimension_fits(source, model);
    const mp_grouping *groups = mp_window_groups(window, dimension, 0);
    const mp_grouping *keys = mp_window_groups(window, by_type ? source : type, 0);
    const mp_balance *balances = mp_window_balances(window);
    mp_areas areas = {0};
    mp_id_index index = {0};
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        uint32_t group = groups->group_of[i], key = keys->group_of[i];
        if (!group || !key ||
            (leaked && !mp_window_leaks(window, generation->context, generation->born)))
            continue;
        mp_area *area = area_of(&areas, &index, group, key);
        area->group = groups->groups[group - 1].label;
        area->key = keys->groups[key - 1].label;
        area->amount += balances[i].end.bytes;
        area->count += mp_cost_live(balances[i].end);
    }
    mp_id_index_free(&index);
    settle(&areas);
    return areas;
}

/* --- dumps --- */

static const char *group_label(mp_arena *arena, const char *label, bool by_namespace)
{
    size_t length = by_namespace ? mp_namespace_length(label) : 0;
    return !by_namespace ? label : length ? mp_arena_copy(arena, label, length) : "(none)";
}

/* Add all objects by type. */
static void add_all(mp_areas *areas, const mp_histogram *types, bool by_namespace)
{
    mp_id_index index = {0};
    for (uint32_t i = 0; i < types->count; i++) {
        mp_area *area = area_of(areas, &index, i + 1, i + 1);
        area->key = types->items[i].label;
        area->group = group_label(&areas->labels, area->key, by_namespace);
        area->amount = types->items[i].bytes;
        area->count = types->items[i].objects;
    }
    mp_id_index_free(&index);
}

/* Add the reachable objects to the areas of the objects that retain them. In preorder, the objects
 * that an object retains follow it, up to the next object without a dominator. */
static void add_retained(mp_areas *areas, const mp_graph_view *view, const mp_histogram *types,
                         bool by_namespace)
{
    const mp_dominators *dominators = &view->dominators;
    const uint32_t *group_of = types->groups.group_of;
    mp_id_index index = {0};
    uint32_t end = 0, holder = 0;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], type = view->graph->types[object];
        if (i >= end) {
            end = i + dominators->span[i];
            holder = type;
        }
        if (!group_of[type])
            continue;
        mp_area *area = area_of(areas, &index, holder, group_of[type]);
        if (!area->key) {
            const char *label = mp_type_text(&areas->labels, view->model, holder);
            area->key = types->items[group_of[type] - 1].label;
            area->group = group_label(&areas->labels, label, by_namespace);
        }
        area->amount += (int64_t)view->graph->sizes[object];
        area->count++;
    }
    mp_id_index_free(&index);
}

mp_areas mp_areas_of_graph(mp_graph_view *view, bool by_namespace, bool retained)
{
    const mp_histogram *types = mp_graph_types(view);
    mp_areas areas = {0};
    if (retained)
        add_retained(&areas, view, types, by_namespace);
    else
        add_all(&areas, types, by_namespace);
    settle(&areas);
    return areas;
}

void mp_areas_free(mp_areas *areas)
{
    mp_arena_free(&areas->labels);
    free(areas->items);
    *areas = (mp_areas){0};
}

/* Roots: their kinds, and the objects that each kind keeps alive. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/graph_query.h"

/* --- texts --- */

const char *mp_root_kind_text(mp_arena *arena, const mp_model *model, uint32_t kind)
{
    static const char *const names[] = {"internal", "local",  "finalizer",
                                        "handle",   "static", "runtime"};
    if (kind < sizeof names / sizeof *names)
        return names[kind];
    if (kind == MP_ROOT_UNSPECIFIED)
        return "root";
    return model->names_root_kinds && kind >= MP_ROOT_NAMED
               ? mp_model_text(model, (mp_string_id){kind - MP_ROOT_NAMED})
               : mp_arena_format(arena, "kind %" PRIx32, kind);
}

const char *mp_root_text(mp_arena *arena, const mp_model *model, const mp_root *root)
{
    const char *kind = mp_root_kind_text(arena, model, root->kind);
    const char *name = mp_model_text(model, root->name);
    const char *container = root->container.i ? mp_type_text(arena, model, root->container.i) : "";
    return root->name.i && root->container.i
               ? mp_arena_format(arena, "%s field %s of %s", kind, name, container)
           : root->container.i ? mp_arena_format(arena, "%s in %s", kind, container)
           : root->name.i      ? mp_arena_format(arena, "%s %s", kind, name)
                               : kind;
}

const char *mp_root_flags_text(mp_arena *arena, uint32_t flags)
{
    static const char *const names[] = {"pinned", "weak", "interior", "refcounted"};
    const char *text = "";
    for (uint32_t bit = 0; bit < 4; bit++)
        if (flags >> bit & 1)
            text = mp_arena_format(arena, "%s%s%s", text, *text ? "+" : "", names[bit]);
    if (flags & ~15u)
        text = mp_arena_format(arena, "%s%s0x%" PRIx32, text, *text ? "+" : "", flags & ~15u);
    return text;
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return MP_COMPARE(a, b);
}

/* Store the distinct kinds of an object's roots, in order, and return their number. */
static size_t kinds_of(const mp_graph *graph, const mp_object_roots *roots, uint32_t object,
                       bool weak, uint32_t *kinds)
{
    const mp_root_list its_roots = mp_roots_of(roots, object);
    size_t count = 0, kept = 0;
    for (uint32_t i = 0; i < its_roots.count; i++) {
        const mp_root *root = &graph->roots.items[its_roots.items[i]];
        if (mp_root_is_strong(root) != weak)
            kinds[count++] = root->kind;
    }
    if (count > 1)
        qsort(kinds, count, sizeof *kinds, by_number);
    for (size_t i = 0; i < count; i++)
        if (!i || kinds[i] != kinds[i - 1])
            kinds[kept++] = kinds[i];
    return kept;
}

const char *mp_object_roots_text(mp_arena *arena, const mp_graph_view *view, uint32_t object,
                                 bool weak)
{
    enum { MOST_KINDS = 64 }; /* recorders know about a dozen */
    uint32_t *kinds = mp_alloc((mp_roots_of(&view->roots, object).count + 1) * sizeof *kinds);
    size_t count = kinds_of(view->graph, &view->roots, object, weak, kinds);
    const char *text = count ? mp_root_kind_text(arena, view->model, kinds[0]) : "";
    for (size_t i = 1; i < count && i < MOST_KINDS; i++)
        text =
            mp_arena_format(arena, "%s+%s", text, mp_root_kind_text(arena, view->model, kinds[i]));
    free(kinds);
    return count > MOST_KINDS ? mp_arena_format(arena, "%s+%zu more", text, count - MOST_KINDS)
                              : text;
}

/* --- roots of objects --- */

mp_object_roots mp_roots_by_object(const mp_graph *graph)
{
    const uint32_t words = graph->count / 64 + 1;
    mp_object_roots result = {.objects = mp_alloc_zero(words, sizeof *result.objects),
                              .roots = mp_alloc((size_t)graph->roots.count * sizeof *result.roots)};
    uint32_t rooted = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++) {
        const uint32_t object = graph->roots.items[i].object;
        result.objects[object / 64].bits |= (uint64_t)(object != 0) << object % 64;
    }
    for (uint32_t i = 0; i < words; i++) {
        result.objects[i].before = rooted;
        rooted += mp_bits_set(result.objects[i].bits);
    }
    result.first = mp_alloc_zero((size_t)rooted + 1, sizeof *result.first);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (graph->roots.items[i].object)
            ++*mp_root_range(&result, graph->roots.items[i].object);
    for (uint32_t i = 0; i <= rooted; i++)
        result.first[i] = result.count += result.first[i];
    for (uint32_t i = graph->roots.count; i-- > 1;)
        if (graph->roots.items[i].object)
            result.roots[--*mp_root_range(&result, graph->roots.items[i].object)] = i;
    return result;
}

bool mp_is_rooted(const mp_graph *graph, const mp_object_roots *roots, uint32_t object)
{
    const mp_root_list its_roots = mp_roots_of(roots, object);
    for (uint32_t i = 0; i < its_roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[its_roots.items[i]]))
            return true;
    return false;
}

bool mp_is_global(const mp_graph *graph, const mp_object_roots *roots, uint32_t object)
{
    const mp_root_list its_roots = mp_roots_of(roots, object);
    for (uint32_t i = 0; graph->globals && i < its_roots.count; i++)
        if (graph->roots.items[its_roots.items[i]].kind == graph->globals)
            return true;
    return false;
}

void mp_object_roots_free(mp_object_roots *roots)
{
    MP_FREE(roots->objects, roots->first, roots->roots);
    *roots = (mp_object_roots){0};
}

/* --- objects that only one kind reaches --- */

static void note_largest(uint32_t *largest, const mp_dominators *dominators, uint32_t object)
{
    if (!*largest || dominators->retained[object] > dominators->retained[*largest])
        *largest = object;
}

/* Count the roots of each kind. The group of a root is 1 + the index of its kind in the census. */
static void count_roots(mp_graph_view *view)
{
    mp_id_index kinds = {0}; /* 1 + the index in the census, by kind */
    size_t capacity = 0;
    for (uint32_t i = 1; i < view->graph->roots.count; i++) {
        const mp_root *root = &view->graph->roots.items[i];
        uint32_t *place = mp_id_index_put(&kinds, root->kind);
        if (!*place) {
            *MP_APPEND(view->census, view->census_count, capacity) =
                (mp_root_census){.kind = root->kind};
            *place = (uint32_t)view->census_count;
        }
        assert(view->census);
        mp_root_census *census = &view->census[*place - 1];
        view->kinds.group_of[i] = *place;
        census->roots++;
        census->weak += (root->flags & MP_ROOT_WEAK) != 0;
        census->pinned += (root->flags & MP_ROOT_PINNED) != 0;
        census->interior += (root->flags & MP_ROOT_INTERIOR) != 0;
    }
    mp_id_index_free(&kinds);
}

/* Count the objects of each kind once, even if they have several roots of the kind. */
static void count_objects(mp_graph_view *view)
{
    const mp_graph *graph = view->graph;
    uint32_t *seen = mp_alloc_zero(view->census_count + 1, sizeof *seen);
    for (uint32_t i = 0; i < view->roots.count; i++) { /* those of an object are together */
        const uint32_t root = view->roots.roots[i], kind = view->kinds.group_of[root];
        const uint32_t object = graph->roots.items[root].object;
        if (seen[kind] == object)
            continue;
        seen[kind] = object;
        view->census[kind - 1].objects++;
        view->census[kind - 1].bytes += (int64_t)graph->sizes[object];
    }
    free(seen);
}

static int most_held_first(const void *left, const void *right)
{
    const mp_root_census *a = left, *b = right;
    int order = MP_COMPARE(b->exclusive_bytes, a->exclusive_bytes);
    return order ? order : MP_COMPARE(a->kind, b->kind);
}

/* --- static fields --- */

static int by_container(const void *left, const void *right, void *graph_)
{
    const mp_graph *graph = graph_;
    const mp_root *a = &graph->roots.items[*(const uint32_t *)left];
    const mp_root *b = &graph->roots.items[*(const uint32_t *)right];
    int order = MP_COMPARE(a->container.i, b->container.i);
    return order ? order : MP_COMPARE(a->object, b->object);
}

/* Count the static roots of each declaring type. Their objects are a group. The retained sizes of
 * its single objects give a lower bound for the group. */
static void count_statics(mp_graph_view *view)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    mp_groups *groups = &view->statics;
    uint32_t *statics = mp_alloc((size_t)graph->roots.count * sizeof *statics), total = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (graph->roots.items[i].kind == MP_ROOT_STATIC)
            statics[total++] = i;
    qsort_r(statics, total, sizeof *statics, by_container, (void *)(uintptr_t)graph);
    *groups = (mp_groups){.kind = MP_GROUPS_OF_ROOTED,
                          .members = graph->roots.count,
                          .group_of = mp_alloc_zero(graph->roots.count, sizeof *groups->group_of),
                          .items = mp_alloc_zero(total + 1, sizeof *groups->items)};
    view->static_census = mp_alloc_zero(total + 1, sizeof *view->static_census);
    uint32_t objects = 0; /* number of distinct objects of the group */
    for (uint32_t i = 0; i < total; i++) {
        const mp_root *root = &graph->roots.items[statics[i]];
        bool first = !i || graph->roots.items[statics[i - 1]].container.i != root->container.i;
        groups->count += first;
        objects = first ? 0 : objects;
        groups->group_of[statics[i]] = groups->count;
        mp_static_census *census = &view->static_census[groups->count - 1];
        census->group = groups->count - 1;
        mp_joint *joint = &groups->items[groups->count - 1];
        census->container = root->container;
        census->roots++;
        if (root->object && (first || root->object != graph->roots.items[statics[i - 1]].object)) {
            objects++;
            if (dominators->idom[root->object] == 0) /* not below another object */
                joint->bytes += (int64_t)dominators->retained[root->object];
            note_largest(&census->largest, dominators, root->object);
        }
        joint->exact = !objects || (objects == 1 && dominators->idom[root->object] == 0);
    }
    free(statics);
}

/* Create those parts of the census that need no pass over the graph. */
void mp_graph_count_roots(mp_graph_view *view)
{
    if (view->kinds.items)
        return;
    count_statics(view);
    view->kinds = (mp_groups){
        .kind = MP_GROUPS_OF_ROOTS,
        .members = view->graph->roots.count,
        .group_of = mp_alloc_zero(view->graph->roots.count, sizeof *view->kinds.group_of)};
    count_roots(view);
    count_objects(view);
    view->kinds.count = (uint32_t)view->census_count;
    view->kinds.items = mp_alloc_zero(view->census_count + 1, sizeof *view->kinds.items);
}

const mp_root_census *mp_graph_census(mp_graph_view *view, size_t *count)
{
    if (!view->has_census) {
        mp_graph_count_roots(view);
        /* Recorders know about a dozen kinds. If a file has more than MOST_KINDS, the exclusive
         * sizes of the others are not computed, because each batch of kinds needs a pass. */
        enum { MOST_KINDS = 1000 };
        uint32_t asked = view->kinds.count < MOST_KINDS ? view->kinds.count : MOST_KINDS;
        mp_groups_settle(view, &view->kinds, NULL, asked, 0, 0);
        for (uint32_t i = 0; i < view->kinds.count; i++) {
            bool known = i < asked || view->kinds.items[i].exact;
            view->census[i].exclusive_objects = known ? view->kinds.items[i].objects : -1;
            view->census[i].exclusive_bytes = known ? view->kinds.items[i].bytes : -1;
            view->census[i].largest = view->kinds.items[i].largest;
        }
        if (view->census)
            qsort(view->census, view->census_count, sizeof *view->census, most_held_first);
        view->has_census = true;
    }
    *count = view->census_count;
    return view->census;
}

static int by_static_bytes(const void *left, const void *right, void *model)
{
    const mp_static_census *a = left, *b = right;
    int order = MP_COMPARE(b->retained_bytes, a->retained_bytes);
    order = order ? order : mp_type_compare(model, a->container, b->container);
    return order ? order : MP_COMPARE(a->container.i, b->container.i);
}

const mp_static_census *mp_graph_statics(mp_graph_view *view, size_t most, size_t *count)
{
    mp_graph_count_roots(view);
    mp_groups_settle(view, &view->statics, NULL, view->statics.count, most, 0);
    for (uint32_t i = 0; i < view->statics.count; i++)
        view->static_census[i].retained_bytes =
            view->statics.items[view->static_census[i].group].bytes;
    qsort_r(view->static_census, view->statics.count, sizeof *view->static_census, by_static_bytes,
            (void *)(uintptr_t)view->model);
    *count = view->statics.count;
    return view->static_census;
}

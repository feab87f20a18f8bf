/* Construction of an object graph. While the file is read, references are stored as the ids that it
 * contains, 8 bytes each. At the end they are resolved in place, to 4 bytes each. */
#include "model/graph_builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/beside.h"
#include "model/build.h"
#include "model/id_table.h"

enum {
    BATCH = 64,            /* number of references resolved together, after prefetching */
    LARGE = 1 << 16,       /* number of references from which on two threads resolve them */
    DUPLICATE = INT32_MAX, /* value stored instead of a type */
};

struct mp_graph_builder {
    mp_model *model;
    mp_graph *graph;
    size_t ids_capacity, sizes_capacity, types_capacity, first_capacity;
    uint64_t *references; /* ids, in file order */
    size_t reference_count, reference_capacity;
    uint32_t *root_domains; /* domain of each root in graph->roots */
    size_t root_domain_capacity;
    /* Indexed by domain; the objects of a domain are consecutive. Table 0 has the objects of all
     * domains, in order. It is empty if there is only one domain. */
    mp_id_table *tables;
    bool too_many;
};

mp_graph_builder *mp_graph_begin(mp_model *model, mp_snapshot_id snapshot)
{
    mp_graph_builder *builder = mp_alloc_zero(1, sizeof *builder);
    builder->model = model;
    builder->graph = mp_alloc_zero(1, sizeof *builder->graph);
    builder->graph->snapshot = snapshot;
    (void)MP_ADD(&builder->graph->roots);
    (void)MP_ADD(&builder->graph->domains);
    return builder;
}

void mp_graph_domain(mp_graph_builder *builder, mp_string_id name)
{
    mp_domain *domain = MP_ADD(&builder->graph->domains);
    domain->name = name;
    domain->first_object = builder->graph->count + 1;
}

bool mp_graph_object(mp_graph_builder *builder, uint64_t id, mp_type_id type, uint64_t bytes)
{
    mp_graph *graph = builder->graph;
    builder->too_many |= graph->count >= INT32_MAX - 2;
    if (bytes > INT64_MAX || !mp_budget_take(&builder->model->private->spent, (int64_t)bytes))
        return false;
    if (builder->too_many)
        return true;
    size_t index = ++graph->count;
    mp_grow(&graph->ids, &builder->ids_capacity, index + 1, sizeof *graph->ids);
    mp_grow(&graph->sizes, &builder->sizes_capacity, index + 1, sizeof *graph->sizes);
    mp_grow(&graph->types, &builder->types_capacity, index + 1, sizeof *graph->types);
    mp_grow(&graph->first, &builder->first_capacity, index + 2, sizeof *graph->first);
    graph->ids[index] = id;
    graph->sizes[index] = bytes;
    graph->types[index] = type.i;
    graph->first[index] = (uint32_t)builder->reference_count;
    graph->domains.items[graph->domains.count - 1].objects++;
    return true;
}

void mp_graph_reference(mp_graph_builder *builder, uint64_t id)
{
    mp_graph_refer(builder, &id, 1);
}

void mp_graph_refer(mp_graph_builder *builder, const uint64_t *ids, size_t count)
{
    builder->too_many |= builder->reference_count + count >= UINT32_MAX;
    if (builder->too_many)
        return;
    mp_grow(&builder->references, &builder->reference_capacity, builder->reference_count + count,
            sizeof *builder->references);
    for (size_t i = 0; i < count; i++)
        builder->references[builder->reference_count + i] = ids[i];
    builder->reference_count += count;
}

void mp_graph_root(mp_graph_builder *builder, const mp_root *root)
{
    mp_graph *graph = builder->graph;
    *MP_ADD(&graph->roots) = *root;
    mp_grow(&builder->root_domains, &builder->root_domain_capacity, graph->roots.count,
            sizeof *builder->root_domains);
    builder->root_domains[graph->roots.count - 1] = graph->domains.count - 1;
}

/* --- tables of ids --- */

/* Look up an id in its own domain, then in all domains at once. */
static uint32_t find(const mp_graph_builder *builder, uint32_t domain, uint64_t id)
{
    uint32_t found = mp_id_find(&builder->tables[domain], id);
    return found ? found : mp_id_find(&builder->tables[0], id);
}

static void free_tables(mp_graph_builder *builder)
{
    for (uint32_t i = 0; builder->tables && i < builder->graph->domains.count; i++)
        mp_id_table_free(&builder->tables[i]);
    free(builder->tables);
    builder->tables = NULL;
}

/* Build the tables. Return the number of objects whose id an earlier object of their domain has. */
static uint32_t make_tables(mp_graph_builder *builder)
{
    const mp_graph *graph = builder->graph;
    uint32_t duplicates = 0, inhabited = 0;
    builder->tables = mp_alloc_zero(graph->domains.count, sizeof *builder->tables);
    for (uint32_t i = 1; i < graph->domains.count; i++) {
        const mp_domain *domain = &graph->domains.items[i];
        duplicates += mp_id_table_make(&builder->tables[i], graph->ids, domain->first_object,
                                       domain->objects);
        inhabited += domain->objects > 0;
    }
    if (!duplicates && graph->domains.count > 2 && inhabited)
        (void)mp_id_table_make(&builder->tables[0], graph->ids, 1, graph->count);
    return duplicates;
}

/* --- resolution --- */

static uint32_t references_end(const mp_graph_builder *builder, uint32_t object)
{
    return object < builder->graph->count ? builder->graph->first[object + 1]
                                          : (uint32_t)builder->reference_count;
}

static void mark_duplicates(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    for (uint32_t d = 1; d < graph->domains.count; d++) {
        const mp_domain *domain = &graph->domains.items[d];
        for (uint32_t i = domain->first_object; i < domain->first_object + domain->objects; i++)
            if (mp_id_find(&builder->tables[d], graph->ids[i]) != i)
                graph->types[i] = DUPLICATE;
    }
}

/* Remove duplicates from the arrays of objects and references. */
static void close_gaps(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    uint32_t kept = 0, domain = 1;
    size_t references = 0;
    uint32_t count = graph->count, domain_end = 0;
    for (uint32_t i = 1; i <= count; i++) {
        while (i >= domain_end) { /* advance to the next domain that has objects */
            mp_domain *state = &graph->domains.items[domain++];
            domain_end = state->first_object + state->objects;
            state->first_object = kept + 1;
            state->objects = 0;
        }
        uint32_t from = graph->first[i], end = references_end(builder, i);
        if (graph->types[i] == DUPLICATE)
            continue;
        kept++;
        graph->domains.items[domain - 1].objects++;
        graph->ids[kept] = graph->ids[i];
        graph->sizes[kept] = graph->sizes[i];
        graph->types[kept] = graph->types[i];
        graph->first[kept] = (uint32_t)references;
        if (end > from)
            memmove(builder->references + references, builder->references + from,
                    (end - from) * sizeof *builder->references);
        references += end - from;
    }
    for (; domain < graph->domains.count; domain++)
        graph->domains.items[domain].first_object = kept + 1;
    graph->count = kept;
    builder->reference_count = references;
}

/* A reference that is being resolved. */
typedef struct lookup {
    uint64_t id;
    uint32_t domain, object; /* object that has the reference */
} lookup;

/* The references of consecutive objects, and the position in a walk over them: the next reference
 * has number `done`, and belongs to `object`. */
typedef struct section {
    mp_graph_builder *builder;
    size_t start, done, end; /* numbers of references */
    uint32_t object, domain;
    uint32_t begun, last; /* objects whose `first` is set, and the last one whose is to be set */
    uint32_t *packed, kept;
    uint64_t dangling;
} section;

static size_t next_batch(section *walk, lookup *batch)
{
    mp_graph_builder *builder = walk->builder;
    const mp_domain *domains = builder->graph->domains.items;
    size_t size = 0;
    for (; size < BATCH && walk->done < walk->end; size++, walk->done++) {
        while (references_end(builder, walk->object) <= walk->done)
            walk->object++;
        while (walk->object >= domains[walk->domain].first_object + domains[walk->domain].objects)
            walk->domain++;
        batch[size] = (lookup){builder->references[walk->done], walk->domain, walk->object};
        mp_id_fetch(&builder->tables[walk->domain], batch[size].id);
    }
    for (size_t i = 0; i < size; i++)
        mp_id_fetch_on(&builder->tables[batch[i].domain], batch[i].id);
    return size;
}

/* Resolve the references of a section. The ones that are found are stored at its start in the array
 * of ids. They never overwrite an id that is still to be read. `first` counts from its start. */
static void resolve_section(void *asked)
{
    section *walk = asked;
    mp_graph *graph = walk->builder->graph;
    lookup batch[BATCH];
    walk->packed = (uint32_t *)(void *)(walk->builder->references + walk->start);
    for (size_t size; (size = next_batch(walk, batch)) > 0;)
        for (size_t i = 0; i < size; i++) {
            while (walk->begun < batch[i].object)
                graph->first[++walk->begun] = walk->kept;
            uint32_t found = find(walk->builder, batch[i].domain, batch[i].id);
            walk->dangling += !found;
            assert(walk->kept < walk->done - walk->start && found <= graph->count);
            if (found)
                walk->packed[walk->kept++] = found;
        }
    while (walk->begun < walk->last)
        graph->first[++walk->begun] = walk->kept;
}

/* Resolve all references. If there are many, a second thread resolves those of the second half of
 * the objects, which are then moved to those of the first. */
static void resolve_references(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    mp_grow(&graph->first, &builder->first_capacity, (size_t)graph->count + 2,
            sizeof *graph->first);
    mp_grow(&builder->references, &builder->reference_capacity, 1, sizeof *builder->references);
    graph->first[graph->count + 1] = (uint32_t)builder->reference_count;
    const uint32_t middle =
        builder->reference_count < LARGE ? graph->count + 1 : graph->count / 2 + 1;
    const size_t from = graph->first[middle], end = builder->reference_count;
    section lower = {.builder = builder, .end = from, .object = 1, .domain = 1, .last = middle};
    section upper = {.builder = builder,
                     .start = from,
                     .done = from,
                     .end = end,
                     .object = middle,
                     .domain = 1,
                     .begun = middle,
                     .last = graph->count + 1};
    mp_beside *beside = middle <= graph->count ? mp_beside_begin(resolve_section, &upper) : NULL;
    resolve_section(&lower);
    mp_beside_end(&beside);
    if (upper.kept)
        memmove(lower.packed + lower.kept, builder->references + from,
                upper.kept * sizeof *upper.packed);
    for (uint32_t i = middle + 1; i <= graph->count + 1; i++)
        graph->first[i] += lower.kept;
    graph->dangling = lower.dangling + upper.dangling;
    graph->targets = lower.packed;
    builder->references = NULL;
}

static void resolve_roots(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        graph->roots.items[i].object =
            find(builder, builder->root_domains[i], graph->roots.items[i].id);
}

/* Release the unused capacity of an array that grew by doubling. */
static void *shrunk(void *array, size_t bytes)
{
    void *smaller = realloc(array, bytes ? bytes : 1);
    if (!smaller)
        return array;
    return smaller;
}

static void shrink(mp_graph *graph)
{
    size_t objects = (size_t)graph->count + 1;
    graph->ids = shrunk(graph->ids, objects * sizeof *graph->ids);
    graph->sizes = shrunk(graph->sizes, objects * sizeof *graph->sizes);
    graph->types = shrunk(graph->types, objects * sizeof *graph->types);
    graph->first = shrunk(graph->first, (objects + 1) * sizeof *graph->first);
    graph->targets = shrunk(graph->targets, mp_graph_references(graph) * sizeof *graph->targets);
}

static void builder_free(mp_graph_builder *builder)
{
    free_tables(builder);
    MP_FREE(builder->references, builder->root_domains, builder);
}

void mp_graph_drop(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    builder_free(builder);
    mp_graph_free(graph);
}

bool mp_graph_end(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    mp_model *model = builder->model;
    if (builder->too_many) {
        mp_graph_drop(builder);
        return false;
    }
    graph->duplicates = make_tables(builder);
    if (graph->duplicates) {
        mark_duplicates(builder);
        free_tables(builder);
        close_gaps(builder);
        (void)make_tables(builder);
    }
    resolve_references(builder);
    resolve_roots(builder);
    builder_free(builder);
    mp_model_take_graph(model, graph);
    return true;
}

int mp_named_reference_order(const void *left, const void *right)
{
    const mp_named_reference *a = left, *b = right;
    int order = MP_COMPARE(a->from, b->from);
    return order ? order : MP_COMPARE(a->to, b->to);
}

mp_named_reference *mp_named_reference_find(mp_named_reference *references, size_t count,
                                            uint64_t from, uint64_t to)
{
    const mp_named_reference wanted = {.from = from, .to = to};
    return count ? bsearch(&wanted, references, count, sizeof wanted, mp_named_reference_order)
                 : NULL;
}

void mp_graph_free(mp_graph *graph)
{
    if (!graph)
        return;
    if (graph->names.release)
        graph->names.release(graph->names.opaque);
    MP_FREE(graph->untracked, graph->ids, graph->sizes, graph->types, graph->first, graph->targets,
            graph->roots.items, graph->domains.items, graph);
}

/* --- roots by kind --- */

/* A root, with the properties by which roots are counted. */
typedef struct counted {
    uint32_t kind, object;
} counted;

static int by_kind(const void *left, const void *right)
{
    const counted *a = left, *b = right;
    int order = MP_COMPARE(a->kind, b->kind);
    return order ? order : MP_COMPARE(a->object, b->object);
}

void mp_model_count_roots(mp_model *model, const mp_graph *graph)
{
    size_t count = graph->roots.count - 1;
    counted *roots = mp_alloc((count + 1) * sizeof *roots);
    mp_root_count *kind = NULL;
    for (size_t i = 0; i < count; i++)
        roots[i] = (counted){graph->roots.items[i + 1].kind, graph->roots.items[i + 1].object};
    qsort(roots, count, sizeof *roots, by_kind);
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || roots[i].kind != roots[i - 1].kind;
        if (first) {
            kind = MP_ADD(&model->root_counts);
            kind->snapshot = graph->snapshot;
            kind->kind = roots[i].kind;
        }
        kind->roots++;
        kind->objects += roots[i].object && (first || roots[i].object != roots[i - 1].object);
    }
    free(roots);
}

/* --- the graph of a model --- */

void mp_model_take_graph(mp_model *model, mp_graph *graph)
{
    shrink(graph);
    if (model->graph && model->leave && mp_holds_dumps(model->holds))
        model->leave(model);
    mp_graph_free(model->graph);
    model->graph = graph;
    model->holds |= MP_HOLDS_GRAPH;
    mp_model_count_roots(model, graph);
}

uint32_t mp_root_kind_named(mp_model *model, mp_slice name)
{
    const mp_string_id id = mp_model_intern(model, name);
    model->names_root_kinds = true;
    return id.i < MP_ROOT_NAMED ? MP_ROOT_NAMED | id.i : MP_ROOT_UNSPECIFIED;
}

/* --- the ledger of dumps --- */

typedef struct mp_type_count {
    int64_t objects, bytes;
} mp_type_count;

static mp_type_count *count_types(const mp_model *model)
{
    const mp_graph *graph = model->graph;
    mp_type_count *now = mp_alloc_zero(model->types.count, sizeof *now);
    for (uint32_t i = 1; i <= graph->count; i++) {
        now[graph->types[i]].objects++;
        now[graph->types[i]].bytes += (int64_t)graph->sizes[i];
    }
    return now;
}

/* Enter the change of a type. Dumps do not record which objects were created and deleted, so only
 * the difference is stored (mp_cost.found). */
static void enter_type(mp_type_counts *counts, uint32_t type, mp_type_count change)
{
    mp_model *model = counts->model;
    mp_snapshot_id snapshot = model->graph->snapshot;
    mp_context key = {.type = {type}, .session = model->snapshots.items[snapshot.i].session};
    mp_generation_id generation = mp_model_generation(
        model, &(mp_generation){.context = mp_model_context(model, &key), .born = counts->first});
    mp_cost *cost = mp_model_delta(model, generation, snapshot);
    cost->found += change.objects;
    cost->bytes += change.bytes;
}

mp_snapshot *mp_type_counts_enter(mp_type_counts *counts)
{
    mp_model *model = counts->model;
    mp_type_count *now = count_types(model);
    mp_tally tally = {0};
    if (!counts->first.i)
        counts->first = model->graph->snapshot;
    MP_EXTEND(counts->before, counts->count, counts->capacity, model->types.count);
    for (uint32_t i = 0; i < model->types.count; i++) {
        mp_type_count change = {now[i].objects - counts->before[i].objects,
                                now[i].bytes - counts->before[i].bytes};
        tally.live_objects += now[i].objects;
        tally.live_bytes += now[i].bytes;
        if (change.objects || change.bytes)
            enter_type(counts, i, change);
        counts->before[i] = now[i];
    }
    free(now);
    model->holds |= MP_HOLDS_LEDGER;
    return mp_model_end_snapshot(model, model->graph->snapshot, &tally);
}

void mp_type_counts_free(mp_type_counts *counts)
{
    free(counts->before);
    *counts = (mp_type_counts){0};
}

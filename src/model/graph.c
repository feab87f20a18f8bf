/* Building an object graph. References are kept as the file has them until the end, then looked up
 * and packed in place: 8 bytes each while the file is read, 4 afterwards.
 *
 * Objects of a domain lie together, so its ids are one table. Where they are dense, which recorders
 * that number by address see to, that is a set of bits and a count for each 64 of them: an id is
 * found by counting the bits before its own. Else it is a hash table. */
#include "model/graph.h"

#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/private.h"
#include "support/index.h"

enum {
    SPARSE = 64, /* ids in the range for each object, from where on a hash table is better */
    BATCH = 64,  /* references that are looked up together, their places fetched first */
    DUPLICATE = INT32_MAX, /* in place of a type */
};

/* From the ids of one domain to its objects. */
typedef struct id_table {
    uint64_t least, range; /* range: largest - least + 1 */
    uint64_t *bits;        /* NULL: a hash table */
    uint32_t *before;      /* set bits before each word of them */
    uint32_t *by_rank;     /* object of the n-th set bit; NULL: they are in order */
    uint32_t *places;      /* of the hash table: objects; 0: empty */
    size_t mask;
} id_table;

struct mp_graph_builder {
    mp_model *model;
    mp_graph *graph;
    size_t ids_capacity, sizes_capacity, types_capacity, first_capacity;
    uint64_t *references; /* as in the file */
    size_t reference_count, reference_capacity;
    uint32_t *root_domains; /* of graph->roots */
    size_t root_domain_capacity;
    id_table *tables; /* by domain */
    uint64_t seed;
    bool too_many;
};

mp_graph_builder *mp_graph_begin(mp_model *model, mp_mark_id mark)
{
    mp_graph_builder *builder = mp_alloc_zero(1, sizeof *builder);
    builder->model = model;
    builder->graph = mp_alloc_zero(1, sizeof *builder->graph);
    builder->graph->mark = mark;
    (void)MP_ADD(&builder->graph->roots);
    (void)MP_ADD(&builder->graph->domains);
    builder->seed = mp_random_seed();
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
    size_t at = ++graph->count;
    mp_grow(&graph->ids, &builder->ids_capacity, at + 1, sizeof *graph->ids);
    mp_grow(&graph->sizes, &builder->sizes_capacity, at + 1, sizeof *graph->sizes);
    mp_grow(&graph->types, &builder->types_capacity, at + 1, sizeof *graph->types);
    mp_grow(&graph->first, &builder->first_capacity, at + 2, sizeof *graph->first);
    graph->ids[at] = id;
    graph->sizes[at] = bytes;
    graph->types[at] = type.i;
    graph->first[at] = (uint32_t)builder->reference_count;
    graph->domains.at[graph->domains.count - 1].objects++;
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

static uint32_t bits_before(const id_table *table, uint64_t offset)
{
    uint64_t word = offset / 64;
    uint64_t below = table->bits[word] & (((uint64_t)1 << offset % 64) - 1);
    return table->before[word] + (uint32_t)__builtin_popcountll(below);
}

static size_t home_of(const mp_graph_builder *builder, const id_table *table, uint64_t id)
{
    return (size_t)mp_hash64(id ^ builder->seed) & table->mask;
}

static uint32_t find_sparse(const mp_graph_builder *builder, const id_table *table, uint64_t id)
{
    size_t at = home_of(builder, table, id);
    while (table->places[at] && builder->graph->ids[table->places[at]] != id)
        at = (at + 1) & table->mask;
    return table->places[at];
}

static uint32_t find_in(const mp_graph_builder *builder, uint32_t domain, uint64_t id)
{
    const id_table *table = &builder->tables[domain];
    const mp_domain *at = &builder->graph->domains.at[domain];
    if (!at->objects)
        return 0;
    if (!table->bits)
        return find_sparse(builder, table, id);
    uint64_t offset = id - table->least;
    if (offset >= table->range || !(table->bits[offset / 64] >> offset % 64 & 1))
        return 0;
    uint32_t rank = bits_before(table, offset);
    return table->by_rank ? table->by_rank[rank] : at->first_object + rank;
}

static void prefetch_in(const mp_graph_builder *builder, uint32_t domain, uint64_t id)
{
    const id_table *table = &builder->tables[domain];
    uint64_t offset = id - table->least;
    if (!table->bits && table->places)
        __builtin_prefetch(&table->places[home_of(builder, table, id)]);
    else if (table->bits && offset < table->range)
        __builtin_prefetch(&table->bits[offset / 64]);
}

/* A domain's own ids first, then those of the others in order. */
static uint32_t find(const mp_graph_builder *builder, uint32_t domain, uint64_t id)
{
    uint32_t found = find_in(builder, domain, id);
    for (uint32_t i = 1; !found && i < builder->graph->domains.count; i++)
        if (i != domain)
            found = find_in(builder, i, id);
    return found;
}

static void count_bits(id_table *table)
{
    uint64_t words = table->range / 64 + 1;
    uint32_t count = 0;
    table->before = mp_alloc(words * sizeof *table->before);
    for (uint64_t i = 0; i < words; i++) {
        table->before[i] = count;
        count += (uint32_t)__builtin_popcountll(table->bits[i]);
    }
}

/* Whether each id is larger than the one before; also finds the least and the range. */
static bool is_ascending(const mp_graph *graph, const mp_domain *domain, id_table *table)
{
    const uint64_t *ids = graph->ids + domain->first_object;
    uint64_t least = ids[0], most = ids[0];
    bool ascending = true;
    for (uint32_t i = 1; i < domain->objects; i++) {
        ascending &= ids[i] > ids[i - 1];
        least = ids[i] < least ? ids[i] : least;
        most = ids[i] > most ? ids[i] : most;
    }
    table->least = least;
    table->range = most - least + 1; /* 0: all of 64 bits */
    return ascending;
}

/* Mark an object that is there already; its references go with it. */
static void drop_object(mp_graph_builder *builder, uint32_t object)
{
    builder->graph->types[object] = DUPLICATE;
    builder->graph->duplicates++;
}

static void fill_bits(mp_graph_builder *builder, const mp_domain *domain, id_table *table,
                      bool ascending)
{
    const mp_graph *graph = builder->graph;
    uint32_t end = domain->first_object + domain->objects;
    table->bits = mp_alloc_zero(table->range / 64 + 1, sizeof *table->bits);
    for (uint32_t i = domain->first_object; i < end; i++) {
        uint64_t offset = graph->ids[i] - table->least;
        uint64_t bit = (uint64_t)1 << offset % 64;
        if (table->bits[offset / 64] & bit)
            drop_object(builder, i);
        table->bits[offset / 64] |= bit;
    }
    count_bits(table);
    if (ascending)
        return;
    table->by_rank = mp_alloc_zero(domain->objects, sizeof *table->by_rank);
    for (uint32_t i = domain->first_object; i < end; i++)
        if (graph->types[i] != DUPLICATE)
            table->by_rank[bits_before(table, graph->ids[i] - table->least)] = i;
}

static void fill_places(mp_graph_builder *builder, const mp_domain *domain, id_table *table)
{
    const mp_graph *graph = builder->graph;
    uint32_t end = domain->first_object + domain->objects;
    size_t places = 16;
    while (places < (size_t)domain->objects * 2)
        places *= 2;
    table->places = mp_alloc_zero(places, sizeof *table->places);
    table->mask = places - 1;
    for (uint32_t i = domain->first_object; i < end; i++) {
        if (i + BATCH / 2 < end)
            prefetch_in(builder, (uint32_t)(table - builder->tables), graph->ids[i + BATCH / 2]);
        size_t at = home_of(builder, table, graph->ids[i]);
        while (table->places[at] && graph->ids[table->places[at]] != graph->ids[i])
            at = (at + 1) & table->mask;
        if (table->places[at])
            drop_object(builder, i);
        else
            table->places[at] = i;
    }
}

static void free_tables(mp_graph_builder *builder)
{
    for (uint32_t i = 0; builder->tables && i < builder->graph->domains.count; i++) {
        free(builder->tables[i].bits);
        free(builder->tables[i].before);
        free(builder->tables[i].by_rank);
        free(builder->tables[i].places);
    }
    free(builder->tables);
    builder->tables = NULL;
}

static void make_tables(mp_graph_builder *builder)
{
    const mp_graph *graph = builder->graph;
    builder->tables = mp_alloc_zero(graph->domains.count, sizeof *builder->tables);
    for (uint32_t i = 1; i < graph->domains.count; i++) {
        const mp_domain *domain = &graph->domains.at[i];
        id_table *table = &builder->tables[i];
        if (!domain->objects)
            continue;
        bool ascending = is_ascending(graph, domain, table);
        if (table->range && table->range / SPARSE <= domain->objects)
            fill_bits(builder, domain, table, ascending);
        else
            fill_places(builder, domain, table);
    }
}

/* --- the end --- */

static uint32_t references_end(const mp_graph_builder *builder, uint32_t object)
{
    return object < builder->graph->count ? builder->graph->first[object + 1]
                                          : (uint32_t)builder->reference_count;
}

/* Close the gaps of duplicates, in objects and references. */
static void close_gaps(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    uint32_t kept = 0, domain = 1;
    size_t references = 0;
    uint32_t count = graph->count, domain_end = 0;
    for (uint32_t i = 1; i <= count; i++) {
        while (i >= domain_end) { /* the next domain that has objects */
            mp_domain *at = &graph->domains.at[domain++];
            domain_end = at->first_object + at->objects;
            at->first_object = kept + 1;
            at->objects = 0;
        }
        uint32_t from = graph->first[i], end = references_end(builder, i);
        if (graph->types[i] == DUPLICATE)
            continue;
        kept++;
        graph->domains.at[domain - 1].objects++;
        graph->ids[kept] = graph->ids[i];
        graph->sizes[kept] = graph->sizes[i];
        graph->types[kept] = graph->types[i];
        graph->first[kept] = (uint32_t)references;
        memmove(builder->references + references, builder->references + from,
                (end - from) * sizeof *builder->references);
        references += end - from;
    }
    for (; domain < graph->domains.count; domain++)
        graph->domains.at[domain].first_object = kept + 1;
    graph->count = kept;
    builder->reference_count = references;
}

/* References on their way from an id to an object. */
typedef struct lookup {
    uint64_t id;
    uint32_t domain, object; /* that refers to it */
} lookup;

/* Where the walk over all references is: `object` has number `done`. */
typedef struct reference_walk {
    mp_graph_builder *builder;
    size_t done;
    uint32_t object, domain;
} reference_walk;

static size_t next_batch(reference_walk *walk, lookup *batch)
{
    mp_graph_builder *builder = walk->builder;
    const mp_domain *domains = builder->graph->domains.at;
    size_t size = 0;
    for (; size < BATCH && walk->done < builder->reference_count; size++, walk->done++) {
        while (references_end(builder, walk->object) <= walk->done)
            walk->object++;
        while (walk->object >= domains[walk->domain].first_object + domains[walk->domain].objects)
            walk->domain++;
        batch[size] = (lookup){builder->references[walk->done], walk->domain, walk->object};
        prefetch_in(builder, walk->domain, batch[size].id);
    }
    return size;
}

/* Look all references up, and pack those that are found in place of their ids: never further on
 * than what is still to be read. */
static void resolve_references(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    uint32_t *packed = (uint32_t *)(void *)builder->references;
    reference_walk walk = {.builder = builder, .object = 1, .domain = 1};
    lookup batch[BATCH];
    uint32_t kept = 0, begun = 0; /* objects whose first reference is set */
    for (size_t size; (size = next_batch(&walk, batch)) > 0;)
        for (size_t i = 0; i < size; i++) {
            while (begun < batch[i].object)
                graph->first[++begun] = kept;
            uint32_t found = find(builder, batch[i].domain, batch[i].id);
            graph->dangling += !found;
            if (found)
                packed[kept++] = found;
        }
    mp_grow(&graph->first, &builder->first_capacity, (size_t)graph->count + 2,
            sizeof *graph->first);
    while (begun <= graph->count)
        graph->first[++begun] = kept;
    graph->targets = builder->references ? (uint32_t *)(void *)builder->references : NULL;
    builder->references = NULL;
}

static void resolve_roots(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        graph->roots.at[i].object = find(builder, builder->root_domains[i], graph->roots.at[i].id);
}

/* Arrays grew by doubling: give back what they do not need. */
static void *shrunk(void *array, size_t bytes)
{
    void *smaller = realloc(array, bytes ? bytes : 1);
    return smaller ? smaller : array;
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
    free(builder->references);
    free(builder->root_domains);
    free(builder);
}

void mp_graph_drop(mp_graph_builder *builder)
{
    mp_graph_free(builder->graph);
    builder_free(builder);
}

bool mp_graph_end(mp_graph_builder *builder)
{
    mp_graph *graph = builder->graph;
    mp_model *model = builder->model;
    if (builder->too_many) {
        mp_graph_drop(builder);
        return false;
    }
    make_tables(builder);
    if (graph->duplicates) {
        uint64_t duplicates = graph->duplicates;
        free_tables(builder);
        close_gaps(builder);
        make_tables(builder);
        graph->duplicates = duplicates;
    }
    resolve_references(builder);
    resolve_roots(builder);
    builder_free(builder);
    shrink(graph);
    mp_graph_free(model->graph);
    model->graph = graph;
    model->holds |= MP_HOLDS_GRAPH;
    mp_model_count_roots(model, graph);
    return true;
}

void mp_graph_free(mp_graph *graph)
{
    if (!graph)
        return;
    free(graph->ids);
    free(graph->sizes);
    free(graph->types);
    free(graph->first);
    free(graph->targets);
    free(graph->roots.at);
    free(graph->domains.at);
    free(graph);
}

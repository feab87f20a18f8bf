#include "query/waste.h"

#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "model/build.h"

/* Marks of objects. */
enum {
    HELD = 1,  /* something other than a string refers to the array */
    TAKEN = 2, /* the array belongs to a string or to an empty collection */
};

/* Strings or boxed numbers that are equal. */
typedef struct equals {
    mp_equal_strings sum;
    int64_t votes; /* votes for the type of the holder (majority vote of Boyer and Moore) */
} equals;

typedef struct search {
    const mp_graph_view *view;
    const mp_graph *graph;
    const mp_contents *contents;
    unsigned char *marks;   /* by object */
    mp_hash_index first_of; /* the first of equal objects */
    mp_id_index group_of; /* maps the first of equal objects to their index in `groups`, once there
                             are two */
    MP_LIST(equals) groups; /* element 0 is reserved */
    mp_id_index type_of;    /* maps a kind and type to an index in `types`, from 1 */
    MP_LIST(mp_waste_type) types;
    mp_id_index
        held; /* maps a place in `types` and the type of the holder to the number of objects */
    mp_waste *waste;
} search;

static mp_content_kind kind_of(const search *job, uint32_t object)
{
    return (mp_content_kind)job->contents->kinds[object];
}

static bool is_numbers(mp_content_kind kind)
{
    return kind == MP_CONTENT_NUMBERS || kind == MP_CONTENT_ZEROS || kind == MP_CONTENT_MISSING;
}

static int64_t size_of(const search *job, uint32_t object)
{
    return (int64_t)job->graph->sizes[object];
}

static uint32_t holder_type(const search *job, uint32_t object)
{
    const uint32_t holder = job->view->dominators.idom[object];
    return holder ? job->graph->types[holder] : 0;
}

static void add(search *job, mp_waste_kind kind, uint32_t object, int64_t bytes)
{
    mp_waste_sum *sum = &job->waste->kinds[kind];
    const uint32_t type = job->graph->types[object];
    uint32_t *place = mp_id_index_put(&job->type_of, mp_joined(kind, type));
    if (!*place) {
        *MP_ADD(&job->types) = (mp_waste_type){.kind = kind, .type = type, .largest_bytes = -1};
        *place = job->types.count;
    }
    mp_waste_type *row = &job->types.items[*place - 1];
    sum->objects++;
    sum->bytes += bytes;
    row->objects++;
    row->bytes += bytes;
    *mp_id_index_put(&job->held, mp_joined(*place, holder_type(job, object))) += 1;
    if (bytes > row->largest_bytes) {
        row->largest = object;
        row->largest_bytes = bytes;
    }
}

static void count(search *job, mp_waste_kind kind, uint32_t object)
{
    job->waste->kinds[kind].of_objects++;
    job->waste->kinds[kind].of_bytes += size_of(job, object);
}

/* --- equal objects --- */

/* Return the array of numbers that a string refers to; 0: there is none. */
static uint32_t array_of(const search *job, uint32_t string)
{
    const mp_graph *graph = job->graph;
    for (uint32_t i = graph->first[string]; i < graph->first[string + 1]; i++)
        if (is_numbers(kind_of(job, graph->targets[i])))
            return graph->targets[i];
    return 0;
}

static bool equal_contents(const mp_contents *contents, uint32_t a, uint32_t b)
{
    return contents->items[a].low == contents->items[b].low &&
           contents->items[a].high == contents->items[b].high;
}

/* An object that is compared with earlier ones, and its array if it is a string. */
typedef struct compared {
    const search *job;
    uint32_t object, array;
} compared;

static bool same(const void *opaque, uint32_t other)
{
    const compared *one = opaque;
    const search *job = one->job;
    if (kind_of(job, one->object) != kind_of(job, other) ||
        !equal_contents(job->contents, one->object, other))
        return false;
    if (!one->array)
        return job->graph->types[one->object] == job->graph->types[other];
    return equal_contents(job->contents, one->array, array_of(job, other));
}

static uint64_t hash_of(const search *job, const compared *one)
{
    const mp_content *facts = &job->contents->items[one->object];
    const mp_content *array = &job->contents->items[one->array];
    const uint64_t words[] = {facts->low, facts->high, one->array ? array->low : 0,
                              one->array ? array->high : job->graph->types[one->object]};
    return mp_hash_words(words, 4);
}

/* Return the first object that is equal; the object itself if there is none. */
static uint32_t first_equal(search *job, uint32_t object, uint32_t array)
{
    const compared one = {job, object, array};
    uint32_t *first = mp_hash_index_put(&job->first_of, hash_of(job, &one), same, &one);
    if (!*first)
        *first = object;
    return *first;
}

static void vote(const search *job, equals *group, uint32_t object)
{
    const uint32_t type = holder_type(job, object);
    if (!group->votes)
        group->sum.holder_type = type;
    group->votes += group->sum.holder_type == type ? 1 : -1;
}

/* Return the bytes wasted by the array of a string. The string's own waste is not included. */
static int64_t take_array(search *job, uint32_t array)
{
    const unsigned char before = job->marks[array];
    job->marks[array] |= TAKEN;
    return before || mp_roots_of(&job->view->roots, array).count ? 0 : size_of(job, array);
}

static bool is_string(mp_content_kind kind)
{
    return kind == MP_CONTENT_STRING || kind == MP_CONTENT_TEXT;
}

/* Set the array that has the characters of a string; 0: they are in the string itself. Return false
 * if they are unknown. */
static bool has_text(const search *job, uint32_t string, uint32_t *array)
{
    *array = kind_of(job, string) == MP_CONTENT_TEXT ? 0 : array_of(job, string);
    return kind_of(job, string) == MP_CONTENT_TEXT ||
           (*array && kind_of(job, *array) != MP_CONTENT_MISSING);
}

static void take_string(search *job, uint32_t string)
{
    uint32_t array;
    if (!has_text(job, string, &array)) {
        job->waste->kinds[MP_WASTE_STRINGS].unknown++;
        return;
    }
    count(job, MP_WASTE_STRINGS, string);
    if (array && !(job->marks[array] & TAKEN))
        job->waste->kinds[MP_WASTE_STRINGS].of_bytes += size_of(job, array);
    const int64_t of_array = array ? take_array(job, array) : 0;
    const uint32_t first = first_equal(job, string, array);
    if (first == string)
        return;
    uint32_t *place = mp_id_index_put(&job->group_of, first);
    if (!*place) {
        *place = job->groups.count;
        *MP_ADD(&job->groups) = (equals){
            .sum = {.first = first, .array = array ? array_of(job, first) : first, .objects = 1}};
        vote(job, &job->groups.items[*place], first);
    }
    equals *group = &job->groups.items[*place];
    const int64_t bytes = size_of(job, string) + of_array;
    group->sum.objects++;
    group->sum.bytes += bytes;
    vote(job, group, string);
    add(job, MP_WASTE_STRINGS, string, bytes);
}

static void take_boxed(search *job, uint32_t object)
{
    count(job, MP_WASTE_BOXED, object);
    if (first_equal(job, object, 0) != object)
        add(job, MP_WASTE_BOXED, object, size_of(job, object));
}

/* --- the other kinds --- */

/* Return true if a collection has no elements: its size is 0, and its arrays have no elements. */
static bool is_empty(const search *job, uint32_t object)
{
    const mp_graph *graph = job->graph;
    bool empty = !job->contents->items[object].low;
    for (uint32_t i = graph->first[object]; empty && i < graph->first[object + 1]; i++)
        empty = kind_of(job, graph->targets[i]) != MP_CONTENT_REFERENCES ||
                !job->contents->items[graph->targets[i]].high;
    return empty;
}

static void take_collection(search *job, uint32_t object)
{
    const mp_graph *graph = job->graph;
    int64_t bytes = size_of(job, object);
    count(job, MP_WASTE_COLLECTIONS, object);
    if (!is_empty(job, object))
        return;
    for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
        const uint32_t array = graph->targets[i];
        if (kind_of(job, array) != MP_CONTENT_REFERENCES || job->marks[array] & TAKEN ||
            job->view->dominators.idom[array] != object)
            continue;
        job->marks[array] |= TAKEN;
        bytes += size_of(job, array);
    }
    add(job, MP_WASTE_COLLECTIONS, object, bytes);
}

/* Count the null elements of an array. The bytes per element, 4 or 8, follow from its length and
 * its size if it has at least two elements. */
static void take_references(search *job, uint32_t object)
{
    enum { HEADER = 16 };
    const mp_content *content = &job->contents->items[object];
    const uint64_t nulls = content->low - content->high;
    count(job, MP_WASTE_NULLS, object);
    if (job->marks[object] & TAKEN || content->low < 2 || nulls <= content->high)
        return;
    const uint64_t width = job->graph->sizes[object] >= HEADER + 8 * content->low ? 8 : 4;
    add(job, MP_WASTE_NULLS, object, (int64_t)(nulls * width));
}

static void take_numbers(search *job, uint32_t object)
{
    const mp_content_kind kind = kind_of(job, object);
    if (job->marks[object] & TAKEN)
        return;
    if (kind == MP_CONTENT_MISSING) {
        job->waste->kinds[MP_WASTE_ZEROS].unknown++;
        return;
    }
    count(job, MP_WASTE_ZEROS, object);
    if (kind == MP_CONTENT_ZEROS)
        add(job, MP_WASTE_ZEROS, object, size_of(job, object));
}

/* --- all objects --- */

/* Mark the arrays to which something other than a string refers. */
static void mark_held(search *job)
{
    const mp_graph *graph = job->graph;
    for (uint32_t i = 1; i <= graph->count; i++) {
        if (kind_of(job, i) == MP_CONTENT_STRING || !mp_is_reached(&job->view->dominators, i))
            continue;
        for (uint32_t k = graph->first[i]; k < graph->first[i + 1]; k++)
            if (is_numbers(kind_of(job, graph->targets[k])))
                job->marks[graph->targets[k]] |= HELD;
    }
}

/* Count an object of which the dump does not say enough. */
static void take_lost(search *job, mp_content_kind kind)
{
    mp_waste_sum *kinds = job->waste->kinds;
    kinds[MP_WASTE_STRINGS].unknown += kind == MP_CONTENT_LOST_TEXT;
    kinds[MP_WASTE_COLLECTIONS].unknown += kind == MP_CONTENT_LOST_COLLECTION;
    kinds[MP_WASTE_BOXED].unknown += kind == MP_CONTENT_LOST_BOXED;
}

/* Examine objects in the order of the kinds. Arrays come after the objects to which they belong. */
static void take_all(search *job)
{
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 1; i <= job->graph->count; i++) {
            const mp_content_kind kind = kind_of(job, i);
            if (kind == MP_CONTENT_NONE || !mp_is_reached(&job->view->dominators, i))
                continue;
            if (pass && kind == MP_CONTENT_REFERENCES)
                take_references(job, i);
            else if (pass && is_numbers(kind))
                take_numbers(job, i);
            else if (!pass && is_string(kind))
                take_string(job, i);
            else if (!pass && kind == MP_CONTENT_COLLECTION)
                take_collection(job, i);
            else if (!pass && kind == MP_CONTENT_BOXED)
                take_boxed(job, i);
            else if (!pass)
                take_lost(job, kind);
        }
}

/* Count the strings that objects of the elected types hold. A type that does not hold most strings
 * of a group is not its holder. */
static void count_held(search *job)
{
    for (uint32_t i = 1; i <= job->graph->count; i++) {
        uint32_t array;
        if (!is_string(kind_of(job, i)) || !mp_is_reached(&job->view->dominators, i) ||
            !has_text(job, i, &array))
            continue;
        const uint32_t place = mp_id_index_get(&job->group_of, first_equal(job, i, array));
        mp_equal_strings *sum = &job->groups.items[place].sum;
        sum->held += place && holder_type(job, i) == sum->holder_type;
    }
    for (uint32_t i = 1; i < job->groups.count; i++) {
        mp_equal_strings *sum = &job->groups.items[i].sum;
        if (!sum->holder_type || sum->held * 2 <= sum->objects)
            sum->holder_type = 0, sum->held = 0;
    }
}

/* Set the holders of the types in the same way. All keys have a type above bit 32, so they are in
 * the table of the index, not in its array. */
static void set_holders(search *job)
{
    for (size_t i = 0; job->held.entries && i <= job->held.mask; i++) {
        const mp_id_entry *entry = &job->held.entries[i];
        if (!entry->value || !(uint32_t)entry->key)
            continue;
        mp_waste_type *row = &job->types.items[(entry->key >> 32) - 1];
        if ((int64_t)entry->value * 2 > row->objects) {
            row->holder_type = (uint32_t)entry->key;
            row->held = entry->value;
        }
    }
}

static int by_bytes(const void *left, const void *right)
{
    const mp_equal_strings *a = left, *b = right;
    int order = MP_COMPARE(b->bytes, a->bytes);
    return order ? order : MP_COMPARE(a->first, b->first);
}

static int types_by_bytes(const void *left, const void *right)
{
    const mp_waste_type *a = left, *b = right;
    int order = MP_COMPARE(b->bytes, a->bytes);
    order = order ? order : MP_COMPARE(a->kind, b->kind);
    return order ? order : MP_COMPARE(a->largest, b->largest);
}

mp_waste mp_waste_of(const mp_graph_view *view, const mp_contents *contents)
{
    mp_waste waste = {.types = NULL};
    search job = {.view = view, .graph = view->graph, .contents = contents, .waste = &waste};
    job.marks = mp_alloc_zero((size_t)view->graph->count + 1, sizeof *job.marks);
    *MP_ADD(&job.groups) = (equals){.votes = 0};
    mark_held(&job);
    take_all(&job);
    count_held(&job);
    set_holders(&job);
    waste.lacks[MP_WASTE_BOXED] = contents->lacks >> MP_CONTENT_BOXED & 1;
    waste.lacks[MP_WASTE_NULLS] = contents->lacks >> MP_CONTENT_REFERENCES & 1;
    waste.lacks[MP_WASTE_ZEROS] = contents->lacks >> MP_CONTENT_NUMBERS & 1;
    free(job.marks);
    mp_hash_index_free(&job.first_of);
    mp_id_index_free(&job.group_of);
    mp_id_index_free(&job.type_of);
    mp_id_index_free(&job.held);
    waste.types = job.types.items;
    waste.type_count = job.types.count;
    waste.string_count = job.groups.count - 1;
    waste.strings = mp_alloc((waste.string_count + 1) * sizeof *waste.strings);
    for (size_t i = 0; i < waste.string_count; i++)
        waste.strings[i] = job.groups.items[i + 1].sum;
    free(job.groups.items);
    qsort(waste.strings, waste.string_count, sizeof *waste.strings, by_bytes);
    if (waste.type_count)
        qsort(waste.types, waste.type_count, sizeof *waste.types, types_by_bytes);
    return waste;
}

void mp_waste_free(mp_waste *waste)
{
    free(waste->types);
    free(waste->strings);
}

/* --- contents of objects --- */

bool mp_contents_read(const mp_graph *graph, mp_contents *contents, const char **why)
{
    const size_t count = (size_t)graph->count + 1;
    *contents = (mp_contents){.graph = graph,
                              .kinds = mp_alloc_zero(count, sizeof *contents->kinds),
                              .items = mp_alloc_zero(count, sizeof *contents->items)};
    return graph->names.read_contents(graph->names.opaque, contents, why);
}

void mp_contents_free(mp_contents *contents)
{
    free(contents->kinds);
    free(contents->items);
}

static int by_array(const void *left, const void *right)
{
    const mp_wanted_text *a = left, *b = right;
    return MP_COMPARE(a->array, b->array);
}

bool mp_waste_texts(const mp_contents *contents, const mp_equal_strings *strings, size_t count,
                    mp_arena *arena, const char **texts, const char **why)
{
    const mp_graph *graph = contents->graph;
    mp_contents some = {.graph = graph, .text_count = count, .arena = arena};
    if (!count)
        return true;
    some.texts = mp_alloc(count * sizeof *some.texts);
    for (size_t i = 0; i < count; i++)
        some.texts[i] = (mp_wanted_text){.array = graph->ids[strings[i].array],
                                         .content = contents->items[strings[i].first]};
    qsort(some.texts, count, sizeof *some.texts, by_array);
    const bool ok = graph->names.read_contents(graph->names.opaque, &some, why);
    for (size_t i = 0; i < count; i++) {
        const mp_wanted_text wanted = {.array = graph->ids[strings[i].array]};
        const mp_wanted_text *found =
            bsearch(&wanted, some.texts, count, sizeof *some.texts, by_array);
        texts[i] = found ? found->text : NULL;
    }
    free(some.texts);
    return ok;
}

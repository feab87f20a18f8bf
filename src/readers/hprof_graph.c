/* Java heap dumps (hprof): from classes and objects to types, sizes and roots. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "readers/hprof.h"

uint32_t hp_class_of(hp_state *state, uint64_t id)
{
    uint32_t *number = mp_id_index_put(&state->classes_by_id, id);
    if (!*number) {
        *number = state->classes.count;
        MP_ADD(&state->classes)->id = id;
    }
    return *number;
}

mp_slice hp_text(const hp_state *state, uint64_t id)
{
    return state->texts.items[mp_id_index_get(&state->texts_by_id, id)];
}

/* --- classes and their superclasses --- */

bool hp_is_named(mp_slice name, const char *text)
{
    const size_t length = strlen(text);
    if (name.length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name.start[i] != text[i] && !(name.start[i] == '/' && text[i] == '.'))
            return false;
    return true;
}

/* Compute the facts about a class that depend on its superclass. The facts of the superclass must
 * be complete. */
static void complete(hp_state *state, uint32_t number)
{
    static const char *const weak[] = {"java.lang.ref.WeakReference", "java.lang.ref.SoftReference",
                                       "java.lang.ref.PhantomReference"};
    hp_class *class = &state->classes.items[number];
    const uint32_t above = class->super ? mp_id_index_get(&state->classes_by_id, class->super) : 0;
    const hp_class *super = &state->classes.items[above]; /* element 0 is empty */
    const bool derived = super->status == HP_DONE;
    const mp_slice name = hp_text(state, class->name);
    class->status = HP_DONE;
    class->bytes = class->own_bytes;
    class->references = class->place_count;
    class->is_reference = hp_is_named(name, "java.lang.ref.Reference");
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        class->is_weak |= hp_is_named(name, weak[i]);
    state->missing_supers += class->super && !(derived && super->dumped);
    if (!derived)
        return;
    class->bytes += super->bytes;
    class->references += super->references;
    class->above = super->place_count ? above : super->above;
    class->is_weak |= super->is_weak;
}

bool hp_resolve(hp_state *state, uint32_t number)
{
    hp_class *classes = state->classes.items;
    bool known = true;
    state->chain.count = 0;
    for (uint32_t i = number; i && classes[i].status == HP_NEW;
         i = classes[i].super ? mp_id_index_get(&state->classes_by_id, classes[i].super) : 0) {
        classes[i].status = HP_OPEN;
        known &= classes[i].dumped;
        known &= !classes[i].super || mp_id_index_get(&state->classes_by_id, classes[i].super);
        *MP_ADD(&state->chain) = i;
    }
    while (state->chain.count) {
        const uint32_t i = state->chain.items[--state->chain.count];
        if (known || state->again)
            complete(state, i);
        else
            classes[i].status = HP_NEW;
    }
    return known || state->again;
}

/* --- objects --- */

void hp_add_object(hp_state *state, uint64_t id, uint32_t class, unsigned kind, uint64_t amount)
{
    state->objects++;
    state->too_large |=
        !mp_graph_object(state->graph, id, (mp_type_id){class}, amount << HP_KIND_BITS | kind);
}

void hp_refer(hp_state *state, uint64_t id)
{
    if (state->batch_count == HP_BATCH)
        hp_end_object(state);
    state->batch[state->batch_count++] = id;
}

void hp_end_object(hp_state *state)
{
    mp_graph_refer(state->graph, state->batch, state->batch_count);
    state->batch_count = 0;
}

static uint32_t class_named(const hp_state *state, const char *name)
{
    for (uint32_t i = 1; i < state->classes.count; i++)
        if (hp_is_named(hp_text(state, state->classes.items[i].name), name))
            return i;
    return 0;
}

void hp_add_classes(hp_state *state)
{
    state->class_class = class_named(state, "java.lang.Class");
    if (!state->class_class)
        state->class_class = hp_class_of(state, 0);
    if (state->classes.items[state->class_class].dumped)
        hp_resolve(state, state->class_class);
    for (uint32_t i = 1; i < state->classes.count; i++) {
        const hp_class *class = &state->classes.items[i];
        if (!class->dumped)
            continue;
        hp_add_object(state, class->id, state->class_class, HP_CLASS, i);
        if (class->link_count)
            mp_graph_refer(state->graph, state->links.items + class->first_link, class->link_count);
        for (uint32_t k = 0; k < class->static_count; k++) {
            const hp_static *field = &state->statics.items[class->first_static + k];
            const mp_root root = {.id = field->value,
                                  .kind = MP_ROOT_STATIC,
                                  .container.i = i,
                                  .name =
                                      mp_model_intern(state->model, hp_text(state, field->name))};
            mp_graph_root(state->graph, &root);
        }
    }
}

/* --- labels --- */

/* Return the name of a class as in the language: "byte[]", "java.util.HashMap". */
static const char *label_of(mp_arena *arena, mp_slice name)
{
    static const struct primitive {
        char descriptor;
        const char *name;
    } primitives[] = {{'Z', "boolean"}, {'C', "char"},  {'F', "float"}, {'D', "double"},
                      {'B', "byte"},    {'S', "short"}, {'I', "int"},   {'J', "long"}};
    size_t depth = 0;
    while (depth < name.length && name.start[depth] == '[')
        depth++;
    mp_slice base = {name.start + depth, name.length - depth};
    if (depth && base.length > 2 && base.start[0] == 'L' && base.start[base.length - 1] == ';')
        base = (mp_slice){base.start + 1, base.length - 2};
    else if (depth && base.length == 1)
        for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
            if (base.start[0] == primitives[i].descriptor)
                base = mp_slice_of(primitives[i].name);
    char *text = mp_arena_alloc(arena, base.length + 2 * depth + 1);
    for (size_t i = 0; i < base.length; i++) {
        /* A number after a slash or a plus sign distinguishes hidden classes. */
        const bool digit =
            i + 1 < base.length && base.start[i + 1] >= '0' && base.start[i + 1] <= '9';
        const char letter = base.start[i];
        text[i] = letter == '/' && !digit ? '.' : letter == '+' && digit ? '/' : letter;
    }
    for (size_t i = 0; i < depth; i++)
        memcpy(text + base.length + 2 * i, "[]", 2);
    text[base.length + 2 * depth] = '\0';
    return text;
}

static mp_string_id label_class(hp_state *state, const hp_class *class, bool *named)
{
    mp_arena arena = {0};
    const char element[] = {'[', class->element};
    const mp_slice name =
        class->element ? (mp_slice){element, sizeof element} : hp_text(state, class->name);
    *named = name.length;
    const char *label = name.length ? label_of(&arena, name)
                                    : mp_arena_format(&arena, "<class %" PRIx64 ">", class->id);
    const mp_string_id id = mp_model_intern(state->model, mp_slice_of(label));
    mp_arena_free(&arena);
    return id;
}

/* Make types of the classes. Classes with the same name are one type. */
static void make_types(hp_state *state)
{
    mp_graph *graph = state->model->graph;
    uint64_t unnamed = 0;
    mp_id_index declared = {0};
    for (uint32_t i = 1; i < state->classes.count; i++) {
        hp_class *class = &state->classes.items[i];
        bool named;
        const mp_string_id label = label_class(state, class, &named);
        class->type = mp_model_type_named(state->model, label).i;
        uint32_t *seen = mp_id_index_put(&declared, class->type);
        graph->declared_types += !*seen && !class->element;
        *seen = 1;
        unnamed += !named;
    }
    mp_id_index_free(&declared);
    for (uint32_t i = 1; i <= graph->count; i++)
        graph->types[i] = state->classes.items[graph->types[i]].type;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        graph->roots.items[i].container.i =
            state->classes.items[graph->roots.items[i].container.i].type;
    if (unnamed)
        MP_TELL_DUMP(state->dumps, UNDEFINED_TYPE, "classes without a name: %" PRIu64, unnamed);
}

/* --- names of roots --- */

mp_string_id hp_frame_name(hp_state *state, uint32_t thread, uint32_t frame)
{
    const hp_trace *trace = &state->traces.items[mp_id_index_get(&state->traces_by_thread, thread)];
    if (frame >= trace->frame_count)
        return (mp_string_id){0};
    const uint64_t id = state->trace_frames.items[trace->first_frame + frame];
    const hp_frame *code = &state->frames.items[mp_id_index_get(&state->frames_by_id, id)];
    const uint32_t class = mp_id_index_get(&state->classes_by_serial, code->class_serial);
    const mp_slice class_name = hp_text(state, state->classes.items[class].name);
    const mp_slice method = hp_text(state, code->method), source = hp_text(state, code->source);
    if (!method.length)
        return (mp_string_id){0};
    mp_arena arena = {0};
    const char *text = method.start;
    if (class_name.length)
        text = mp_arena_format(&arena, "%s.%s", label_of(&arena, class_name), text);
    if (source.length && code->line > 0)
        text = mp_arena_format(&arena, "%s (%s:%" PRId32 ")", text, source.start, code->line);
    const mp_string_id name = mp_model_intern(state->model, mp_slice_of(text));
    mp_arena_free(&arena);
    return name;
}

mp_string_id hp_thread_name(hp_state *state, uint32_t thread)
{
    return mp_model_intern_format(state->model, "%" PRIu32, thread);
}

/* --- sizes --- */

/* Layout of objects in a virtual machine: bytes before the fields, bytes before the elements of an
 * array, bytes of a reference. */
typedef struct hp_layout {
    unsigned id_bytes, header, array_header, reference;
} hp_layout;

/* Layouts of objects, sorted by length of ids and by size, largest first: 64 bits without
 * compression, with compressed class pointers, also with compressed references, with compact
 * headers; 32 bits. */
static const hp_layout layouts[] = {
    {8, 16, 24, 8}, {8, 12, 16, 8}, {8, 12, 16, 4}, {8, 8, 12, 4}, {4, 8, 12, 4},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts, COMPRESSED = 2, BITS_32 = 4 };
/* Maximum number of bytes by which an object may be larger than its known fields, because of
 * alignment, and of fields of the machine that no dump lists. */
enum { HIDDEN = 512 };

typedef struct sizing {
    const hp_state *state;
    mp_graph *graph;
    uint32_t *order; /* objects by address */
} sizing;

static unsigned kind_of(const mp_graph *graph, uint32_t object)
{
    return graph->sizes[object] & ((1 << HP_KIND_BITS) - 1);
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static uint64_t instance_size(const hp_state *state, const hp_class *class, const hp_layout *layout)
{
    const uint64_t references = class->references;
    if (state->android)
        return class->stated_bytes;
    return layout->header + class->bytes - references * state->id_bytes +
           references * layout->reference;
}

/* Compute the smallest possible size of an object. */
static uint64_t size_of(const sizing *job, uint32_t object, const hp_layout *layout)
{
    const hp_state *state = job->state;
    const uint64_t amount = job->graph->sizes[object] >> HP_KIND_BITS;
    const hp_class *class = &state->classes.items[job->graph->types[object]];
    const hp_class *described; /* class that a class object describes */
    switch (kind_of(job->graph, object)) {
    case HP_REFERENCES:
        return aligned(layout->array_header + amount * layout->reference);
    case HP_PRIMITIVES:
        return aligned(layout->array_header + amount);
    case HP_CLASS:
        described = &state->classes.items[amount];
        return aligned(instance_size(state, class, layout) + described->static_bytes +
                       (uint64_t)described->static_references * layout->reference);
    default:
        return class->dumped && class->bytes == amount
                   ? aligned(instance_size(state, class, layout))
                   : aligned(layout->header + amount);
    }
}

/* Merge neighbouring runs of ascending ids. Return the number of runs that are left. */
static uint32_t merge_runs(const uint64_t *ids, const uint32_t *from, uint32_t *to, uint32_t count)
{
    uint32_t runs = 0;
    for (uint32_t begin = 0, end; begin < count; begin = end, runs++) {
        uint32_t middle = begin + 1;
        while (middle < count && ids[from[middle - 1]] <= ids[from[middle]])
            middle++;
        for (end = middle; end < count && (end == middle || ids[from[end - 1]] <= ids[from[end]]);)
            end++;
        for (uint32_t i = begin, k = middle, place = begin; place < end; place++)
            to[place] =
                k == end || (i < middle && ids[from[i]] <= ids[from[k]]) ? from[i++] : from[k++];
    }
    return runs;
}

/* Return the objects in the order of their addresses. Most dumps are almost in that order. */
static uint32_t *order_objects(const mp_graph *graph)
{
    uint32_t *from = mp_alloc((size_t)graph->count * sizeof *from);
    uint32_t *to = mp_alloc((size_t)graph->count * sizeof *to);
    for (uint32_t i = 0; i < graph->count; i++)
        from[i] = i + 1;
    for (uint32_t runs = 2; runs > 1;) {
        runs = merge_runs(graph->ids, from, to, graph->count);
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    free(to);
    return from;
}

/* Return the distance to the next object; UINT64_MAX: there is none. */
static uint64_t gap_after(const sizing *job, uint32_t place)
{
    return place + 1 < job->graph->count
               ? job->graph->ids[job->order[place + 1]] - job->graph->ids[job->order[place]]
               : UINT64_MAX;
}

/* Return true if objects of this layout fit between their addresses. */
static bool fits(const sizing *job, const hp_layout *layout)
{
    enum { TOLERATED = 1000 }; /* one of this number of objects may be damaged */
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < job->graph->count && wrong <= job->graph->count / TOLERATED; i++)
        wrong += size_of(job, job->order[i], layout) > gap_after(job, i);
    return wrong <= job->graph->count / TOLERATED;
}

/* Set the smallest distance from an instance of each class to the next object. Return true if
 * objects follow each other without gaps in nine cases of ten. Only arrays are examined for that,
 * because their sizes are known exactly. */
static bool find_gaps(const sizing *job, const hp_layout *layout)
{
    const mp_graph *graph = job->graph;
    hp_class *classes = job->state->classes.items;
    uint64_t arrays = 0, followed = 0;
    for (uint32_t i = 1; i < job->state->classes.count; i++)
        classes[i].least_gap = UINT64_MAX;
    for (uint32_t i = 0; i + 1 < graph->count; i++) {
        const uint32_t object = job->order[i];
        const unsigned kind = kind_of(graph, object);
        const uint64_t gap = gap_after(job, i);
        if (kind == HP_INSTANCE && gap < classes[graph->types[object]].least_gap)
            classes[graph->types[object]].least_gap = gap;
        if (kind != HP_REFERENCES && kind != HP_PRIMITIVES)
            continue;
        arrays++;
        followed += size_of(job, object, layout) == gap;
    }
    return arrays && followed * 10 >= arrays * 9;
}

/* Return the largest layout that fits; NULL: ids are not addresses. */
static const hp_layout *choose_layout(const sizing *job)
{
    for (size_t i = 0; i < LAYOUTS && !job->state->android; i++)
        if (layouts[i].id_bytes == job->state->id_bytes && fits(job, &layouts[i]))
            return &layouts[i];
    return NULL;
}

/* Return the size of an object, which may be larger than its fields in the dump, but reaches at
 * most to the next object. */
static uint64_t size_up_to(uint64_t size, uint64_t gap)
{
    return gap > size && gap <= size + HIDDEN ? aligned(gap - 7) : size;
}

static void measure(hp_state *state)
{
    mp_graph *graph = state->model->graph;
    sizing job = {state, graph, order_objects(graph)};
    const hp_layout *layout = choose_layout(&job);
    const bool adjacent = layout && find_gaps(&job, layout);
    const hp_class *classes = state->classes.items;
    layout = layout ? layout : &layouts[state->id_bytes == 4 ? BITS_32 : COMPRESSED];
    for (uint32_t i = 0; i < graph->count; i++) {
        const uint32_t object = job.order[i];
        const unsigned kind = kind_of(graph, object);
        const uint64_t size = size_of(&job, object, layout);
        graph->sizes[object] =
            !adjacent || kind == HP_REFERENCES || kind == HP_PRIMITIVES
                ? size
                : size_up_to(size, kind == HP_CLASS ? gap_after(&job, i)
                                                    : classes[graph->types[object]].least_gap);
    }
    free(job.order);
}

void hp_finish_graph(hp_state *state, bool whole)
{
    mp_graph *graph = state->model->graph;
    measure(state);
    make_types(state);
    graph->hexadecimal = true;
    graph->left_out = state->weak_references;
    if (!whole) /* roots are the last part of a file, so it is unknown what keeps objects alive */
        mp_dumps_untrack(state->dumps, graph);
}

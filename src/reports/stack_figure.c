#include "reports/figures.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/text.h"

enum { KIND_BITS = 3 };

/* The figure while it is built. Places are in the order in which frames are added. */
typedef struct figure_builder {
    mp_document *document;
    const mp_weights *weights;
    mp_place *places;
    uint32_t count;
    mp_id_index known;  /* places by parent, label and kind */
    mp_hash_index told; /* labels by the parts of a frame */
    mp_key_index texts; /* labels by text */
    struct stack_label {
        const mp_weight_frame *frame; /* a frame that has this label */
        const char *text;             /* text that belongs to the document */
    } * labels;                       /* elements from 1 */
    size_t label_count, label_capacity;
} figure_builder;

typedef struct label_probe {
    const struct stack_label *labels;
    const mp_weight_frame *frame;
} label_probe;

static bool same_frame(const void *opaque, uint32_t value)
{
    const label_probe *probe = opaque;
    assert(probe->labels);
    const mp_weight_frame *a = probe->frame, *b = probe->labels[value].frame;
    return a->name == b->name && a->object == b->object && a->line == b->line &&
           a->start_line == b->start_line && a->tells_start == b->tells_start &&
           a->overload == b->overload;
}

/* Return the number of the frame's label. The document keeps each text once. A model has equal
 * names only once, so most lookups need not compare texts. */
static uint32_t label_of(figure_builder *figure, const mp_weight_frame *frame)
{
    label_probe probe = {figure->labels, frame};
    const uint64_t words[] = {(uintptr_t)frame->name, (uintptr_t)frame->object,
                              mp_joined(frame->line, frame->start_line), frame->overload};
    const uint64_t hash = mp_hash_words(words, 4);
    uint32_t *told = mp_hash_index_put(&figure->told, hash, same_frame, &probe);
    if (*told != 0)
        return *told;
    mp_arena scratch = {0};
    const char *text = mp_weight_label(&scratch, frame);
    uint32_t *found = mp_key_index_put(&figure->texts, text, strlen(text));
    if (!*found) {
        *found = (uint32_t)++figure->label_count;
        assert(*found < UINT32_MAX >> KIND_BITS);
        mp_grow(&figure->labels, &figure->label_capacity, figure->label_count + 1,
                sizeof *figure->labels);
        figure->labels[*found] =
            (struct stack_label){frame, mp_utf8_copy(figure->document->arena, text)};
    }
    mp_arena_free(&scratch);
    return *told = *found;
}

static mp_place_kind kind_of(mp_weight_kind kind)
{
    static const mp_place_kind kinds[] = {[MP_WEIGHT_ALL] = MP_PLACE_NONE,
                                          [MP_WEIGHT_CODE] = MP_PLACE_CODE,
                                          [MP_WEIGHT_TYPE] = MP_PLACE_TYPE,
                                          [MP_WEIGHT_GROUP] = MP_PLACE_GROUP,
                                          [MP_WEIGHT_NONE] = MP_PLACE_NONE};
    return kinds[kind];
}

static const char *source_of(figure_builder *figure, const mp_weight_frame *frame)
{
    const char *source = frame->source ? frame->source : frame->module;
    const char **kept = source ? mp_document_kept(figure->document, (uintptr_t)source) : NULL;
    if (kept && !*kept)
        *kept = mp_utf8_copy(figure->document->arena, source);
    return kept ? *kept : NULL;
}

/* Return the place of a frame. It may exist already, because the frame was also called from another
 * line of the caller. */
static uint32_t place_for(figure_builder *figure, const mp_weight_frame *frame, uint32_t parent)
{
    const mp_place_kind kind = kind_of(frame->kind);
    const uint32_t label = label_of(figure, frame);
    uint32_t *place =
        mp_id_index_put(&figure->known, mp_joined(parent, label << KIND_BITS | (uint32_t)kind));
    if (*place != 0)
        return *place;
    *place = figure->count++;
    figure->places[*place] =
        (mp_place){.parent = parent,
                   .kind = kind,
                   .label = figure->labels[label].text,
                   .source = source_of(figure, frame),
                   .line = frame->line == MP_NO_LINE ? MP_UNKNOWN : (int32_t)frame->line};
    return *place;
}

static void add(mp_place *place, const mp_weight *now, const mp_weight *base)
{
    place->self += now->self;
    place->total += now->total;
    place->own_count += now->own_count;
    place->all_count += now->all_count;
    place->base_own += base->self;
    place->base_all += base->total;
    place->base_own_count += base->own_count;
    place->base_all_count += base->all_count;
}

static int64_t change_of(const mp_place *place)
{
    return llabs(place->total - place->base_all);
}

static int64_t larger(const mp_place *place)
{
    return place->total > place->base_all ? place->total : place->base_all;
}

/* Order siblings by size or, in a comparison, by the size of the change. */
static int in_order(const void *left, const void *right, void *opaque)
{
    const mp_place *places = opaque;
    uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const mp_place *a = &places[one], *b = &places[other];
    int order = MP_COMPARE(a->parent, b->parent);
    order = order ? order : MP_COMPARE(change_of(b), change_of(a));
    order = order ? order : MP_COMPARE(larger(b), larger(a));
    order = order ? order : strcmp(a->label, b->label);
    order = order ? order : MP_COMPARE(a->kind, b->kind);
    return order ? order : MP_COMPARE(one, other);
}

/* Return the places level by level. Children come after all places of their parent's level, and
 * siblings are next to each other. */
static mp_place *arrange(figure_builder *figure)
{
    uint32_t count = figure->count;
    uint32_t *order = mp_alloc((size_t)count * sizeof *order), *first, *queue, *place_of;
    mp_place *arranged = mp_arena_alloc(figure->document->arena, (size_t)count * sizeof *arranged);
    first = mp_alloc_zero((size_t)count + 1, sizeof *first);
    queue = mp_alloc_zero(count, sizeof *queue);
    place_of = mp_alloc_zero(count, sizeof *place_of);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order + 1, count - 1, sizeof *order, in_order, figure->places);
    for (uint32_t i = 1; i < count; i++)
        first[figure->places[i].parent + 1]++;
    for (uint32_t i = 1; i <= count; i++)
        first[i] += first[i - 1]; /* the children of i begin at order[1 + first[i]] */
    for (uint32_t taken = 0, put = 1; taken < count; taken++) {
        uint32_t place = queue[taken];
        arranged[taken] = figure->places[place];
        arranged[taken].parent = place_of[figure->places[place].parent];
        place_of[place] = taken;
        for (uint32_t i = first[place]; i < first[place + 1]; i++)
            queue[put++] = order[1 + i];
    }
    MP_FREE(order, first, queue, place_of);
    return arranged;
}

static void set_units(mp_tree_figure *tree, mp_weighing weighing, const mp_document *document)
{
    tree->measure = mp_weighing_name(weighing);
    const bool counts = weighing == MP_WEIGH_CALLS || weighing == MP_WEIGH_SAMPLES;
    tree->unit = weighing == MP_WEIGH_SECONDS ? MP_SECONDS : counts ? MP_COUNT : MP_BYTES;
    const bool times = weighing == MP_WEIGH_SECONDS;
    tree->count_of = counts || (times ? document->uncalled : document->uncounted) ? NULL
                     : times                                                      ? "calls"
                                                                                  : "objects";
}

mp_figure *mp_stack_figure(mp_document *document, const mp_weights *weights, const char *name)
{
    const bool compares = weights->columns > 1;
    static const mp_weight nothing = {0};
    figure_builder state = {.document = document,
                            .weights = weights,
                            .places = mp_alloc_zero(weights->count, sizeof *state.places)};
    uint32_t *place_of = mp_alloc_zero(weights->count, sizeof *place_of);
    state.places[state.count++] =
        (mp_place){.kind = MP_PLACE_NONE, .label = "all", .line = MP_UNKNOWN};
    for (uint32_t i = 0; i < weights->count; i++) {
        const mp_weight_frame *frame = &weights->frames[i];
        if (i)
            place_of[i] = place_for(&state, frame, place_of[frame->parent]);
        add(&state.places[place_of[i]], &weights->items[0][i],
            compares ? &weights->items[1][i] : &nothing);
    }
    mp_place *places = arrange(&state);
    mp_figure *figure = mp_document_figure(document, MP_FIGURE_STACKS, name);
    figure->tree = (mp_tree_figure){.items = places, .count = state.count, .has_base = compares};
    set_units(&figure->tree, weights->weighings[0], document);
    MP_FREE(place_of, state.places, state.labels);
    mp_hash_index_free(&state.told);
    mp_key_index_free(&state.texts);
    mp_id_index_free(&state.known);
    return figure;
}

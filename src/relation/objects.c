/* Relations about single objects: their lives in a recording, and the graph of a heap dump. */
#include <stdlib.h>

#include "base/sort.h"
#include "model/graph.h"
#include "query/labels.h"
#include "relation/source.h"

/* --- lives --- */

typedef struct life_row {
    int64_t session, object, bytes, site, born_sequence, from_sequence, until_sequence;
    const char *type;
} life_row;

enum { LIFE_TYPE = 2, LIFE_FROM = 6 };

static const mp_column life_columns[] = {
    MP_FIELD(life_row, session, MP_NUMBER, "session, where there are several"),
    MP_FIELD(life_row, object, MP_NUMBER, "number of the object, as in the file"),
    [LIFE_TYPE] = MP_FIELD(life_row, type, MP_TEXT, "type of the object"),
    MP_FIELD(life_row, bytes, MP_BYTES, "its bytes from one snapshot to the other"),
    MP_FIELD(life_row, site, MP_NUMBER, "site that created it"),
    MP_FIELD(life_row, born_sequence, MP_NUMBER, "snapshot at which it first appears"),
    [LIFE_FROM] = MP_FIELD(life_row, from_sequence, MP_NUMBER, "first snapshot at which it is so"),
    MP_FIELD(life_row, until_sequence, MP_NUMBER, "first at which it is so no more"),
};

/* Return true if the snapshot is after the last complete one of its session. The end of the window
 * does not matter, because the relation "snapshots" has rows after it, to which objects refer. */
static bool is_behind(const mp_filter *filter, mp_snapshot_id snapshot)
{
    uint32_t session = filter->model->snapshots.items[snapshot.i].session.i;
    uint32_t count = mp_filter_snapshots(filter, session);
    const uint32_t *place = filter->sessions.snapshots + filter->sessions.first[session];
    return snapshot.i > (count ? place[count - 1] : 0);
}

static uint64_t count_lives(mp_relation_source *source)
{
    return source->model->objects.count - 1;
}

static bool life_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                    void *row)
{
    const mp_model *model = source->model;
    const mp_filter *filter = source->filter;
    const mp_object *object = &model->objects.items[place + 1];
    const mp_generation *generation = &model->generations.items[object->generation.i];
    const uint32_t site = mp_source_sites(source)->group_of[object->generation.i];
    if (generation->reusable || !mp_filter_has_generation(filter, object->generation) ||
        is_behind(filter, object->from))
        return false;
    life_row life = {.session =
                         mp_session_number(model, model->snapshots.items[object->from.i].session),
                     .object = (int64_t)object->id,
                     .bytes = object->bytes,
                     .site = site ? (int64_t)site : MP_UNKNOWN,
                     .born_sequence = mp_snapshot_number(model, generation->born),
                     .from_sequence = mp_snapshot_number(model, object->from),
                     .until_sequence = is_behind(filter, object->until)
                                           ? MP_UNKNOWN
                                           : mp_snapshot_number(model, object->until)};
    if (MP_WANTS(wanted, LIFE_TYPE))
        life.type = mp_type_label(
            texts, model, mp_context_type(model, &model->contexts.items[generation->context.i]));
    *(life_row *)row = life;
    return true;
}

static int64_t start_of_life(mp_relation_source *source, uint64_t place)
{
    return mp_snapshot_number(source->model, source->model->objects.items[place + 1].from);
}

const mp_relation mp_relation_lives = {
    .name = "lives",
    .meaning = "each object of a recording as it was from one snapshot to another",
    .needs = MP_HOLDS_OBJECTS,
    MP_FIELDS(life_columns, life_row),
    .count = count_lives,
    .row = life_at,
    .key = LIFE_FROM,
    .order = start_of_life,
};

/* --- objects --- */

typedef struct object_row {
    const char *object, *type, *dominator, *root_kind, *weak_root_kind;
    int64_t self_bytes, retained_bytes;
    mp_texts references;
} object_row;

enum { OBJECT, TYPE, SELF, RETAINED, DOMINATOR, ROOT_KIND, WEAK_ROOT_KIND, REFERENCES };

static const mp_column object_columns[] = {
    [OBJECT] = MP_FIELD(object_row, object, MP_TEXT, "id of the object, as in the file"),
    [TYPE] = MP_FIELD(object_row, type, MP_TEXT, "type of the object"),
    [SELF] = MP_FIELD(object_row, self_bytes, MP_BYTES, "bytes of the object itself"),
    [RETAINED] = MP_FIELD(object_row, retained_bytes, MP_BYTES,
                          "bytes that freeing it would release; none if no root reaches it"),
    [DOMINATOR] = MP_FIELD(object_row, dominator, MP_TEXT,
                           "object that all paths from roots to it lead through"),
    [ROOT_KIND] = MP_FIELD(object_row, root_kind, MP_TEXT, "kinds of roots that keep it alive"),
    [WEAK_ROOT_KIND] = MP_FIELD(object_row, weak_root_kind, MP_TEXT, "kinds of its weak roots"),
    [REFERENCES] = MP_FIELD(object_row, references, MP_LIST, "objects that it refers to"),
};

static uint64_t count_objects(mp_relation_source *source)
{
    return source->filter->graph->count;
}

static mp_texts references_of(mp_arena *texts, const mp_graph *graph, uint32_t object)
{
    const uint32_t *targets = graph->targets + graph->first[object];
    const size_t count = graph->first[object + 1] - graph->first[object];
    const char **references = mp_arena_alloc(texts, (count + 1) * sizeof *references);
    for (size_t i = 0; i < count; i++)
        references[i] = mp_object_id_text(texts, graph, targets[i]);
    return (mp_texts){.items = references, .count = count, .kept = true};
}

/* Set the retained size, the dominator and the kinds of roots of an object. */
static void set_holders(mp_relation_source *source, uint32_t object, uint64_t wanted,
                        mp_arena *texts, object_row *row)
{
    const mp_graph_view *view = mp_source_view(source);
    const mp_dominators *dominators = &view->dominators;
    if (mp_is_reached(dominators, object)) {
        row->retained_bytes = (int64_t)dominators->retained[object];
        if (MP_WANTS(wanted, DOMINATOR))
            row->dominator = mp_object_id_text(texts, view->graph, dominators->idom[object]);
    }
    if (MP_WANTS(wanted, ROOT_KIND))
        row->root_kind = mp_object_roots_text(texts, view, object, false);
    if (MP_WANTS(wanted, WEAK_ROOT_KIND))
        row->weak_root_kind = mp_object_roots_text(texts, view, object, true);
}

static bool object_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                      void *row)
{
    const uint64_t held = 1 << RETAINED | 1 << DOMINATOR | 1 << ROOT_KIND | 1 << WEAK_ROOT_KIND;
    const mp_graph *graph = source->filter->graph;
    const uint32_t i = (uint32_t)place + 1;
    if (!mp_filter_has_type(source->filter, graph->types[i]))
        return false;
    object_row object = {.self_bytes = (int64_t)graph->sizes[i], .retained_bytes = MP_UNKNOWN};
    if (MP_WANTS(wanted, OBJECT))
        object.object = mp_object_id_text(texts, graph, i);
    if (MP_WANTS(wanted, TYPE))
        object.type = mp_type_text(texts, source->model, graph->types[i]);
    if (wanted & held)
        set_holders(source, i, wanted, texts, &object);
    if (MP_WANTS(wanted, REFERENCES))
        object.references = references_of(texts, graph, i);
    *(object_row *)row = object;
    return true;
}

/* Create an index of the objects by id. It stays empty if an id occurs twice, which is possible
 * with several application domains. */
static void index_objects(mp_relation_source *source)
{
    const mp_graph *graph = source->filter->graph;
    for (uint32_t i = 1; !source->has_objects && i <= graph->count; i++) {
        uint32_t *place = mp_id_index_put(&source->objects, graph->ids[i]);
        if (*place) {
            mp_id_index_free(&source->objects);
            source->objects = (mp_id_index){0};
            break;
        }
        *place = i;
    }
    source->has_objects = true;
}

bool mp_source_find_object(mp_relation_source *source, const char *text, uint32_t *object)
{
    char *end;
    index_objects(source);
    const uint64_t id = strtoull(text, &end, source->filter->graph->hexadecimal ? 16 : 10);
    *object = *end || end == text ? 0 : mp_id_index_get(&source->objects, id);
    return source->objects.count || !source->filter->graph->count;
}

static void find_object(mp_relation_source *source, const char *text, uint64_t *first,
                        uint64_t *end)
{
    uint32_t object;
    if (!mp_source_find_object(source, text, &object))
        return;
    *first = object ? object - 1 : 0;
    *end = object;
}

const mp_relation mp_relation_objects = {
    .name = "objects",
    .meaning = "each object of a heap dump",
    .needs = MP_HOLDS_GRAPH,
    MP_FIELDS(object_columns, object_row),
    .count = count_objects,
    .row = object_at,
    .key = OBJECT,
    .find = find_object,
};

/* --- references --- */

typedef struct ref_row {
    const char *object, *target;
} ref_row;

enum { REF_OBJECT, REF_TARGET };

static const mp_column ref_columns[] = {
    [REF_OBJECT] = MP_FIELD(ref_row, object, MP_TEXT, "object that refers"),
    [REF_TARGET] = MP_FIELD(ref_row, target, MP_TEXT, "object that it refers to"),
};

static uint64_t count_refs(mp_relation_source *source)
{
    return mp_graph_references(source->filter->graph);
}

static uint32_t object_of_ref(const mp_graph *graph, uint64_t place)
{
    uint32_t later = 2;
    MP_BISECT(later, graph->count + 1, graph->first[middle] <= place);
    return later - 1;
}

static bool ref_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                   void *row)
{
    const mp_graph *graph = source->filter->graph;
    ref_row ref = {0};
    if (source->filter->types || MP_WANTS(wanted, REF_OBJECT)) {
        const uint32_t object = object_of_ref(graph, place);
        if (!mp_filter_has_type(source->filter, graph->types[object]))
            return false;
        ref.object = mp_object_id_text(texts, graph, object);
    }
    if (MP_WANTS(wanted, REF_TARGET))
        ref.target = mp_object_id_text(texts, graph, graph->targets[place]);
    *(ref_row *)row = ref;
    return true;
}

static void find_refs(mp_relation_source *source, const char *text, uint64_t *first, uint64_t *end)
{
    const mp_graph *graph = source->filter->graph;
    uint32_t object;
    if (!mp_source_find_object(source, text, &object))
        return;
    *first = graph->first[object ? object : 1];
    *end = object ? graph->first[object + 1] : *first;
}

const mp_relation mp_relation_refs = {
    .name = "refs",
    .meaning = "each reference from one object of a heap dump to another",
    .needs = MP_HOLDS_GRAPH,
    MP_FIELDS(ref_columns, ref_row),
    .count = count_refs,
    .row = ref_at,
    .key = REF_OBJECT,
    .find = find_refs,
};

/* --- roots --- */

typedef struct root_row {
    const char *object, *root_kind, *container;
    int64_t weak, pinned, interior;
} root_row;

static const mp_column root_columns[] = {
    MP_FIELD(root_row, object, MP_TEXT, "object of the root; none if it is not in the dump"),
    MP_FIELD(root_row, root_kind, MP_TEXT, "kind of the root"),
    MP_FIELD(root_row, weak, MP_FLAG, "the root does not keep its object alive"),
    MP_FIELD(root_row, pinned, MP_FLAG, "the object must not move"),
    MP_FIELD(root_row, interior, MP_FLAG, "the root points into the object"),
    MP_FIELD(root_row, container, MP_TEXT, "of a static, the type that declares it"),
};

static uint64_t count_roots(mp_relation_source *source)
{
    return source->filter->graph->roots.count - 1;
}

static bool root_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                    void *row)
{
    (void)wanted;
    const mp_graph *graph = source->filter->graph;
    const mp_root *root = &graph->roots.items[place + 1];
    if (source->filter->types &&
        !(root->object && mp_filter_has_type(source->filter, graph->types[root->object])))
        return false;
    *(root_row *)row = (root_row){
        .object = mp_object_id_text(texts, graph, root->object),
        .root_kind = mp_root_kind_text(texts, source->model, root->kind),
        .container =
            root->container.i ? mp_type_text(texts, source->model, root->container.i) : NULL,
        .weak = (root->flags & MP_ROOT_WEAK) != 0,
        .pinned = (root->flags & MP_ROOT_PINNED) != 0,
        .interior = (root->flags & MP_ROOT_INTERIOR) != 0};
    return true;
}

const mp_relation mp_relation_roots = {
    .name = "roots",
    .meaning = "each root of a heap dump",
    .needs = MP_HOLDS_GRAPH,
    MP_FIELDS(root_columns, root_row),
    .count = count_roots,
    .row = root_at,
    .key = MP_NO_KEY,
};

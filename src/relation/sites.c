/* Relations about allocations: types, sites, their stacks, and changes between snapshots.
 * Objects that the runtime keeps for reuse are excluded. */
#include <stdlib.h>

#include "base/sort.h"
#include "query/group.h"
#include "query/labels.h"
#include "relation/source.h"

/* --- types --- */

typedef struct type_row {
    const char *type;
    int64_t live_objects, live_bytes, from_objects, from_bytes;
    int64_t created_objects, created_bytes, deleted_objects, leaked_objects, leaked_bytes;
} type_row;

static const mp_column type_columns[] = {
    MP_FIELD(type_row, type, MP_TEXT, "type of the objects"),
    MP_FIELD(type_row, live_objects, MP_COUNT, "objects alive at the end of the window"),
    MP_FIELD(type_row, live_bytes, MP_BYTES, "bytes alive at the end of the window"),
    MP_FIELD(type_row, from_objects, MP_COUNT, "objects alive at the start of the window"),
    MP_FIELD(type_row, from_bytes, MP_BYTES, "bytes alive at the start of the window"),
    MP_FIELD(type_row, created_objects, MP_COUNT, "objects created up to the end of the window"),
    MP_FIELD(type_row, created_bytes, MP_BYTES, "their bytes when they were created"),
    MP_FIELD(type_row, deleted_objects, MP_COUNT, "objects deleted up to the end of the window"),
    MP_FIELD(type_row, leaked_objects, MP_COUNT, "objects created in the window and still alive"),
    MP_FIELD(type_row, leaked_bytes, MP_BYTES, "their bytes"),
};

static const mp_grouping *types_of(mp_relation_source *source)
{
    return mp_window_groups(source->window, mp_dimension_find("type"), 0);
}

static uint64_t count_types(mp_relation_source *source)
{
    return types_of(source)->count;
}

static bool type_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                    void *row)
{
    (void)wanted, (void)texts;
    const mp_group *group = &types_of(source)->groups[place];
    *(type_row *)row = (type_row){.type = group->label,
                                  .live_objects = mp_cost_live(group->end),
                                  .live_bytes = group->end.bytes,
                                  .from_objects = group->from_objects,
                                  .from_bytes = group->from_bytes,
                                  .created_objects = group->end.created,
                                  .created_bytes = group->end.created_bytes,
                                  .deleted_objects = group->end.deleted,
                                  .leaked_objects = group->leaked.objects,
                                  .leaked_bytes = group->leaked.bytes};
    return true;
}

const mp_relation mp_relation_types = {
    .name = "types",
    .meaning = "each type of objects, at the end of the window",
    .needs = MP_HOLDS_LEDGER,
    MP_FIELDS(type_columns, type_row),
    .count = count_types,
    .row = type_at,
    .key = MP_NO_KEY,
};

/* --- sites --- */

typedef struct site_row {
    int64_t site, line, created_objects, created_bytes, deleted_objects;
    int64_t live_objects, live_bytes, leaked_objects, leaked_bytes, leaking_bytes, confidence;
    int64_t session_pool_objects;
    const char *type, *name, *location, *kind;
    mp_texts stack;
} site_row;

enum {
    SITE,
    SITE_TYPE,
    SITE_NAME,
    SITE_LOCATION,
    SITE_STACK,
    SITE_LINE,
    SITE_KIND,
    SITE_CONFIDENCE,
    SITE_LEAKING
};

static const mp_column site_columns[] = {
    [SITE] = MP_FIELD(site_row, site, MP_NUMBER, "number of the site, in this answer"),
    [SITE_TYPE] = MP_FIELD(site_row, type, MP_TEXT, "type of the objects"),
    [SITE_NAME] = MP_FIELD(site_row, name, MP_TEXT, "name that all of its objects have"),
    [SITE_LOCATION] = MP_FIELD(site_row, location, MP_TEXT,
                               "name and line of its first frame that is not an allocator"),
    [SITE_STACK] = MP_FIELD(site_row, stack, MP_LIST, "stack, the innermost frame first"),
    [SITE_LINE] = MP_FIELD(site_row, line, MP_NUMBER, "line that creates the objects"),
    [SITE_KIND] = MP_FIELD(site_row, kind, MP_TEXT, "how the site behaves, as `leaks` judges it"),
    [SITE_CONFIDENCE] = MP_FIELD(site_row, confidence, MP_NUMBER, "certainty of that in percent"),
    [SITE_LEAKING] = MP_FIELD(site_row, leaking_bytes, MP_BYTES,
                              "bytes that leak steadily, as `max-trend` counts them; 0: none"),
    MP_FIELD(site_row, created_objects, MP_COUNT, "objects created up to the end of the window"),
    MP_FIELD(site_row, created_bytes, MP_BYTES, "their bytes when they were created"),
    MP_FIELD(site_row, deleted_objects, MP_COUNT, "objects deleted up to the end of the window"),
    MP_FIELD(site_row, live_objects, MP_COUNT, "objects alive at the end of the window"),
    MP_FIELD(site_row, live_bytes, MP_BYTES, "bytes alive at the end of the window"),
    MP_FIELD(site_row, leaked_objects, MP_COUNT, "objects created in the window and still alive"),
    MP_FIELD(site_row, leaked_bytes, MP_BYTES, "their bytes"),
    MP_FIELD(site_row, session_pool_objects, MP_COUNT,
             "leaked objects in the session's unnamed widget pool"),
};

static const mp_context *context_of(const mp_model *model, const mp_group *group)
{
    return &model->contexts.items[model->generations.items[group->example.i].context.i];
}

static mp_frame frame_of(const mp_model *model, const mp_group *group)
{
    const mp_context *context = context_of(model, group);
    return (mp_frame){model->tree_of[context->node.i], context->line};
}

/* Return, for each site, the name that all its objects have; 0: their names differ. */
static const mp_symbol_id *names_of(mp_relation_source *source)
{
    const mp_model *model = source->model;
    const mp_grouping *sites = mp_source_sites(source);
    if (source->site_names)
        return source->site_names;
    mp_symbol_id *names = mp_alloc_zero((size_t)sites->count + 1, sizeof *names);
    bool *seen = mp_alloc_zero((size_t)sites->count + 1, sizeof *seen);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_symbol_id name = model->contexts.items[model->generations.items[i].context.i].name;
        const uint32_t site = sites->group_of[i];
        names[site].i = seen[site] && names[site].i != name.i ? 0 : name.i;
        seen[site] = true;
    }
    free(seen);
    source->site_names = names;
    return names;
}

static mp_texts stack_of(mp_arena *texts, const mp_model *model, mp_frame frame)
{
    const size_t depth = model->tree.items[frame.node].depth;
    const size_t count = depth < MP_PROGRAM_CALLERS + 1 ? depth : MP_PROGRAM_CALLERS + 1;
    if (!frame.node)
        return (mp_texts){.empty = "(session)"};
    const char **frames = mp_arena_alloc(texts, count * sizeof *frames);
    for (size_t i = 0; i < count; i++) {
        frames[i] = mp_frame_label(texts, model, frame);
        mp_frame_caller(model, &frame);
    }
    return (mp_texts){
        .items = frames, .count = count, .whole = count < depth ? depth : 0, .kept = true};
}

/* Set the columns for the kind of a site. They stay unknown if the site has no verdict. */
static void set_verdict(mp_relation_source *source, uint64_t place, site_row *row)
{
    if (!source->site_verdicts)
        source->site_verdicts = mp_verdicts_of_sites(source->window, mp_source_sites(source));
    const mp_site_verdict *verdict = source->site_verdicts[place];
    row->kind = verdict ? mp_site_kind_name(verdict->kind) : NULL;
    row->confidence = verdict ? verdict->confidence : MP_UNKNOWN;
    row->leaking_bytes = verdict ? mp_site_leaking_bytes(verdict) : 0;
}

static uint64_t count_sites(mp_relation_source *source)
{
    return mp_source_sites(source)->count;
}

static bool site_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                    void *row)
{
    const mp_model *model = source->model;
    const mp_grouping *sites = mp_source_sites(source);
    const mp_group *group = &sites->groups[place];
    const mp_context *context = context_of(model, group);
    const bool has_line = context->node.i && context->line != MP_NO_LINE;
    site_row site = {.site = (int64_t)place + 1,
                     .line = has_line ? (int32_t)context->line : MP_UNKNOWN,
                     .created_objects = group->end.created,
                     .created_bytes = group->end.created_bytes,
                     .deleted_objects = group->end.deleted,
                     .live_objects = mp_cost_live(group->end),
                     .live_bytes = group->end.bytes,
                     .leaked_objects = group->leaked.objects,
                     .leaked_bytes = group->leaked.bytes,
                     .session_pool_objects = model->holds & MP_HOLDS_RUNTIME
                                                 ? mp_group_scope_of(sites, group).pool_objects
                                                 : MP_UNKNOWN};
    if (MP_WANTS(wanted, SITE_KIND) || MP_WANTS(wanted, SITE_CONFIDENCE) ||
        MP_WANTS(wanted, SITE_LEAKING))
        set_verdict(source, place, &site);
    if (MP_WANTS(wanted, SITE_TYPE))
        site.type = mp_type_label(texts, model, mp_site_type(model, context));
    if (MP_WANTS(wanted, SITE_NAME) && names_of(source)[place + 1].i)
        site.name = mp_symbol_label(texts, model, names_of(source)[place + 1]);
    if (MP_WANTS(wanted, SITE_LOCATION) && frame_of(model, group).node)
        site.location =
            mp_frame_label(texts, model, mp_frame_naming(model, frame_of(model, group)));
    if (MP_WANTS(wanted, SITE_STACK))
        site.stack = stack_of(texts, model, frame_of(model, group));
    *(site_row *)row = site;
    return true;
}

static int64_t number_of_site(mp_relation_source *source, uint64_t place)
{
    (void)source;
    return (int64_t)place + 1;
}

const mp_relation mp_relation_sites = {
    .name = "sites",
    .meaning = "each allocation site (type, stack and line; of heap dumps, type)",
    .needs = MP_HOLDS_LEDGER,
    MP_FIELDS(site_columns, site_row),
    .count = count_sites,
    .row = site_at,
    .key = SITE,
    .order = number_of_site,
};

/* --- frames --- */

typedef struct frame_row {
    int64_t site, depth, line;
    const char *frame, *name;
} frame_row;

enum { FRAME_SITE, FRAME_DEPTH, FRAME, FRAME_NAME, FRAME_LINE };

static const mp_column frame_columns[] = {
    [FRAME_SITE] = MP_FIELD(frame_row, site, MP_NUMBER, "site whose stack it is on"),
    [FRAME_DEPTH] = MP_FIELD(frame_row, depth, MP_NUMBER, "frames further in; 0: the innermost"),
    [FRAME] = MP_FIELD(frame_row, frame, MP_TEXT, "name and line, as stacks print it"),
    [FRAME_NAME] = MP_FIELD(frame_row, name, MP_TEXT, "source, method or function"),
    [FRAME_LINE] = MP_FIELD(frame_row, line, MP_NUMBER, "line that creates, or calls"),
};

/* Return the place of each site's first frame. Sites of dumps have no frames; all their places are
 * 0. */
static const uint64_t *first_frames_of(mp_relation_source *source)
{
    const mp_model *model = source->model;
    const mp_grouping *sites = mp_source_sites(source);
    if (source->first_frame)
        return source->first_frame;
    uint64_t *first = mp_alloc_zero((size_t)sites->count + 1, sizeof *first);
    for (uint32_t i = 0; i < sites->count; i++)
        first[i + 1] = first[i] + model->tree.items[frame_of(model, &sites->groups[i]).node].depth;
    source->first_frame = first;
    return first;
}

static uint64_t count_frames(mp_relation_source *source)
{
    return first_frames_of(source)[mp_source_sites(source)->count];
}

/* Return the site, from 0, that has the frame at a place. */
static uint32_t site_of_frame(mp_relation_source *source, uint64_t place)
{
    const uint64_t *first = first_frames_of(source);
    uint32_t later = 1;
    MP_BISECT(later, mp_source_sites(source)->count, first[middle] <= place);
    return later - 1;
}

/* Return the frame of a site at this depth; 0 is the innermost frame. Successive depths are fast:
 * each needs one step from the frame before. */
static mp_frame walk_to(mp_relation_source *source, uint32_t site, uint64_t depth)
{
    const uint64_t place = first_frames_of(source)[site] + depth;
    mp_frame frame = source->frame;
    uint64_t steps = 1;
    if (!depth || source->frame_place != place) {
        frame = frame_of(source->model, &mp_source_sites(source)->groups[site]);
        steps = depth;
    }
    for (; steps; steps--)
        mp_frame_caller(source->model, &frame);
    source->frame_place = place + 1;
    source->frame = frame;
    return frame;
}

static bool frame_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                     void *row)
{
    const mp_model *model = source->model;
    const uint32_t site = site_of_frame(source, place);
    const uint64_t depth = place - first_frames_of(source)[site];
    const mp_frame frame = walk_to(source, site, depth);
    frame_row made = {.site = (int64_t)site + 1,
                      .depth = (int64_t)depth,
                      .line = frame.line == MP_NO_LINE ? MP_UNKNOWN : (int32_t)frame.line};
    if (MP_WANTS(wanted, FRAME))
        made.frame = mp_frame_label(texts, model, frame);
    if (MP_WANTS(wanted, FRAME_NAME))
        made.name = mp_tree_label(texts, model, frame.node);
    *(frame_row *)row = made;
    return true;
}

static int64_t site_of_place(mp_relation_source *source, uint64_t place)
{
    return site_of_frame(source, place) + 1;
}

const mp_relation mp_relation_frames = {
    .name = "frames",
    .meaning = "each frame of the stack of each allocation site",
    .needs = MP_HOLDS_LEDGER,
    MP_FIELDS(frame_columns, frame_row),
    .count = count_frames,
    .row = frame_at,
    .key = FRAME_SITE,
    .order = site_of_place,
};

/* --- deltas --- */

typedef struct delta_row {
    int64_t session, sequence, site, born_sequence, created_objects, created_bytes;
    int64_t deleted_objects, delta_objects, delta_bytes, of_request;
} delta_row;

enum { DELTA_SEQUENCE = 1 };

static const mp_column delta_columns[] = {
    MP_FIELD(delta_row, session, MP_NUMBER, "session, where there are several"),
    [DELTA_SEQUENCE] = MP_FIELD(delta_row, sequence, MP_NUMBER, "snapshot up to which it happened"),
    MP_FIELD(delta_row, site, MP_NUMBER, "site of the objects"),
    MP_FIELD(delta_row, born_sequence, MP_NUMBER, "snapshot at which the objects first appear"),
    MP_FIELD(delta_row, created_objects, MP_COUNT, "objects created since the snapshot before"),
    MP_FIELD(delta_row, created_bytes, MP_BYTES, "their bytes when they were created"),
    MP_FIELD(delta_row, deleted_objects, MP_COUNT, "objects deleted since the snapshot before"),
    MP_FIELD(delta_row, delta_objects, MP_COUNT, "change of the objects alive"),
    MP_FIELD(delta_row, delta_bytes, MP_BYTES, "change of the bytes alive"),
    MP_SHOWN(delta_row, of_request, "", MP_FLAG, MP_OF_RELATIONS,
             "the request of the snapshot at which they first appear created them"),
};

static uint64_t count_deltas(mp_relation_source *source)
{
    return source->model->deltas.count - 1;
}

static bool delta_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                     void *row)
{
    (void)wanted, (void)texts;
    const mp_model *model = source->model;
    const mp_delta *delta = &model->deltas.items[place + 1];
    const mp_generation *generation = &model->generations.items[delta->generation.i];
    const uint32_t site = mp_source_sites(source)->group_of[delta->generation.i];
    if (generation->reusable || !site ||
        !mp_filter_has_generation(source->filter, delta->generation) ||
        !mp_window_before_to(source->window, delta->snapshot))
        return false;
    *(delta_row *)row = (delta_row){
        .session = mp_session_number(model, model->snapshots.items[delta->snapshot.i].session),
        .sequence = mp_snapshot_number(model, delta->snapshot),
        .site = site,
        .born_sequence = mp_snapshot_number(model, generation->born),
        .created_objects = delta->cost.created,
        .created_bytes = delta->cost.created_bytes,
        .deleted_objects = delta->cost.deleted,
        .delta_objects = mp_cost_live(delta->cost),
        .delta_bytes = delta->cost.bytes,
        .of_request = mp_generation_is_of_request(model, generation)};
    return true;
}

static int64_t sequence_of_delta(mp_relation_source *source, uint64_t place)
{
    return mp_snapshot_number(source->model, source->model->deltas.items[place + 1].snapshot);
}

const mp_relation mp_relation_deltas = {
    .name = "deltas",
    .meaning = "what happened at a site from one snapshot to the next, to objects of one age",
    .needs = MP_HOLDS_HISTORY,
    MP_FIELDS(delta_columns, delta_row),
    .count = count_deltas,
    .row = delta_at,
    .key = DELTA_SEQUENCE,
    .order = sequence_of_delta,
};

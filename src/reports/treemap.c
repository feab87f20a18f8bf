/* The report treemap: bytes of types, grouped by their creators, as a table and as a map. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/areas.h"
#include "query/code_names.h"
#include "reports/figures.h"
#include "reports/graph_sections.h"
#include "reports/profile_sections.h"

typedef struct treemap_arguments {
    const char *from, *to, *measure, *by; /* NULL = default of the variant */
    int64_t limit;
} treemap_arguments;

/* A group, or a kind of objects within a group. */
typedef struct area_row {
    const char *group, *key;
    int64_t amount, count, keys;
    double percent;
} area_row;

/* clang-format off */
#define AMOUNTS                                                                                    \
    MP_RANK(0),                                                                                    \
    MP_COLUMN_OF(area_row, amount, "bytes", "Size", MP_BYTES, MP_OF_HEAPS),                        \
    MP_COLUMN_OF(area_row, amount, "seconds", "Seconds", MP_SECONDS, MP_OF_PROFILES),              \
    MP_COLUMN(area_row, percent, "%", MP_PERCENT, 0),                                              \
    MP_COLUMN_OF(area_row, count, "objects", "Objects", MP_COUNT, MP_OF_HEAPS),                    \
    MP_COLUMN_OF(area_row, count, "calls", "Calls", MP_COUNT, MP_OF_PROFILES)
/* clang-format on */

static const mp_column group_columns[] = {
    AMOUNTS,
    MP_COLUMN(area_row, keys, "Kinds", MP_COUNT, 0),
    MP_COLUMN(area_row, group, "Group", MP_TEXT, MP_SHORTEN),
};
static const mp_column key_columns[] = {
    AMOUNTS,
    MP_COLUMN(area_row, key, "What", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(area_row, group, "In", MP_TEXT, MP_SHORTEN),
};

/* The question and the result, for any kind of recording. */
typedef struct mapping {
    mp_document *document;
    const mp_model *model;
    const char *measure, *by, *within; /* names such as "alive", "source" and "type" */
    const char *when;                  /* moment in words, " at snapshot 7"; or "" */
    const char *note;                  /* remark on the figures; NULL = none */
    bool of_time;
    size_t rows; /* 0 = all */
    int64_t total;
} mapping;

/* --- order of rows --- */

/* Order groups by amount, then by name. The kinds within a group are ordered in the same way. */
static int by_amount(const void *left, const void *right)
{
    const area_row *a = left, *b = right;
    int order = MP_COMPARE(b->amount, a->amount);
    order = order ? order : strcmp(a->group, b->group);
    return order ? order : strcmp(a->key, b->key);
}

/* Return the groups. Each sums up its areas, which must be sorted by group. Release with free(). */
static area_row *group_rows(const mapping *map, const mp_areas *areas, size_t *count)
{
    area_row *rows = mp_alloc((areas->count + 1) * sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < areas->count; i++) {
        const mp_area *area = &areas->items[i];
        if (!*count || strcmp(rows[*count - 1].group, area->group) != 0)
            rows[(*count)++] = (area_row){.group = area->group, .key = ""};
        area_row *row = &rows[*count - 1];
        row->amount += area->amount;
        row->count += area->count;
        row->keys++;
        row->percent = mp_percent_of(row->amount, map->total);
    }
    qsort(rows, *count, sizeof *rows, by_amount);
    return rows;
}

static area_row *key_rows(const mapping *map, const mp_areas *areas)
{
    area_row *rows = mp_alloc((areas->count + 1) * sizeof *rows);
    for (size_t i = 0; i < areas->count; i++)
        rows[i] = (area_row){.group = areas->items[i].group,
                             .key = areas->items[i].key,
                             .amount = areas->items[i].amount,
                             .count = areas->items[i].count,
                             .percent = mp_percent_of(areas->items[i].amount, map->total)};
    qsort(rows, areas->count, sizeof *rows, by_amount);
    return rows;
}

/* --- tables --- */

/* Return "Alive at snapshot 7 (_PreCleanUp)". */
static const char *what_text(const mapping *map)
{
    bool held = strcmp(map->measure, "retained") == 0;
    return mp_document_text(map->document, "%s%s",
                            strcmp(map->measure, "leaked") == 0    ? "Left behind"
                            : strcmp(map->measure, "seconds") == 0 ? "Time spent"
                            : strcmp(map->measure, "samples") == 0 ? "Samples"
                            : held                                 ? "Kept alive"
                                                                   : "Alive",
                            map->when);
}

static void put_rows(const mapping *map, mp_table *table, const area_row *rows, size_t count)
{
    table->order = map->of_time ? map->measure : "bytes";
    table->empty = "nothing";
    for (size_t i = 0; i < mp_shown_of(count, map->rows); i++)
        mp_table_put(map->document, table, &rows[i]);
    mp_table_left_out(table, count);
}

static void put_tables(const mapping *map, const area_row *groups, size_t group_count,
                       const area_row *keys, size_t key_count)
{
    mp_document *document = map->document;
    const char *what = what_text(map);
    mp_table *table = MP_KIND_TABLE(document, map->model, "groups", NULL, group_columns);
    table->title = mp_document_text(document, "%s, by %s", what, map->by);
    if (map->note)
        mp_table_line(document, table, "%s", map->note);
    put_rows(map, table, groups, group_count);
    table = MP_KIND_TABLE(document, map->model, "treemap", NULL, key_columns);
    table->title = mp_document_text(document, "Details by %s and %s", map->by, map->within);
    table->main = true;
    put_rows(map, table, keys, key_count);
}

/* --- the map --- */

static int by_group(const void *left, const void *right)
{
    return strcmp(((const area_row *)left)->group, ((const area_row *)right)->group);
}

/* Draw the map. The label of each group and kind is copied only once. */
static void draw(const mapping *map, const area_row *groups, size_t group_count,
                 const area_row *keys, size_t key_count)
{
    mp_document *document = map->document;
    size_t count = 1 + group_count + key_count;
    if (!document->draws || count > UINT32_MAX)
        return;
    mp_place *places = mp_arena_alloc(document->arena, count * sizeof *places);
    mp_place clear = {.line = MP_UNKNOWN};
    places[0] = clear;
    places[0].kind = MP_PLACE_GROUP;
    places[0].label = what_text(map);
    area_row *sorted = mp_alloc((group_count + 1) * sizeof *sorted); /* groups, sorted by name */
    for (size_t i = 0; i < group_count; i++) {
        mp_place *place = &places[i + 1];
        sorted[i] = groups[i];
        sorted[i].keys = (int64_t)i + 1; /* place of the group in the figure */
        *place = clear;
        place->kind = map->of_time ? MP_PLACE_CODE : MP_PLACE_GROUP;
        place->label = mp_document_text(document, "%s", groups[i].group);
        place->total = groups[i].amount;
        place->all_count = groups[i].count;
        places[0].total += place->total;
        places[0].all_count += place->all_count;
    }
    if (group_count)
        qsort(sorted, group_count, sizeof *sorted, by_group);
    for (size_t i = 0; i < key_count; i++) {
        const area_row *in = bsearch(&keys[i], sorted, group_count, sizeof *sorted, by_group);
        mp_place *state = &places[1 + group_count + i];
        *state = clear;
        state->parent = (uint32_t)in->keys;
        state->kind = map->of_time ? MP_PLACE_CODE : MP_PLACE_TYPE;
        state->label = mp_document_text(document, "%s", keys[i].key);
        state->self = state->total = keys[i].amount;
        state->own_count = state->all_count = keys[i].count;
    }
    free(sorted);
    mp_figure *figure = mp_document_figure(document, MP_FIGURE_MAP, "treemap");
    figure->title = mp_document_text(document, "%s, by %s and %s: %s", what_text(map), map->by,
                                     map->within, mp_figure_about(document, map->model));
    figure->note = map->note;
    figure->tree = (mp_tree_figure){.items = places,
                                    .count = (uint32_t)count,
                                    .unit = document->sampled ? MP_COUNT
                                            : map->of_time    ? MP_SECONDS
                                                              : MP_BYTES,
                                    .measure = map->measure,
                                    .count_of = document->uncalled    ? NULL
                                                : map->of_time        ? "calls"
                                                : document->uncounted ? NULL
                                                                      : "objects"};
}

static void put_areas(mapping *map, const mp_areas *areas)
{
    size_t group_count;
    map->document->pictured = true;
    for (size_t i = 0; i < areas->count; i++)
        map->total += areas->items[i].amount;
    area_row *groups = group_rows(map, areas, &group_count), *keys = key_rows(map, areas);
    put_tables(map, groups, group_count, keys, areas->count);
    draw(map, groups, group_count, keys, areas->count);
    free(groups);
    free(keys);
}

/* --- figures in other answers --- */

static void draw_areas(mapping *map, mp_areas areas)
{
    size_t group_count;
    area_row *groups = group_rows(map, &areas, &group_count), *keys = key_rows(map, &areas);
    draw(map, groups, group_count, keys, areas.count);
    free(groups);
    free(keys);
    mp_areas_free(&areas);
}

void mp_figure_alive(mp_document *document, const mp_window *window)
{
    mapping map = {.document = document,
                   .model = window->model,
                   .measure = "alive",
                   .by = "source",
                   .within = "type",
                   .when = ""};
    const mp_dimension *source = mp_dimension_find(map.by);
    if (document->draws && mp_dimension_fits(source, window->model))
        draw_areas(&map, mp_areas_of_heap(window, source, false));
}

void mp_figure_alive_in_graph(mp_document *document, const mp_model *model, mp_graph_view *view)
{
    mapping map = {.document = document,
                   .model = model,
                   .measure = "alive",
                   .by = "namespace",
                   .within = "type",
                   .when = ""};
    if (document->draws)
        draw_areas(&map, mp_areas_of_graph(view, true, false));
}

/* --- kinds of recordings --- */

static bool map_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const treemap_arguments *asked = request->arguments;
    bool leaked = asked->measure && strcmp(asked->measure, "leaked") == 0;
    const mp_window *window = mp_section_heap(document, request, leaked, error);
    if (!window)
        return false;
    const mp_dimension *dimension = mp_dimension_find(asked->by ? asked->by : "source");
    bool by_type = dimension == mp_dimension_find("type");
    mapping map = {.document = document,
                   .model = request->model,
                   .measure = leaked ? "leaked" : "alive",
                   .by = mp_dimension_title(dimension),
                   .within = by_type ? "source" : "type",
                   .rows = (size_t)asked->limit};
    map.when = mp_document_text(document, " at %s", mp_moment_text(document, window, false));
    map.note = leaked ? mp_in_use_text(document, window) : NULL;
    mp_areas areas = mp_areas_of_heap(window, dimension, leaked);
    put_areas(&map, &areas);
    mp_areas_free(&areas);
    return true;
}

static bool map_dump(const mp_request *request, mp_document *document, mp_error *error)
{
    const treemap_arguments *asked = request->arguments;
    (void)error;
    bool retained = asked->measure && strcmp(asked->measure, "retained") == 0;
    bool by_type = asked->by ? strcmp(asked->by, "type") == 0 : retained;
    mp_graph_view *view = mp_request_graph(request);
    mp_section_dump_head(document, request, view);
    mapping map = {.document = document,
                   .model = request->model,
                   .measure = retained ? "retained" : "alive",
                   .by = retained  ? by_type ? "type of the owner" : "namespace of the owner"
                         : by_type ? "type"
                                   : "namespace",
                   .within = "type",
                   .when = "",
                   .rows = (size_t)asked->limit};
    mp_areas areas = mp_areas_of_graph(view, !by_type, retained);
    put_areas(&map, &areas);
    mp_areas_free(&areas);
    return true;
}

static int by_program(const void *left, const void *right)
{
    const mp_area *a = left, *b = right;
    int order = strcmp(a->group, b->group);
    return order ? order : strcmp(a->key, b->key);
}

static bool map_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    const treemap_arguments *asked = request->arguments;
    const mp_model *model = request->model;
    if (asked->measure && !mp_cost_word_fits(asked->measure, model->holds, "of", error))
        return false;
    mp_profile_costs costs = mp_profile_costs_of(request->filter);
    mp_areas areas = {.items = mp_alloc((costs.methods.count + 1) * sizeof *areas.items)};
    mp_section_profile(document, request);
    for (size_t i = 0; i < costs.methods.count; i++) {
        const mp_code_cost *cost = &costs.methods.items[i];
        const mp_code_place place = mp_cost_place(model, cost);
        areas.items[areas.count++] =
            (mp_area){.group = *place.program ? place.program : "(unknown)",
                      .key = mp_code_label(document->arena, &place),
                      .amount = cost->exclusive_us,
                      .count = cost->calls};
    }
    if (areas.count)
        qsort(areas.items, areas.count, sizeof *areas.items, by_program);
    mapping map = {.document = document,
                   .model = model,
                   .measure = document->sampled ? "samples" : "seconds",
                   .by = "program",
                   .within = "method",
                   .when = "",
                   .of_time = true,
                   .rows = (size_t)asked->limit};
    put_areas(&map, &areas);
    mp_areas_free(&areas);
    mp_profile_costs_free(&costs);
    return true;
}

/* --- the report --- */

static const treemap_arguments defaults = {.limit = MP_REPORT_ROWS};

static const mp_argument arguments[] = {
    {"from", offsetof(treemap_arguments, from), MP_HEAPS},
    {"to", offsetof(treemap_arguments, to), MP_HEAPS},
    {"of", offsetof(treemap_arguments, measure), MP_HEAPS | MP_DUMP | MP_PROFILE},
    {"by", offsetof(treemap_arguments, by), MP_HEAPS | MP_DUMP | MP_PROFILE},
    {"limit", offsetof(treemap_arguments, limit), MP_HEAPS | MP_DUMP | MP_PROFILE},
    MP_SHARES("chart", MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_SHARES("selection", MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("listings", MP_PROFILE),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_READING,
};

static const char *const heap_amounts[] = {"alive", "leaked"};
static const char *const dump_amounts[] = {"alive", "retained"};
static const char *const profile_amounts[] = {"seconds", "samples"};
static const char *const dump_groups[] = {"namespace", "type"};
static const char *const profile_groups[] = {"program"};

static const mp_choice choices[] = {
    {.argument = "of", .variants = MP_HEAPS, MP_WORDS(heap_amounts)},
    {.argument = "of", .variants = MP_DUMP, MP_WORDS(dump_amounts)},
    {.argument = "of", .variants = MP_PROFILE, MP_WORDS(profile_amounts)},
    {.argument = "by", .variants = MP_HEAPS, .apart = true},
    {.argument = "by", .variants = MP_DUMP, MP_WORDS(dump_groups)},
    {.argument = "by", .variants = MP_PROFILE, MP_WORDS(profile_groups)},
    {0},
};

const mp_report mp_report_treemap = {
    .name = "treemap",
    .summary = "show sizes of types by source, as a table and as a map",
    .example = "treemap samples/shop-v2.oemp --by source",
    .details = "For memory, shows live or leaked bytes by source or another group, and within it "
               "by type. For heap dumps, groups types by namespace or, with `of` retained, by the "
               "types of the objects that retain them. For profiles, shows seconds by program and "
               "method. `chart` draws a map whose areas are proportional to the sizes.",
    MP_ARGUMENTS(arguments, defaults),
    .choices = choices,
    .variants = {MP_HEAP_VARIANTS(map_heap),
                 {.needs = MP_HOLDS_GRAPH, .run = map_dump},
                 {.needs = MP_HOLDS_PROFILE, .run = map_profile}},
};

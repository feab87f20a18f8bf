/* The report path: the path from a root to an object that the root keeps alive. */
#include <ctype.h>
#include <stdlib.h>

#include "base/memory.h"
#include "query/paths.h"
#include "reports/graph_sections.h"

/* --- a path to an object --- */

/* Numbers of requested objects by result, so that programs see why no path is shown. */
typedef struct path_totals {
    int64_t objects, reached, unreachable, untracked, excluded;
} path_totals;

static const mp_column path_total_columns[] = {
    MP_COLUMN(path_totals, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN_OF(path_totals, reached, "reached_objects", "Reached", MP_COUNT, 0),
    MP_COLUMN_OF(path_totals, unreachable, "unreachable_objects", "Unreachable", MP_COUNT, 0),
    MP_COLUMN_OF(path_totals, untracked, "untracked_objects", "Unknown", MP_COUNT, 0),
    MP_COLUMN_OF(path_totals, excluded, "excluded_objects", "Excluded", MP_COUNT, 0),
};

static void put_path_totals(mp_document *document, path_totals totals)
{
    totals.reached = totals.objects - totals.unreachable - totals.untracked - totals.excluded;
    mp_table *table = MP_TABLE(document, "path_totals", "Asked for", MP_RECORD, path_total_columns);
    table->flags = MP_FOR_PROGRAMS;
    mp_table_put(document, table, &totals);
}

typedef struct path_row {
    mp_object_cells cells;
    int64_t path, step;
    const char *
        via; /* name of the reference from the previous step; in the first step, name of the root */
    const char *root_kind, *flags, *container; /* facts about the root, in the first step only */
} path_row;

static const mp_column path_columns[] = {
    MP_COLUMN(path_row, path, "Path", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(path_row, step, "#", MP_NUMBER, 0),
    MP_COLUMN(path_row, via, "Via", MP_TEXT, MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN_OF(path_row, cells.id, "object", "Object", MP_TEXT, 0),
    MP_COLUMN_OF(path_row, cells.type, "type", "Type", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(path_row, root_kind, "Root", MP_TEXT, 0),
    MP_COLUMN(path_row, flags, "Flags", MP_TEXT, 0),
    MP_COLUMN(path_row, container, "Declared in", MP_TEXT, MP_SHORTEN),
    MP_COLUMN_OF(path_row, cells.self_bytes, "self_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN_OF(path_row, cells.retained_bytes, "retained_bytes", "Retained", MP_BYTES, 0),
};

static void put_path(mp_document *document, mp_table *table, const mp_graph_view *view,
                     const mp_path *path, int64_t number, size_t rows)
{
    for (size_t i = 0; i < mp_shown_of(path->count, rows); i++) {
        path_row row = {.cells = mp_object_cells_of(document, view, path->objects[i]),
                        .path = number,
                        .step = (int64_t)i + 1};
        const mp_root *root = &view->graph->roots.items[path->root];
        if (i > 0)
            row.via = mp_reference_name(view, path->objects[i - 1], path->objects[i]);
        if (i == 0) {
            row.via = root->name.i ? mp_root_text(document->arena, view->model, root) : NULL;
            row.root_kind = mp_root_kind_text(document->arena, view->model, root->kind);
            row.flags = mp_root_flags_text(document->arena, root->flags);
            if (root->container.i)
                row.container = mp_type_text(document->arena, view->model, root->container.i);
        }
        mp_table_put(document, table, &row);
    }
}

/* Set `kind` to the next higher kind of roots. Return false if there is none. Kinds may be any
 * 32-bit number, so -1 precedes the first one. */
static bool next_kind(const mp_graph *graph, int64_t *kind)
{
    int64_t next = INT64_MAX;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (graph->roots.items[i].kind > *kind && graph->roots.items[i].kind < next)
            next = graph->roots.items[i].kind;
    *kind = next;
    return next != INT64_MAX;
}

typedef struct path_arguments {
    const char *object, *type;
    mp_argument_texts exclude;
    bool all_kinds;
    int64_t paths;
    int64_t limit; /* maximum of steps or, for a type, of paths; -1 = the default: 100 steps, 10
                      paths */
} path_arguments;

/* Exclude the objects of this path from further paths, except objects that are on every path.
 * Return false if there is no other path. */
static bool exclude_path(const mp_graph_view *view, const mp_path *path, bool *excluded)
{
    uint32_t common = path->objects[path->count - 1];
    bool more = false;
    for (size_t i = path->count; i--;)
        if (path->objects[i] == common)
            common = view->dominators.idom[common];
        else
            more = excluded[path->objects[i]] = true;
    return more;
}

/* Paths to one object. */
typedef struct path_list {
    mp_path *items;
    size_t count, capacity;
} path_list;

/* Return shortest paths: one, several, or one from each kind of roots that reaches the object. Keep
 * only the objects of the first `rows` steps. */
static path_list paths_to(const mp_graph_view *view, uint32_t object, const path_arguments *asked,
                          bool *excluded, size_t rows)
{
    path_list found = {.items = NULL};
    int64_t kind = MP_ANY_KIND;
    bool more = true;
    while (more && (asked->all_kinds ? next_kind(view->graph, &kind)
                                     : (int64_t)found.count < asked->paths)) {
        mp_path path = mp_path_to(view->graph, object, kind, excluded);
        if (!asked->all_kinds)
            more = path.count && exclude_path(view, &path, excluded);
        if (!path.count)
            continue;
        path.objects = mp_fitted(path.objects, mp_shown_of(path.count, rows), sizeof *path.objects);
        *MP_APPEND(found.items, found.count, found.capacity) = path;
    }
    return found;
}

/* Read the names of the references in the first `rows` steps of each path. */
static void name_paths(mp_document *document, mp_graph_view *view, const path_list *paths,
                       size_t rows)
{
    for (size_t i = 0; i < paths->count; i++)
        for (size_t k = 1; k < mp_shown_of(paths->items[i].count, rows); k++)
            mp_reference_want(view, paths->items[i].objects[k - 1], paths->items[i].objects[k]);
    mp_references_read(view, document->arena);
}

static void put_paths(mp_document *document, mp_graph_view *view, uint32_t object,
                      const path_arguments *asked, bool *excluded)
{
    size_t total = 0, rows = asked->limit < 0 ? 100 : (size_t)asked->limit;
    mp_table *table = MP_TABLE(document, "path", NULL, MP_ROWS, path_columns);
    table->main = true;
    table->empty = mp_is_reached(&view->dominators, object)
                       ? "every path goes through excluded objects"
                   : mp_graph_tracks(view->graph, object)
                       ? "no strong root reaches it: garbage not yet collected"
                       : "unknown: no references were recorded for its type, as for native objects";
    table->title = mp_document_text(
        document, "%s to %s%s",
        asked->all_kinds   ? "A shortest path from each kind of root"
        : asked->paths > 1 ? "Paths from roots"
                           : "A shortest path from a root",
        mp_object_text(document->arena, view, object),
        asked->paths > 1 ? ", which share only the objects common to all paths" : "");
    path_list paths = paths_to(view, object, asked, excluded, rows);
    name_paths(document, view, &paths, rows);
    for (size_t i = 0; i < paths.count; i++) {
        put_path(document, table, view, &paths.items[i], (int64_t)i + 1, rows);
        total += paths.items[i].count;
        mp_path_free(&paths.items[i]);
    }
    mp_table_left_out(table, total);
    bool reached = mp_is_reached(&view->dominators, object);
    bool tracked = mp_graph_tracks(view->graph, object);
    put_path_totals(document, (path_totals){.objects = 1,
                                            .unreachable = !reached && tracked,
                                            .untracked = !reached && !tracked,
                                            .excluded = reached && !paths.count});
    free(paths.items);
}

/* --- paths to all objects of a type --- */

typedef struct merged_row {
    int64_t objects, bytes, steps;
    const char *root_kind, *object, *type;
    mp_texts types, via, way;
} merged_row;

static const mp_column merged_columns[] = {
    MP_RANK(MP_FOR_PROGRAMS),
    MP_COLUMN(merged_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(merged_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(merged_row, root_kind, "Root", MP_TEXT, 0),
    MP_COLUMN(merged_row, steps, "Steps", MP_COUNT, 0),
    MP_COLUMN(merged_row, object, "Example", MP_TEXT, 0),
    MP_COLUMN(merged_row, type, "Type", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(merged_row, types, "Path", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(merged_row, via, "Via", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(merged_row, way, "Path", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

enum { FIRST_STEPS = 6, LAST_STEPS = 14 }; /* number of steps of a path that people see */

/* Set `steps` to the last `count` steps up to `step`, from the outermost inwards. */
static void list_steps(const mp_type_paths *paths, uint32_t step, size_t count,
                       const mp_type_step **steps)
{
    for (; count--; step = paths->steps[step].up)
        steps[count] = &paths->steps[step];
}

/* Steps of merged paths that an answer shows: the first ones and, for people, the last ones. */
typedef struct shown_steps {
    const mp_type_step *first[MP_LISTED_STEPS], *last[LAST_STEPS];
    size_t count, listed, ends; /* steps of the path, in `first` and in `last` */
} shown_steps;

static shown_steps steps_of(const mp_type_paths *paths, const mp_type_path *path)
{
    const mp_type_step *last = &paths->steps[path->last];
    shown_steps shown = {.count = last->length};
    shown.listed = shown.count < MP_LISTED_STEPS ? shown.count : MP_LISTED_STEPS;
    shown.ends = shown.count < LAST_STEPS ? shown.count : LAST_STEPS;
    list_steps(paths, last->head, shown.listed, shown.first);
    list_steps(paths, path->last, shown.ends, shown.last);
    return shown;
}

static void want_step(mp_graph_view *view, const mp_type_step *step)
{
    if (step->before)
        mp_reference_want(view, step->before, step->object);
}

/* Read the names of the references that the first `shown` paths show. */
static void name_merged(mp_document *document, mp_graph_view *view, const mp_type_paths *paths,
                        size_t shown)
{
    for (size_t i = 0; view->graph->names.read && i < shown; i++) {
        const shown_steps steps = steps_of(paths, &paths->items[i]);
        for (size_t k = 0; k < steps.listed; k++)
            want_step(view, steps.first[k]);
        for (size_t k = 0; k < steps.ends; k++)
            want_step(view, steps.last[k]);
    }
    mp_references_read(view, document->arena);
}

/* Return the name of the reference to the first object of a step; NULL: the name is not known. An
 * index names only one of the merged objects, so it is left out if there are several. */
static const char *name_of_step(const mp_graph_view *view, const mp_type_step *step, bool merged)
{
    const char *name = step->before ? mp_reference_name(view, step->before, step->object) : NULL;
    return merged && name && name[0] == '[' && isdigit((unsigned char)name[1]) ? "[...]" : name;
}

/* Return the root of a first step, "static field LIST of App.Cache"; NULL: the root has no name. */
static const char *named_root(mp_arena *arena, const mp_graph_view *view, const mp_type_step *step)
{
    enum { MOST = 16 }; /* roots of an object that are examined for a name */
    const mp_root_list its_roots = mp_roots_of(&view->roots, step->object);
    for (uint32_t i = 0; i < its_roots.count && i < MOST; i++) {
        const mp_root *root = &view->graph->roots.items[its_roots.items[i]];
        if (root->name.i && root->kind == step->root_kind && mp_root_is_strong(root))
            return mp_root_text(arena, view->model, root);
    }
    return NULL;
}

/* Return the name of the root of a first step, as above; if it has none, return its kind: "user
 * root". */
static const char *root_of_step(mp_arena *arena, const mp_graph_view *view,
                                const mp_type_step *step)
{
    const char *name = named_root(arena, view, step);
    return name ? name
                : mp_arena_format(arena, "%s root",
                                  mp_root_kind_text(arena, view->model, step->root_kind));
}

/* Return a path in words, from the root inwards. The root is named if it has a name. People see the
 * first and the last types. */
static const char *merged_way(const mp_graph_view *view, const shown_steps *steps, bool merged,
                              mp_arena *line)
{
    const bool cut = steps->count > FIRST_STEPS + LAST_STEPS;
    const size_t first = cut ? FIRST_STEPS : steps->count;
    const char *root = view->graph->names.read ? named_root(line, view, steps->first[0]) : NULL;
    const char *way = root ? root : "";
    for (size_t i = 0; i < first + (cut ? steps->ends : 0); i++) {
        const mp_type_step *step = i < first ? steps->first[i] : steps->last[i - first];
        const char *name = name_of_step(view, step, merged);
        way = mp_arena_format(line, "%s%s%s%s%s%s", way, i || root ? " > " : "",
                              cut && i == first ? "... > " : "", name ? name : "", name ? " " : "",
                              mp_type_text(line, view->model, step->type));
    }
    return way;
}

/* Add a path as types, from the root inwards. Programs get its first types, at most as many as a
 * stack has frames. */
static void put_merged(mp_document *document, mp_table *table, const mp_graph_view *view,
                       const mp_type_paths *paths, const mp_type_path *path)
{
    const mp_type_step *last = &paths->steps[path->last];
    const shown_steps steps = steps_of(paths, path);
    const char *types[MP_LISTED_STEPS], *via[MP_LISTED_STEPS];
    const size_t whole = steps.listed < steps.count ? steps.count : 0;
    const bool merged = path->objects > 1;
    mp_arena line = {0};
    const char *way = merged_way(view, &steps, merged, &line);
    for (size_t i = 0; i < steps.listed; i++) {
        const char *name = i ? name_of_step(view, steps.first[i], merged)
                           : view->graph->names.read
                               ? root_of_step(document->arena, view, steps.first[i])
                               : NULL;
        types[i] = mp_type_text(document->arena, view->model, steps.first[i]->type);
        via[i] = name ? name : "";
    }
    merged_row row = {.objects = path->objects,
                      .bytes = path->bytes,
                      .root_kind = mp_root_kind_text(document->arena, view->model, last->root_kind),
                      .steps = last->length,
                      .object = mp_object_id_text(document->arena, view->graph, path->example),
                      .type = mp_type_text(document->arena, view->model, last->type),
                      .types = {.items = types, .count = steps.listed, .whole = whole},
                      .way = {.items = &way, .count = 1}};
    if (view->graph->names.read)
        row.via = (mp_texts){.items = via, .count = steps.listed, .whole = whole};
    mp_table_put(document, table, &row);
    mp_arena_free(&line);
}

static void put_type(mp_document *document, mp_graph_view *view, const char *glob,
                     const bool *excluded, size_t rows)
{
    mp_type_paths paths = mp_type_paths_of(view, glob, excluded);
    mp_table *table = MP_TABLE(document, "paths", NULL, MP_ROWS, merged_columns);
    table->title = mp_document_text(document, "Shortest paths to %s of %s, merged by type",
                                    mp_counted_text(document, paths.objects, "object"), glob);
    table->main = true;
    table->empty = paths.untracked < paths.objects ? "no strong root reaches any" : "unknown";
    if (paths.untracked)
        mp_table_line(
            document, table,
            "%s of them have types without recorded references: what keeps them alive is unknown",
            mp_count_text(document, paths.untracked));
    if (paths.unreached)
        mp_table_line(document, table, "%s of them unreachable: garbage not yet collected",
                      mp_count_text(document, paths.unreached));
    if (paths.excluded)
        mp_table_line(document, table, "%s of them reached only through excluded objects",
                      mp_count_text(document, paths.excluded));
    name_merged(document, view, &paths, mp_shown_of(paths.count, rows));
    for (size_t i = 0; i < mp_shown_of(paths.count, rows); i++)
        put_merged(document, table, view, &paths, &paths.items[i]);
    mp_table_left_out(table, paths.count);
    put_path_totals(document, (path_totals){.objects = paths.objects,
                                            .unreachable = paths.unreached,
                                            .untracked = paths.untracked,
                                            .excluded = paths.excluded});
    mp_type_paths_free(&paths);
}

static const path_arguments path_defaults = {.paths = 1, .limit = -1};

static const mp_argument path_table[] = {
    {"object", offsetof(path_arguments, object), 1},
    {"type", offsetof(path_arguments, type), 1},
    {"exclude", offsetof(path_arguments, exclude), 1},
    {"all-kinds", offsetof(path_arguments, all_kinds), 1},
    {"paths", offsetof(path_arguments, paths), 1},
    {"limit", offsetof(path_arguments, limit), 1},
    {"domain", MP_SHARED_ARGUMENT, 1},
};

static bool run_path(const mp_request *request, mp_document *document, mp_error *error)
{
    const path_arguments *asked = request->arguments;
    const mp_graph *graph = request->filter->graph;
    uint32_t object = 0;
    if ((asked->type != NULL) + asked->all_kinds + (asked->paths > 1) > 1)
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "path takes one of " MP_DASHES "type, " MP_DASHES "all-kinds and " MP_DASHES
                       "paths");
    if (!asked->paths)
        return mp_fail_argument(error, "paths", "0", "expected a number from 1");
    if (asked->type ? !mp_type_asked(request->model, graph, asked->type, error)
                    : !mp_object_asked(request->model, graph, asked->object, &object, error))
        return false;
    mp_graph_view *view = mp_request_graph(request);
    bool *excluded =
        mp_objects_matching(request->model, graph, asked->exclude.items, asked->exclude.count);
    mp_section_dump_head(document, request, view);
    if (asked->type)
        put_type(document, view, asked->type, excluded,
                 asked->limit < 0 ? 10 : (size_t)asked->limit);
    else
        put_paths(document, view, object, asked, excluded);
    free(excluded);
    return true;
}

const mp_report mp_report_path = {
    .name = "path",
    .summary = "show why an object is alive: a path from a root to it",
    .example = "path --type 'Shop.Orders.Order' samples/shop-3.gclog",
    .details =
        "OBJECT is an id that memprof retained or top prints. The path is a shortest one from a "
        "strong root; `all-kinds` shows one from each kind of root that reaches the object, and "
        "`paths` several that share only the objects common to all paths. With `type` instead of "
        "OBJECT, shows paths to all objects of matching types, and combines paths through the same "
        "types. `exclude` omits paths through matching types, or through the object of that id.",
    .single = true,
    .operand = MP_OPERAND_OBJECT,
    MP_ARGUMENTS(path_table, path_defaults),
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH, .run = run_path}},
};

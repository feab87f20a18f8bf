/* Why an object is alive: the way from a root to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "reports/graph_sections.h"

/* Steps of a merged path that people see: the first and the last ones. */
enum { FIRST_STEPS = 6, LAST_STEPS = 14 };

static const mp_column columns[] = {
    {"path", "Path", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"step", "#", MP_NUMBER, 0, 0},
    {"object", "Object", MP_TEXT, 0, 0},
    {"type", "Type", MP_TEXT, MP_SHORTEN, 0},
    {"root_kind", "Root", MP_TEXT, 0, 0},
    {"flags", "Flags", MP_TEXT, 0, 0},
    {"container", "Declared in", MP_TEXT, MP_SHORTEN, 0},
    {"self_bytes", "Own", MP_BYTES, 0, 0},
    {"retained_bytes", "Retained", MP_BYTES, 0, 0},
};

static void put_root(mp_document *document, mp_table *table, const mp_graph_view *view,
                     const mp_root *root)
{
    char flags[64];
    mp_root_flags_label(root->flags, flags, sizeof flags);
    mp_set_text(document, table, "root_kind", mp_root_kind_text(document, root->kind));
    mp_set_text(document, table, "flags", flags);
    if (root->container.i)
        mp_set_text(document, table, "container",
                    mp_type_text(document, view->model, root->container.i));
}

static void put_path(mp_document *document, mp_table *table, const mp_graph_view *view,
                     const mp_path *path, int64_t number, size_t rows)
{
    for (size_t i = 0; i < path->count; i++) {
        uint32_t object = path->objects[i];
        if (rows && i >= rows)
            break;
        mp_table_row(table);
        mp_set_number(table, "path", number);
        mp_set_number(table, "step", (int64_t)i + 1);
        mp_set_text(document, table, "object", mp_object_id_text(document, view->graph, object));
        mp_set_text(document, table, "type",
                    mp_type_text(document, view->model, view->graph->types[object]));
        mp_set_number(table, "self_bytes", (int64_t)view->graph->sizes[object]);
        mp_set_number(table, "retained_bytes", (int64_t)view->dominators.retained[object]);
        if (i == 0)
            put_root(document, table, view, &view->graph->roots.at[path->root]);
    }
}

static mp_table *path_table(mp_document *document)
{
    mp_table *table = MP_TABLE(document, "path", NULL, MP_ROWS, columns);
    table->main = true;
    table->empty = "no strong root reaches it: it is garbage that is not yet collected";
    return table;
}

static void put_shortest(mp_document *document, const mp_graph_view *view, uint32_t object,
                         size_t rows)
{
    mp_path path = mp_path_to(view->graph, object, true, 0);
    mp_table *table = path_table(document);
    table->title = mp_document_text(document, "A shortest path from a root to %s",
                                    mp_object_text(document, view, object));
    put_path(document, table, view, &path, 1, rows);
    mp_table_left_out(document, table, path.count);
    mp_path_free(&path);
}

static int ascending(const void *left, const void *right)
{
    const mp_root_census *a = left, *b = right;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void put_all_kinds(mp_document *document, const mp_graph_view *view, uint32_t object,
                          size_t rows)
{
    size_t count, all = 0;
    int64_t number = 0;
    mp_root_census *kinds = mp_root_census_of(view->graph, &view->dominators, &count);
    qsort(kinds, count, sizeof *kinds, ascending);
    mp_table *table = path_table(document);
    table->title = mp_document_text(document, "A shortest path from each kind of root to %s",
                                    mp_object_text(document, view, object));
    for (size_t i = 0; i < count; i++) {
        mp_path path = mp_path_to(view->graph, object, false, kinds[i].kind);
        if (path.count)
            put_path(document, table, view, &path, ++number, rows);
        all += path.count;
        mp_path_free(&path);
    }
    mp_table_left_out(document, table, all);
    free(kinds);
}

/* --- to all objects of a type --- */

static const mp_column merged_columns[] = {
    {"rank", "#", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
    {"root_kind", "Root", MP_TEXT, 0, 0},
    {"steps", "Steps", MP_COUNT, 0, 0},
    {"object", "Example", MP_TEXT, 0, 0},
    {"type", "Type", MP_TEXT, MP_SHORTEN, 0},
    {"types", "Path", MP_LIST, MP_FOR_PROGRAMS, 0},
    {"way", "Path", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
};

/* The types of the path, from the root on. */
static void set_types(mp_document *document, mp_table *table, const mp_graph_view *view,
                      const mp_type_paths *paths, uint32_t last)
{
    size_t length = paths->steps[last].length;
    const char **types = mp_alloc((length + 1) * sizeof *types);
    for (size_t i = length; i--; last = paths->steps[last].up)
        types[i] = mp_type_text(document, view->model, paths->steps[last].type);
    mp_set_list(document, table, "types", types, length);
    if (length > FIRST_STEPS + LAST_STEPS) {
        memmove(types + FIRST_STEPS + 1, types + length - LAST_STEPS, LAST_STEPS * sizeof *types);
        types[FIRST_STEPS] = "...";
        length = FIRST_STEPS + 1 + LAST_STEPS;
    }
    mp_arena line = {0};
    const char *way = "";
    for (size_t i = 0; i < length; i++)
        way = mp_arena_format(&line, "%s%s%s", way, i ? " > " : "", types[i]);
    mp_set_list(document, table, "way", &way, 1);
    mp_arena_free(&line);
    free(types);
}

static void put_merged(mp_document *document, const mp_graph_view *view, const char *glob,
                       size_t rows)
{
    mp_type_paths paths = mp_type_paths_of(view->model, view->graph, glob);
    mp_table *table = MP_TABLE(document, "paths", NULL, MP_ROWS, merged_columns);
    table->title = mp_document_text(document, "Shortest paths to %s object%s of %s, merged by type",
                                    mp_count_text(document, paths.objects, false),
                                    paths.objects == 1 ? "" : "s", glob);
    table->main = true;
    table->empty = paths.objects ? "no strong root reaches any" : "there is none";
    if (paths.unreached)
        mp_table_line(document, table, "%s of them unreachable: garbage that is not yet collected",
                      mp_count_text(document, paths.unreached, false));
    for (size_t i = 0; i < paths.count && (!rows || i < rows); i++) {
        const mp_type_path *path = &paths.at[i];
        const mp_type_step *last = &paths.steps[path->last];
        mp_table_row(table);
        mp_set_number(table, "rank", (int64_t)i + 1);
        mp_set_number(table, "objects", path->objects);
        mp_set_number(table, "bytes", path->bytes);
        mp_set_text(document, table, "root_kind", mp_root_kind_text(document, last->root_kind));
        mp_set_number(table, "steps", last->length);
        mp_set_text(document, table, "object",
                    mp_object_id_text(document, view->graph, path->example));
        mp_set_text(document, table, "type", mp_type_text(document, view->model, last->type));
        set_types(document, table, view, &paths, path->last);
    }
    mp_table_left_out(document, table, paths.count);
    mp_type_paths_free(&paths);
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_view *asked = &request->view;
    uint32_t object = 0;
    if (asked->object_type && asked->all_kinds) {
        mp_fail(error, MP_ERROR_ARGUMENT, "path takes one of --type and --all-kinds");
        return false;
    }
    if (!asked->object_type && !mp_request_object(request, request->model->graph, &object, error))
        return false;
    mp_graph_view view = mp_graph_view_of(request->model);
    mp_section_dump_head(document, request, &view);
    if (asked->object_type)
        put_merged(document, &view, asked->object_type, mp_view_rows(asked, 10));
    else if (asked->all_kinds)
        put_all_kinds(document, &view, object, mp_view_rows(asked, 100));
    else
        put_shortest(document, &view, object, mp_view_rows(asked, 100));
    mp_graph_view_free(&view);
    return true;
}

const mp_report mp_report_path = {
    .name = "path",
    .summary = "why an object of a heap dump is alive: the way from a root to it",
    .example = "path --type 'Shop.Orders.Order' samples/shop-3.gclog",
    .details = "OBJECT is an id, as memprof retained and top print them. The path is a shortest\n"
               "one from a strong root; --all-kinds gives one from each kind of root that reaches\n"
               "the object. With --type in place of OBJECT, the paths to all objects of such\n"
               "types, those over the same types counted together.",
    .single = true,
    .operand = MP_OPERAND_OBJECT,
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH,
                  .honours = MP_HONOURS_OBJECT | MP_HONOURS_OBJECT_TYPE | MP_HONOURS_ROOT_KINDS |
                             MP_HONOURS_LIMIT | MP_HONOURS_DOMAIN,
                  .run = run}},
};

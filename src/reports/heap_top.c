/* The report top: the largest groups of live objects in a heap. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/peak.h"
#include "reports/graph_sections.h"
#include "reports/profile_sections.h"
#include "reports/stacks.h"

enum { HEAPS = MP_OF_RECORDINGS | MP_OF_DUMPS };

/* --- groups by size --- */

typedef struct top_row {
    const mp_group *group;
    int64_t bytes, inclusive_bytes, objects, created_objects, deleted_objects;
    int64_t created_bytes, peak_bytes, peak_objects, temporary_bytes, temporary_objects;
    int64_t own_peak_bytes, own_peak_objects, hit_count, finalizable;
    int64_t idle_objects, unused_tables; /* unused_tables: people see it if rows are sorted by it */
    const char *source_file, *module;
    double percent;
    const char *key;
    mp_texts stack;
} top_row;

static const mp_column top_columns[] = {
    MP_RANK(0),
    MP_COLUMN(top_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(top_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(top_row, inclusive_bytes, "With scoped", MP_BYTES, HEAPS | MP_IF_KNOWN),
    MP_COLUMN(top_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(top_row, created_objects, "Created", MP_COUNT, 0),
    MP_COLUMN(top_row, deleted_objects, "Deleted", MP_COUNT, 0),
    MP_COLUMN(top_row, unused_tables, "Not used", MP_COUNT,
              MP_OF_RECORDINGS | MP_FOR_PEOPLE | MP_IF_KNOWN),
    MP_COLUMN(top_row, created_bytes, "Allocated", MP_BYTES, MP_OF_EVENTS),
    MP_COLUMN(top_row, peak_bytes, "At peak", MP_BYTES, MP_OF_EVENTS),
    MP_COLUMN(top_row, peak_objects, "At peak", MP_COUNT, MP_OF_EVENTS | MP_FOR_PROGRAMS),
    MP_COLUMN(top_row, temporary_bytes, "Temporary", MP_BYTES, MP_OF_EVENTS),
    MP_COLUMN(top_row, temporary_objects, "Temporary", MP_COUNT, MP_OF_EVENTS | MP_FOR_PROGRAMS),
    MP_COLUMN(top_row, own_peak_bytes, "Peak", MP_BYTES, MP_OF_DATABASES | MP_IF_KNOWN),
    MP_COLUMN(top_row, own_peak_objects, "Peak", MP_COUNT, MP_OF_DATABASES | MP_FOR_PROGRAMS),
    MP_COLUMN(top_row, hit_count, "Hits", MP_COUNT, MP_OF_DATABASES | MP_IF_KNOWN),
    MP_COLUMN(top_row, finalizable, "Finalizable", MP_FLAG, MP_OF_DATABASES | MP_FOR_PROGRAMS),
    MP_COLUMN(top_row, key, "Group", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(top_row, source_file, "File", MP_TEXT, MP_OF_DATABASES | MP_FOR_PROGRAMS),
    MP_COLUMN(top_row, module, "Module", MP_TEXT, MP_OF_DATABASES | MP_FOR_PROGRAMS),
    MP_COLUMN(top_row, stack, "Stack", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(top_row, idle_objects, "Not used", MP_COUNT, MP_OF_RECORDINGS | MP_FOR_PROGRAMS),
};

/* Orders of groups. Without an order, they are sorted by label. The first orders apply to all
 * memory; then come those for recordings, then those for logs. */
static const mp_order top_orders[] = {
    {"bytes", {"bytes"}},
    {"objects", {"objects", "bytes"}},
    {"created", {"created_objects", "bytes"}},
    {"deleted", {"deleted_objects", "bytes"}},
    {"key", {"key"}},
    {"inclusive", {"inclusive_bytes", "bytes"}},
    {"idle", {"idle_objects", "bytes"}},
    {"allocated", {"created_bytes", "created_objects", "bytes"}},
    {"peak", {"peak_bytes", "bytes"}},
    {"temporary", {"temporary_bytes", "temporary_objects", "bytes"}},
};
enum { ALL_TOP = 5, RECORDED_TOP = 2, LOGGED_TOP = 3 };

/* Return true if the group is shown. If the order is a figure of the past, or unused temp-tables,
 * groups are shown if that figure is not 0. For other orders, groups with live objects are
 * shown. */
static bool is_asked(const mp_group *group, const char *order)
{
    const struct {
        const char *order;
        int64_t objects;
    } past[] = {{"created", group->end.created},     {"deleted", group->end.deleted},
                {"allocated", group->end.created},   {"peak", group->at_peak.objects},
                {"temporary", group->end.temporary}, {"idle", group->end.idle}};
    for (size_t i = 0; i < sizeof past / sizeof *past; i++)
        if (strcmp(past[i].order, order) == 0)
            return past[i].objects != 0;
    return mp_cost_live(group->end) || group->end.bytes;
}

/* Set the columns that a database has for the class or the routine of a group. The recorded peak
 * counts all objects of the type, so a selection has none. */
static void describe(const mp_window *window, const mp_dimension *dimension,
                     const mp_type_peak *peaks, top_row *row)
{
    const mp_model *model = window->model;
    const mp_group *group = row->group;
    const mp_context *context =
        &model->contexts.items[model->generations.items[group->example.i].context.i];
    const mp_type *type = &model->types.items[context->type.i];
    mp_frame frame = mp_frame_naming(model, (mp_frame){group->node, context->line});
    if (dimension->of_frames)
        frame = (mp_frame){group->node, MP_NO_LINE};
    const mp_symbol *routine = &model->symbols.items[model->tree.items[frame.node].symbol.i];
    bool of_type = dimension == mp_dimension_find("type");
    bool of_routine = dimension->of_frames || dimension == mp_dimension_find("source") ||
                      dimension == mp_dimension_find("line") ||
                      dimension == mp_dimension_find("site");
    mp_string_id module = of_type ? type->module : routine->module;
    if (of_type && !window->filter->selects) {
        const mp_type_peak *peak = &peaks[context->type.i];
        row->own_peak_bytes = peak->bytes < 0 ? MP_UNKNOWN : peak->bytes;
        row->own_peak_objects = peak->objects < 0 ? MP_UNKNOWN : peak->objects;
    }
    if (of_type && type->finalizable != MP_NOT_TOLD)
        row->finalizable = type->finalizable == MP_TOLD_YES;
    if (of_routine && routine->hits)
        row->hit_count = routine->hits;
    if (of_routine && routine->source.i)
        row->source_file = mp_model_text(model, routine->source);
    if ((of_type || of_routine) && module.i)
        row->module = mp_model_text(model, module);
}

/* Return the requested groups in their order. */
static mp_best top_rows(const mp_window *window, const mp_grouping *grouping,
                        const mp_heap_arguments *asked, const mp_order *order)
{
    bool no_peak = window->model->events && !window->filter->knows_peak;
    bool by_idle = strcmp(order->name, "idle") == 0;
    int64_t all_bytes = mp_totals_of(window).live_bytes;
    mp_best best = MP_BEST(order, top_columns, top_row, (size_t)asked->limit);
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *group = &grouping->groups[i];
        const mp_cost *cost = &group->end;
        if (is_asked(group, order->name) && mp_is_asked(asked, cost->bytes, mp_cost_live(*cost)))
            *(top_row *)mp_best_add(&best) = (top_row){
                .group = group,
                .bytes = cost->bytes,
                .percent = mp_percent_of(cost->bytes, all_bytes),
                .inclusive_bytes = grouping->has_scope
                                       ? mp_group_scope_of(grouping, group).inclusive_bytes
                                       : MP_UNKNOWN,
                .objects = mp_cost_live(*cost),
                .created_objects = cost->created,
                .deleted_objects = cost->deleted,
                .created_bytes = cost->created_bytes,
                .peak_bytes = no_peak ? MP_UNKNOWN : group->at_peak.bytes,
                .peak_objects = no_peak ? MP_UNKNOWN : group->at_peak.objects,
                .temporary_bytes = cost->temporary_bytes,
                .temporary_objects = cost->temporary,
                .own_peak_bytes = MP_UNKNOWN,
                .own_peak_objects = MP_UNKNOWN,
                .hit_count = MP_UNKNOWN,
                .finalizable = MP_UNKNOWN,
                .idle_objects = cost->idle ? cost->idle : MP_UNKNOWN,
                .unused_tables = by_idle ? cost->idle : MP_UNKNOWN,
                .key = group->label};
    }
    mp_best_end(&best);
    return best;
}

bool mp_section_top(mp_document *document, const mp_window *window, const mp_heap_arguments *asked,
                    mp_error *error)
{
    const mp_model *model = window->model;
    const mp_dimension *dimension = mp_asked_dimension(asked, window->model);
    const mp_order *order = MP_ORDER_FIND(top_orders, mp_asked_sort(asked, model), "groups", error);
    if (!order || !mp_order_suits(order, dimension, error))
        return false;
    if (model->events && !window->filter->knows_peak && strcmp(order->name, "peak") == 0)
        return mp_fail_argument(error, "sort", order->name,
                                "objects alive at the peak are known only for a whole log, not up "
                                "to an earlier snapshot");
    mp_table *table = MP_KIND_TABLE(document, model, "top", NULL, top_columns);
    table->title =
        mp_document_text(document, "Largest by %s, alive at %s", mp_dimension_title(dimension),
                         mp_moment_text(document, window, false));
    table->title_of_many =
        mp_document_text(document, "Largest by %s", mp_dimension_title(dimension));
    table->order = order->columns[0];
    table->empty = mp_empty_text(asked, "nothing is alive");
    const mp_grouping *grouping = mp_window_groups(window, dimension, MP_GROUPS_SCOPED);
    mp_best best = top_rows(window, grouping, asked, order);
    top_row *rows = best.rows;
    mp_type_peak *peaks = mp_stated_peaks(window);
    for (size_t i = 0; i < best.count; i++) {
        rows[i].stack = mp_group_stack(document, model, rows[i].group, dimension);
        describe(window, dimension, peaks, &rows[i]);
        mp_table_put(document, table, &rows[i]);
    }
    mp_table_left_out(table, best.added);
    free(peaks);
    free(rows);
    return true;
}

/* --- the report --- */

static bool top_of_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    mp_profile_costs costs = mp_profile_costs_of(request->filter);
    mp_costs_asked of_costs = {asked->by, asked->sort, asked->min_count, (size_t)asked->limit};
    mp_section_profile(document, request);
    bool ok = mp_section_profile_top(document, request->model, &costs, &of_costs, error);
    document->tables[document->table_count - 1].main = true;
    mp_profile_costs_free(&costs);
    return ok;
}

static bool top_of_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_section_heap(document, request, false, error);
    if (!window)
        return false;
    mp_say_peak(document, window);
    bool ok = mp_section_top(document, window, request->arguments, error);
    document->tables[document->table_count - 1].main = true;
    return ok;
}

static bool top_of_dump(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    mp_histogram_asked histogram = {.by = asked->by,
                                    .sort = asked->sort,
                                    .only = asked->only,
                                    .min_bytes = asked->min_bytes,
                                    .min_count = asked->min_count,
                                    .rows = (size_t)asked->limit};
    mp_graph_view *graph = mp_request_graph(request);
    mp_section_dump_head(document, request, graph);
    bool ok = mp_section_dump_top(document, graph, &histogram, error);
    document->tables[document->table_count - 1].main = true;
    return ok;
}

static const mp_heap_arguments defaults = {.limit = MP_REPORT_ROWS,
                                           .stack_depth = MP_PROGRAM_CALLERS};

static const mp_argument top_arguments[] = {
    MP_ASKS_WINDOW(MP_HEAPS),
    MP_ASKS("by", by, MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_ASKS("sort", sort, MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_ASKS("limit", limit, MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_ASKS("stack-depth", stack_depth, MP_HEAPS),
    MP_ASKS("only", only, MP_DUMP),
    MP_ASKS("min-size", min_bytes, MP_HEAPS | MP_DUMP),
    MP_ASKS("min-count", min_count, MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_SHARES("selection", MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_SHARES("listings", MP_PROFILE),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_READING,
};

static const char *const dump_groups[] = {"type", "namespace"};

static const mp_choice top_choices[] = {
    {.argument = "by", .variants = MP_HEAPS},
    {.argument = "by", .variants = MP_DUMP, MP_WORDS(dump_groups)},
    {.argument = "by", .variants = MP_PROFILE, MP_WORDS(mp_profile_groups)},
    {.argument = "sort", .variants = MP_HEAPS, MP_WORDS_OF(top_orders, 0, ALL_TOP)},
    {.argument = "sort", .variants = MP_HISTORY, MP_WORDS_OF(top_orders, ALL_TOP, RECORDED_TOP)},
    {.argument = "sort",
     .variants = MP_EVENTS,
     MP_WORDS_OF(top_orders, ALL_TOP + RECORDED_TOP, LOGGED_TOP)},
    {.argument = "sort", .variants = MP_DUMP, MP_WORDS(mp_alive_orders)},
    {.argument = "sort", .variants = MP_PROFILE, .where = "by line", MP_WORDS(mp_line_orders)},
    {.argument = "sort",
     .variants = MP_PROFILE,
     .where = "by method or module",
     MP_WORDS(mp_method_orders)},
    {0},
};

const mp_report mp_report_top = {
    .name = "top",
    .summary = "show what is largest in memory, or the hottest lines of a profile",
    .example = "top samples/shop-v2.oemp --by source",
    .details = "For memory, shows the objects alive at the snapshot `to` (the last _PreCleanUp, "
               "else before _Exit, else the last). \"With scoped\" adds the objects that are "
               "scoped to those of the group. `sort` idle shows temp-tables that were never used.",
    MP_ARGUMENTS(top_arguments, defaults),
    .choices = top_choices,
    .variants = {MP_HEAP_VARIANTS(top_of_heap),
                 {.needs = MP_HOLDS_GRAPH, .run = top_of_dump},
                 {.needs = MP_HOLDS_PROFILE, .run = top_of_profile}},
};

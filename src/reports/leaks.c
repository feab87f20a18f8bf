#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "reports/graph_sections.h"

/* Of every table of leaks. */
/* clang-format off */
#define LEAK_COLUMNS                                                                               \
    {"rank", "#", MP_NUMBER, MP_FOR_PROGRAMS, 0},                                                     \
    {"bytes", "Leaked", MP_BYTES, 0, 0},                                                              \
    {"objects", "Alive", MP_COUNT, 0, 0},                                                             \
    {"created_objects", "Created", MP_COUNT, 0, 0},                                                   \
    {"deleted_objects", "Deleted", MP_COUNT, 0, 0},                                                   \
    {"growth", "Grew", MP_TEXT, MP_FOR_PEOPLE, 0},                                                    \
    {"grew_snapshots", "Grew", MP_COUNT, MP_FOR_PROGRAMS, 0},                                         \
    {"window_snapshots", "Of", MP_COUNT, MP_FOR_PROGRAMS, 0},                                         \
    {"trend", "Trend", MP_TEXT, MP_FOR_PROGRAMS, 0},                                                  \
    {"type", "Type", MP_TEXT, MP_FOR_PROGRAMS, 0}
/* clang-format on */

static const mp_column columns[] = {
    LEAK_COLUMNS,
    {"name", "Name", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"what", "Type and name", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN | MP_SHRINKS, 0},
    {"stack", "Allocation site", MP_LIST, MP_SHORTEN | MP_FOR_PROGRAMS, 0},
    {"site", "Allocation site", MP_LIST, MP_SHORTEN | MP_FOR_PEOPLE, 0},
    {"line", "Line", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"flags", "Flags", MP_LIST, MP_FOR_PROGRAMS, 0},
    {"hints", "Note", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
    {"idle_objects", "Not instantiated", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"session_pool_objects", "In the session's pool", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"owner_leaked_objects", "Owner leaks", MP_COUNT, MP_FOR_PROGRAMS, 0},
};

/* Of a log of heap events. */
static const mp_column event_columns[] = {
    LEAK_COLUMNS,
    {"inferred_type", "Inferred type", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"inferred_type_percent", "% sure", MP_PERCENT, 0, 0},
    {"what", "Inferred type", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN | MP_SHRINKS, 0},
    {"stack", "Allocation site", MP_LIST, MP_SHORTEN | MP_FOR_PROGRAMS, 0},
    {"site", "Allocation site", MP_LIST, MP_SHORTEN | MP_FOR_PEOPLE, 0},
};

/* How a leak grew: steadily, a few times, or once, as a cache does that fills and stays. */
static const char *trend_of(const mp_group *group)
{
    if (mp_group_grew_once(group))
        return "once";
    return group->grew == group->moments ? "every" : "repeated";
}

static const char *growth_text(mp_document *document, const mp_group *group)
{
    const char *trend = trend_of(group);
    if (strcmp(trend, "every") == 0)
        return "every";
    if (strcmp(trend, "once") == 0)
        return "once";
    return mp_document_text(document, "%" PRIu32 " of %" PRIu32, group->grew, group->moments);
}

/* What a domain expert would point at, with a word for people for each. */
static void set_flags(mp_document *document, mp_table *table, const mp_leak *leak)
{
    const mp_group *group = &leak->group;
    const char *flags[4], *hints[4];
    size_t count = 0;
    const struct {
        bool applies;
        const char *flag, *hint;
    } rules[] = {
        {group->leaked.idle > 0, "temp-table-not-instantiated",
         "temp-table declared and never instantiated"},
        {group->pool_objects > 0, "session-widget-pool",
         "in the session's unnamed widget pool, which lives as long as the session"},
        {leak->class == MP_TYPE_RAW_MEMORY, "raw-memory",
         "memory that only the program itself can free"},
        {group->owned_by_leak > 0, "owner-leaked", "what it is scoped to leaks itself"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].applies) {
            hints[count] = rules[i].hint;
            flags[count++] = rules[i].flag;
        }
    if (count) {
        mp_set_list(document, table, "flags", flags, count);
        mp_set_list(document, table, "hints", hints, count);
    }
    if (group->leaked.idle > 0)
        mp_set_number(table, "idle_objects", group->leaked.idle);
    if (group->pool_objects > 0)
        mp_set_number(table, "session_pool_objects", group->pool_objects);
    if (group->owned_by_leak > 0)
        mp_set_number(table, "owner_leaked_objects", group->owned_by_leak);
}

static const char *what_of(mp_document *document, const mp_leak *leak)
{
    if (!leak->inference)
        return mp_document_text(document, "%s %s", leak->type,
                                leak->name           ? leak->name
                                : leak->names_differ ? "(several names)"
                                                     : "");
    return leak->type;
}

static void set_inference(mp_document *document, mp_table *table, const mp_leak *leak)
{
    if (!leak->inference || !leak->inference->type.i)
        return;
    mp_set_text(document, table, "inferred_type", leak->type);
    mp_set_real(table, "inferred_type_percent",
                mp_percent_of(leak->inference->typed, leak->inference->deleted));
}

static void leak_row(mp_document *document, mp_table *table, const mp_model *model,
                     const mp_leak *leak)
{
    const mp_group *group = &leak->group;
    mp_table_row(table);
    mp_set_number(table, "rank", (int64_t)table->row_count);
    mp_set_number(table, "bytes", group->leaked.bytes);
    mp_set_number(table, "objects", mp_cost_live(group->leaked));
    mp_set_number(table, "created_objects", group->to.created);
    mp_set_number(table, "deleted_objects", group->to.deleted);
    mp_set_text(document, table, "growth", growth_text(document, group));
    mp_set_number(table, "grew_snapshots", group->grew);
    mp_set_number(table, "window_snapshots", group->moments);
    mp_set_text(document, table, "trend", trend_of(group));
    mp_set_text(document, table, "type", leak->type);
    mp_set_text(document, table, "what", what_of(document, leak));
    mp_frame frame = {leak->node, leak->line};
    mp_set_stack(document, table, model, frame);
    mp_set_column_stack(document, table, "site", model, mp_frame_naming(model, frame));
    if (model->events) {
        set_inference(document, table, leak);
        return;
    }
    mp_set_text(document, table, "name", leak->name);
    if (leak->line != MP_NO_LINE)
        mp_set_number(table, "line", leak->line);
    set_flags(document, table, leak);
}

/* --- orders --- */

static int by_objects(const mp_leak *a, const mp_leak *b)
{
    int64_t left = mp_cost_live(a->group.leaked), right = mp_cost_live(b->group.leaked);
    return left > right ? -1 : left < right;
}

static int by_created(const mp_leak *a, const mp_leak *b)
{
    int64_t left = a->group.to.created, right = b->group.to.created;
    return left > right ? -1 : left < right;
}

static int by_grew(const mp_leak *a, const mp_leak *b)
{
    return a->group.grew > b->group.grew ? -1 : a->group.grew < b->group.grew;
}

static int by_rank(const mp_leak *a, const mp_leak *b)
{
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static const struct {
    const char *name;
    mp_leak_order *order;
    const char *column;
} orders[] = {{"bytes", by_rank, "bytes"},
              {"objects", by_objects, "objects"},
              {"created", by_created, "created_objects"},
              {"grew", by_grew, "grew_snapshots"}};

/* *column: by which the rows stand then. */
static bool sort(mp_leaks *leaks, const char *name, const char **column, mp_error *error)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (mp_text_is(orders[i].name, name)) {
            *column = orders[i].column;
            mp_leaks_sort(leaks, orders[i].order);
            return true;
        }
    mp_fail(error, MP_ERROR_ARGUMENT,
            "--sort %s: leaks are sorted by bytes, objects, created or grew", name);
    return false;
}

bool mp_section_leaks(mp_document *document, const mp_window *window, mp_leaks *leaks,
                      const mp_view *view, size_t rows, size_t stack_depth, mp_error *error)
{
    const char *order = "bytes";
    if (view->sort && !sort(leaks, view->sort, &order, error))
        return false;
    mp_table *table = window->model->events
                          ? MP_TABLE(document, "leaks", NULL, MP_ROWS, event_columns)
                          : MP_TABLE(document, "leaks", NULL, MP_ROWS, columns);
    table->title = window->ranges[1].all_new
                       ? mp_document_text(document, "All that is alive at %s, the only one",
                                          mp_moment_text(document, window, false))
                       : mp_document_text(document, "Leaks: created after %s, alive at %s",
                                          mp_moment_text(document, window, true),
                                          mp_moment_text(document, window, false));
    table->title_of_many = "Leaks";
    table->main = true;
    table->order = order;
    table->list_depth = stack_depth;
    table->empty = "none";
    size_t kept = 0;
    for (uint32_t i = 0; i < leaks->count; i++) {
        const mp_cost *leaked = &leaks->at[i].group.leaked;
        if (mp_view_keeps(view, leaked->bytes, mp_cost_live(*leaked)) && (!rows || kept++ < rows))
            leak_row(document, table, window->model, &leaks->at[i]);
    }
    mp_table_left_out(document, table, rows ? kept : table->row_count);
    return true;
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    if (!mp_request_window(request, &window, error))
        return false;
    mp_leaks leaks = mp_leaks_find(&window);
    const mp_view *view = &request->view;
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_heap_totals(document, &window, &leaks, false);
    mp_section_limits(document, &window, &leaks, view);
    bool ok = mp_section_leaks(document, &window, &leaks, view, mp_view_rows(view, MP_REPORT_ROWS),
                               view->stack_depth < 0 ? 5 : (size_t)view->stack_depth, error);
    mp_section_suppressions(document, &window);
    mp_leaks_free(&leaks);
    mp_window_free(&window);
    return ok;
}

/* A dump has no history: what it can tell is what keeps much alive. */
static bool run_dump(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    mp_graph_view view = mp_graph_view_of(request->model);
    mp_graph_view_look(&view);
    mp_section_dump_head(document, request, &view);
    mp_section_suspects(document, &view, mp_view_rows(&request->view, MP_REPORT_ROWS));
    mp_graph_view_free(&view);
    return true;
}

/* Of heaps with births and deaths. */
enum {
    HEAP = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_WINDOW | MP_HONOURS_LIMIT |
           MP_HONOURS_SORT | MP_HONOURS_STACK_DEPTH | MP_HONOURS_LIMITS | MP_HONOURS_SUPPRESS
};

const mp_report mp_report_leaks = {
    .name = "leaks",
    .summary = "what was created and never deleted, by allocation site",
    .example = "leaks samples/shop-v2.oemp --stack-depth 3",
    .details =
        "A leak is what was created after the snapshot --from (the first) and is alive at the\n"
        "snapshot --to (the last _PreCleanUp if there is one, else the last). \"Grew\" tells a\n"
        "leak that grows at every snapshot from a cache that filled once.\n"
        "--sort: bytes, objects, created, grew.",
    .variants = {{.needs = MP_HOLDS_EVENTS, .honours = HEAP | MP_HONOURS_EVENTS, .run = run},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE,
                  .honours = HEAP | MP_HONOURS_SKIP,
                  .run = run},
                 {.needs = MP_HOLDS_HISTORY, .honours = HEAP, .run = run},
                 {.needs = MP_HOLDS_GRAPH,
                  .honours = MP_HONOURS_LIMIT | MP_HONOURS_DOMAIN,
                  .run = run_dump}},
};

/* The report leaks: a table of allocation sites, and the suppressions. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "query/suppression.h"
#include "reports/answers.h"
#include "reports/graph_sections.h"
#include "reports/stacks.h"

/* --- leaks --- */

typedef struct leak_row {
    const mp_leak *leak;
    int64_t bytes, objects, created_objects, deleted_objects, grew_snapshots, window_snapshots;
    int64_t line, start_line, idle_objects, session_pool_objects, owner_leaked_objects;
    int64_t inclusive_bytes, leaking_bytes;
    double inferred_type_percent;
    int64_t confidence;
    const char *growth, *trend, *kind, *shown_kind, *type, *name, *what, *inferred_type;
    mp_texts stack, site, flags, hints;
} leak_row;

/* Columns that logs of heap events do not have. */
enum { RECORDED = MP_OF_RECORDINGS | MP_FOR_PROGRAMS, IN_WORDS = MP_FOR_PEOPLE | MP_SHORTEN };

static const mp_column leak_columns[] = {
    MP_RANK(MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, bytes, "Left behind", MP_BYTES, 0),
    MP_COLUMN_OF(leak_row, inclusive_bytes, "scoped_bytes", "With scoped", MP_BYTES,
                 MP_OF_RECORDINGS | MP_FOR_PEOPLE | MP_IF_KNOWN),
    MP_COLUMN(leak_row, objects, "Alive", MP_COUNT, 0),
    MP_COLUMN(leak_row, created_objects, "Created", MP_COUNT, MP_MINOR),
    MP_COLUMN(leak_row, deleted_objects, "Deleted", MP_COUNT, MP_MINOR),
    MP_COLUMN(leak_row, growth, "Grew", MP_TEXT, MP_FOR_PEOPLE | MP_IF_KNOWN),
    MP_COLUMN(leak_row, grew_snapshots, "Grew", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, window_snapshots, "Of", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, trend, "Trend", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, kind, "Kind", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, shown_kind, "Kind", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(leak_row, confidence, "% sure", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, type, "Type", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, inferred_type, "Inferred type", MP_TEXT, MP_OF_EVENTS | MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, inferred_type_percent, "% sure", MP_PERCENT, MP_OF_EVENTS),
    MP_COLUMN(leak_row, name, "Name", MP_TEXT, RECORDED),
    MP_COLUMN(leak_row, what, "Type and name", MP_TEXT, MP_OF_RECORDINGS | IN_WORDS | MP_IF_KNOWN),
    MP_COLUMN(leak_row, what, "Inferred type", MP_TEXT, MP_OF_EVENTS | IN_WORDS),
    MP_COLUMN(leak_row, stack, "Allocation site", MP_LIST, MP_SHORTEN | MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, site, "Allocation site", MP_LIST, IN_WORDS),
    MP_COLUMN(leak_row, line, "Line", MP_NUMBER, RECORDED),
    MP_COLUMN(leak_row, start_line, "From line", MP_NUMBER, MP_OF_DATABASES | MP_FOR_PROGRAMS),
    MP_COLUMN(leak_row, flags, "Flags", MP_LIST, RECORDED),
    MP_COLUMN(leak_row, hints, "Note", MP_LIST, MP_OF_RECORDINGS | MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(leak_row, idle_objects, "Not instantiated", MP_COUNT, RECORDED),
    MP_COLUMN(leak_row, session_pool_objects, "In the session's pool", MP_COUNT, RECORDED),
    MP_COLUMN(leak_row, owner_leaked_objects, "Owner left behind", MP_COUNT, RECORDED),
    MP_COLUMN(leak_row, inclusive_bytes, "With scoped", MP_BYTES, RECORDED),
    MP_COLUMN(leak_row, leaking_bytes, "Leaking", MP_BYTES, MP_FOR_PROGRAMS),
};

/* Orders of leaks. Without an order, they are sorted by verdict, the worst first, then by bytes. */
static const mp_order leak_orders[] = {{"bytes", {"bytes"}},
                                       {"objects", {"objects"}},
                                       {"created", {"created_objects"}},
                                       {"grew", {"grew_snapshots"}},
                                       {"inclusive", {"inclusive_bytes"}}};
enum {
    ALL_LEAKS = 4
}; /* number of orders for all kinds of memory; all further orders are only for recordings */

/* Set how a leak grew: steadily, a few times, or only once, like a cache that is filled and kept.
 * If there is only one moment, there is no trend, and people see no growth. */
static void set_trend(mp_document *document, leak_row *row)
{
    const mp_group *group = mp_leak_group(row->leak);
    bool once = mp_group_grew_once(group), every = group->grew == group->moments;
    bool told = mp_group_growth_told(group);
    row->trend = !told ? NULL : once ? "once" : every ? "every" : "repeated";
    if (!told) /* true also if all objects are older than the window */
        return;
    row->growth = once || every ? row->trend
                                : mp_document_text(document, "%" PRIu32 " of %" PRIu32, group->grew,
                                                   group->moments);
}

/* Return the growth of objects that are older than the window. */
static const char *older_text(mp_document *document, const mp_leak *leak)
{
    return mp_document_text(document, "%s, older than the window, grew by %s",
                            mp_counted_text(document, mp_leak_objects(leak), "object"),
                            mp_bytes_text(document, leak->leaking_bytes));
}

/* Set the flags that help ABL developers to find the cause. Each flag has a name, and a text for
 * people. */
static void set_flags(mp_document *document, leak_row *row)
{
    const mp_group *group = mp_leak_group(row->leak);
    const mp_group_scope scope = mp_leak_scope(row->leak);
    const struct {
        bool applies;
        const char *flag, *hint;
    } rules[] = {
        {group->leaked.idle > 0, "temp-table-not-instantiated",
         "temp-table declared and never instantiated"},
        {scope.pool_objects > 0, "session-widget-pool",
         "in the session's unnamed widget pool, which lives as long as the session"},
        {row->leak->class == MP_TYPE_RAW_MEMORY, "raw-memory",
         "memory that only the program itself can free"},
        {scope.owned_by_leak > 0, "owner-leaked", "its owner was left behind too"},
        {row->leak->verdict->seldom, "grew-seldom", "grew too seldom to tell a leak from a cache"},
        {mp_leak_is_growth(row->leak), "older-than-window", older_text(document, row->leak)},
    };
    enum { RULES = sizeof rules / sizeof *rules };
    const char **flags = mp_arena_alloc(document->arena, RULES * sizeof *flags);
    const char **hints = mp_arena_alloc(document->arena, RULES * sizeof *hints);
    size_t count = 0;
    for (size_t i = 0; i < RULES; i++)
        if (rules[i].applies) {
            hints[count] = rules[i].hint;
            flags[count++] = rules[i].flag;
        }
    if (count) {
        row->flags = (mp_texts){.items = flags, .count = count};
        row->hints = (mp_texts){.items = hints, .count = count};
    }
}

/* Set the texts of a row that is shown; they are expensive to make. `lines` is the maximum number
 * of lines of a stack for people. */
static void set_texts(mp_document *document, const mp_model *model, const mp_folding *folding,
                      size_t lines, leak_row *row)
{
    const mp_leak *leak = row->leak;
    mp_frame frame = {leak->node, leak->line};
    set_trend(document, row);
    row->stack = mp_stack_texts(document, model, frame);
    row->site = mp_folded_stack(document, model, folding, mp_frame_naming(model, frame), lines);
    uint32_t start_line = model->symbols.items[model->tree.items[leak->node].symbol.i].start_line;
    if (leak->line == MP_NO_LINE && start_line)
        row->start_line = start_line;
    if (leak->inference) {
        row->what = leak->type;
        row->inferred_type = leak->inference->type.i ? leak->type : NULL;
    } else if (mp_leak_has_type(model, leak)) {
        row->what = mp_document_text(document, "%s %s", leak->type,
                                     leak->name           ? leak->name
                                     : leak->names_differ ? "(several names)"
                                                          : "");
    }
    set_flags(document, row);
}

static int64_t if_any(int64_t number)
{
    return number > 0 ? number : MP_UNKNOWN;
}

/* Return the leaks that are large enough. */
static mp_best leak_rows(const mp_leaks *leaks, const mp_heap_arguments *asked,
                         const mp_order *order)
{
    mp_best best =
        MP_BEST(asked->sort ? order : NULL, leak_columns, leak_row, (size_t)asked->limit);
    for (uint32_t i = 0; i < leaks->count; i++) {
        const mp_leak *leak = &leaks->items[i];
        const mp_group *group = mp_leak_group(leak);
        const mp_group_scope scope = mp_leak_scope(leak);
        const mp_inference *inference = leak->inference;
        if (mp_is_asked(asked, mp_leak_bytes(leak), mp_leak_objects(leak)))
            *(leak_row *)mp_best_add(&best) = (leak_row){
                .leak = leak,
                .bytes = group->leaked.bytes,
                .objects = group->leaked.objects,
                .created_objects = group->end.created,
                .deleted_objects = group->end.deleted,
                .grew_snapshots = group->grew,
                .window_snapshots = group->moments,
                .kind = mp_site_kind_name(leak->verdict->kind),
                .shown_kind =
                    leak->verdict->seldom ? "unsure" : mp_site_kind_name(leak->verdict->kind),
                .confidence = leak->verdict->confidence,
                .leaking_bytes = if_any(leak->leaking_bytes),
                .type = leak->type,
                .name = leak->name,
                .inferred_type_percent = inference && inference->type.i
                                             ? mp_percent_of(inference->typed, inference->deleted)
                                             : NAN,
                .line = leak->line == MP_NO_LINE ? MP_UNKNOWN : leak->line,
                .start_line = MP_UNKNOWN,
                .idle_objects = if_any(group->leaked.idle),
                .session_pool_objects = if_any(scope.pool_objects),
                .owner_leaked_objects = if_any(scope.owned_by_leak),
                .inclusive_bytes = leaks->has_scope ? leak->kept_bytes : MP_UNKNOWN};
    }
    mp_best_end(&best);
    return best;
}

/* Attach the site as a struct, for the exporter of suppressions. */
static void attach_site(mp_document *document, mp_table *table, const mp_model *model,
                        const leak_row *row)
{
    bool events = model->events != NULL;
    const char *name = events || !row->leak->name ? "" : row->leak->name;
    const char *frame = row->site.count ? row->site.items[0] : row->site.empty;
    mp_leak_site *site = mp_arena_alloc(document->arena, sizeof *site);
    *site = (mp_leak_site){.type = mp_utf8_copy(document->arena, row->leak->type),
                           .name = mp_utf8_copy(document->arena, name),
                           .inferred = events,
                           .frame = mp_utf8_copy(document->arena, frame),
                           .frames = model->tree.items[row->leak->node].depth,
                           .bytes = mp_leak_bytes(row->leak),
                           .objects = mp_leak_objects(row->leak)};
    mp_table_attach(table, site);
}

bool mp_section_leaks(mp_document *document, const mp_request *request, const mp_window *window,
                      mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_model *model = window->model;
    const mp_order *order = MP_ORDER_FIND(leak_orders, asked->sort, "leaks", error);
    if (!order)
        return false;
    mp_table *table = MP_KIND_TABLE(document, model, "leaks", NULL, leak_columns);
    const char *target = mp_moment_text(document, window, false);
    table->title =
        model->sessions.items[1].states_leaks ? "Left behind at the end"
        : window->ranges[1].all_new
            ? mp_document_text(document, "Objects alive at %s, the only snapshot", target)
            : mp_document_text(document, "Left behind: created after %s, alive at %s",
                               mp_moment_text(document, window, true), target);
    table->title_of_many = "Left behind";
    table->answer = MP_ANSWER_LEAK_SITES;
    table->main = true;
    table->order = order->columns[0];
    table->ahead_order = "leaking_bytes";
    table->list_depth = (size_t)asked->stack_depth;
    table->empty = "none";
    mp_best best = leak_rows(mp_window_leak_sites(window), asked, order);
    leak_row *rows = best.rows;
    mp_folding folding = mp_folding_of(model);
    bool older = false;
    for (size_t i = 0; i < best.count; i++) {
        older |= rows[i].created_objects - rows[i].deleted_objects > rows[i].objects;
        table->ahead += !asked->sort && rows[i].leak->leaking_weight > 0;
        set_texts(document, model, &folding, table->list_depth + 1, &rows[i]);
        mp_table_put(document, table, &rows[i]);
        attach_site(document, table, model, &rows[i]);
    }
    mp_table_left_out(table, best.added);
    if (older && !request->one_of_many)
        mp_table_line(document, table, "Created and Deleted also count objects created up to %s",
                      mp_moment_text(document, window, true));
    mp_folding_free(&folding);
    free(rows);
    return true;
}

/* --- suppressions --- */

typedef struct suppression_row {
    const char *name, *status, *expires, *reason, *path;
    int64_t bytes, objects, sites, limit_bytes, line;
    mp_texts why, note;
} suppression_row;

static const mp_column suppression_columns[] = {
    MP_COLUMN(suppression_row, name, "Suppression", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(suppression_row, status, "Status", MP_TEXT, 0),
    MP_COLUMN(suppression_row, bytes, "Matched", MP_BYTES, 0),
    MP_COLUMN(suppression_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(suppression_row, sites, "Sites", MP_COUNT, 0),
    MP_COLUMN(suppression_row, limit_bytes, "Limit", MP_BYTES, 0),
    MP_COLUMN(suppression_row, expires, "Expires", MP_TEXT, 0),
    MP_COLUMN(suppression_row, reason, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(suppression_row, path, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(suppression_row, line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(suppression_row, why, "", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(suppression_row, note, "", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

/* Return the amount by which the suppressed leaks exceed their limit. */
static const char *excess_text(mp_document *document, const mp_suppression *suppression,
                               const mp_suppression_effect *effect)
{
    return mp_bytes_text(document, effect->bytes - suppression->limit_bytes);
}

/* Return a note about a suppression that matches nothing; NULL if it matches something. */
static const char *note_of(mp_document *document, const mp_suppression *suppression,
                           const mp_suppression_effect *effect)
{
    switch (effect->status) {
    case MP_SUPPRESSION_EXPIRED:
        return mp_document_text(document,
                                "warning: expired on %s and no longer suppresses anything",
                                suppression->expires);
    case MP_SUPPRESSION_OVER_LIMIT:
        return mp_document_text(document, "warning: %s over its limit, suppresses nothing",
                                excess_text(document, suppression, effect));
    case MP_SUPPRESSION_UNUSED:
        return "warning: matches no leak that is not already suppressed";
    case MP_SUPPRESSION_USED:
        break;
    }
    return NULL;
}

void mp_section_suppressions(mp_document *document, const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    if (!suppressed)
        return;
    mp_table *table = MP_TABLE(document, "suppressions", NULL, MP_ROWS, suppression_columns);
    table->title =
        mp_document_text(document, "Suppressed: %s",
                         mp_amount_text(document, suppressed->objects, suppressed->bytes));
    table->title_of_many = "Suppressed";
    table->empty = "none";
    for (size_t i = 0; i < suppressed->suppressions->count; i++) {
        const mp_suppression *suppression = &suppressed->suppressions->items[i];
        const mp_suppression_effect *effect = &suppressed->effects[i];
        suppression_row row = {
            .name = suppression->name,
            .status = mp_suppression_status_name(effect->status),
            .bytes = effect->bytes,
            .objects = effect->objects,
            .sites = effect->sites,
            .limit_bytes = suppression->has_limit ? suppression->limit_bytes : MP_UNKNOWN,
            .expires = suppression->expires,
            .reason = suppression->reason,
            .path = suppression->path,
            .line = (int64_t)suppression->line,
            .why = {.items = &suppression->reason, .count = 1},
            .note = mp_one_text(document, note_of(document, suppression, effect))};
        mp_table_put(document, table, &row);
    }
}

/* --- the report --- */

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_section_heap(document, request, true, error);
    if (!window)
        return false;
    mp_say_damage(document, request);
    mp_answer_leaks(document, request, window);
    mp_section_limits(document, request, window);
    bool ok = mp_section_leaks(document, request, window, error);
    mp_section_suppressions(document, window);
    return ok;
}

/* Report the leak suspects of a dump. A dump has no history, so its leaks are unknown. */
static bool run_dump(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    (void)error;
    mp_graph_view *view = mp_request_graph(request);
    mp_name_ways(document, view, true, (size_t)asked->limit);
    mp_section_dump_head(document, request, view);
    mp_say_dump(document, view);
    mp_section_accumulations(document, view, (size_t)asked->limit);
    mp_section_suspects(document, view, (size_t)asked->limit);
    return true;
}

static const mp_heap_arguments defaults = {.limit = MP_REPORT_ROWS, .stack_depth = 5};

static const mp_argument arguments[] = {
    MP_ASKS_WINDOW(MP_HEAPS),
    MP_ASKS("sort", sort, MP_HEAPS),
    MP_ASKS("limit", limit, MP_HEAPS | MP_DUMP),
    MP_ASKS("stack-depth", stack_depth, MP_HEAPS),
    MP_ASKS_MINIMA(MP_HEAPS),
    MP_ASKS_LIMITS(0),
    MP_SHARES("selection", MP_HEAPS),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES_READING,
};

static const mp_choice choices[] = {
    {.argument = "sort", .variants = MP_HEAPS, MP_WORDS_OF(leak_orders, 0, ALL_LEAKS)},
    {.argument = "sort", .variants = MP_HISTORY, MP_WORDS_OF(leak_orders, ALL_LEAKS, 1)},
    {0},
};

const mp_report mp_report_leaks = {
    .name = "leaks",
    .summary = "show what leaks and what else is left behind, by allocation site",
    .example = "leaks samples/shop-v2.oemp --stack-depth 3",
    .details =
        "Lists what is left behind: the objects that were created after the snapshot `from` (the "
        "first) and are alive at `to` (the last _PreCleanUp, else before _Exit, else the last). "
        "\"Kind\" says which sites leak: a \"leak\" keeps growing; \"filled\" and \"bounded\" "
        "sites "
        "behave like caches and pools. \"Grew\" is the number of snapshots at which a site grew. "
        "\"With scoped\" adds the objects scoped to them or, in reports of memcheck, what they "
        "lose "
        "indirectly.",
    .wants_holders = true,
    MP_ARGUMENTS(arguments, defaults),
    .choices = choices,
    .sum_up = mp_sum_up_leaks,
    .variants = {MP_HEAP_VARIANTS(run), {.needs = MP_HOLDS_GRAPH, .run = run_dump}},
};

/* The report calls: the callers and callees of a method or other code, with their costs. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/called.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

enum { MOST_SHOWN = 5 }; /* maximum number of matches that have separate tables */

/* --- matches --- */

typedef struct match_row {
    int64_t cost, inclusive, calls, recursive_calls, objects, inclusive_objects;
    int64_t line, start_line, inclusive_estimated;
    double percent;
    const char *name, *shown, *program, *method;
} match_row;

/* clang-format off */
#define OF_MATCH                                                                                   \
    MP_COLUMN(match_row, name, "Name", MP_TEXT, MP_FOR_PROGRAMS),                                  \
    MP_COLUMN(match_row, shown, "Name", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),                                       \
    MP_COLUMN(match_row, line, "Line", MP_NUMBER, MP_IF_KNOWN),                                              \
    MP_COLUMN(match_row, start_line, "From line", MP_NUMBER, MP_MINOR)
/* clang-format on */

static const mp_column match_times[] = {
    MP_RANK(0),
    MP_COLUMN_OF(match_row, cost, "seconds", "Seconds", MP_SECONDS, 0),
    MP_COLUMN(match_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(match_row, inclusive, "inclusive_seconds", "With callees", MP_SECONDS, 0),
    MP_COLUMN(match_row, calls, "Calls", MP_COUNT, 0),
    MP_COLUMN(match_row, recursive_calls, "Recursive", MP_COUNT, MP_MINOR),
    OF_MATCH,
    MP_COLUMN(match_row, program, "Program", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(match_row, method, "Method", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(match_row, inclusive_estimated, "Estimate", MP_FLAG, MP_FOR_PROGRAMS),
};

static const mp_column match_bytes[] = {
    MP_RANK(0),
    MP_COLUMN_OF(match_row, cost, "own_bytes", "Own", MP_BYTES, 0),
    MP_COLUMN(match_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(match_row, objects, "own_objects", "Objects", MP_COUNT, MP_IF_KNOWN),
    MP_COLUMN_OF(match_row, inclusive, "inclusive_bytes", "With callees", MP_BYTES, 0),
    MP_COLUMN(match_row, inclusive_objects, "Their objects", MP_COUNT, MP_IF_KNOWN),
    OF_MATCH,
};

/* --- callers and callees --- */

typedef struct edge_row {
    /* shown: the caller or callee, as people see it. */
    const char *direction, *caller, *callee, *shown;
    int64_t cost, objects, calls, recursive_calls, line, caller_start_line, callee_start_line;
    double percent;
} edge_row;

/* clang-format off */
#define EDGE_TIMES                                                                                 \
    MP_COLUMN_OF(edge_row, cost, "seconds", "Seconds", MP_SECONDS, 0),                             \
    MP_COLUMN(edge_row, percent, "%", MP_PERCENT, 0),                                              \
    MP_COLUMN(edge_row, calls, "Calls", MP_COUNT, 0),                                              \
    MP_COLUMN(edge_row, recursive_calls, "Recursive", MP_COUNT, MP_MINOR)
#define EDGE_BYTES                                                                                 \
    MP_COLUMN_OF(edge_row, cost, "bytes", "Bytes", MP_BYTES, 0),                                   \
    MP_COLUMN(edge_row, percent, "%", MP_PERCENT, 0),                                              \
    MP_COLUMN(edge_row, objects, "Objects", MP_COUNT, MP_IF_KNOWN)
#define EDGE_CALLER                                                                                \
    MP_COLUMN_OF(edge_row, shown, "caller", "Caller", MP_TEXT, MP_SHORTEN),                                    \
    MP_COLUMN(edge_row, line, "At line", MP_NUMBER, 0)
#define EDGE_CALLEE                                                                                \
    MP_COLUMN(edge_row, line, "At line", MP_NUMBER, 0),                                            \
    MP_COLUMN_OF(edge_row, shown, "callee", "Callee", MP_TEXT, MP_SHORTEN)
#define EDGE_BOTH                                                                                  \
    MP_COLUMN(edge_row, direction, "", MP_TEXT, 0),                                                \
    MP_COLUMN(edge_row, caller, "Caller", MP_TEXT, MP_SHORTEN),                                    \
    MP_COLUMN(edge_row, line, "At line", MP_NUMBER, 0),                                   \
    MP_COLUMN(edge_row, callee, "Callee", MP_TEXT, 0)
#define EDGE_STARTS                                                                                \
    MP_COLUMN(edge_row, caller_start_line, "", MP_NUMBER, MP_FOR_PROGRAMS),                        \
    MP_COLUMN(edge_row, callee_start_line, "", MP_NUMBER, MP_FOR_PROGRAMS)
/* clang-format on */

static const mp_column edge_times[] = {EDGE_BOTH, EDGE_TIMES, EDGE_STARTS};
static const mp_column edge_bytes[] = {EDGE_BOTH, EDGE_BYTES, EDGE_STARTS};
static const mp_column caller_times[] = {EDGE_TIMES, EDGE_CALLER};
static const mp_column caller_bytes[] = {EDGE_BYTES, EDGE_CALLER};
static const mp_column callee_times[] = {EDGE_TIMES, EDGE_CALLEE};
static const mp_column callee_bytes[] = {EDGE_BYTES, EDGE_CALLEE};

typedef struct calls_arguments {
    /* Must be first, because the rows of arguments that all heap reports share have offsets in
     * it. */
    mp_heap_arguments heap;
    const char *code; /* NULL = the callable with the highest own cost */
} calls_arguments;

/* Edges of each callable: those of callable p are edges[first[p]] to edges[first[p + 1] - 1]. */
typedef struct edge_lists {
    uint32_t *first, *edges;
} edge_lists;

/* The question, and the callables that match it. */
typedef struct asking {
    mp_document *document;
    mp_called called;
    edge_lists callers, callees; /* edges of each callable */
    int64_t total;               /* total cost of the whole recording */
    size_t rows;
    match_row *matches; /* a row for each matching callable */
} asking;

static edge_lists list_edges(const mp_calls *calls, bool callers)
{
    edge_lists lists = {mp_alloc_zero((size_t)calls->count + 2, sizeof(uint32_t)),
                        mp_alloc_zero(calls->edge_count + 1, sizeof(uint32_t))};
    for (size_t i = 0; i < calls->edge_count; i++) {
        uint32_t id = callers ? calls->edges[i].callee : calls->edges[i].caller;
        if (id != MP_NO_CALLER)
            lists.first[id + 2]++;
    }
    for (uint32_t i = 2; i < calls->count + 2; i++)
        lists.first[i] += lists.first[i - 1];
    for (size_t i = 0; i < calls->edge_count; i++) {
        uint32_t index = callers ? calls->edges[i].callee : calls->edges[i].caller;
        if (index != MP_NO_CALLER)
            lists.edges[lists.first[index + 1]++] = (uint32_t)i;
    }
    return lists;
}

static int64_t told(int64_t value)
{
    return value == MP_UNTOLD ? MP_UNKNOWN : value;
}

static double share_of(int64_t part, int64_t total)
{
    return part == MP_UNKNOWN || total == MP_UNKNOWN || total <= 0 ? NAN
                                                                   : mp_percent_of(part, total);
}

/* --- rows --- */

/* Return the cost of a line including its callees: the sum, if the costs of all of its callees are
 * known; otherwise the recorded figure, unless recursion may count twice in it. */
static int64_t line_inclusive(const asking *asked, uint32_t place)
{
    const mp_callable *callable = &asked->called.calls->items[place];
    int64_t sum = callable->at_line.cost;
    const edge_lists *lists = &asked->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1] && sum != MP_UNKNOWN; i++) {
        const mp_call_edge *edge = &asked->called.calls->edges[lists->edges[i]];
        if (edge->has_line && edge->line == asked->called.line)
            sum = edge->as_callee.cost == MP_UNTOLD ? MP_UNKNOWN : sum + edge->as_callee.cost;
    }
    if (sum == MP_UNKNOWN && asked->called.line != 0 && !callable->recursive)
        sum = told(callable->line_all);
    return sum;
}

static match_row match_of(const asking *asked, uint32_t place)
{
    const mp_callable *callable = &asked->called.calls->items[place];
    const mp_model *model = asked->called.model;
    match_row row = {.name = callable->name,
                     .shown = mp_called_name(&asked->called, place),
                     .program = mp_model_text(model, callable->program),
                     .method = mp_model_text(model, callable->method),
                     .start_line = callable->start_line ? callable->start_line : MP_UNKNOWN,
                     .line = MP_UNKNOWN,
                     .cost = callable->self.cost,
                     .objects = callable->self.objects,
                     .inclusive = told(callable->total.cost),
                     .inclusive_objects = callable->total.objects,
                     .inclusive_estimated = callable->estimated ? 1 : MP_UNKNOWN,
                     .calls = told(callable->calls),
                     .recursive_calls = callable->nested > 0 ? callable->nested : MP_UNKNOWN};
    if (asked->called.has_line) {
        row.line = asked->called.line;
        row.cost = callable->at_line.cost;
        row.objects = callable->at_line.objects;
        row.calls = callable->executions;
        row.inclusive = line_inclusive(asked, place);
        row.inclusive_objects = MP_UNKNOWN;
        row.recursive_calls = row.inclusive_estimated = MP_UNKNOWN;
    }
    row.percent = mp_percent_of(row.cost, asked->total);
    return row;
}

/* Return true if anything is known about the requested line. */
static bool has_line(const asking *asked, uint32_t place)
{
    const mp_callable *callable = &asked->called.calls->items[place];
    bool has = callable->executions || callable->at_line.cost || callable->at_line.objects ||
               callable->line_all > 0;
    const edge_lists *lists = &asked->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1] && !has; i++) {
        const mp_call_edge *edge = &asked->called.calls->edges[lists->edges[i]];
        has = edge->has_line && edge->line == asked->called.line;
    }
    return has;
}

/* Return true if the callable took part in creating objects of a heap that are alive. */
static bool is_alive(const mp_callable *callable)
{
    return callable->total.cost || callable->total.objects;
}

static bool make_matches(asking *asked, mp_error *error)
{
    size_t kept = 0;
    bool any_alive = false;
    for (size_t i = 0; i < asked->called.count; i++)
        any_alive |= is_alive(&asked->called.calls->items[asked->called.places[i]]);
    if (asked->called.of_bytes && !any_alive && !asked->called.word)
        /* The user named no code: do not report on an arbitrary callable. */
        asked->called.count = 0;
    asked->matches = mp_alloc((asked->called.count + 1) * sizeof *asked->matches);
    for (size_t i = 0; i < asked->called.count; i++) {
        bool dead = asked->called.of_bytes && any_alive &&
                    !is_alive(&asked->called.calls->items[asked->called.places[i]]);
        if (dead || (asked->called.has_line && !has_line(asked, asked->called.places[i])))
            continue;
        asked->matches[kept] = match_of(asked, asked->called.places[i]);
        asked->called.places[kept++] = asked->called.places[i];
    }
    asked->called.count = kept;
    return kept || !asked->called.word ||
           mp_fail(error, MP_ERROR_ARGUMENT, "%s has no line %ld with a cost", asked->called.code,
                   (long)asked->called.line);
}

static edge_row edge_of(const asking *asked, const mp_call_edge *edge, bool callers,
                        const match_row *match)
{
    const mp_callable *callable = asked->called.calls->items;
    assert(callable); /* both ends of an edge are callables */
    const mp_callable *callee = &callable[edge->callee];
    const mp_callable *caller = edge->caller == MP_NO_CALLER ? NULL : &callable[edge->caller];
    mp_call_amount amount = callers ? edge->as_caller : edge->as_callee;
    edge_row row = {.direction = callers ? "caller" : "callee",
                    .caller = caller ? caller->name : NULL,
                    .callee = callee->name,
                    .shown = !callers ? mp_called_name(&asked->called, edge->callee)
                             : caller ? mp_called_name(&asked->called, edge->caller)
                                      : "(none: stacks begin here)",
                    .cost = told(amount.cost),
                    .objects = amount.objects,
                    .calls = edge->calls,
                    .recursive_calls = edge->nested > 0 ? edge->nested : MP_UNKNOWN,
                    .line = edge->has_line ? edge->line : MP_UNKNOWN,
                    .caller_start_line =
                        caller && caller->start_line ? caller->start_line : MP_UNKNOWN,
                    .callee_start_line = callee->start_line ? callee->start_line : MP_UNKNOWN};
    /* The callers of a line are those of its method. */
    int64_t total = callers ? told(callee->total.cost) : match->inclusive;
    row.percent = share_of(row.cost, total);
    return row;
}

static int compare_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int by_cost(const void *left, const void *right)
{
    const edge_row *a = left, *b = right;
    int order;
    if (a->cost != b->cost)
        return a->cost < b->cost ? 1 : -1; /* unknown costs come last */
    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    if ((order = compare_text(a->caller, b->caller)) != 0 ||
        (order = compare_text(a->callee, b->callee)) != 0)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->caller_start_line != b->caller_start_line)
        return a->caller_start_line < b->caller_start_line ? -1 : 1;
    return a->callee_start_line < b->callee_start_line
               ? -1
               : a->callee_start_line > b->callee_start_line;
}

/* Return the calls of one match in one direction, sorted by cost. Release with free(). */
static edge_row *edges_of(const asking *asked, size_t match, bool callers, size_t *count)
{
    edge_row *rows = NULL;
    size_t capacity = 0;
    uint32_t place = asked->called.places[match];
    *count = 0;
    const edge_lists *lists = callers ? &asked->callers : &asked->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1]; i++) {
        const mp_call_edge *edge = &asked->called.calls->edges[lists->edges[i]];
        if (!callers && asked->called.has_line && edge->line != asked->called.line)
            continue;
        edge_row row = edge_of(asked, edge, callers, &asked->matches[match]);
        if (asked->called.of_bytes && !row.cost && !row.objects)
            continue; /* none of its objects is alive */
        mp_grow(&rows, &capacity, *count + 1, sizeof *rows);
        rows[(*count)++] = row;
    }
    if (*count)
        qsort(rows, *count, sizeof *rows, by_cost);
    return rows;
}

/* --- tables --- */

/* Return the number of matches that have separate tables. */
static size_t detailed(const asking *asked)
{
    size_t most = asked->rows && asked->rows < MOST_SHOWN ? asked->rows : MOST_SHOWN;
    return asked->called.count < most ? asked->called.count : most;
}

static void put_matches(const asking *asked)
{
    mp_table *table = asked->called.of_bytes
                          ? MP_TABLE(asked->document, "matches", NULL, MP_ROWS, match_bytes)
                          : MP_TABLE(asked->document, "matches", NULL, MP_ROWS, match_times);
    bool estimated = false;
    table->empty = "nothing is alive";
    for (size_t i = 0; i < asked->called.count && (!asked->rows || i < asked->rows); i++) {
        mp_table_put(asked->document, table, &asked->matches[i]);
        estimated |= asked->matches[i].inclusive_estimated == 1;
    }
    if (estimated)
        mp_table_line(asked->document, table,
                      "\"With callees\" is an estimate: this version has no call tree, so "
                      "recursion counts twice");
    if (asked->called.count > detailed(asked))
        mp_table_line(asked->document, table,
                      "callers and callees of the first %zu follow; use a longer name, or one from "
                      "this list, for others",
                      detailed(asked));
    mp_table_left_out(table, asked->called.count);
}

/* List all calls of all matches, for programs. */
static void put_calls(const asking *asked)
{
    mp_table *table = asked->called.of_bytes
                          ? MP_TABLE(asked->document, "calls", NULL, MP_ROWS, edge_bytes)
                          : MP_TABLE(asked->document, "calls", NULL, MP_ROWS, edge_times);
    size_t total = 0;
    table->flags = MP_FOR_PROGRAMS;
    table->main = true;
    for (size_t i = 0; i < asked->called.count; i++)
        for (int callers = 1; callers >= 0; callers--) {
            size_t count;
            edge_row *rows = edges_of(asked, i, callers, &count);
            for (size_t k = 0; k < count; k++)
                if (total++ < asked->rows || !asked->rows)
                    mp_table_put(asked->document, table, &rows[k]);
            free(rows);
        }
    mp_table_left_out(table, total);
}

static const char *title_of(const asking *asked, size_t match, bool callers)
{
    const char *cursor =
        asked->called.has_line && !callers
            ? mp_document_text(asked->document, " at line %" PRId32, asked->called.line)
            : "";
    return mp_document_text(asked->document, "%s %s%s", callers ? "Callers of" : "Called by",
                            asked->matches[match].shown, cursor);
}

static void put_direction(const asking *asked, size_t match, bool callers)
{
    mp_document *document = asked->document;
    size_t count;
    bool unknown = false, recursive = false;
    edge_row *rows = edges_of(asked, match, callers, &count);
    mp_table *table = callers && asked->called.of_bytes
                          ? MP_TABLE(document, "callers", NULL, MP_ROWS, caller_bytes)
                      : callers ? MP_TABLE(document, "callers", NULL, MP_ROWS, caller_times)
                      : asked->called.of_bytes
                          ? MP_TABLE(document, "callees", NULL, MP_ROWS, callee_bytes)
                          : MP_TABLE(document, "callees", NULL, MP_ROWS, callee_times);
    table->flags = MP_FOR_PEOPLE;
    table->title = title_of(asked, match, callers);
    table->empty = asked->called.of_bytes
                       ? (callers ? "no caller has live objects from it"
                                  : "it called nothing that still has live objects")
                   : callers ? "no callers"
                             : "no callees";
    for (size_t i = 0; i < count; i++) {
        unknown |= rows[i].cost == MP_UNKNOWN;
        recursive |= rows[i].recursive_calls != MP_UNKNOWN;
        if (i < asked->rows || !asked->rows)
            mp_table_put(document, table, &rows[i]);
    }
    if (recursive && callers)
        mp_table_line(document, table,
                      "the time of recursive calls counts for the callers of the outermost call");
    if (unknown)
        mp_table_line(
            document, table,
            "without a call tree, seconds are known only for lines with one callee, or one caller");
    mp_table_left_out(table, count);
    free(rows);
}

static void put_people(const asking *asked)
{
    for (size_t i = 0; i < detailed(asked); i++) {
        put_direction(asked, i, true);
        put_direction(asked, i, false);
    }
}

static bool answer(asking *asked, const mp_calls *calls, mp_error *error)
{
    asked->callers = list_edges(calls, true);
    asked->callees = list_edges(calls, false);
    bool ok = mp_called_find(&asked->called, calls, error) && make_matches(asked, error);
    if (ok) {
        put_matches(asked);
        put_calls(asked);
        put_people(asked);
    }
    free(asked->callers.first);
    free(asked->callers.edges);
    free(asked->callees.first);
    free(asked->callees.edges);
    free(asked->matches);
    mp_called_free(&asked->called);
    return ok;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    const calls_arguments *state = request->arguments;
    const mp_profile *profile = request->model->profile;
    asking asked = {.document = document, .rows = (size_t)state->heap.limit};
    if (profile->calls.count <= 1 && profile->nodes.count <= 1)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "calls needs a call graph, which execution profiles (.prf) have, but their "
                       "reports (.rpt) do not");
    asked.called = mp_called_begin(document, request->model, state->code, false);
    mp_calls calls =
        mp_calls_of_profile(request->filter, asked.called.has_line ? &asked.called.line : NULL);
    asked.total = mp_profile_total(request->filter).exclusive_us;
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_profile_totals(document, request->filter, false);
    bool ok = answer(&asked, &calls, error);
    mp_calls_free(&calls);
    return ok;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const calls_arguments *state = request->arguments;
    asking asked = {.document = document, .rows = (size_t)state->heap.limit};
    mp_window window;
    if (!mp_section_heap(document, request, false, &window, error))
        return false;
    asked.called = mp_called_begin(document, request->model, state->code, true);
    mp_calls calls = mp_calls_of_heap(&window, asked.called.has_line ? &asked.called.line : NULL);
    asked.total = mp_totals_of(&window).live_bytes;
    bool ok = answer(&asked, &calls, error);
    mp_calls_free(&calls);
    mp_window_free(&window);
    return ok;
}

/* The variants: profiles, logs of heap events, other heaps. */
enum { PROFILES = 1, LOGS = 2, OTHERS = 4, ALL = PROFILES | LOGS | OTHERS };

static const calls_arguments calls_defaults = {.heap = {.limit = MP_REPORT_ROWS}};

static const mp_argument calls_table[] = {
    {"code", offsetof(calls_arguments, code), ALL},
    MP_ASKS("to", to, LOGS | OTHERS),
    MP_ASKS("limit", limit, ALL),
    MP_SHARES("selection", LOGS | OTHERS),
    MP_SHARES("keep-profiler", PROFILES),
    MP_SHARES_EVENTS(LOGS),
};

const mp_report mp_report_calls = {
    .name = "calls",
    .summary = "show the callers and callees of a method with their cost",
    .example = "calls countParts samples/shop-v3.prf",
    .details = "NAME is the name of a method, program or class in the recording, the end of the "
               "name, or a pattern; NAME:LINE selects one line. Without NAME, the method with the "
               "largest own cost is shown. The cost is seconds for profiles, and bytes alive at "
               "the snapshot `to` for memory. Recursive calls count for the caller of the "
               "outermost call and for the callees of the innermost.",
    .single = true,
    .operand = MP_OPERAND_CODE,
    MP_ARGUMENTS(calls_table, calls_defaults),
    .wants = MP_TELLS_CALLS,
    .variants = {{.needs = MP_HOLDS_PROFILE, .run = run_profile},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_EVENTS, .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY, .run = run_heap}},
};

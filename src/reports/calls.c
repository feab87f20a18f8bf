/* One method, or what else a frame is: who calls it and whom it calls, with what that costs. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "query/calls.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

enum { MOST_SHOWN = 5 }; /* of what fits the name, with tables of their own */

/* --- what was found --- */

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
    const char *direction, *caller, *callee, *shown; /* shown: the one of them that people read */
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
    mp_heap_arguments heap; /* first: its rows of the table are those of all reports on heaps */
    const char *code;       /* NULL: what costs most by itself */
} calls_arguments;

/* Edges of each callable: those of the one at place p are at[first[p]] to at[first[p + 1] - 1]. */
typedef struct edge_lists {
    uint32_t *first, *at;
} edge_lists;

/* What is asked, and what of the recording fits it. */
typedef struct asking {
    mp_document *document;
    const mp_model *model;
    const mp_calls *calls;
    edge_lists callers, callees; /* of each callable */
    bool *twins;                 /* of each callable: whether others have its name */
    const char *code;            /* without its line */
    bool of_bytes, has_line;
    int32_t line;
    int64_t all; /* of the whole recording */
    size_t rows;
    match_row *matches;
    uint32_t *places; /* of the matches, among the callables */
    size_t count;
} asking;

static edge_lists list_edges(const mp_calls *calls, bool callers)
{
    edge_lists lists = {mp_alloc_zero((size_t)calls->count + 2, sizeof(uint32_t)),
                        mp_alloc_zero(calls->edge_count + 1, sizeof(uint32_t))};
    for (size_t i = 0; i < calls->edge_count; i++) {
        uint32_t of = callers ? calls->edges[i].callee : calls->edges[i].caller;
        if (of != MP_NO_CALLER)
            lists.first[of + 2]++;
    }
    for (uint32_t i = 2; i < calls->count + 2; i++)
        lists.first[i] += lists.first[i - 1];
    for (size_t i = 0; i < calls->edge_count; i++) {
        uint32_t of = callers ? calls->edges[i].callee : calls->edges[i].caller;
        if (of != MP_NO_CALLER)
            lists.at[lists.first[of + 1]++] = (uint32_t)i;
    }
    return lists;
}

static int by_name(const void *left, const void *right, void *opaque)
{
    const mp_calls *calls = opaque;
    return strcmp(calls->at[*(const uint32_t *)left].name,
                  calls->at[*(const uint32_t *)right].name);
}

static bool *twins_of(const mp_calls *calls)
{
    uint32_t *places = mp_alloc(((size_t)calls->count + 1) * sizeof *places);
    bool *twins = mp_alloc_zero((size_t)calls->count + 1, sizeof *twins);
    for (uint32_t i = 0; i < calls->count; i++)
        places[i] = i;
    if (calls->count)
        qsort_r(places, calls->count, sizeof *places, by_name, (void *)(uintptr_t)calls);
    for (uint32_t i = 1; i < calls->count; i++)
        if (strcmp(calls->at[places[i - 1]].name, calls->at[places[i]].name) == 0)
            twins[places[i - 1]] = twins[places[i]] = true;
    free(places);
    return twins;
}

/* A callable for people: "save shop.Order (from 20)" where others have its name. */
static const char *shown_of(const asking *asked, uint32_t place)
{
    const mp_callable *callable = &asked->calls->at[place];
    const char *name = mp_name_told(asked->document->arena, callable->name);
    if (!asked->twins[place] || !callable->start_line)
        return name;
    return mp_document_text(asked->document, "%s (from %" PRIu32 ")", name, callable->start_line);
}

static int64_t told(int64_t value)
{
    return value == MP_UNTOLD ? MP_UNKNOWN : value;
}

static double share_of(int64_t part, int64_t all)
{
    return part == MP_UNKNOWN || all == MP_UNKNOWN || all <= 0 ? NAN : mp_percent_of(part, all);
}

/* --- the name --- */

/* "name:12": what stands before the colon, and the line; false: it ends in no line. */
static bool split_line(asking *asked, const char *code)
{
    const char *colon = strrchr(code, ':');
    char *end = NULL;
    long line = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || colon == code || end == colon + 1 || *end || colon[1] == ' ' || colon[1] == '+' ||
        line < INT32_MIN || line > INT32_MAX)
        return false;
    asked->line = (int32_t)line;
    asked->code = mp_document_text(asked->document, "%.*s", (int)(colon - code), code);
    return true;
}

static int costliest_first(const void *left, const void *right, void *opaque)
{
    const mp_calls *calls = opaque;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    const mp_callable *a = &calls->at[x], *b = &calls->at[y];
    if (a->sites != b->sites)
        return a->sites < b->sites ? 1 : -1;
    if (a->own.cost != b->own.cost)
        return a->own.cost < b->own.cost ? 1 : -1;
    if (a->all.cost != b->all.cost)
        return a->all.cost < b->all.cost ? 1 : -1;
    int order = strcmp(a->name, b->name);
    if (!order)
        order = a->start_line > b->start_line ? 1 : -(a->start_line < b->start_line);
    return order ? order : x > y ? 1 : -(x < y);
}

static void sort_places(const mp_calls *calls, uint32_t *places, size_t count)
{
    if (count)
        qsort_r(places, count, sizeof *places, costliest_first, (void *)(uintptr_t)calls);
}

/* What costs most by itself; of a profile, no session. */
static uint32_t *busiest(const asking *asked, size_t *count)
{
    uint32_t *places = mp_alloc(((size_t)asked->calls->count + 1) * sizeof *places);
    *count = 0;
    for (uint32_t i = 0; i < asked->calls->count; i++)
        if (asked->of_bytes || asked->calls->at[i].program.i)
            places[(*count)++] = i;
    sort_places(asked->calls, places, *count);
    return places;
}

static bool nothing_named(const asking *asked, const char *code, mp_error *error)
{
    enum { NAMED = 3 };
    size_t count, used = 0;
    const char *names[NAMED];
    uint32_t *places = busiest(asked, &count);
    for (size_t i = 0; i < count && used < NAMED; i++) /* written in other capitals, or a part */
        if (strcasestr(shown_of(asked, places[i]), code))
            names[used++] = shown_of(asked, places[i]);
    bool none = !used;
    for (size_t i = 0; none && i < count && i < NAMED; i++)
        names[used++] = shown_of(asked, places[i]);
    free(places);
    mp_fail(error, MP_ERROR_ARGUMENT, "nothing that was called fits the name \"%s\"", code);
    size_t length = (size_t)snprintf(error->advice, sizeof error->advice, "there are such as ");
    mp_text_list(names, used, "and", error->advice + length, sizeof error->advice - length);
    if (!used)
        *error->advice = '\0';
    return false;
}

/* Those that people know by just this name, else those that the recording does. */
static uint32_t *named(const asking *asked, const char *code, size_t *count)
{
    uint32_t *places = mp_alloc(((size_t)asked->calls->count + 1) * sizeof *places);
    mp_arena *arena = asked->document->arena;
    size_t word = strcspn(code, " ");
    *count = 0;
    for (uint32_t i = 0; i < asked->calls->count; i++) {
        const char *name = asked->calls->at[i].name;
        if (strncmp(name, code, word) == 0 &&
            (strcmp(mp_name_told(arena, name), code) == 0 || strcmp(shown_of(asked, i), code) == 0))
            places[(*count)++] = i;
    }
    if (*count)
        return places;
    free(places);
    return mp_calls_named(asked->calls, asked->model, code, count);
}

/* Find what the name means, all of it first, then without a line at its end. */
static bool find_matches(asking *asked, const char *code, mp_error *error)
{
    size_t count = 0;
    if (!code) {
        asked->places = busiest(asked, &count);
        asked->count = count ? 1 : 0;
        return count || nothing_named(asked, "", error);
    }
    if (!*code) /* which would fit whatever has no method or program */
        return nothing_named(asked, code, error);
    asked->places = named(asked, code, &asked->count);
    asked->has_line &= asked->count == 0;
    if (asked->has_line) {
        free(asked->places);
        asked->places = named(asked, asked->code, &asked->count);
    }
    sort_places(asked->calls, asked->places, asked->count);
    return asked->count || nothing_named(asked, code, error);
}

/* --- rows --- */

/* What a line costs with what it called: its own cost and that of its callees, where all of them
 * are told; else what the recording says of the line, unless recursion may count twice in it. */
static int64_t line_inclusive(const asking *asked, uint32_t place)
{
    const mp_callable *callable = &asked->calls->at[place];
    int64_t sum = callable->at_line.cost;
    const edge_lists *lists = &asked->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1] && sum != MP_UNKNOWN; i++) {
        const mp_call_edge *edge = &asked->calls->edges[lists->at[i]];
        if (edge->has_line && edge->line == asked->line)
            sum = edge->as_callee.cost == MP_UNTOLD ? MP_UNKNOWN : sum + edge->as_callee.cost;
    }
    if (sum == MP_UNKNOWN && asked->line != 0 && !callable->recursive)
        sum = told(callable->line_all);
    return sum;
}

static match_row match_of(const asking *asked, uint32_t place)
{
    const mp_callable *callable = &asked->calls->at[place];
    const mp_model *model = asked->model;
    match_row row = {.name = callable->name,
                     .shown = shown_of(asked, place),
                     .program = mp_model_text(model, callable->program),
                     .method = mp_model_text(model, callable->method),
                     .start_line = callable->start_line ? callable->start_line : MP_UNKNOWN,
                     .line = MP_UNKNOWN,
                     .cost = callable->own.cost,
                     .objects = callable->own.objects,
                     .inclusive = told(callable->all.cost),
                     .inclusive_objects = callable->all.objects,
                     .inclusive_estimated = callable->estimated ? 1 : MP_UNKNOWN,
                     .calls = told(callable->calls),
                     .recursive_calls = callable->nested > 0 ? callable->nested : MP_UNKNOWN};
    if (asked->has_line) {
        row.line = asked->line;
        row.cost = callable->at_line.cost;
        row.objects = callable->at_line.objects;
        row.calls = callable->executions;
        row.inclusive = line_inclusive(asked, place);
        row.inclusive_objects = MP_UNKNOWN;
        row.recursive_calls = row.inclusive_estimated = MP_UNKNOWN;
    }
    row.percent = mp_percent_of(row.cost, asked->all);
    return row;
}

/* Whether anything is known of the line that was asked for. */
static bool has_line(const asking *asked, uint32_t place)
{
    const mp_callable *callable = &asked->calls->at[place];
    bool has = callable->executions || callable->at_line.cost || callable->at_line.objects ||
               callable->line_all > 0;
    const edge_lists *lists = &asked->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1] && !has; i++) {
        const mp_call_edge *edge = &asked->calls->edges[lists->at[i]];
        has = edge->has_line && edge->line == asked->line;
    }
    return has;
}

/* Of a heap, whether anything is alive that it had a part in. */
static bool is_alive(const mp_callable *callable)
{
    return callable->all.cost || callable->all.objects;
}

static bool make_matches(asking *asked, mp_error *error)
{
    size_t kept = 0;
    bool any_alive = false;
    for (size_t i = 0; i < asked->count; i++)
        any_alive |= is_alive(&asked->calls->at[asked->places[i]]);
    asked->matches = mp_alloc((asked->count + 1) * sizeof *asked->matches);
    for (size_t i = 0; i < asked->count; i++) {
        bool dead = asked->of_bytes && any_alive && !is_alive(&asked->calls->at[asked->places[i]]);
        if (dead || (asked->has_line && !has_line(asked, asked->places[i])))
            continue;
        asked->matches[kept] = match_of(asked, asked->places[i]);
        asked->places[kept++] = asked->places[i];
    }
    asked->count = kept;
    return kept || mp_fail(error, MP_ERROR_ARGUMENT, "%s has no line %ld that did anything",
                           asked->code, (long)asked->line);
}

static edge_row edge_of(const asking *asked, const mp_call_edge *edge, bool callers,
                        const match_row *match)
{
    const mp_callable *at = asked->calls->at;
    assert(at); /* who calls or is called is one of them */
    const mp_callable *callee = &at[edge->callee];
    const mp_callable *caller = edge->caller == MP_NO_CALLER ? NULL : &at[edge->caller];
    mp_call_amount amount = callers ? edge->as_caller : edge->as_callee;
    edge_row row = {.direction = callers ? "caller" : "callee",
                    .caller = caller ? caller->name : NULL,
                    .callee = callee->name,
                    .shown = !callers ? shown_of(asked, edge->callee)
                             : caller ? shown_of(asked, edge->caller)
                                      : "(nobody: stacks begin here)",
                    .cost = told(amount.cost),
                    .objects = amount.objects,
                    .calls = edge->calls,
                    .recursive_calls = edge->nested > 0 ? edge->nested : MP_UNKNOWN,
                    .line = edge->has_line ? edge->line : MP_UNKNOWN,
                    .caller_start_line =
                        caller && caller->start_line ? caller->start_line : MP_UNKNOWN,
                    .callee_start_line = callee->start_line ? callee->start_line : MP_UNKNOWN};
    /* Who calls a line is who calls its method. */
    int64_t all = callers ? told(callee->all.cost) : match->inclusive;
    row.percent = share_of(row.cost, all);
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
        return a->cost < b->cost ? 1 : -1; /* what is not known comes last */
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

/* The calls of one match in one direction, in order; release with free(). */
static edge_row *edges_of(const asking *asked, size_t match, bool callers, size_t *count)
{
    edge_row *rows = NULL;
    size_t capacity = 0;
    uint32_t place = asked->places[match];
    *count = 0;
    const edge_lists *lists = callers ? &asked->callers : &asked->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1]; i++) {
        const mp_call_edge *edge = &asked->calls->edges[lists->at[i]];
        if (!callers && asked->has_line && edge->line != asked->line)
            continue;
        edge_row row = edge_of(asked, edge, callers, &asked->matches[match]);
        if (asked->of_bytes && !row.cost && !row.objects)
            continue; /* all of it is gone */
        mp_grow(&rows, &capacity, *count + 1, sizeof *rows);
        rows[(*count)++] = row;
    }
    if (*count)
        qsort(rows, *count, sizeof *rows, by_cost);
    return rows;
}

/* --- tables --- */

/* How many matches have tables of their own. */
static size_t detailed(const asking *asked)
{
    size_t most = asked->rows && asked->rows < MOST_SHOWN ? asked->rows : MOST_SHOWN;
    return asked->count < most ? asked->count : most;
}

static void put_matches(const asking *asked)
{
    mp_table *table = asked->of_bytes
                          ? MP_TABLE(asked->document, "matches", NULL, MP_ROWS, match_bytes)
                          : MP_TABLE(asked->document, "matches", NULL, MP_ROWS, match_times);
    bool estimated = false;
    for (size_t i = 0; i < asked->count && (!asked->rows || i < asked->rows); i++) {
        mp_table_put(asked->document, table, &asked->matches[i]);
        estimated |= asked->matches[i].inclusive_estimated == 1;
    }
    if (estimated)
        mp_table_line(asked->document, table,
                      "\"With callees\" is an estimate: this version has no call tree, so "
                      "recursion counts twice");
    if (asked->count > detailed(asked))
        mp_table_line(asked->document, table,
                      "below are callers and callees of the first %zu: a longer name, or one of "
                      "this list, shows those of others",
                      detailed(asked));
    mp_table_left_out(table, asked->count);
}

/* All calls of all matches, for programs. */
static void put_calls(const asking *asked)
{
    mp_table *table = asked->of_bytes
                          ? MP_TABLE(asked->document, "calls", NULL, MP_ROWS, edge_bytes)
                          : MP_TABLE(asked->document, "calls", NULL, MP_ROWS, edge_times);
    size_t all = 0;
    table->flags = MP_FOR_PROGRAMS;
    table->main = true;
    for (size_t i = 0; i < asked->count; i++)
        for (int callers = 1; callers >= 0; callers--) {
            size_t count;
            edge_row *rows = edges_of(asked, i, callers, &count);
            for (size_t k = 0; k < count; k++)
                if (all++ < asked->rows || !asked->rows)
                    mp_table_put(asked->document, table, &rows[k]);
            free(rows);
        }
    mp_table_left_out(table, all);
}

static const char *title_of(const asking *asked, size_t match, bool callers)
{
    const char *at = asked->has_line && !callers
                         ? mp_document_text(asked->document, " at line %" PRId32, asked->line)
                         : "";
    return mp_document_text(asked->document, "%s %s%s", callers ? "Callers of" : "Called by",
                            asked->matches[match].shown, at);
}

static void put_direction(const asking *asked, size_t match, bool callers)
{
    mp_document *document = asked->document;
    size_t count;
    bool unknown = false, recursive = false;
    edge_row *rows = edges_of(asked, match, callers, &count);
    mp_table *table =
        callers && asked->of_bytes ? MP_TABLE(document, "callers", NULL, MP_ROWS, caller_bytes)
        : callers                  ? MP_TABLE(document, "callers", NULL, MP_ROWS, caller_times)
        : asked->of_bytes          ? MP_TABLE(document, "callees", NULL, MP_ROWS, callee_bytes)
                                   : MP_TABLE(document, "callees", NULL, MP_ROWS, callee_times);
    table->flags = MP_FOR_PEOPLE;
    table->title = title_of(asked, match, callers);
    table->empty = asked->of_bytes ? (callers ? "no caller has anything alive of it"
                                              : "it called nothing that has anything alive")
                   : callers       ? "nobody calls it"
                                   : "it calls nothing";
    for (size_t i = 0; i < count; i++) {
        unknown |= rows[i].cost == MP_UNKNOWN;
        recursive |= rows[i].recursive_calls != MP_UNKNOWN;
        if (i < asked->rows || !asked->rows)
            mp_table_put(document, table, &rows[i]);
    }
    if (recursive && callers)
        mp_table_line(document, table,
                      "recursive calls run within others, whose callers have their time");
    if (unknown)
        mp_table_line(document, table,
                      "without a call tree, seconds are told where a line calls nothing else, or "
                      "nobody else calls");
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

static bool answer(asking *asked, const char *code, mp_error *error)
{
    asked->callers = list_edges(asked->calls, true);
    asked->callees = list_edges(asked->calls, false);
    asked->twins = twins_of(asked->calls);
    bool ok = find_matches(asked, code, error) && make_matches(asked, error);
    if (ok) {
        put_matches(asked);
        put_calls(asked);
        put_people(asked);
    }
    free(asked->callers.first);
    free(asked->callers.at);
    free(asked->callees.first);
    free(asked->callees.at);
    free(asked->twins);
    free(asked->matches);
    free(asked->places);
    return ok;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    const calls_arguments *own = request->arguments;
    const mp_profile *profile = request->model->profile;
    asking asked = {.document = document, .model = request->model, .rows = (size_t)own->heap.limit};
    if (profile->calls.count <= 1 && profile->nodes.count <= 1)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "calls needs a call graph, which execution profiles (.prf) have and reports "
                       "of them (.rpt) have not");
    asked.has_line = own->code && split_line(&asked, own->code);
    mp_calls calls = mp_calls_of_profile(request->filter, asked.has_line ? &asked.line : NULL);
    asked.calls = &calls;
    asked.all = mp_profile_total(request->filter).exclusive_us;
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_profile_totals(document, request->filter, false);
    bool ok = answer(&asked, own->code, error);
    mp_calls_free(&calls);
    return ok;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const calls_arguments *own = request->arguments;
    asking asked = {.document = document,
                    .model = request->model,
                    .of_bytes = true,
                    .rows = (size_t)own->heap.limit};
    mp_window window;
    if (!mp_section_heap(document, request, false, &window, error))
        return false;
    asked.has_line = own->code && split_line(&asked, own->code);
    mp_calls calls = mp_calls_of_heap(&window, asked.has_line ? &asked.line : NULL);
    asked.calls = &calls;
    asked.all = mp_totals_of(&window).live_bytes;
    bool ok = answer(&asked, own->code, error);
    mp_calls_free(&calls);
    mp_window_free(&window);
    return ok;
}

/* The variants: profiles, logs of heap events, other heaps. */
enum { PROFILES = 1, LOGS = 2, OTHERS = 4, ALL = PROFILES | LOGS | OTHERS };

static const calls_arguments calls_defaults = {.heap = {.limit = MP_REPORT_ROWS}};

static const mp_argument calls_table[] = {
    {"code", MP_ARGUMENT_NAME, offsetof(calls_arguments, code), ALL},
    MP_ASKS("to", NAME, to, LOGS | OTHERS),
    MP_ASKS("limit", COUNT, limit, ALL),
    MP_SHARES("selection", LOGS | OTHERS),
    MP_SHARES("keep-profiler", PROFILES),
    MP_SHARES_EVENTS(LOGS),
};

const mp_report mp_report_calls = {
    .name = "calls",
    .summary = "who calls a method and whom it calls, at what cost",
    .example = "calls samples/shop-v3.prf countParts",
    .details =
        "NAME is a method, program or class as the recording says it, the end of one, or a\n"
        "pattern; NAME:LINE asks for one line of it. Without NAME, what costs most by itself.\n"
        "Profiles: seconds. Memory: bytes alive at the snapshot `to`. What runs several times\n"
        "on one stack counts for the caller of its outermost call, and for the callees of its\n"
        "innermost.",
    .single = true,
    .operand = MP_OPERAND_CODE,
    MP_ARGUMENTS(calls_table, calls_defaults),
    .variants = {{.needs = MP_HOLDS_PROFILE, .run = run_profile},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_EVENTS, .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY, .run = run_heap}},
};

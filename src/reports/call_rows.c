#include "reports/call_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mp_edge_lists list_edges(const mp_calls *calls, bool callers)
{
    mp_edge_lists lists = {mp_alloc_zero((size_t)calls->count + 2, sizeof(uint32_t)),
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

/* Return the cost of a line including its callees. If the costs of all its callees are known, it is
 * their sum; otherwise it is the recorded figure, unless recursion may count twice in it. */
static int64_t line_inclusive(const mp_call_rows *rows, uint32_t place)
{
    const mp_callable *callable = &rows->called.calls->items[place];
    int64_t sum = callable->at_line.cost;
    const mp_edge_lists *lists = &rows->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1] && sum != MP_UNKNOWN; i++) {
        const mp_call_edge *edge = &rows->called.calls->edges[lists->edges[i]];
        if (edge->has_line && edge->line == rows->called.line)
            sum = edge->as_callee.cost == MP_UNTOLD ? MP_UNKNOWN : sum + edge->as_callee.cost;
    }
    if (sum == MP_UNKNOWN && rows->called.line != 0 && !callable->recursive)
        sum = told(callable->line_all);
    return sum;
}

static mp_callable_row match_of(const mp_call_rows *rows, uint32_t place)
{
    const mp_callable *callable = &rows->called.calls->items[place];
    const mp_model *model = rows->called.model;
    mp_callable_row row = {.name = callable->name,
                           .shown = callable->shown,
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
    if (rows->called.has_line) {
        row.line = rows->called.line;
        row.cost = callable->at_line.cost;
        row.objects = callable->at_line.objects;
        row.calls = callable->executions;
        row.inclusive = line_inclusive(rows, place);
        row.inclusive_objects = MP_UNKNOWN;
        row.recursive_calls = row.inclusive_estimated = MP_UNKNOWN;
    }
    row.percent = mp_percent_of(row.cost, rows->total);
    return row;
}

/* Return true if anything is known about the requested line. */
static bool has_line(const mp_call_rows *rows, uint32_t place)
{
    const mp_callable *callable = &rows->called.calls->items[place];
    bool has = callable->executions || callable->at_line.cost || callable->at_line.objects ||
               callable->line_all > 0;
    const mp_edge_lists *lists = &rows->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1] && !has; i++) {
        const mp_call_edge *edge = &rows->called.calls->edges[lists->edges[i]];
        has = edge->has_line && edge->line == rows->called.line;
    }
    return has;
}

/* Return true if the callable took part in creating objects of a heap that are still alive. */
static bool is_alive(const mp_callable *callable)
{
    return callable->total.cost || callable->total.objects;
}

static bool make_matches(mp_call_rows *rows, mp_error *error)
{
    size_t kept = 0;
    bool any_alive = false;
    for (size_t i = 0; i < rows->called.count; i++)
        any_alive |= is_alive(&rows->called.calls->items[rows->called.places[i]]);
    if (rows->called.of_bytes && !any_alive && !rows->called.word)
        /* the user named no code; without a name, a report on some code would be arbitrary */
        rows->called.count = 0;
    rows->matches = mp_alloc((rows->called.count + 1) * sizeof *rows->matches);
    for (size_t i = 0; i < rows->called.count; i++) {
        bool dead = rows->called.of_bytes && any_alive &&
                    !is_alive(&rows->called.calls->items[rows->called.places[i]]);
        if (dead || (rows->called.has_line && !has_line(rows, rows->called.places[i])))
            continue;
        rows->matches[kept] = match_of(rows, rows->called.places[i]);
        rows->called.places[kept++] = rows->called.places[i];
    }
    rows->called.count = kept;
    return kept || !rows->called.word ||
           mp_fail(error, MP_ERROR_ARGUMENT, "%s has no line %ld with a cost", rows->called.code,
                   (long)rows->called.line);
}

static mp_call_row edge_of(const mp_call_rows *rows, const mp_call_edge *edge, bool callers,
                           const mp_callable_row *match)
{
    const mp_callable *callable = rows->called.calls->items;
    assert(callable); /* both ends of an edge are callables */
    const mp_callable *callee = &callable[edge->callee];
    const mp_callable *caller = edge->caller == MP_NO_CALLER ? NULL : &callable[edge->caller];
    mp_call_amount amount = callers ? edge->as_caller : edge->as_callee;
    mp_call_row row = {.direction = callers ? "caller" : "callee",
                       .caller = caller ? caller->name : NULL,
                       .callee = callee->name,
                       .shown = !callers ? callee->shown
                                : caller ? caller->shown
                                         : "(none: stacks begin here)",
                       .cost = told(amount.cost),
                       .objects = amount.objects,
                       .calls = edge->calls,
                       .recursive_calls = edge->nested > 0 ? edge->nested : MP_UNKNOWN,
                       .line = edge->has_line ? edge->line : MP_UNKNOWN,
                       .caller_start_line =
                           caller && caller->start_line ? caller->start_line : MP_UNKNOWN,
                       .callee_start_line = callee->start_line ? callee->start_line : MP_UNKNOWN};
    /* The callers of a line are the callers of its method. */
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
    const mp_call_row *a = left, *b = right;
    int order = MP_COMPARE(b->cost, a->cost); /* unknown costs come last */
    order = order ? order : MP_COMPARE(b->calls, a->calls);
    order = order ? order : compare_text(a->caller, b->caller);
    order = order ? order : compare_text(a->callee, b->callee);
    order = order ? order : MP_COMPARE(a->line, b->line);
    order = order ? order : MP_COMPARE(a->caller_start_line, b->caller_start_line);
    return order ? order : MP_COMPARE(a->callee_start_line, b->callee_start_line);
}

mp_call_row *mp_call_rows_of(const mp_call_rows *rows, size_t match, bool callers, size_t *count)
{
    mp_call_row *items = NULL;
    size_t capacity = 0;
    uint32_t place = rows->called.places[match];
    *count = 0;
    const mp_edge_lists *lists = callers ? &rows->callers : &rows->callees;
    for (uint32_t i = lists->first[place]; i < lists->first[place + 1]; i++) {
        const mp_call_edge *edge = &rows->called.calls->edges[lists->edges[i]];
        if (!callers && rows->called.has_line && edge->line != rows->called.line)
            continue;
        mp_call_row row = edge_of(rows, edge, callers, &rows->matches[match]);
        if (rows->called.of_bytes && !row.cost && !row.objects)
            continue; /* none of its objects are alive */
        mp_grow(&items, &capacity, *count + 1, sizeof *items);
        items[(*count)++] = row;
    }
    if (*count)
        qsort(items, *count, sizeof *items, by_cost);
    return items;
}

bool mp_call_rows_find(mp_call_rows *rows, const mp_calls *calls, mp_error *error)
{
    rows->callers = list_edges(calls, true);
    rows->callees = list_edges(calls, false);
    rows->called.calls = calls;
    bool *at_line = mp_alloc_zero((size_t)calls->count + 1, sizeof *at_line);
    for (uint32_t i = 0; rows->called.has_line && i < calls->count; i++)
        at_line[i] = has_line(rows, i);
    rows->called.at_line = at_line;
    const bool found = mp_called_find(&rows->called, calls, error) && make_matches(rows, error);
    free(at_line);
    rows->called.at_line = NULL;
    return found;
}

void mp_call_rows_free(mp_call_rows *rows)
{
    MP_FREE(rows->callers.first, rows->callers.edges, rows->callees.first, rows->callees.edges,
            rows->matches);
    mp_called_free(&rows->called);
}

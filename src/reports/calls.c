/* The report calls: the callers and callees of a method or other code, with their costs. */
#include <inttypes.h>
#include <stdlib.h>

#include "reports/call_rows.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

enum { MOST_SHOWN = 5 }; /* maximum number of matches that have separate tables */

enum { HEAPS = MP_OF_HEAPS, PROFILES = MP_OF_PROFILES };

static const mp_column match_columns[] = {
    MP_RANK(0),
    MP_COLUMN_OF(mp_callable_row, cost, "seconds", "Seconds", MP_SECONDS, PROFILES),
    MP_COLUMN_OF(mp_callable_row, cost, "own_bytes", "Own", MP_BYTES, HEAPS),
    MP_COLUMN(mp_callable_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(mp_callable_row, objects, "own_objects", "Objects", MP_COUNT, HEAPS | MP_IF_KNOWN),
    MP_COLUMN_OF(mp_callable_row, inclusive, "inclusive_seconds", "With callees", MP_SECONDS,
                 PROFILES),
    MP_COLUMN_OF(mp_callable_row, inclusive, "inclusive_bytes", "With callees", MP_BYTES, HEAPS),
    MP_COLUMN(mp_callable_row, inclusive_objects, "Their objects", MP_COUNT, HEAPS | MP_IF_KNOWN),
    MP_COLUMN(mp_callable_row, calls, "Calls", MP_COUNT, PROFILES),
    MP_COLUMN(mp_callable_row, recursive_calls, "Recursive", MP_COUNT, PROFILES | MP_MINOR),
    MP_COLUMN(mp_callable_row, name, "Name", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_callable_row, shown, "Name", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(mp_callable_row, line, "Line", MP_NUMBER, MP_IF_KNOWN),
    MP_COLUMN(mp_callable_row, start_line, "", MP_NUMBER, PROFILES | MP_FOR_PROGRAMS),
    MP_COLUMN(mp_callable_row, start_line, "From line", MP_NUMBER, HEAPS | MP_MINOR),
    MP_COLUMN(mp_callable_row, program, "Program", MP_TEXT, PROFILES | MP_FOR_PROGRAMS),
    MP_COLUMN(mp_callable_row, method, "Method", MP_TEXT, PROFILES | MP_FOR_PROGRAMS),
    MP_COLUMN(mp_callable_row, inclusive_estimated, "Estimate", MP_FLAG,
              PROFILES | MP_FOR_PROGRAMS),
};

/* clang-format off */
#define COSTS                                                                                      \
    MP_COLUMN_OF(mp_call_row, cost, "seconds", "Seconds", MP_SECONDS, PROFILES),                   \
    MP_COLUMN_OF(mp_call_row, cost, "bytes", "Bytes", MP_BYTES, HEAPS),                            \
    MP_COLUMN(mp_call_row, percent, "%", MP_PERCENT, 0),                                           \
    MP_COLUMN(mp_call_row, objects, "Objects", MP_COUNT, HEAPS | MP_IF_KNOWN),                     \
    MP_COLUMN(mp_call_row, calls, "Calls", MP_COUNT, PROFILES),                                    \
    MP_COLUMN(mp_call_row, recursive_calls, "Recursive", MP_COUNT, PROFILES | MP_MINOR)
/* clang-format on */

static const mp_column call_columns[] = {
    MP_COLUMN(mp_call_row, direction, "", MP_TEXT, 0),
    MP_COLUMN(mp_call_row, caller, "Caller", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(mp_call_row, line, "At line", MP_NUMBER, 0),
    MP_COLUMN(mp_call_row, callee, "Callee", MP_TEXT, 0),
    COSTS,
    MP_COLUMN(mp_call_row, caller_start_line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_call_row, callee_start_line, "", MP_NUMBER, MP_FOR_PROGRAMS),
};

static const mp_column caller_columns[] = {
    COSTS,
    MP_COLUMN_OF(mp_call_row, shown, "caller", "Caller", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(mp_call_row, line, "At line", MP_NUMBER, 0),
};

static const mp_column callee_columns[] = {
    COSTS,
    MP_COLUMN(mp_call_row, line, "At line", MP_NUMBER, 0),
    MP_COLUMN_OF(mp_call_row, shown, "callee", "Callee", MP_TEXT, MP_SHORTEN),
};

typedef struct calls_arguments {
    /* must be first, because all heap reports share rows of arguments with offsets in this
     * struct */
    mp_heap_arguments heap;
    const char *code; /* NULL = the callable with the highest own cost */
} calls_arguments;

/* The question, and what was found. */
typedef struct asking {
    mp_document *document;
    mp_call_rows found;
    size_t rows; /* limit of rows; 0 = none */
} asking;

/* Return the number of matches that have separate tables. */
static size_t detailed(const asking *asked)
{
    size_t most = asked->rows && asked->rows < MOST_SHOWN ? asked->rows : MOST_SHOWN;
    return asked->found.called.count < most ? asked->found.called.count : most;
}

static void put_matches(const asking *asked)
{
    mp_table *table =
        MP_KIND_TABLE(asked->document, asked->found.called.model, "matches", NULL, match_columns);
    bool estimated = false;
    table->empty = "nothing is alive";
    for (size_t i = 0; i < asked->found.called.count && (!asked->rows || i < asked->rows); i++) {
        mp_table_put(asked->document, table, &asked->found.matches[i]);
        estimated |= asked->found.matches[i].inclusive_estimated == 1;
    }
    if (estimated)
        mp_table_line(asked->document, table,
                      "\"With callees\" is an estimate: this version has no call tree, so "
                      "recursion counts twice");
    if (asked->found.called.count > detailed(asked))
        mp_table_line(asked->document, table,
                      "callers and callees of the first %zu follow; use a longer name, or one from "
                      "this list, for others",
                      detailed(asked));
    mp_table_left_out(table, asked->found.called.count);
}

/* List all calls of all matches, for programs. */
static void put_calls(const asking *asked)
{
    mp_table *table =
        MP_KIND_TABLE(asked->document, asked->found.called.model, "calls", NULL, call_columns);
    size_t total = 0;
    table->flags = MP_FOR_PROGRAMS;
    table->main = true;
    for (size_t i = 0; i < asked->found.called.count; i++)
        for (int callers = 1; callers >= 0; callers--) {
            size_t count;
            mp_call_row *rows = mp_call_rows_of(&asked->found, i, callers, &count);
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
        asked->found.called.has_line && !callers
            ? mp_document_text(asked->document, " at line %" PRId32, asked->found.called.line)
            : "";
    return mp_document_text(asked->document, "%s %s%s", callers ? "Callers of" : "Callees of",
                            asked->found.matches[match].shown, cursor);
}

static void put_direction(const asking *asked, size_t match, bool callers)
{
    mp_document *document = asked->document;
    size_t count;
    bool unknown = false, recursive = false;
    mp_call_row *rows = mp_call_rows_of(&asked->found, match, callers, &count);
    const mp_model *model = asked->found.called.model;
    mp_table *table = callers ? MP_KIND_TABLE(document, model, "callers", NULL, caller_columns)
                              : MP_KIND_TABLE(document, model, "callees", NULL, callee_columns);
    table->flags = MP_FOR_PEOPLE;
    table->title = title_of(asked, match, callers);
    table->empty = asked->found.called.of_bytes
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

static bool answer(asking *asked, const mp_calls *calls, mp_error *error)
{
    bool ok = mp_call_rows_find(&asked->found, calls, error);
    if (ok) {
        put_matches(asked);
        put_calls(asked);
        for (size_t i = 0; i < detailed(asked); i++) {
            put_direction(asked, i, true);
            put_direction(asked, i, false);
        }
    }
    mp_call_rows_free(&asked->found);
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
    asked.found.called = mp_called_begin(document, request->model, state->code, false);
    mp_calls calls = mp_calls_of_profile(
        request->filter, asked.found.called.has_line ? &asked.found.called.line : NULL);
    asked.found.total = mp_profile_total(request->filter).exclusive_us;
    mp_section_profile(document, request);
    bool ok = answer(&asked, &calls, error);
    mp_calls_free(&calls);
    return ok;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const calls_arguments *state = request->arguments;
    asking asked = {.document = document, .rows = (size_t)state->heap.limit};
    const mp_window *window = mp_section_heap(document, request, false, error);
    if (!window)
        return false;
    asked.found.called = mp_called_begin(document, request->model, state->code, true);
    mp_calls calls =
        mp_calls_of_heap(window, asked.found.called.has_line ? &asked.found.called.line : NULL);
    asked.found.total = mp_totals_of(window).live_bytes;
    bool ok = answer(&asked, &calls, error);
    mp_calls_free(&calls);
    return ok;
}

/* The variants: profiles, logs of heap events, other heaps. */
enum { OF_PROFILES = 1, LOGS = 2, OTHERS = 4, ALL = OF_PROFILES | LOGS | OTHERS };

static const calls_arguments calls_defaults = {.heap = {.limit = MP_REPORT_ROWS}};

static const mp_argument calls_table[] = {
    {"code", offsetof(calls_arguments, code), ALL},
    MP_ASKS("to", to, LOGS | OTHERS),
    MP_ASKS("limit", limit, ALL),
    MP_SHARES("selection", LOGS | OTHERS),
    MP_SHARES("keep-profiler", OF_PROFILES),
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

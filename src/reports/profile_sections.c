#include "reports/profile_sections.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "query/code_names.h"
#include "reports/answers.h"

/* --- totals --- */

typedef struct totals_row {
    int64_t seconds, calls, modules, stated_seconds, elapsed_us, instrumentation_seconds, partial;
} totals_row;

static const mp_column total_columns[] = {
    MP_COLUMN(totals_row, seconds, "Seconds", MP_SECONDS, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(totals_row, calls, "Calls", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(totals_row, modules, "Modules", MP_COUNT, 0),
    MP_COLUMN(totals_row, stated_seconds, "Seconds, as stated", MP_SECONDS, MP_ADDS),
    MP_COLUMN(totals_row, elapsed_us, "Elapsed", MP_TIME, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(totals_row, instrumentation_seconds, "Left out: lib/zprofiler", MP_SECONDS, MP_ADDS),
    MP_COLUMN(totals_row, partial, "Incomplete profile", MP_FLAG, MP_FOR_PROGRAMS),
};

static const mp_column sample_columns[] = {
    MP_COLUMN_OF(totals_row, seconds, "samples", "Samples", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(totals_row, modules, "Modules", MP_COUNT, 0),
};

void mp_section_profile_totals(mp_document *document, const mp_filter *filter, bool shown)
{
    const mp_profile *profile = filter->model->profile;
    mp_profile_totals totals = mp_profile_total(filter);
    mp_document_costs(document, filter->model->holds);
    totals_row row = {
        .seconds = totals.exclusive_us,
        .calls = totals.calls,
        .modules = totals.modules || !document->uncalled ? (int64_t)totals.modules : MP_UNKNOWN,
        .stated_seconds =
            profile && profile->stated_total_us >= 0 ? profile->stated_total_us : MP_UNKNOWN,
        .elapsed_us = profile && profile->elapsed_us >= 0 ? profile->elapsed_us : MP_UNKNOWN,
        .instrumentation_seconds =
            totals.instrumentation_us ? totals.instrumentation_us : MP_UNKNOWN,
        .partial = totals.partial ? 1 : MP_UNKNOWN};
    mp_table *table = document->sampled
                          ? MP_TABLE(document, "totals", "Totals", MP_RECORD, sample_columns)
                          : MP_TABLE(document, "totals", "Totals", MP_RECORD, total_columns);
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    table->order = document->sampled ? "samples" : "seconds";
    mp_table_put(document, table, &row);
}

void mp_section_profile(mp_document *document, const mp_request *request)
{
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_profile_totals(document, request->filter, false);
}

/* --- lines, methods, programs --- */

typedef struct cost_row {
    int64_t seconds, inclusive_seconds, calls, line, start_line, inclusive_estimated;
    double percent, average_seconds;
    const char *program, *method, *runtime_class, *code;
    const char *where; /* place in words, with the class if other rows have the same place */
    mp_texts source;
} cost_row;

static const mp_column line_columns[] = {
    MP_RANK(0),
    MP_COLUMN(cost_row, seconds, "Seconds", MP_SECONDS, 0),
    MP_COLUMN(cost_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(cost_row, average_seconds, "Average", MP_AVERAGE, MP_MINOR),
    MP_COLUMN(cost_row, calls, "Calls", MP_COUNT, 0),
    MP_COLUMN(cost_row, where, "Line", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(cost_row, program, "Program", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, line, "Line", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, method, "Method", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, start_line, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, runtime_class, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, code, "Code", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, source, "Code", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

static const mp_column method_columns[] = {
    MP_RANK(0),
    MP_COLUMN(cost_row, seconds, "Seconds", MP_SECONDS, 0),
    MP_COLUMN(cost_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(cost_row, inclusive_seconds, "With callees", MP_SECONDS, MP_IF_KNOWN),
    MP_COLUMN(cost_row, average_seconds, "Average", MP_AVERAGE, MP_MINOR),
    MP_COLUMN(cost_row, calls, "Calls", MP_COUNT, 0),
    MP_COLUMN(cost_row, where, "Method", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(cost_row, program, "Program", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, method, "Method", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, start_line, "From line", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, runtime_class, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(cost_row, inclusive_estimated, "Estimate", MP_FLAG, MP_FOR_PROGRAMS),
};

/* Sort keys of costs, named like the tables' columns. */
static const mp_column sort_columns[] = {
    MP_COLUMN_OF(mp_code_cost, exclusive_us, "seconds", "", MP_SECONDS, 0),
    MP_COLUMN_OF(mp_code_cost, inclusive_us, "inclusive_seconds", "", MP_SECONDS, 0),
    MP_COLUMN(mp_code_cost, calls, "", MP_COUNT, 0),
};
const char *const mp_profile_groups[] = {"line", "method", "module"};
const mp_order mp_line_orders[] = {
    {"seconds", {"seconds"}},
    {"average", {"average_seconds"}},
    {"calls", {"calls"}},
    {"samples", {"seconds"}},
};
const mp_order mp_method_orders[] = {
    {"seconds", {"seconds"}},         {"inclusive", {"inclusive_seconds"}},
    {"average", {"average_seconds"}}, {"calls", {"calls"}},
    {"samples", {"seconds"}},
};

/* Return the place of a cost in words. With `is_line`, it includes the line. */
static const char *where_of(mp_document *document, const mp_model *model, const mp_code_cost *cost,
                            bool is_line)
{
    mp_code_place place = mp_cost_place(model, cost);
    place.line = is_line ? mp_line_of_cost(cost) : MP_UNKNOWN;
    const char *label = mp_code_label(document->arena, &place);
    return *label ? label : "(unknown)";
}

static cost_row row_of(const mp_model *model, const mp_code_cost *cost, int64_t all_us)
{
    cost_row row = {.program = mp_model_text(model, cost->program),
                    .method = mp_model_text(model, cost->method),
                    .runtime_class = mp_model_text(model, cost->runtime),
                    .code = mp_model_text(model, cost->code),
                    .line = mp_line_of_cost(cost),
                    .start_line = cost->start_line ? cost->start_line : MP_UNKNOWN,
                    .seconds = MP_UNKNOWN,
                    .percent = NAN,
                    .calls = cost->unknown & MP_UNKNOWN_EXECUTIONS ? MP_UNKNOWN : cost->calls,
                    .average_seconds = NAN,
                    .inclusive_seconds =
                        cost->inclusive == MP_INCLUSIVE_UNKNOWN ? MP_UNKNOWN : cost->inclusive_us,
                    .inclusive_estimated =
                        cost->inclusive == MP_INCLUSIVE_ESTIMATED ? 1 : MP_UNKNOWN};
    if (!(cost->unknown & MP_UNKNOWN_EXCLUSIVE)) {
        row.seconds = cost->exclusive_us;
        row.percent = mp_percent_of(cost->exclusive_us, all_us);
    }
    if (!(cost->unknown & MP_UNKNOWN_AVERAGE))
        row.average_seconds = cost->average_us / 1e6;
    return row;
}

/* Attach the profile and its lines as structs, for the exporters that write ProTop reports. */
static void attach_profile(mp_document *document, mp_table *table, const mp_model *model,
                           const mp_profile_totals *totals)
{
    const char *description =
        model->sessions.count > 1 ? mp_model_text(model, model->sessions.items[1].description) : "";
    bool timed = model->profile && model->profile->elapsed_us >= 0;
    mp_hot_profile *profile = mp_arena_alloc(document->arena, sizeof *profile);
    *profile = (mp_hot_profile){.description = mp_utf8_copy(document->arena, description),
                                .us = totals->exclusive_us,
                                .elapsed_us = timed ? model->profile->elapsed_us : MP_UNKNOWN};
    table->answer = MP_ANSWER_HOT_LINES;
    table->about = profile;
}

static void attach_line(mp_document *document, mp_table *table, const cost_row *row)
{
    mp_hot_line *line = mp_arena_alloc(document->arena, sizeof *line);
    *line = (mp_hot_line){.program = mp_utf8_copy(document->arena, row->program),
                          .method = mp_utf8_copy(document->arena, row->method),
                          .code = mp_utf8_copy(document->arena, row->code),
                          .line = row->line,
                          .us = row->seconds,
                          .calls = row->calls,
                          .average_seconds = row->average_seconds};
    mp_table_attach(table, line);
}

bool mp_cost_word_fits(const char *word, unsigned holds, const char *argument, mp_error *error)
{
    static const struct {
        const char *word, *told;
        unsigned needs, lacks;
    } words[] = {{"samples", "samples", MP_HOLDS_SAMPLES, 0},
                 {"seconds", "times", 0, MP_HOLDS_SAMPLES},
                 {"average", "calls", 0, MP_HOLDS_UNCALLED},
                 {"calls", "calls", 0, MP_HOLDS_UNCALLED}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mp_text_is(word, words[i].word) &&
            (holds & (words[i].needs | words[i].lacks)) != words[i].needs)
            return mp_fail_argument(error, argument, word, "%s has no %s",
                                    mp_holds_name(MP_KIND_PROFILE, holds), words[i].told);
    return true;
}

bool mp_cost_minimum_fits(int64_t min_count, unsigned holds, mp_error *error)
{
    if (!min_count || holds & MP_HOLDS_SAMPLES || !(holds & MP_HOLDS_UNCALLED))
        return true;
    return mp_fail(error, MP_ERROR_ARGUMENT, MP_DASHES "min-count: %s has no calls",
                   mp_holds_name(MP_KIND_PROFILE, holds));
}

bool mp_costs_have_lines(const mp_profile_costs *costs)
{
    bool any = !costs->lines.count;
    for (size_t i = 0; i < costs->lines.count && !any; i++)
        any = mp_line_of_cost(&costs->lines.items[i]) != MP_UNKNOWN;
    return any;
}

/* Return the name of the column in a document of samples. */
static const char *samples_order(const mp_order *order)
{
    return strcmp(order->columns[0], "inclusive_seconds") == 0 ? "inclusive_samples" : "samples";
}

/* Add the costs of code that has at least the minimum number of calls, in the given order. The
 * profiler itself is left out. */
static void put_costs(mp_document *document, mp_table *table, const mp_model *model,
                      const mp_profile_costs *costs, mp_code_costs *list, const mp_order *order,
                      const mp_costs_asked *asked)
{
    size_t kept = 0;
    bool estimated = false;
    /* Costs are already in the order that is first in both tables. */
    if (strcmp(order->name, "average") == 0)
        mp_code_costs_by_average(model, list);
    else if (order != mp_line_orders && order != mp_method_orders)
        MP_ORDER_ROWS(order, sort_columns, list->items, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const mp_code_cost *cost = &list->items[i];
        estimated |= cost->inclusive == MP_INCLUSIVE_ESTIMATED;
        const int64_t count = document->sampled ? cost->exclusive_us : cost->calls;
        if (count < asked->min_calls || (kept++ >= asked->rows && asked->rows))
            continue;
        cost_row row = row_of(model, cost, costs->totals.exclusive_us);
        row.where = where_of(document, model, cost, list == &costs->lines);
        if (*row.code)
            row.source = (mp_texts){.items = &row.code, .count = 1};
        mp_table_put(document, table, &row);
        if (table->answer == MP_ANSWER_HOT_LINES)
            attach_line(document, table, &row);
    }
    table->order = document->sampled ? samples_order(order) : order->columns[0];
    if (costs->totals.instrumentation_lines)
        mp_table_line(document, table,
                      "%s lines of lib/zprofiler, the profiler itself, are omitted: %s seconds",
                      mp_count_text(document, (int64_t)costs->totals.instrumentation_lines),
                      mp_unit_text(document, MP_SECONDS, costs->totals.instrumentation_us, false))
            ->argument = "keep-profiler";
    if (estimated)
        mp_table_line(document, table,
                      "\"With callees\" is an estimate: this version has no call tree, so "
                      "recursion counts twice");
    mp_table_left_out(table, kept);
}

bool mp_section_profile_top(mp_document *document, const mp_model *model, mp_profile_costs *costs,
                            const mp_costs_asked *asked, mp_error *error)
{
    /* Samplers find functions; the line in one is where a sample happened to fall. */
    const bool ranks_lines = !(model->holds & MP_HOLDS_UNCALLED) && mp_costs_have_lines(costs);
    const char *by = asked->by ? asked->by : ranks_lines ? "line" : "method";
    const bool lines = mp_text_is(by, "line"), methods = mp_text_is(by, "method");
    const mp_order *order = lines ? MP_ORDER_FIND(mp_line_orders, asked->sort, "lines", error)
                                  : MP_ORDER_FIND(mp_method_orders, asked->sort, "methods", error);
    if (!order || (asked->sort && !mp_cost_word_fits(asked->sort, model->holds, "sort", error)) ||
        !mp_cost_minimum_fits(asked->min_calls, model->holds, error))
        return false;
    mp_table *table = lines ? MP_TABLE(document, "top", "Hottest lines", MP_ROWS, line_columns)
                            : MP_TABLE(document, "top", NULL, MP_ROWS, method_columns);
    if (lines && !document->sampled)
        attach_profile(document, table, model, &costs->totals);
    if (!lines)
        table->title = methods ? "Hottest methods" : "Hottest programs";
    table->empty = "no line was executed";
    put_costs(document, table, model, costs,
              lines     ? &costs->lines
              : methods ? &costs->methods
                        : &costs->programs,
              order, asked);
    return true;
}

void mp_section_methods(mp_document *document, const mp_model *model, mp_profile_costs *costs,
                        const mp_costs_asked *asked)
{
    mp_table *table = MP_TABLE(document, "methods", "Hottest methods", MP_ROWS, method_columns);
    put_costs(document, table, model, costs, &costs->methods, &mp_method_orders[0], asked);
}

/* --- the answer --- */

/* Return "1.25 s", or "12 samples". */
static const char *cost_text(mp_document *document, int64_t cost)
{
    char text[MP_UNIT_TEXT];
    if (document->sampled)
        return mp_counted_text(document, cost, "sample");
    mp_format_duration(text, cost);
    return mp_document_text(document, "%s", text);
}

static void say_cost(mp_document *document, const char *label, const char *where,
                     const mp_code_cost *cost, int64_t us, int64_t all_us, const char *how)
{
    bool about = *how && cost->inclusive == MP_INCLUSIVE_ESTIMATED;
    char share[MP_UNIT_TEXT];
    const char *calls =
        document->uncalled || cost->unknown & MP_UNKNOWN_EXECUTIONS
            ? ""
            : mp_document_text(document, " (%s)", mp_counted_text(document, cost->calls, "call"));
    mp_format_percent(share, mp_percent_of(us, all_us), false);
    mp_document_say(document, MP_TONE_PLAIN, label, "%s, %s%s %% of %s%s%s", where,
                    about ? "about " : "", share, cost_text(document, all_us), how, calls);
}

void mp_section_profile_answer(mp_document *document, const mp_model *model,
                               const mp_profile_costs *costs)
{
    const int64_t all_us = costs->totals.exclusive_us;
    const mp_code_cost *line = costs->lines.count ? costs->lines.items : NULL, *deepest = NULL;
    const mp_code_cost *hottest = costs->methods.count ? costs->methods.items : NULL;
    if (!line || line->unknown & MP_UNKNOWN_EXCLUSIVE || !all_us)
        return;
    /* A method that is called once and contains the whole run includes everything, so its share has
     * no meaning. */
    for (size_t i = 0; i < costs->methods.count; i++) {
        const mp_code_cost *method = &costs->methods.items[i];
        if (method->inclusive != MP_INCLUSIVE_UNKNOWN && method->inclusive_us > all_us / 2 &&
            method->repeats && (!deepest || method->inclusive_us < deepest->inclusive_us))
            deepest = method;
    }
    if (hottest)
        say_cost(document, "Hottest", where_of(document, model, hottest, false), hottest,
                 hottest->exclusive_us, all_us, "");
    if (mp_costs_have_lines(costs) && line->line != (int32_t)MP_NO_LINE)
        say_cost(document, "Hottest line", where_of(document, model, line, true), line,
                 line->exclusive_us, all_us, "");
    if (deepest)
        say_cost(document, "Over half in", where_of(document, model, deepest, false), deepest,
                 deepest->inclusive_us, all_us, " with what it calls");
    if (document->uncalled) {
        mp_document_say(document, MP_TONE_PLAIN, document->sampled ? "Profile" : "Time", "%s, %s",
                        cost_text(document, all_us),
                        mp_counted_text(document, (int64_t)costs->methods.count, "method"));
        return;
    }
    mp_document_say(document, MP_TONE_PLAIN, "Time", "%s, %s, %s", cost_text(document, all_us),
                    mp_counted_text(document, costs->totals.calls, "call"),
                    mp_counted_text(document, (int64_t)costs->totals.modules, "module"));
}

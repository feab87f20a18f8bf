/* Export as OpenMetrics text, for Prometheus: the totals of the reports, and the first rows of
 * their lists, each as a gauge. There are no counters, because a recording does not continue.
 *
 * Metrics are named like the totals of reports, with the prefix "memprof_". Times are in
 * seconds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "export/exporter.h"
#include "query/graph_query.h"
#include "query/profile_costs.h"
#include "render/cell.h"
#include "reports/profile_sections.h"

enum { WORST = 10, STACK_FRAMES = 8 };

/* A metric family. Each kind of row has a family for each of its measures. */
typedef struct measure {
    const char *name, *unit, *help;
} measure;

enum { MEASURES = 3 };

/* A time series: its labels in braces, and a value for each measure. */
typedef struct series {
    const char *labels;
    int64_t values[MEASURES]; /* MP_UNKNOWN = no value */
} series;

typedef struct metrics_out {
    FILE *file;
    mp_arena arena;
    int64_t families, samples;
    series rows[WORST];
    size_t count;
} metrics_out;

/* --- syntax --- */

/* Return a text as the value of a label, with invisible characters written as escapes. */
static const char *quoted(metrics_out *out, const char *text)
{
    text = mp_safe_text(&out->arena, text);
    char *copy = mp_arena_alloc(&out->arena, 2 * strlen(text) + 1), *end = copy;
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *end++ = '\\';
        *end++ = *text;
    }
    *end = '\0';
    return copy;
}

static void put_family(metrics_out *out, const char *name, const char *unit, const char *help)
{
    fprintf(out->file, "# TYPE memprof_%s gauge\n", name);
    if (unit)
        fprintf(out->file, "# UNIT memprof_%s %s\n", name, unit);
    fprintf(out->file, "# HELP memprof_%s %s\n", name, help);
    out->families++;
}

static void put_sample(metrics_out *out, const char *name, const char *labels, const char *unit,
                       int64_t value)
{
    char text[MP_UNIT_TEXT];
    if (unit && strcmp(unit, "seconds") == 0)
        mp_format_seconds(text, value, false);
    else
        snprintf(text, sizeof text, "%" PRId64, value);
    fprintf(out->file, "memprof_%s%s %s\n", name, labels, text);
    out->samples++;
}

/* --- totals --- */

/* Return the name of a metric, and its unit. Microseconds are exported as seconds: "peak_time_us"
 * becomes "peak_time_seconds". */
static const char *metric_name(metrics_out *out, const mp_column *column, const char **unit)
{
    static const char *const units[] = {"bytes", "objects", "seconds"};
    size_t length = strlen(column->name);
    const char *name = column->name;
    if (column->unit == MP_TIME && mp_column_is_called(column, "_us"))
        name = mp_arena_format(&out->arena, "%.*s_seconds", (int)(length - 3), name);
    *unit = NULL;
    length = strlen(name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (length >= strlen(units[i]) && strcmp(name + length - strlen(units[i]), units[i]) == 0)
            *unit = units[i];
    return name;
}

static void put_totals(metrics_out *out, const mp_document *document)
{
    const mp_table *table = document->tables;
    while (strcmp(table->name, "totals") != 0)
        table++;
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        bool amount = column->unit == MP_COUNT || column->unit == MP_BYTES ||
                      column->unit == MP_SECONDS || column->unit == MP_TIME;
        /* The metric of leaking bytes has a value for each site; the sum is the total. */
        const bool of_sites = strncmp(column->name, "leaking_", strlen("leaking_")) == 0;
        if (column->flags & MP_FOR_PEOPLE || !amount || of_sites || !table->cells[i].known)
            continue;
        const char *unit, *name = metric_name(out, column, &unit);
        put_family(out, name, unit,
                   mp_arena_format(&out->arena, "%s of the input, as in the totals of memprof.",
                                   column->name));
        put_sample(out, name, "", unit, table->cells[i].number);
    }
}

/* --- the first rows of lists --- */

/* Add a row. If rows have the same labels, add up their values, because a time series must be
 * unique. */
static void add_row(metrics_out *out, const char *labels, const int64_t values[MEASURES])
{
    size_t index = 0;
    while (index < out->count && strcmp(out->rows[index].labels, labels) != 0)
        index++;
    if (index == out->count)
        out->rows[out->count++] = (series){.labels = labels};
    for (size_t i = 0; i < MEASURES; i++) {
        int64_t *sum = &out->rows[index].values[i];
        *sum = *sum == MP_UNKNOWN || values[i] == MP_UNKNOWN ? MP_UNKNOWN : *sum + values[i];
    }
}

static void put_rows(metrics_out *out, const measure *measures, size_t count)
{
    for (size_t m = 0; m < count && out->count; m++) {
        bool known = false;
        for (size_t i = 0; i < out->count; i++)
            known |= out->rows[i].values[m] != MP_UNKNOWN;
        if (!known)
            continue;
        put_family(out, measures[m].name, measures[m].unit, measures[m].help);
        for (size_t i = 0; i < out->count; i++)
            if (out->rows[i].values[m] != MP_UNKNOWN)
                put_sample(out, measures[m].name, out->rows[i].labels, measures[m].unit,
                           out->rows[i].values[m]);
    }
    out->count = 0;
}

static const char *stack_of(metrics_out *out, const mp_model *model, mp_frame frame)
{
    mp_text_buffer text = {0};
    bool more = frame.node != 0;
    for (int i = 0; more && i < STACK_FRAMES; i++) {
        const char *label = mp_frame_label(&out->arena, model, frame);
        if (i)
            mp_text_put(&text, " < ", 3);
        mp_text_put(&text, label, strlen(label));
        more = mp_frame_caller(model, &frame);
    }
    if (more)
        mp_text_put(&text, " < ...", 6);
    const char *stack = quoted(out, text.text ? text.text : "(session)");
    free(text.text);
    return stack;
}

static void put_leaks(metrics_out *out, const mp_window *window)
{
    static const measure measures[] = {
        {"leak_bytes", "bytes", "Bytes leaked at one of the ten allocation sites that leak most."},
        {"leak_objects", "objects",
         "Objects leaked at one of the ten allocation sites that leak most."},
        {"leaking_bytes", "bytes", "Bytes that leak steadily at an allocation site."},
    };
    const mp_leaks *leaks = mp_window_leak_sites(window);
    const bool uncounted = window->model->holds & MP_HOLDS_UNCOUNTED;
    for (uint32_t i = 0; i < leaks->count && i < WORST; i++) {
        const mp_leak *leak = &leaks->items[i];
        add_row(out,
                mp_arena_format(&out->arena, "{type=\"%s\",name=\"%s\",stack=\"%s\"}",
                                quoted(out, leak->type), leak->name ? quoted(out, leak->name) : "",
                                stack_of(out, window->model, (mp_frame){leak->node, leak->line})),
                (int64_t[MEASURES]){leak->bytes, uncounted ? MP_UNKNOWN : leak->objects,
                                    leak->leaking_bytes});
    }
    put_rows(out, measures, MEASURES);
}

static void put_platform(metrics_out *out, const mp_window *window)
{
    const mp_model *model = window->model;
    mp_platform_span platform_span = mp_platform_span_of_all(window);
    if (!platform_span.told)
        return;
    mp_platform_span *spans = mp_platform_spans_of(window);
    put_family(out, "platform_bytes", "bytes", "Memory of the runtime itself.");
    put_sample(out, "platform_bytes", "", "bytes", platform_span.to_bytes);
    put_family(out, "platform_area_bytes", "bytes", "Memory of one area of the runtime.");
    for (uint32_t i = 1; i < model->platforms.count; i++)
        if (spans[i].told)
            put_sample(
                out, "platform_area_bytes",
                mp_arena_format(&out->arena, "{area=\"%s\"}",
                                quoted(out, mp_model_text(model, model->platforms.items[i]))),
                "bytes", spans[i].to_bytes);
    free(spans);
}

static int by_retained(const void *left, const void *right)
{
    const mp_histogram_row *a = left, *b = right;
    int order = MP_COMPARE(b->retained_bytes, a->retained_bytes);
    return order ? order : strcmp(a->label, b->label);
}

static void put_types(metrics_out *out, mp_graph_view *view)
{
    static const measure measures[] = {
        {"type_retained_bytes", "bytes",
         "Bytes that freeing all objects of the type would release."},
        {"type_bytes", "bytes", "Bytes of all objects of the type themselves."},
        {"type_objects", "objects", "Objects of the type."},
    };
    mp_histogram types = mp_histogram_of(view, MP_HISTOGRAM_OF_TYPES);
    mp_histogram_settle(view, &types, types.items, types.count, WORST, 0);
    if (types.count)
        qsort(types.items, types.count, sizeof *types.items, by_retained);
    for (uint32_t i = 0; i < types.count && i < WORST; i++)
        add_row(out,
                mp_arena_format(&out->arena, "{type=\"%s\"}", quoted(out, types.items[i].label)),
                (int64_t[MEASURES]){types.items[i].retained_bytes, types.items[i].bytes,
                                    types.items[i].objects});
    put_rows(out, measures, 3);
    mp_histogram_free(&types);
}

static void put_methods(metrics_out *out, const mp_filter *filter)
{
    static const measure measures[] = {
        {"method_seconds", "seconds", "Own time of one of the ten hottest methods."},
        {"method_calls", NULL, "Calls of one of the ten hottest methods."},
    };
    static const measure samples[] = {
        {"method_samples", NULL, "Own samples of one of the ten hottest methods."},
    };
    const mp_model *model = filter->model;
    const bool sampled = filter->holds & MP_HOLDS_SAMPLES,
               uncalled = filter->holds & MP_HOLDS_UNCALLED;
    mp_profile_costs costs = mp_profile_costs_of(filter);
    for (size_t i = 0; i < costs.methods.count && i < WORST; i++) {
        const mp_code_cost *cost = &costs.methods.items[i];
        bool timed = !(cost->unknown & MP_UNKNOWN_EXCLUSIVE);
        bool counted = !(cost->unknown & MP_UNKNOWN_EXECUTIONS);
        add_row(out,
                mp_arena_format(&out->arena,
                                "{program=\"%s\",method=\"%s\",start_line=\"%" PRIu32
                                "\",runtime_class=\"%s\"}",
                                quoted(out, mp_model_text(model, cost->program)),
                                quoted(out, mp_model_text(model, cost->method)), cost->start_line,
                                quoted(out, mp_model_text(model, cost->runtime))),
                (int64_t[MEASURES]){timed ? cost->exclusive_us : MP_UNKNOWN,
                                    counted ? cost->calls : MP_UNKNOWN});
    }
    put_rows(out, sampled ? samples : measures, uncalled ? 1 : 2);
    mp_profile_costs_free(&costs);
}

/* --- the file --- */

static void close_metrics(metrics_out *out, mp_document *document, const mp_request *request,
                          const mp_written_totals *sums)
{
    fputs("# EOF\n", out->file);
    mp_written(document, request, "metrics for Prometheus", sums);
    mp_table *rows = mp_written_table(document);
    mp_written_rows(document, rows, "metrics", out->families);
    mp_written_rows(document, rows, "samples", out->samples);
    mp_arena_free(&out->arena);
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_request_window(request, error);
    if (!window)
        return false;
    bool history = request->model->holds & MP_HOLDS_HISTORY;
    mp_document *answer = mp_document_new("totals");
    metrics_out out = {.file = request->file};
    mp_totals totals = mp_totals_of(window);
    mp_written_totals sums = mp_nothing_written;
    sums.live_objects = totals.live_objects;
    sums.live_bytes = totals.live_bytes;
    if (history) {
        sums.leaked_objects = totals.leaked_objects;
        sums.leaked_bytes = totals.leaked_bytes;
    }
    mp_section_heap_totals(answer, window, history, false);
    put_totals(&out, answer);
    if (history)
        put_leaks(&out, window);
    else if (request->filter->graph)
        put_types(&out, mp_request_graph(request));
    put_platform(&out, window);
    close_metrics(&out, document, request, &sums);
    mp_document_free(answer);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    mp_document *answer = mp_document_new("totals");
    metrics_out out = {.file = request->file};
    mp_written_totals sums = mp_nothing_written;
    mp_written_add_profile(&sums, request->filter);
    mp_section_profile_totals(answer, request->filter, false);
    put_totals(&out, answer);
    put_methods(&out, request->filter);
    close_metrics(&out, document, request, &sums);
    mp_document_free(answer);
    return true;
}

static const mp_heap_arguments defaults;

static const mp_argument arguments[] = {
    MP_SHARES("selection", MP_HEAPS | MP_PROFILE), MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("keep-profiler", MP_PROFILE),        MP_SHARES_EVENTS(MP_EVENTS),
    MP_SHARES("skip", MP_EVENTS | MP_NATIVE),      MP_SHARES("domain", MP_DUMP),
};

const mp_exporter mp_exporter_openmetrics = {
    .name = "openmetrics",
    .endings = ".prom .txt",
    .report = {.name = MP_EXPORT_TO("openmetrics"),
               .summary = "totals and ten worst as metrics, for Prometheus",
               MP_ARGUMENTS(arguments, defaults),
               .variants = {MP_HEAP_VARIANTS(run_heap),
                            {.needs = MP_HOLDS_LEDGER, .run = run_heap},
                            {.needs = MP_HOLDS_PROFILE, .run = run_profile}}},
};

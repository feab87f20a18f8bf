/* What an input is and holds, before any question is asked of it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"
#include "model/graph.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

static const mp_column content_columns[] = {
    {"snapshots", "Snapshots", MP_COUNT, 0, 0},
    {"types", "Types", MP_COUNT, 0, 0},
    {"names", "Names", MP_COUNT, 0, 0},
    {"call_tree_nodes", "Call-tree nodes", MP_COUNT, 0, 0},
    {"platform_areas", "Platform areas", MP_COUNT, 0, 0},
    {"modules", "Modules", MP_COUNT, 0, 0},
    {"lines", "Lines", MP_COUNT, 0, 0},
    {"calls", "Call-graph rows", MP_COUNT, 0, 0},
    {"trace_rows", "Tracing rows", MP_COUNT, 0, 0},
    {"coverage_entities", "Coverage entities", MP_COUNT, 0, 0},
    {"statistics_rows", "Statistics rows", MP_COUNT, 0, 0},
    {"user_data_rows", "User data", MP_COUNT, 0, 0},
};

/* What a version or a kind of recording does not have is left out. */
static void set_present(mp_table *table, const char *column, int64_t count)
{
    if (count > 0)
        mp_set_number(table, column, count);
}

static void section_contents(mp_document *document, const mp_filter *filter)
{
    const mp_model *model = filter->model;
    mp_table *table = MP_TABLE(document, "contents", "Contents", MP_RECORD, content_columns);
    const mp_profile *profile = model->profile;
    int64_t snapshots = filter->sessions.first[model->sessions.count];
    mp_table_row(table);
    set_present(table, "snapshots", snapshots);
    if (model->holds & MP_HOLDS_LEDGER) {
        set_present(table, "types",
                    filter->graph && model->kind == MP_KIND_DUMP ? filter->graph->declared_types
                                                                 : (int64_t)model->types.count - 1);
        set_present(table, "names", (int64_t)model->symbols.count - 1);
        set_present(table, "call_tree_nodes", (int64_t)model->nodes.count - 1);
        set_present(table, "platform_areas", (int64_t)model->platforms.count - 1);
    }
    if (!profile)
        return;
    set_present(table, "modules", (int64_t)mp_profile_total(filter).modules);
    set_present(table, "lines", (int64_t)profile->lines.count - 1);
    set_present(table, "calls", (int64_t)profile->calls.count - 1);
    set_present(table, "call_tree_nodes", (int64_t)profile->nodes.count - 1);
    set_present(table, "trace_rows", profile->trace_rows);
    set_present(table, "coverage_entities", (int64_t)profile->coverage.count - 1);
    set_present(table, "statistics_rows", (int64_t)profile->statistics.count - 1);
    set_present(table, "user_data_rows", (int64_t)profile->user_data.count - 1);
}

/* --- the runtime's own memory --- */

static const mp_column platform_columns[] = {
    {"area", "Platform area", MP_TEXT, MP_SHORTEN, 0},
    {"first_bytes", "First", MP_BYTES, 0, 0},
    {"peak_bytes", "Peak", MP_BYTES, 0, 0},
    {"last_bytes", "Last", MP_BYTES, 0, 0},
    {"delta_bytes", "Change", MP_BYTES, MP_SIGNED, 0},
    {"last_block_bytes", "Blocks", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"last_pool_bytes", "Used of blocks", MP_BYTES, MP_FOR_PROGRAMS, 0},
};

static int largest_first(const void *left, const void *right)
{
    const mp_platform_area *a = left, *b = right;
    if (a->last_bytes != b->last_bytes)
        return a->last_bytes > b->last_bytes ? -1 : 1;
    return a->platform.i < b->platform.i ? -1 : a->platform.i > b->platform.i;
}

static void section_platform(mp_document *document, const mp_filter *filter)
{
    const mp_model *model = filter->model;
    uint32_t count = model->platforms.count;
    mp_platform_area *areas = mp_platform_areas_of(filter);
    mp_table *table =
        MP_TABLE(document, "platform", "The runtime's own memory", MP_ROWS, platform_columns);
    qsort(areas, count, sizeof *areas, largest_first);
    for (uint32_t i = 0; i < count; i++) {
        const mp_platform_area *area = &areas[i];
        if (!area->platform.i && !area->peak_bytes)
            continue; /* everything is in the catalogue */
        const char *name = mp_model_text(model, model->platforms.at[area->platform.i]);
        mp_table_row(table);
        mp_set_text(document, table, "area", *name ? name : "(not in the catalogue)");
        mp_set_number(table, "first_bytes", area->first_bytes);
        mp_set_number(table, "peak_bytes", area->peak_bytes);
        mp_set_number(table, "last_bytes", area->last_bytes);
        mp_set_number(table, "delta_bytes", area->last_bytes - area->first_bytes);
        mp_set_number(table, "last_block_bytes", area->block_bytes);
        mp_set_number(table, "last_pool_bytes", area->pool_bytes);
    }
    free(areas);
}

/* --- of an execution profile --- */

static const mp_column coverage_columns[] = {
    {"program", "Program", MP_TEXT, MP_SHORTEN, 0},
    {"executable_lines", "Executable lines", MP_COUNT, 0, 0},
    {"executed_lines", "Executed", MP_COUNT, 0, 0},
    {"percent", "%", MP_PERCENT, 0, 0},
};

static void section_coverage(mp_document *document, const mp_filter *filter)
{
    mp_program_coverages programs = mp_profile_coverage_of(filter);
    mp_table *table = NULL;
    if (programs.count)
        table = MP_TABLE(document, "coverage", "Coverage", MP_ROWS, coverage_columns);
    for (size_t i = 0; i < programs.count; i++) {
        const mp_program_coverage *program = &programs.at[i];
        mp_table_row(table);
        mp_set_text(document, table, "program", mp_model_text(filter->model, program->program));
        mp_set_number(table, "executable_lines", (int64_t)program->executable);
        mp_set_number(table, "executed_lines", (int64_t)program->executed);
        if (program->executable)
            mp_set_real(table, "percent",
                        mp_percent_of((int64_t)program->executed, (int64_t)program->executable));
    }
    free(programs.at);
}

static const mp_column user_data_columns[] = {
    {"seconds", "Seconds", MP_SECONDS, 0, 0},
    {"text", "User data", MP_TEXT, MP_SHORTEN, 0},
};

static const mp_column statistics_columns[] = {
    {"row", "Statistics, as in the file", MP_TEXT, MP_SHORTEN, 0},
};

static void section_texts(mp_document *document, const mp_model *model)
{
    const mp_profile *profile = model->profile;
    if (profile->user_data.count > 1) {
        mp_table *table = MP_TABLE(document, "user_data", "User data", MP_ROWS, user_data_columns);
        for (uint32_t i = 1; i < profile->user_data.count; i++) {
            mp_table_row(table);
            mp_set_number(table, "seconds", profile->user_data.at[i].time_us);
            mp_set_text(document, table, "text",
                        mp_model_text(model, profile->user_data.at[i].text));
        }
    }
    if (profile->statistics.count > 1) {
        mp_table *table =
            MP_TABLE(document, "statistics", "Statistics", MP_ROWS, statistics_columns);
        table->flags = MP_FOR_PROGRAMS;
        for (uint32_t i = 1; i < profile->statistics.count; i++) {
            mp_table_row(table);
            mp_set_text(document, table, "row",
                        mp_model_text(model, profile->statistics.at[i].text));
        }
    }
}

static void put_head(const mp_request *request, mp_document *document)
{
    mp_section_head(document, request);
    for (size_t i = 0; i < document->table_count; i++) { /* here people see the inputs too */
        document->tables[i].flags = 0;
        document->tables[i].main = true;
    }
    mp_section_session(document, request, true);
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    if (!mp_request_window(request, &window, error))
        return false;
    put_head(request, document);
    mp_section_heap_totals(document, &window, NULL, true);
    section_contents(document, request->filter);
    if (request->model->kind == MP_KIND_RECORDING)
        section_platform(document, request->filter);
    mp_window_free(&window);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    put_head(request, document);
    mp_section_profile_totals(document, request->filter, true);
    section_contents(document, request->filter);
    section_coverage(document, request->filter);
    section_texts(document, request->model);
    return true;
}

const mp_report mp_report_info = {
    .name = "info",
    .summary = "what the file says of itself: session, contents, platform memory",
    .example = "info samples/shop-v2.oemp",
    .variants = {{.needs = MP_HOLDS_PROFILE, .run = run_profile},
                 {.needs = MP_HOLDS_LEDGER, .run = run_heap}},
};

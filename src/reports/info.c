/* The report info: facts about an input, before any analysis. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "model/graph.h"
#include "query/coverage.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

typedef struct contents_row {
    int64_t snapshots, types, names, call_tree_nodes, platform_areas, modules, lines, calls;
    int64_t class_depth, trace_rows, coverage_entities, statistics_rows, user_data_rows;
} contents_row;

static const mp_column contents_columns[] = {
    MP_COLUMN(contents_row, snapshots, "Snapshots", MP_COUNT, 0),
    MP_COLUMN(contents_row, types, "Types", MP_COUNT, 0),
    MP_COLUMN(contents_row, names, "Names", MP_COUNT, 0),
    MP_COLUMN(contents_row, call_tree_nodes, "Call-tree nodes", MP_COUNT, 0),
    MP_COLUMN(contents_row, platform_areas, "Platform areas", MP_COUNT, 0),
    MP_COLUMN(contents_row, class_depth, "Deepest class hierarchy", MP_COUNT, 0),
    MP_COLUMN(contents_row, modules, "Modules", MP_COUNT, 0),
    MP_COLUMN(contents_row, lines, "Lines", MP_COUNT, 0),
    MP_COLUMN(contents_row, calls, "Call-graph rows", MP_COUNT, 0),
    MP_COLUMN(contents_row, trace_rows, "Tracing rows", MP_COUNT, 0),
    MP_COLUMN(contents_row, coverage_entities, "Coverage entities", MP_COUNT, 0),
    MP_COLUMN(contents_row, statistics_rows, "Statistics rows", MP_COUNT, 0),
    MP_COLUMN(contents_row, user_data_rows, "User data", MP_COUNT, 0),
};

/* Return the count, or MP_UNKNOWN if it is 0, so that it is left out. */
static int64_t present(int64_t count)
{
    return count > 0 ? count : MP_UNKNOWN;
}

/* Number of elements of a list without its element 0, which is unused. */
#define ELEMENTS(list) present((int64_t)(list).count - 1)

/* Return the depth of the deepest hierarchy, over all sessions and snapshots. */
static int64_t deepest_hierarchy(const mp_filter *filter)
{
    const mp_session_snapshots *state = &filter->sessions;
    int64_t deepest = 0;
    for (uint32_t i = 0; i < state->first[filter->model->sessions.count]; i++) {
        int64_t depth = filter->snapshots[state->snapshots[i]].class_depth;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

static void section_contents(mp_document *document, const mp_filter *filter)
{
    const mp_model *model = filter->model;
    mp_table *table = MP_TABLE(document, "contents", "Contents", MP_RECORD, contents_columns);
    const mp_profile *profile = model->profile;
    contents_row row;
    mp_row_clear(contents_columns, table->column_count, &row);
    row.snapshots = present(filter->listed.first[model->sessions.count]);
    if (model->holds & MP_HOLDS_LEDGER) {
        row.types = filter->graph && mp_holds_dumps(model->holds)
                        ? present(filter->graph->declared_types)
                        : ELEMENTS(model->types);
        row.names = ELEMENTS(model->symbols);
        row.call_tree_nodes = ELEMENTS(model->nodes);
        row.platform_areas = ELEMENTS(model->platforms);
        row.class_depth = present(deepest_hierarchy(filter));
    }
    if (profile) {
        row.modules = present((int64_t)mp_profile_total(filter).modules);
        row.lines = ELEMENTS(profile->lines);
        row.calls = ELEMENTS(profile->calls);
        if (profile->nodes.count > 1)
            row.call_tree_nodes = ELEMENTS(profile->nodes);
        row.trace_rows = present(profile->trace_rows);
        row.coverage_entities = ELEMENTS(profile->coverage);
        row.statistics_rows = ELEMENTS(profile->statistics);
        row.user_data_rows = ELEMENTS(profile->user_data);
    }
    mp_table_put(document, table, &row);
}

/* --- heap dumps --- */

typedef struct dump_row {
    const char *domain;
    int64_t sequence, objects, bytes, clock_us, took_us;
} dump_row;

static const mp_column domain_columns[] = {
    MP_COLUMN(dump_row, domain, "Application domain", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(dump_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(dump_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(dump_row, clock_us, "Device's clock", MP_TIME, 0),
    MP_COLUMN(dump_row, took_us, "Took", MP_TIME, 0),
};

static const mp_column dump_columns[] = {
    MP_COLUMN(dump_row, sequence, "#", MP_NUMBER, 0),
    MP_COLUMN(dump_row, clock_us, "Device's clock", MP_TIME, 0),
    MP_COLUMN(dump_row, took_us, "Took", MP_TIME, 0),
};

/* Add the application domains of the last dump. If there are several dumps, add the time of
 * each. */
static void section_dumps(mp_document *document, const mp_filter *filter)
{
    const mp_model *model = filter->model;
    const mp_graph *graph = filter->graph;
    mp_table *table =
        graph && graph->domains.count > 1
            ? MP_TABLE(document, "app_domains", "Application domains", MP_ROWS, domain_columns)
            : NULL;
    for (uint32_t i = 1; table && i < graph->domains.count; i++) {
        const mp_domain *domain = &graph->domains.items[i];
        const char *name = mp_model_text(model, domain->name);
        dump_row row = {.domain = *name ? name : "(without a name)",
                        .objects = domain->objects,
                        .clock_us = domain->clock_us < 0 ? MP_UNKNOWN : domain->clock_us,
                        .took_us = domain->took_us < 0 ? MP_UNKNOWN : domain->took_us};
        for (uint32_t object = 0; object < domain->objects; object++)
            row.bytes += (int64_t)graph->sizes[domain->first_object + object];
        mp_table_put(document, table, &row);
    }
    table = model->snapshots.count > 2 ? MP_TABLE(document, "dumps", "Dumps", MP_ROWS, dump_columns)
                                       : NULL;
    for (uint32_t i = 1; table && i < model->snapshots.count; i++) {
        const mp_snapshot *snapshot = &model->snapshots.items[i];
        if (!snapshot->whole)
            continue;
        dump_row row = {.sequence = (int64_t)snapshot->sequence,
                        .clock_us = snapshot->has_clock ? snapshot->clock_us : MP_UNKNOWN,
                        .took_us = snapshot->has_took ? snapshot->took_us : MP_UNKNOWN};
        mp_table_put(document, table, &row);
    }
}

/* --- the runtime's own memory --- */

typedef struct platform_row {
    const char *area;
    int64_t first_bytes, peak_bytes, last_bytes, delta_bytes, last_block_bytes, last_pool_bytes;
} platform_row;

static const mp_column platform_columns[] = {
    MP_COLUMN(platform_row, area, "Platform area", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(platform_row, first_bytes, "First", MP_BYTES, 0),
    MP_COLUMN(platform_row, peak_bytes, "Peak", MP_BYTES, 0),
    MP_COLUMN(platform_row, last_bytes, "Last", MP_BYTES, 0),
    MP_COLUMN(platform_row, delta_bytes, "Change", MP_BYTES, MP_SIGNED),
    MP_COLUMN(platform_row, last_block_bytes, "Blocks", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(platform_row, last_pool_bytes, "Used of blocks", MP_BYTES, MP_FOR_PROGRAMS),
};

static void section_platform(mp_document *document, const mp_filter *filter)
{
    static const mp_order largest = {"bytes", {"last_bytes"}};
    const mp_model *model = filter->model;
    mp_platform_area *areas = mp_platform_areas_of(filter);
    mp_table *table =
        MP_TABLE(document, "platform", "The runtime's own memory", MP_ROWS, platform_columns);
    platform_row *rows = mp_alloc((model->platforms.count + 1u) * sizeof *rows);
    size_t count = 0;
    for (uint32_t i = 0; i < model->platforms.count; i++) {
        const mp_platform_area *area = &areas[i];
        if (i || area->peak_bytes) /* otherwise the area is only in the catalogue */
            rows[count++] = (platform_row){.area = mp_platform_label(model, i),
                                           .first_bytes = area->first_bytes,
                                           .peak_bytes = area->peak_bytes,
                                           .last_bytes = area->last_bytes,
                                           .delta_bytes = area->last_bytes - area->first_bytes,
                                           .last_block_bytes = area->block_bytes,
                                           .last_pool_bytes = area->pool_bytes};
    }
    MP_ORDER_ROWS(&largest, platform_columns, rows, count);
    for (size_t i = 0; i < count; i++)
        mp_table_put(document, table, &rows[i]);
    free(rows);
    free(areas);
}

/* --- PROPATH --- */

typedef struct propath_row {
    const char *session_id, *tag, *propath;
    int64_t sequence, time_us;
    mp_texts entries;
} propath_row;

static const mp_column propath_columns[] = {
    MP_COLUMN(propath_row, session_id, "Session", MP_TEXT, 0),
    MP_COLUMN(propath_row, sequence, "#", MP_NUMBER, 0),
    MP_COLUMN(propath_row, tag, "Tag", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(propath_row, time_us, "Time", MP_TIME, 0),
    MP_COLUMN(propath_row, propath, "PROPATH", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(propath_row, entries, "PROPATH", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

/* Add the snapshots at which the PROPATH changed. The first snapshot is not listed. */
static void section_propaths(mp_document *document, const mp_filter *filter)
{
    const mp_model *model = filter->model;
    const mp_session_snapshots *state = &filter->sessions;
    mp_table *table = NULL;
    for (uint32_t i = 0; i < state->first[model->sessions.count]; i++) {
        const mp_snapshot *snapshot = &filter->snapshots[state->snapshots[i]];
        if (!snapshot->propath.i || snapshot->ordinal < 2)
            continue;
        if (!table)
            table = MP_TABLE(document, "propaths", "Changes of PROPATH", MP_ROWS, propath_columns);
        const mp_recorded_session *session = &model->sessions.items[snapshot->session.i];
        const char *propath = mp_model_text(model, snapshot->propath);
        bool several = model->sessions.count > 2;
        propath_row row = {.session_id = several ? mp_model_text(model, session->session_id) : NULL,
                           .tag = mp_model_text(model, snapshot->tag),
                           .propath = propath,
                           .sequence = (int64_t)snapshot->sequence,
                           .time_us = snapshot->time_us,
                           .entries = mp_one_text(document, propath)};
        mp_table_put(document, table, &row);
    }
}

/* --- execution profiles --- */

typedef struct coverage_row {
    const char *program;
    int64_t executable_lines, executed_lines;
    double percent, shown_percent; /* shown_percent is rounded down */
} coverage_row;

static const mp_column coverage_columns[] = {
    MP_COLUMN(coverage_row, program, "Program", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(coverage_row, executable_lines, "Executable lines", MP_COUNT, 0),
    MP_COLUMN(coverage_row, executed_lines, "Executed", MP_COUNT, 0),
    MP_COLUMN(coverage_row, percent, "%", MP_PERCENT, MP_FOR_PROGRAMS),
    MP_COLUMN(coverage_row, shown_percent, "%", MP_PERCENT, MP_FOR_PEOPLE),
};

static void section_coverage(mp_document *document, const mp_filter *filter)
{
    mp_coverage coverage = mp_coverage_of(filter);
    mp_table *table = NULL;
    if (coverage.line_count)
        table = MP_TABLE(document, "coverage", "Coverage", MP_ROWS, coverage_columns);
    for (uint32_t i = 0; i < coverage.source_count; i++) {
        const mp_covered_source *source = &coverage.sources[i];
        coverage_row row = {mp_model_text(filter->model, source->program), source->lines,
                            source->executed, mp_percent_of(source->executed, source->lines),
                            mp_coverage_percent(source->executed, source->lines)};
        mp_table_put(document, table, &row);
    }
    mp_coverage_free(&coverage);
}

typedef struct text_row {
    int64_t seconds;
    const char *text;
} text_row;

static const mp_column user_data_columns[] = {
    MP_COLUMN(text_row, seconds, "Seconds", MP_SECONDS, 0),
    MP_COLUMN(text_row, text, "User data", MP_TEXT, MP_SHORTEN),
};

typedef struct statistic_row {
    int64_t session, operation, count, rows;
    const char *section, *row, *program, *method, *name, *known;
} statistic_row;

static const mp_column statistics_columns[] = {
    MP_COLUMN(statistic_row, section, "Section", MP_TEXT, 0),
    MP_COLUMN(statistic_row, row, "Statistics, as in the file", MP_TEXT, MP_SHORTEN),
};

static const mp_column part_columns[] = {
    MP_COLUMN(statistic_row, section, "Section", MP_TEXT, 0),
    MP_COLUMN(statistic_row, rows, "Rows", MP_COUNT, 0),
    MP_COLUMN(statistic_row, known, "Known contents", MP_TEXT, MP_FOR_PEOPLE),
};

static const mp_column operation_columns[] = {
    MP_COLUMN(statistic_row, session, "", MP_NUMBER, 0),
    MP_COLUMN(statistic_row, count, "", MP_COUNT, 0),
    MP_COLUMN(statistic_row, name, "", MP_TEXT, 0),
    MP_COLUMN(statistic_row, operation, "", MP_NUMBER, 0),
    MP_COLUMN(statistic_row, program, "", MP_TEXT, 0),
    MP_COLUMN(statistic_row, method, "", MP_TEXT, 0),
};

static const mp_column parameter_columns[] = {
    MP_COLUMN(statistic_row, session, "Session", MP_NUMBER, MP_IF_KNOWN),
    MP_COLUMN(statistic_row, name, "Start-up parameters", MP_TEXT, MP_SHORTEN),
};

static const struct {
    const char *name, *known;
} parts[] = {
    [MP_STATISTICS_OPERATIONS] = {"operations", "counts of each operation in each module"},
    [MP_STATISTICS_MODULES] = {"module details", "numbers of each module, with unknown meaning"},
    [MP_STATISTICS_WATERMARKS] = {"session watermarks", "only the name"},
    [MP_STATISTICS_PARAMETERS] = {"parameters and databases", "the start-up parameters"},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* Add the statistics of a part that has known columns. */
static void put_known(mp_document *document, const mp_model *model, mp_statistics_part part)
{
    const mp_profile *profile = model->profile;
    bool of_modules = part == MP_STATISTICS_OPERATIONS, many = model->sessions.count > 2;
    mp_table *table =
        of_modules ? MP_TABLE(document, "operations", NULL, MP_ROWS, operation_columns)
                   : MP_TABLE(document, "startup_parameters", NULL, MP_ROWS, parameter_columns);
    table->flags = of_modules ? MP_FOR_PROGRAMS : 0;
    for (uint32_t i = 1; i < profile->statistics.count; i++) {
        const mp_profile_statistic *statistic = &profile->statistics.items[i];
        const mp_module *module = &profile->modules.items[statistic->module.i];
        if (statistic->part != part || !statistic->name.i)
            continue;
        statistic_row row = {.session = many ? (int64_t)statistic->session.i : MP_UNKNOWN,
                             .operation = (int64_t)statistic->operation,
                             .count = statistic->count,
                             .name = mp_model_text(model, statistic->name),
                             .program = mp_model_text(model, module->program),
                             .method = mp_model_text(model, module->method)};
        mp_table_put(document, table, &row);
    }
}

static void section_statistics(mp_document *document, const mp_model *model)
{
    const mp_profile *profile = model->profile;
    int64_t rows[PARTS] = {0};
    if (profile->statistics.count < 2)
        return;
    mp_table *raw = MP_TABLE(document, "statistics", NULL, MP_ROWS, statistics_columns);
    raw->flags = MP_FOR_PROGRAMS;
    for (uint32_t i = 1; i < profile->statistics.count; i++) {
        const mp_profile_statistic *statistic = &profile->statistics.items[i];
        rows[statistic->part]++;
        mp_table_put(document, raw,
                     &(statistic_row){.section = parts[statistic->part].name,
                                      .row = mp_model_text(model, statistic->text)});
    }
    mp_table *table =
        MP_TABLE(document, "statistics_sections", "Statistics", MP_ROWS, part_columns);
    for (size_t i = 0; i < PARTS; i++)
        mp_table_put(
            document, table,
            &(statistic_row){.section = parts[i].name, .rows = rows[i], .known = parts[i].known});
    put_known(document, model, MP_STATISTICS_OPERATIONS);
    put_known(document, model, MP_STATISTICS_PARAMETERS);
}

typedef struct header_row {
    int64_t session, statements, data_points, writes, buffer_size;
} header_row;

static const mp_column header_columns[] = {
    MP_COLUMN(header_row, session, "Session", MP_NUMBER, MP_IF_KNOWN),
    MP_COLUMN(header_row, statements, "Statements", MP_COUNT, 0),
    MP_COLUMN(header_row, data_points, "Data points", MP_COUNT, 0),
    MP_COLUMN(header_row, writes, "Writes", MP_COUNT, 0),
    MP_COLUMN(header_row, buffer_size, "Buffer size", MP_COUNT, 0),
};

static int64_t said(int64_t number)
{
    return number < 0 ? MP_UNKNOWN : number;
}

/* Add the fields of the first line of a version 3 file. */
static void section_headers(mp_document *document, const mp_model *model)
{
    const mp_profile *profile = model->profile;
    if (profile->headers.count < 2)
        return;
    mp_table *table = MP_TABLE(document, "headers", "From the header", MP_ROWS, header_columns);
    for (uint32_t i = 1; i < profile->headers.count; i++) {
        const mp_profile_header *header = &profile->headers.items[i];
        header_row row = {.session =
                              model->sessions.count > 2 ? (int64_t)header->session.i : MP_UNKNOWN,
                          .statements = said(header->statements),
                          .data_points = said(header->data_points),
                          .writes = said(header->writes),
                          .buffer_size = said(header->buffer_size)};
        mp_table_put(document, table, &row);
    }
}

static void section_texts(mp_document *document, const mp_model *model)
{
    const mp_profile *profile = model->profile;
    if (profile->user_data.count > 1) {
        mp_table *table = MP_TABLE(document, "user_data", "User data", MP_ROWS, user_data_columns);
        for (uint32_t i = 1; i < profile->user_data.count; i++) {
            text_row row = {profile->user_data.items[i].time_us,
                            mp_model_text(model, profile->user_data.items[i].text)};
            mp_table_put(document, table, &row);
        }
    }
}

static const mp_column encoding_columns[] = {
    MP_COLUMN(mp_input_summary, path, "File", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(mp_input_summary, encoding, "Encoding", MP_TEXT, 0),
};

static const mp_column packed_columns[] = {
    MP_COLUMN(mp_input_summary, path, "File", MP_TEXT, MP_SHORTEN),
    MP_COLUMN_OF(mp_input_summary, packed, "packed_by", "Compressed by", MP_TEXT, 0),
};

/* List the inputs for which the text of the second column is known, if there are any. */
static void section_inputs(mp_document *document, const mp_model *model, const char *name,
                           const char *title, const mp_column columns[2])
{
    mp_table *table = NULL;
    for (uint32_t i = 1; i < model->inputs.count; i++) {
        const mp_input_summary *input = &model->inputs.items[i];
        const void *text = (const char *)input + columns[1].offset;
        if (*(const char *const *)text && !table)
            table = mp_document_table(document, name, title, MP_ROWS, columns, 2);
        if (*(const char *const *)text)
            mp_table_put(document, table, input);
    }
}

static void put_head(const mp_request *request, mp_document *document)
{
    mp_section_head(document, request);
    for (size_t i = 0; i < document->table_count; i++) { /* people see the inputs too */
        document->tables[i].flags = 0;
        document->tables[i].main = true;
    }
    section_inputs(document, request->model, "packed", "Packed", packed_columns);
    section_inputs(document, request->model, "encodings", "Texts", encoding_columns);
    mp_section_session(document, request, true);
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_request_window(request, error);
    if (!window)
        return false;
    put_head(request, document);
    mp_section_heap_totals(document, window, false, true);
    section_contents(document, request->filter);
    section_propaths(document, request->filter);
    if (request->model->holds & MP_HOLDS_RUNTIME)
        section_platform(document, request->filter);
    if (mp_holds_dumps(request->model->holds))
        section_dumps(document, request->filter);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    put_head(request, document);
    mp_section_profile_totals(document, request->filter, true);
    section_contents(document, request->filter);
    section_coverage(document, request->filter);
    section_headers(document, request->model);
    section_texts(document, request->model);
    section_statistics(document, request->model);
    return true;
}

const mp_report mp_report_info = {
    .name = "info",
    .summary = "show the file's own description: session, contents, platform",
    .example = "info samples/shop-v2.oemp",
    .variants = {{.needs = MP_HOLDS_PROFILE, .run = run_profile},
                 {.needs = MP_HOLDS_LEDGER, .run = run_heap}},
};

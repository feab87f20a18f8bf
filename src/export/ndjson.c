/* Export as one JSON object per line, for jq and databases. It has the tables that every report
 * has, and the relations of the recording, which are more detailed than reports. The member "kind"
 * names the table or relation. All other members have the names that they have in reports. */
#include <stdlib.h>
#include <string.h>

#include "export/exporter.h"
#include "relation/relation.h"
#include "render/json_line.h"
#include "reports/profile_sections.h"
#include "reports/sections.h"

/* State of the output. */
typedef struct lines_out {
    FILE *file;
    mp_document *written; /* the command's document, with the number of rows of each kind */
    mp_table *rows;
    mp_relation_source *source;
} lines_out;

/* Name of a relation, and the value of "kind" in its lines. */
typedef struct line_kind {
    const char *relation, *kind;
} line_kind;

static void put_answer(lines_out *out, const mp_document *answer)
{
    static const line_kind kinds[] = {{"inputs", "input"},        {"session", "session"},
                                      {"sessions", "session"},    {"totals", "totals"},
                                      {"selection", "selection"}, {"snapshots", "snapshot"},
                                      {"anomalies", "anomaly"}};
    for (size_t i = 0; i < answer->table_count; i++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
            const mp_table *table = &answer->tables[i];
            if (strcmp(table->name, kinds[kind].relation) != 0)
                continue;
            for (size_t row = 0; row < table->row_count; row++)
                mp_json_put_line(out->file, table->columns, table->column_count,
                                 table->cells + row * table->column_count, kinds[kind].kind);
            mp_written_rows(out->written, out->rows, kinds[kind].kind, (int64_t)table->row_count);
        }
}

static void put_relation(lines_out *out, const mp_relation *relation, const char *kind)
{
    mp_cell *cells = mp_alloc(relation->column_count * sizeof *cells);
    mp_cursor cursor = mp_cursor_open(relation, out->source);
    int64_t count = 0;
    for (; mp_cursor_next(&cursor, MP_ALL_COLUMNS); count++) {
        for (size_t i = 0; i < relation->column_count; i++) {
            cells[i] = mp_row_cell(&cursor.texts, &relation->columns[i], cursor.row);
            cells[i].known &= !(relation->columns[i].flags & MP_OF_RELATIONS);
        }
        mp_json_put_line(out->file, relation->columns, relation->column_count, cells, kind);
    }
    mp_written_rows(out->written, out->rows, kind, count);
    mp_cursor_free(&cursor);
    free(cells);
}

/* --- the file --- */

static lines_out open_lines(const mp_request *request, mp_document *document,
                            const mp_written_totals *sums)
{
    lines_out out = {.file = request->file, .written = document};
    mp_written(document, request, "a JSON object a line", sums);
    out.rows = mp_written_table(document);
    return out;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_model *model = request->model;
    bool history = model->holds & MP_HOLDS_HISTORY;
    mp_document *answer = mp_document_new("export");
    const mp_window *window = mp_section_heap(answer, request, history, error);
    if (!window) {
        mp_document_free(answer);
        return false;
    }
    mp_totals totals = mp_totals_of(window);
    mp_written_totals sums = mp_nothing_written;
    sums.live_objects = totals.live_objects;
    sums.live_bytes = totals.live_bytes;
    lines_out out = open_lines(request, document, &sums);
    mp_section_snapshots(answer, window, 0);
    if (model->events)
        mp_section_anomalies(answer, model, 0);
    put_answer(&out, answer);
    mp_document_free(answer);
    out.source = mp_request_relations(request, error);
    if (history) {
        put_relation(&out, &mp_relation_sites, "site");
        put_relation(&out, &mp_relation_deltas, "event");
        put_relation(&out, &mp_relation_lives, "object");
    } else if (request->filter->graph) {
        put_relation(&out, &mp_relation_objects, "object");
    }
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_written_totals sums = mp_nothing_written;
    mp_written_add_profile(&sums, request->filter);
    lines_out out = open_lines(request, document, &sums);
    mp_document *answer = mp_document_new("export");
    mp_section_profile(answer, request);
    put_answer(&out, answer);
    mp_document_free(answer);
    out.source = mp_request_relations(request, error);
    put_relation(&out, &mp_relation_lines, "line");
    put_relation(&out, &mp_relation_calls, "call");
    if (request->model->profile->trace_rows)
        put_relation(&out, &mp_relation_executions, "event");
    return true;
}

static const mp_heap_arguments defaults;

static const mp_argument arguments[] = {
    MP_SHARES("selection", MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_EVENTS(MP_EVENTS),
    MP_SHARES("skip", MP_EVENTS | MP_NATIVE),
    MP_SHARES("domain", MP_DUMP),
};

const mp_exporter mp_exporter_ndjson = {
    .name = "ndjson",
    .endings = ".ndjson .jsonl",
    .report = {.name = MP_EXPORT_TO("ndjson"),
               .summary = "sites, events, objects: JSON lines, for jq",
               .wants_traces = true,
               .wants_objects = true,
               MP_ARGUMENTS(arguments, defaults),
               .variants = {MP_HEAP_VARIANTS(run_heap),
                            {.needs = MP_HOLDS_LEDGER, .run = run_heap},
                            {.needs = MP_HOLDS_PROFILE, .run = run_profile}}},
};

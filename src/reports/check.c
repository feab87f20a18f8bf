/* Check: what the readers found while they replayed the inputs, as a list. */
#include <inttypes.h>

#include "base/error.h"
#include "reports/sections.h"

static const mp_column columns[] = {
    {"where", "Where", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"path", "File", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"line", "Line", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"severity", "Severity", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"code", "Violation", MP_TEXT, 0, 0},
    {"message", "What is wrong", MP_TEXT, 0, 0},
};

static const mp_column summary_columns[] = {
    {"violations", "Violations", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
    {"snapshots", "Snapshots replayed", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
    {"records", "Records read", MP_COUNT, MP_ADDS | MP_SUMMARY, 0},
    {"inputs", "Inputs", MP_COUNT, MP_ADDS, 0},
    {"verdict", "Verdict", MP_TEXT, 0, 0},
};

static void violation_row(mp_document *document, mp_table *table, const mp_diagnostic *found)
{
    mp_table_row(table);
    mp_set_text(document, table, "where",
                found->line ? mp_document_text(document, "%s:%" PRIu64,
                                               found->path ? found->path : "", found->line)
                            : found->path);
    mp_set_text(document, table, "path", found->path);
    if (found->line)
        mp_set_number(table, "line", (int64_t)found->line);
    mp_set_text(document, table, "severity", mp_severity_name(mp_diagnostic_severity(found->id)));
    mp_set_text(document, table, "code", mp_diagnostic_code(found->id));
    mp_set_text(document, table, "message", found->message);
}

static void section_violations(mp_document *document, const mp_request *request, size_t rows)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(request->diagnostics, &kept), violations = 0;
    mp_table *table = MP_TABLE(document, "violations", "Violations", MP_ROWS, columns);
    table->main = true;
    table->empty = "none";
    for (size_t i = 0; i < count; i++) {
        if (!mp_diagnostic_is_violation(kept[i].id))
            continue;
        violations++;
        if (!rows || table->row_count < rows)
            violation_row(document, table, &kept[i]);
    }
    mp_table_left_out(document, table, violations);
    uint64_t all = mp_diagnostics_violations(request->diagnostics);
    if (!table->footer.rest.count && all > violations)
        table->footer.rest = (mp_rest){(size_t)all - violations, MP_REST_SAME_KINDS};
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)error;
    const mp_model *model = request->model;
    int64_t violations = (int64_t)mp_diagnostics_violations(request->diagnostics);
    int64_t snapshots = 0, records = 0;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        snapshots += model->sessions.at[i].snapshots;
    for (uint32_t i = 1; i < model->inputs.count; i++)
        records += (int64_t)model->inputs.at[i].records;
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_table *table = MP_TABLE(document, "check", NULL, MP_RECORD, summary_columns);
    table->order = "violations";
    mp_table_row(table);
    mp_set_text(document, table, "verdict",
                violations ? "the recording contradicts itself or its format"
                           : "ok: the recording agrees with itself");
    mp_set_number(table, "violations", violations);
    if (model->holds & MP_HOLDS_LEDGER)
        mp_set_number(table, "snapshots", snapshots);
    mp_set_number(table, "records", records);
    mp_set_number(table, "inputs", (int64_t)model->inputs.count - 1);
    section_violations(document, request, mp_view_rows(&request->view, 0));
    mp_section_anomalies(document, model, mp_view_rows(&request->view, 0));
    document->failed = violations > 0;
    return true;
}

const mp_report mp_report_check = {
    .name = "check",
    .summary = "hold a recording against itself and its format",
    .example = "check samples/shop-v2.oemp",
    .details = "Replays the recording and lists, with file and line, what does not agree: trailer\n"
               "counts and totals, sequence, ids that are used and never defined, changes and\n"
               "deletions of unknown objects, callers that come after what they call, the sums of\n"
               "an execution profile. Exit status 1 if there is anything.",
    .tells_faults = true,
    .variants = {{.honours = MP_HONOURS_LIMIT, .run = run}},
};

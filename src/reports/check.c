/* The report check: the problems that readers found in the inputs. */
#include <inttypes.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "compare/digest.h"
#include "reports/sections.h"

typedef struct violation_row {
    const char *where, *path, *severity, *code, *message;
    int64_t line;
} violation_row;

static const mp_column violation_columns[] = {
    MP_COLUMN(violation_row, where, "Where", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(violation_row, path, "File", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(violation_row, line, "Line", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(violation_row, severity, "Severity", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(violation_row, code, "Violation", MP_TEXT, 0),
    MP_COLUMN(violation_row, message, "Description", MP_TEXT, MP_SENTENCE),
};

typedef struct summary_row {
    int64_t violations, snapshots, records, inputs;
    const char *verdict;
} summary_row;

static const mp_column summary_columns[] = {
    MP_COLUMN(summary_row, violations, "Violations", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(summary_row, snapshots, "Snapshots replayed", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(summary_row, records, "Records read", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN(summary_row, inputs, "Inputs", MP_COUNT, MP_ADDS),
    MP_COLUMN(summary_row, verdict, "Verdict", MP_TEXT, MP_FOR_PROGRAMS),
};

static void section_violations(mp_document *document, const mp_request *request, size_t rows)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(request->diagnostics, &kept), violations = 0;
    uint64_t total = mp_diagnostics_violations(request->diagnostics);
    mp_table *table = MP_TABLE(document, "violations", "Violations", MP_ROWS, violation_columns);
    table->main = !request->base; /* if there is a base, its comparison is the main table */
    table->empty = "none";
    for (size_t i = 0; i < count; i++) {
        const mp_diagnostic *found = &kept[i];
        if (!mp_diagnostic_is_violation(found->id) || (violations++ >= rows && rows))
            continue;
        violation_row row = {.where = found->path,
                             .path = found->path,
                             .severity = mp_severity_name(mp_diagnostic_severity(found->id)),
                             .code = mp_diagnostic_code(found->id),
                             .message = found->message,
                             .line = found->line ? (int64_t)found->line : MP_UNKNOWN};
        if (found->line)
            row.where = mp_document_text(document, "%s:%" PRIu64, found->path ? found->path : "",
                                         found->line);
        mp_table_put(document, table, &row);
    }
    mp_table_left_out(table, violations);
    if (!table->footer.rest.count && total > violations)
        table->footer.rest = (mp_rest){(size_t)total - violations, MP_REST_SAME_KINDS};
}

/* Return the text of the first violation in the recording itself; "" if there is none. */
static const char *first_text(mp_document *document, const mp_request *request)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(request->diagnostics, &kept);
    for (size_t i = 0; i < count; i++)
        if (mp_diagnostic_is_violation(kept[i].id) && !mp_diagnostic_is_damage(kept[i].id)) {
            uint64_t line = kept[i].line;
            const char *where = line ? mp_document_text(document, " in line %" PRIu64, line) : "";
            return mp_document_text(document, ", first%s: %s", where, kept[i].message);
        }
    return "";
}

/* --- comparison with a baseline --- */

typedef struct against_row {
    const char *path, *status, *checksum, *baseline;
    int64_t bytes;
} against_row;

static const mp_column against_columns[] = {
    MP_COLUMN(against_row, path, "File", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(against_row, status, "Bytes", MP_TEXT, 0),
    MP_COLUMN(against_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(against_row, checksum, "Checksum", MP_TEXT, 0),
    MP_COLUMN(against_row, baseline, "Baseline", MP_TEXT, MP_FOR_PROGRAMS),
};

/* Recordings of which a baseline was made: the first of them, their number, and a flag that tells
 * if this recording is among them. */
typedef struct made_of {
    const mp_checksum *first;
    size_t count;
    bool is;
} made_of;

static made_of look_for(const mp_digest *base, const mp_checksum *checksum)
{
    made_of state = {NULL, 0, false};
    for (size_t run = 0; run < (base->run_count ? base->run_count : 1); run++) {
        const mp_digest *digest = base->run_count ? base->runs[run] : base;
        for (size_t i = 0; i < digest->checksum_count; i++, state.count++) {
            state.first = state.first ? state.first : &digest->checksums[i];
            state.is |= mp_checksum_equal(&digest->checksums[i], checksum);
        }
    }
    return state;
}

static const char *checksum_text(mp_document *document, const mp_checksum *checksum)
{
    char text[MP_CHECKSUM_TEXT];
    return checksum->known ? mp_document_text(document, "%s", mp_checksum_text(checksum, text))
                           : NULL;
}

/* Return "1,234 bytes, xxh128:...". */
static const char *bytes_text(mp_document *document, const mp_checksum *checksum)
{
    if (!checksum->known)
        return "unknown";
    return mp_document_text(document, "%" PRIu64 " bytes, %s", checksum->bytes,
                            checksum_text(document, checksum));
}

/* Return true if the baseline has the checksums of its recordings; otherwise return false with an
 * error. */
static bool can_be_held(const mp_digest *base, mp_error *error)
{
    return look_for(base, &(mp_checksum){.known = false}).count ||
           mp_fail(error, MP_ERROR_INPUT, "%s has no checksum of its recording; save it again",
                   base->path);
}

/* Return the first input that is not among the recordings of the baseline; NULL if all are. */
static const mp_input_summary *first_other(const mp_request *request)
{
    const mp_model *model = request->model;
    for (uint32_t i = 1; i < model->inputs.count; i++)
        if (!look_for(request->base, &model->inputs.items[i].checksum).is)
            return &model->inputs.items[i];
    return NULL;
}

static void section_against(mp_document *document, const mp_request *request)
{
    const mp_model *model = request->model;
    const mp_digest *base = request->base;
    const mp_input_summary *other = first_other(request);
    const made_of state = look_for(base, &(mp_checksum){.known = false});
    uint32_t count = model->inputs.count - 1, same = 0;
    mp_table *table =
        MP_TABLE(document, "against", "Comparison with a baseline", MP_ROWS, against_columns);
    table->main = true;
    for (uint32_t i = 1; i <= count; i++) {
        const mp_input_summary *input = &model->inputs.items[i];
        const mp_checksum *checksum = &input->checksum;
        bool is = look_for(base, checksum).is;
        same += is;
        mp_table_put(
            document, table,
            &(against_row){.path = input->path,
                           .status = !checksum->known ? "unknown"
                                     : is             ? "same"
                                                      : "different",
                           .checksum = checksum_text(document, checksum),
                           .baseline = base->path,
                           .bytes = checksum->known ? (int64_t)checksum->bytes : MP_UNKNOWN});
    }
    if (other && state.count == 1)
        mp_document_say(document, MP_TONE_WORSE, "Bytes",
                        "not the bytes that %s was made from: %s, expected %s", base->path,
                        bytes_text(document, &other->checksum), bytes_text(document, state.first));
    else if (other)
        mp_document_say(document, MP_TONE_WORSE, "Bytes",
                        "%" PRIu32 " of %" PRIu32
                        " file%s not among the %zu that %s was made from, first %s: %s",
                        count - same, count, count == 1 ? "" : "s", state.count, base->path,
                        other->path, bytes_text(document, &other->checksum));
    else
        mp_document_say(document, MP_TONE_BETTER, "Bytes", "those that %s was made from",
                        base->path);
    document->failed |= other != NULL;
}

/* Return the verdict. It begins with the comparison with the base, because a wrong recording may be
 * well formed. A recording of a damaged heap is complete, although a problem is reported. */
static const char *verdict_text(mp_document *document, const mp_request *request)
{
    const uint64_t damages = mp_diagnostics_damages(request->diagnostics);
    const bool agrees = mp_diagnostics_violations(request->diagnostics) == damages;
    if (!request->base)
        return !agrees   ? "the recording is inconsistent or malformed"
               : damages ? "the recording is consistent, and reports damaged memory"
                         : "ok: the recording is consistent";
    const bool mine = !first_other(request);
    return mp_document_text(document, "%s%sthe recording%s of %s, %s",
                            mine && agrees && !damages ? "ok: " : "", mine ? "" : "not ",
                            request->model->inputs.count > 2 ? "s" : "", request->base->path,
                            agrees ? mine ? "and consistent" : "though it is consistent"
                                   : "and inconsistent or malformed");
}

typedef struct check_arguments {
    int64_t limit; /* 0 = all rows */
} check_arguments;

static const check_arguments defaults = {0};

enum { LOGS = 1, OTHERS = 2 };
static const mp_argument arguments[] = {
    {"limit", offsetof(check_arguments, limit), LOGS | OTHERS},
    {"reorder", MP_SHARED_ARGUMENT, LOGS},
    {"against", MP_SHARED_ARGUMENT, LOGS | OTHERS},
};

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_model *model = request->model;
    const check_arguments *asked = request->arguments;
    bool counts = model->holds & MP_HOLDS_LEDGER;
    summary_row row = {.violations = (int64_t)mp_diagnostics_violations(request->diagnostics),
                       .snapshots = counts ? 0 : MP_UNKNOWN,
                       .inputs = (int64_t)model->inputs.count - 1};
    if (request->base && !can_be_held(request->base, error))
        return false;
    const bool other = request->base && first_other(request);
    row.verdict = verdict_text(document, request);
    for (uint32_t i = 1; counts && i < model->sessions.count; i++)
        row.snapshots += mp_filter_listed(request->filter, i);
    for (uint32_t i = 1; i < model->inputs.count; i++)
        row.records += (int64_t)model->inputs.items[i].records;
    mp_section_inputs(document, request);
    mp_section_selection(document, request, false);
    mp_section_session(document, request, false);
    mp_table *table = MP_TABLE(document, "check", NULL, MP_RECORD, summary_columns);
    table->order = "violations";
    mp_table_put(document, table, &row);
    mp_document_say(document, row.violations || other ? MP_TONE_WORSE : MP_TONE_BETTER,
                    MP_SAID_VERDICT, "%s%s", row.verdict, first_text(document, request));
    mp_say_damage(document, request);
    section_violations(document, request, (size_t)asked->limit);
    mp_section_anomalies(document, model, (size_t)asked->limit);
    document->failed = row.violations > 0;
    if (request->base)
        section_against(document, request);
    return true;
}

const mp_report mp_report_check = {
    .name = "check",
    .summary = "verify that a recording is well formed and consistent",
    .example = "check samples/shop-v2.oemp",
    .details = "Replays the recording and lists every inconsistency with file and line: counts and "
               "totals of trailers, the sequence, ids that are used but never defined, changes and "
               "deletions of unknown objects, callers that come after their callees, the sums of "
               "an execution profile. `against` FILE also compares its bytes with those that a "
               "baseline was made from. Exit status 1 if anything is found.",
    MP_ARGUMENTS(arguments, defaults),
    .tells_faults = true,
    .variants = {{.needs = MP_HOLDS_EVENTS, .run = run}, {.run = run}},
};

#include "document/checks.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

const char *mp_limit_text(mp_arena *arena, const mp_check *limit, const char *dashes)
{
    const char *who = mp_arena_format(arena, "%s%s%s%s", limit->file ? limit->file : "",
                                      limit->file ? ": " : "", dashes, limit->name);
    /* The warning of a rule is printed unchanged. For a limit, the line also names the limit that
     * would judge the leak. */
    if (*limit->warning && limit->line)
        return mp_arena_format(arena, "%s: %s", who, limit->warning);
    if (*limit->warning)
        return mp_arena_format(arena, "%s %s %s (%smax-trend %s would judge it)", who, limit->limit,
                               limit->warning, dashes, limit->limit);
    return mp_arena_format(arena, "%s %s %s%s%s%s%s", who, limit->limit,
                           limit->verdict == MP_VERDICT_ERROR ? "cannot be judged"
                           : limit->at_least                  ? "not reached"
                                                              : "exceeded",
                           *limit->message ? ": " : "", limit->message, *limit->note ? "; " : "",
                           limit->note);
}

static void add(mp_checks *checks, mp_check check)
{
    checks->items[checks->count++] = check;
    checks->counts[check.verdict]++;
    checks->warned += check.verdict == MP_VERDICT_PASS && *check.warning;
}

static mp_check whole_check(mp_arena *arena, const mp_check *check, const char *dashes)
{
    mp_check whole = *check;
    bool is_limit = !check->line;
    whole.name = mp_arena_format(arena, "%s%s%s%s", check->file ? check->file : "",
                                 check->file ? ": " : "", is_limit ? dashes : "", check->name);
    if (is_limit)
        whole.limit = mp_arena_format(arena, "%s %s", check->at_least ? ">=" : "<=", check->limit);
    if (is_limit && check->verdict == MP_VERDICT_FAIL)
        whole.message = mp_limit_text(arena, check, dashes);
    if (is_limit && *check->warning)
        whole.warning = mp_limit_text(arena, check, dashes);
    return whole;
}

/* Add an error for an input that could not be read, and so was not checked. */
static void add_unread(mp_checks *checks, mp_arena *arena, const mp_diagnostic *diagnostic)
{
    if (mp_diagnostic_severity(diagnostic->id) != MP_ERROR)
        return;
    const char *path = mp_utf8_copy(arena, diagnostic->path ? diagnostic->path : "input");
    const char *place =
        diagnostic->line ? mp_arena_format(arena, ":%" PRIu64, diagnostic->line) : "";
    add(checks, (mp_check){.verdict = MP_VERDICT_ERROR,
                           .name = path,
                           .measured = "",
                           .limit = "",
                           .warning = "",
                           .note = "",
                           .message = mp_arena_format(arena, "%s%s: %s", path, place,
                                                      mp_utf8_copy(arena, diagnostic->message))});
    checks->unread++;
}

mp_checks mp_checks_of(const mp_document *document, const mp_diagnostics *diagnostics,
                       const char *dashes, mp_arena *arena)
{
    const mp_diagnostic *kept;
    size_t count = document->check_count, kept_count = mp_diagnostics_kept(diagnostics, &kept);
    mp_checks checks = {.items =
                            mp_arena_alloc(arena, (count + kept_count + 1) * sizeof *checks.items),
                        .policy = document->policy ? document->policy : ""};
    for (size_t i = 0; i < count; i++)
        add(&checks, whole_check(arena, &document->checks[i], dashes));
    for (size_t i = 0; count && i < kept_count; i++)
        add_unread(&checks, arena, &kept[i]);
    return checks;
}

bool mp_checks_find(const mp_document *document, const mp_diagnostics *diagnostics,
                    const char *dashes, const char *shows, mp_arena *arena, mp_checks *checks,
                    mp_error *error)
{
    *checks = mp_checks_of(document, diagnostics, dashes, arena);
    return checks->count ||
           mp_fail(
               error, MP_ERROR_NO_ANSWER,
               "%s rules and limits, expected the command gate or an option such as %smax-leaked",
               shows, dashes);
}

const char *mp_verdicts_text(mp_arena *arena, const char *what, const size_t counts[MP_VERDICTS])
{
    size_t passed = counts[MP_VERDICT_PASS], failed = counts[MP_VERDICT_FAIL];
    size_t unjudged = counts[MP_VERDICT_ERROR], total = passed + failed + unjudged;
    const char *text = mp_arena_format(arena, "%zu %s%s: %zu pass%s", total, what,
                                       total == 1 ? "" : "s", passed, passed == 1 ? "es" : "");
    if (failed)
        text = mp_arena_format(arena, "%s, %zu fail%s", text, failed, failed == 1 ? "s" : "");
    if (unjudged)
        text = mp_arena_format(arena, "%s, %zu could not be judged", text, unjudged);
    return text;
}

/* Return a text with the number of checks by verdict, and the number of inputs that could not be
 * read. */
static const char *summary_of(mp_arena *arena, const char *what, const size_t counts[MP_VERDICTS],
                              size_t warned, size_t unread)
{
    const char *text = mp_verdicts_text(arena, what, counts);
    if (warned)
        text = mp_arena_format(arena, "%s, %zu with a warning", text, warned);
    if (unread)
        text = mp_arena_format(arena, "%s; %zu input%s could not be read", text, unread,
                               unread == 1 ? "" : "s");
    return text;
}

const char *mp_checks_summary(const mp_checks *checks, mp_arena *arena)
{
    size_t judged[MP_VERDICTS] = {checks->counts[0], checks->counts[1],
                                  checks->counts[MP_VERDICT_ERROR] - checks->unread};
    return summary_of(arena, *checks->policy ? "rule" : "limit", judged, checks->warned,
                      checks->unread);
}

/* Set the cell of a column in each row, if the table has the column. */
static void put_cells(mp_table *table, const char *name, mp_cell cell)
{
    const size_t place = mp_column_find(table->columns, table->column_count, name);
    for (size_t i = 0; place < table->column_count && i < table->row_count; i++)
        table->cells[i * table->column_count + place] = cell;
}

void mp_document_withdraw(mp_document *document, const char *why)
{
    const mp_cell none = {.number = 0, .known = true}, reason = {.text = why, .known = true};
    const size_t counts[MP_VERDICTS] = {[MP_VERDICT_ERROR] = document->check_count};
    const char *error = mp_verdict_name(MP_VERDICT_ERROR);
    for (size_t i = 0; i < document->check_count; i++) {
        mp_check *check = &document->checks[i];
        check->verdict = MP_VERDICT_ERROR;
        check->message = why;
        check->warning = check->note = "";
        check->measured = check->line ? check->measured : "";
    }
    for (size_t i = 0; document->check_count && i < document->table_count; i++) {
        mp_table *table = &document->tables[i];
        if (strcmp(table->name, "worse") == 0) { /* nothing failed, so there are no causes */
            document->table_count--;
            memmove(table, table + 1, (document->table_count - i) * sizeof *table);
            i--;
            continue;
        }
        if (!(table->flags & MP_OF_CHECKS) && strcmp(table->name, "gate") != 0)
            continue;
        put_cells(table, "status", (mp_cell){.text = error, .known = true});
        put_cells(table, "verdict", (mp_cell){.text = error, .known = true});
        put_cells(table, "message", reason);
        put_cells(table, "why", reason);
        put_cells(table, "warning", (mp_cell){.text = NULL});
        put_cells(table, "passed", none);
        put_cells(table, "failed", none);
        put_cells(table, "unjudged",
                  (mp_cell){.number = (int64_t)document->check_count, .known = true});
    }
    for (size_t i = 0; i < document->said_count; i++)
        if (document->said[i].label && strcmp(document->said[i].label, MP_SAID_VERDICT) == 0)
            document->said[i].text = mp_document_text(
                document, "%s, %s", error, mp_verdicts_text(document->arena, "rule", counts));
    document->failed = false;
    document->unjudged = document->check_count > 0;
}

/* Set the verdict, and the number of inputs that could not be read, in the record "gate". */
static void put_verdict(mp_table *gate, mp_verdict verdict, size_t unread)
{
    size_t place = mp_column_find(gate->columns, gate->column_count, "verdict");
    gate->cells[place] = (mp_cell){.text = mp_verdict_name(verdict), .known = true};
    place = mp_column_find(gate->columns, gate->column_count, "unread");
    if (unread)
        gate->cells[place] = (mp_cell){.number = (int64_t)unread, .known = true};
}

void mp_document_settle_verdict(mp_document *document, const mp_diagnostics *diagnostics)
{
    const size_t unread = mp_diagnostics_severity_count(diagnostics, MP_ERROR);
    size_t counts[MP_VERDICTS] = {0};
    for (size_t i = 0; i < document->check_count; i++)
        counts[document->checks[i].verdict]++;
    const mp_verdict verdict = counts[MP_VERDICT_FAIL]              ? MP_VERDICT_FAIL
                               : counts[MP_VERDICT_ERROR] || unread ? MP_VERDICT_ERROR
                                                                    : MP_VERDICT_PASS;
    document->unjudged |= unread && document->check_count;
    for (size_t i = 0; document->check_count && i < document->table_count; i++)
        if (strcmp(document->tables[i].name, "gate") == 0 && document->tables[i].row_count)
            put_verdict(&document->tables[i], verdict, unread);
    for (size_t i = 0; unread && !document->files && i < document->said_count; i++)
        if (document->said[i].label && strcmp(document->said[i].label, MP_SAID_VERDICT) == 0) {
            document->said[i].text =
                mp_document_text(document, "%s, %s", mp_verdict_name(verdict),
                                 summary_of(document->arena, "rule", counts, 0, unread));
            if (verdict == MP_VERDICT_ERROR)
                document->said[i].tone = MP_TONE_WARNING;
        }
}

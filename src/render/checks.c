#include "render/checks.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static const mp_cell *cell_of(const mp_table *table, size_t row, const char *name)
{
    return &table->cells[row * table->column_count + mp_table_column(table, name)];
}

static const char *text_of(const mp_table *table, size_t row, const char *name)
{
    const mp_cell *cell = cell_of(table, row, name);
    return cell->known ? cell->text : "";
}

const char *mp_check_status_name(mp_check_status status)
{
    static const char *const names[] = {"pass", "fail", "error"};
    return names[status];
}

static mp_check_status status_of(const char *name)
{
    for (int i = 0; i < MP_CHECK_ERROR; i++)
        if (strcmp(mp_check_status_name((mp_check_status)i), name) == 0)
            return (mp_check_status)i;
    return MP_CHECK_ERROR;
}

static void add(mp_checks *checks, mp_check check)
{
    checks->at[checks->count++] = check;
    checks->counts[check.status]++;
}

static void add_limit(mp_checks *checks, mp_arena *arena, const mp_limit *limit, const char *dashes)
{
    add(checks,
        (mp_check){.status = limit->exceeded ? MP_CHECK_FAIL : MP_CHECK_PASS,
                   .name = mp_arena_format(arena, "%s%s%s%s", limit->file ? limit->file : "",
                                           limit->file ? ": " : "", dashes, limit->name),
                   .measured = limit->actual,
                   .limit = mp_arena_format(arena, "<= %s", limit->limit),
                   .message = limit->exceeded ? limit->message : ""});
}

/* The rule's name; where several files are held to it, behind that of the file. */
static const char *rule_of(const mp_table *rules, size_t row, mp_arena *arena)
{
    const char *rule = text_of(rules, row, "rule");
    if (strcmp(rules->columns[0].name, "file") != 0)
        return rule;
    return mp_arena_format(arena, "%s: %s", text_of(rules, row, "file"), rule);
}

/* What could not be read was held to nothing: that is no pass. */
static void add_unread(mp_checks *checks, mp_arena *arena, const mp_diagnostic *diagnostic)
{
    if (mp_diagnostic_severity(diagnostic->id) != MP_ERROR)
        return;
    const char *path = mp_utf8_copy(arena, diagnostic->path ? diagnostic->path : "input");
    const char *place =
        diagnostic->line ? mp_arena_format(arena, ":%" PRIu64, diagnostic->line) : "";
    add(checks, (mp_check){.status = MP_CHECK_ERROR,
                           .name = path,
                           .measured = "",
                           .limit = "",
                           .message = mp_arena_format(arena, "%s%s: %s", path, place,
                                                      mp_utf8_copy(arena, diagnostic->message))});
    checks->unread++;
}

mp_checks mp_checks_of(const mp_document *document, const mp_diagnostics *diagnostics,
                       const char *dashes, mp_arena *arena)
{
    const mp_diagnostic *kept;
    size_t kept_count = mp_diagnostics_kept(diagnostics, &kept);
    bool is_gate = strcmp(document->command, "gate") == 0;
    const mp_table *rules = is_gate ? mp_document_find(document, "rules") : NULL;
    const mp_table *gate = rules ? mp_document_find(document, "gate") : NULL;
    size_t count = (rules ? rules->row_count : 0) + document->limit_count;
    mp_checks checks = {.at = mp_arena_alloc(arena, (count + kept_count + 1) * sizeof *checks.at),
                        .policy = gate && gate->row_count ? text_of(gate, 0, "policy") : ""};
    for (size_t row = 0; rules && row < rules->row_count; row++)
        add(&checks, (mp_check){.status = status_of(text_of(rules, row, "status")),
                                .name = rule_of(rules, row, arena),
                                .measured = text_of(rules, row, "measured"),
                                .limit = text_of(rules, row, "limit"),
                                .message = text_of(rules, row, "message"),
                                .line = cell_of(rules, row, "line")->number});
    for (size_t i = 0; i < document->limit_count; i++)
        add_limit(&checks, arena, &document->limits[i], dashes);
    for (size_t i = 0; count && i < kept_count; i++)
        add_unread(&checks, arena, &kept[i]);
    return checks;
}

const char *mp_checks_summary(const mp_checks *checks, mp_arena *arena)
{
    const char *text =
        mp_verdicts_text(arena, *checks->policy ? "rule" : "limit",
                         (mp_verdicts){checks->counts[MP_CHECK_PASS], checks->counts[MP_CHECK_FAIL],
                                       checks->counts[MP_CHECK_ERROR] - checks->unread});
    if (checks->unread)
        text = mp_arena_format(arena, "%s; %zu input%s could not be read", text, checks->unread,
                               checks->unread == 1 ? "" : "s");
    return text;
}

/* Annotations of a GitHub workflow: for each rule that fails or warns, one line that refers to the
 * rule's line in the policy.
 *
 * Source: GitHub's description of workflow commands, "::error file=...,line=...,title=...::text".
 * "%", line ends and, in properties, ":" and "," are written as %25, %0D, %0A, %3A and %2C. */
#include <inttypes.h>
#include <string.h>

#include "document/checks.h"
#include "render/cell.h"

static void put(FILE *file, mp_arena *arena, const char *text, bool property)
{
    const char *line_ends = "\r\n";
    for (; *text; text++) {
        size_t plain = strcspn(text, property ? "%\r\n:," : "%\r\n");
        /* escape control characters, which the log would interpret like a terminal */
        fputs(mp_safe_text(arena, mp_arena_copy(arena, text, plain)), file);
        text += plain;
        if (!*text)
            return;
        fprintf(file, strchr(line_ends, *text) ? "%%0%X" : "%%%X", (unsigned)*text);
    }
}

static void put_check(FILE *file, mp_arena *arena, const mp_checks *checks, const mp_check *check)
{
    bool warns = check->verdict == MP_VERDICT_PASS;
    fputs(warns ? "::warning " : "::error ", file);
    if (check->line) {
        fputs("file=", file);
        put(file, arena, checks->policy, true);
        fprintf(file, ",line=%" PRIu32 ",", check->line);
    }
    fputs("title=", file);
    put(file, arena, check->name, true);
    fputs(check->verdict == MP_VERDICT_ERROR ? "::cannot be judged: " : "::", file);
    put(file, arena, warns ? check->warning : check->message, false);
    fputc('\n', file);
}

static bool render_github(const mp_document *document, const mp_diagnostics *diagnostics,
                          const mp_style *style, FILE *file, mp_error *error)
{
    mp_arena arena = {0};
    mp_checks checks;
    if (!mp_checks_find(document, diagnostics, style->dashes, "annotations show", &arena, &checks,
                        error)) {
        mp_arena_free(&arena);
        return false;
    }
    for (size_t i = 0; i < checks.count; i++)
        if (checks.items[i].verdict != MP_VERDICT_PASS || *checks.items[i].warning)
            put_check(file, &arena, &checks, &checks.items[i]);
    fputs("::notice title=memprof ", file);
    put(file, &arena, document->command, true);
    fputs("::", file);
    put(file, &arena, mp_checks_summary(&checks, &arena), false);
    fputc('\n', file);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_github = {.name = "github",
                                        .summary =
                                            "rules and limits as annotations of a GitHub workflow",
                                        .of_checks = true,
                                        .render = render_github};

/* The leaks as suppressions, for people who accept some of them: to be pasted into a file of
 * suppressions, each with the reason that is still to be written. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "render/renderer.h"
#include "reports/answers.h"

/* A pattern that matches this text: as the whole of it, and with nothing that the file's format
 * takes for its own. `special` is escaped; what cannot be in a line, or would not show in it, is
 * `any`. */
static void put_pattern(FILE *file, const char *text, const char *special, char any)
{
    char escape[MP_ESCAPE];
    const char *end = text + strlen(text);
    for (const char *p = text; p < end;) {
        size_t hidden = mp_text_escape(p, end, escape);
        if (hidden)
            fputc(any, file);
        else if (*p == ' ' && (p == text || p + 1 == end))
            fputs("[ ]", file); /* blanks at the ends of a value go */
        else
            fprintf(file, "%s%c", strchr(special, *p) ? "\\" : "", *p);
        p += hidden ? hidden : 1;
    }
}

static void put_glob(FILE *file, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(file, "%-6s = ", key);
    put_pattern(file, text, "*?[\\", '?');
    fputc('\n', file);
}

static void put_leak(FILE *file, const mp_leak_site *site, size_t number)
{
    char bytes[MP_UNIT_TEXT], objects[MP_UNIT_TEXT];
    mp_format_bytes(bytes, site->bytes, false, false);
    mp_format_count(objects, site->objects, false);
    fprintf(file, "\n# %s in %s object%s\n[leak %zu]\n", bytes, objects,
            site->objects == 1 ? "" : "s", number);
    if (!site->inferred) /* too unsure to accept a leak by */
        put_glob(file, "type", site->type);
    put_glob(file, "name", site->name);
    if (site->frames) {
        fputs("stack  = ^", file);
        put_pattern(file, site->frame, ".[\\()*+?{|^$", '.');
        fputs("$\n", file);
    } else {
        put_glob(file, "source", site->frame);
    }
    fputs("reason = TODO: why is this accepted?\n", file);
}

/* Whether a row before, of another file, accepts the same. */
static bool is_put(const mp_table *leaks, size_t row)
{
    const mp_leak_site *site = leaks->structs[row].at;
    for (size_t i = 0; leaks->structs[row].file && i < row; i++) {
        const mp_leak_site *other = leaks->structs[i].at;
        assert(site && other);
        if (strcmp(site->type, other->type) == 0 && strcmp(site->name, other->name) == 0 &&
            site->frames == other->frames && strcmp(site->frame, other->frame) == 0)
            return true;
    }
    return false;
}

static bool write_suppressions(const mp_document *document, const mp_diagnostics *diagnostics,
                               const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    (void)style;
    const mp_table *leaks = mp_document_answer(document, MP_ANSWER_LEAK_SITES);
    if (!leaks)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "suppressions are made of the leaks of a window, expected the command leaks "
                       "on a recording that has births and deaths");
    fputs("# Leaks that are known and accepted. Keep those that are, and say why.\n", file);
    for (size_t row = 0; row < leaks->struct_count; row++)
        if (leaks->structs[row].at && !is_put(leaks, row))
            put_leak(file, leaks->structs[row].at, row + 1);
    return true;
}

const mp_renderer mp_renderer_suppressions = {.name = "suppressions",
                                              .summary = "the leaks, to be pasted for `suppress`",
                                              .for_programs = true,
                                              .command = "leaks or analyze",
                                              .render = write_suppressions};

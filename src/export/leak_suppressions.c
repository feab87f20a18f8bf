/* Leaks as suppressions: sections that a user can paste into a suppression file, to accept some of
 * the leaks. The user fills in the reasons. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "compare/dictionary.h"
#include "render/renderer.h"
#include "reports/answers.h"

/* Write a pattern that matches exactly this text. Characters in `special` are escaped. Invisible
 * characters, and characters that a line cannot contain, become `any`. */
static void put_pattern(FILE *file, const char *text, const char *special, char any)
{
    char escape[MP_ESCAPE];
    const char *end = text + strlen(text);
    for (const char *p = text; p < end;) {
        size_t hidden = mp_text_escape(p, end, escape);
        if (hidden)
            fputc(any, file);
        else if (*p == ' ' && (p == text || p + 1 == end))
            fputs("[ ]", file); /* blanks at the ends of a value would be removed */
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

/* A section, and the leaks that it accepts. A section may accept several leaks: a recursion leaks
 * at each level, and several files may have the same leak. */
typedef struct accepted {
    const mp_leak_site *site; /* first leak */
    size_t number;            /* row of the first leak, from 1 */
    int64_t bytes, objects;   /* sums over all leaks of the section */
} accepted;

static void put_leak(FILE *file, const accepted *leak, bool uncounted)
{
    const mp_leak_site *site = leak->site;
    char bytes[MP_UNIT_TEXT], objects[MP_UNIT_TEXT];
    mp_format_bytes(bytes, leak->bytes, false, false);
    mp_format_count(objects, leak->objects, false);
    fprintf(file, "\n# %s", bytes);
    if (!uncounted)
        fprintf(file, " in %s object%s", objects, leak->objects == 1 ? "" : "s");
    fprintf(file, "\n[leak %zu]\n", leak->number);
    if (!site->inferred) /* an inferred type is too uncertain for a suppression */
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

/* Return the number of the section that accepts the leak. Sections are numbered from 1 in the order
 * of the rows. */
static uint32_t section_of(mp_dictionary *sections, const mp_leak_site *site)
{
    mp_arena arena = {0};
    const char *text = mp_arena_format(&arena, "%s\n%s\n%d\n%s", site->inferred ? "" : site->type,
                                       site->name, site->frames != 0, site->frame);
    uint32_t section = mp_dictionary_id(sections, text);
    mp_arena_free(&arena);
    return section;
}

static void put_leaks(FILE *file, const mp_table *leaks, bool uncounted)
{
    accepted *state = mp_alloc_zero(leaks->struct_count + 1, sizeof *state);
    mp_dictionary *sections = mp_dictionary_new();
    uint32_t count = 0;
    for (size_t row = 0; row < leaks->struct_count; row++) {
        const mp_leak_site *site = leaks->structs[row].row;
        uint32_t section = site ? section_of(sections, site) : 0;
        if (!site)
            continue;
        if (section > count)
            state[count++] = (accepted){.site = site, .number = row + 1};
        state[section - 1].bytes += site->bytes;
        state[section - 1].objects += site->objects;
    }
    for (uint32_t i = 0; i < count; i++)
        put_leak(file, &state[i], uncounted);
    mp_dictionary_free(sections);
    free(state);
}

static bool write_suppressions(const mp_document *document, const mp_diagnostics *diagnostics,
                               const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    (void)style;
    const mp_table *leaks = mp_document_answer(document, MP_ANSWER_LEAK_SITES);
    if (!leaks)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "suppressions are made from the leaks of a window, expected the command "
                       "leaks on a recording with creations and deletions");
    fputs("# Known and accepted leaks. Delete the ones you do not accept, and give the reasons.\n"
          "# A line such as \"expires = 2027-06-30\" limits the time.\n",
          file);
    put_leaks(file, leaks, document->uncounted);
    return true;
}

const mp_renderer mp_renderer_suppressions = {.name = "suppressions",
                                              .summary =
                                                  "the leaks as entries for a `suppress` file",
                                              .for_programs = true,
                                              .command = "leaks or analyze",
                                              .render = write_suppressions};

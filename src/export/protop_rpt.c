/* ProTop's execution-profiler report with identical columns, so that scripts which read .rpt files
 * keep working.
 *
 * Source: the description of ProTop's report. The first columns have 30, 5, 13, 13 and 10
 * characters. The next column is the internal procedure or method: in the older report it is the
 * last one and has 40 characters; in the newer report it has 20, and a column of 50 for the source
 * text follows. Numbers are right-aligned, text is cut to its column, and a number that does not
 * fit is printed as "?". */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "render/cell.h"
#include "reports/answers.h"

#define DASHES "--------------------------------------------------"
enum { ROWS = 20, HEADER_FRAME = 84 };

typedef struct rpt_out {
    FILE *file;
    bool older;
    mp_arena arena;
} rpt_out;

/* Indent so that `width` characters are centred on the page. */
static void put_indent(const rpt_out *out, int width)
{
    fprintf(out->file, "%*s", ((out->older ? 120 : 160) - width) / 2, "");
}

static void put_centred(const rpt_out *out, const char *text)
{
    put_indent(out, (int)strlen(text));
    fprintf(out->file, "%s\n", text);
}

/* Write a text cut to `width` characters. Pad it with blanks unless it is the last text of its
 * line. */
static void put_cut(rpt_out *out, const char *text, int width, bool last)
{
    const char *safe = mp_safe_text(&out->arena, text), *end = safe;
    int used = 0;
    for (; *end && used < width; used++)
        do
            end++;
        while (((unsigned char)*end & 0xc0) ==
               0x80); /* skip the remaining bytes of a UTF-8 character */
    fprintf(out->file, "%.*s%*s", (int)(end - safe), safe, last ? 0 : width - used, "");
}

static void put_right(const rpt_out *out, const char *text, int width)
{
    fprintf(out->file, "%*s ", width, (int)strlen(text) <= width ? text : "?");
}

static void put_number(const rpt_out *out, int64_t number, int width)
{
    char text[MP_UNIT_TEXT] = "?";
    if (number != MP_UNKNOWN)
        snprintf(text, sizeof text, "%" PRId64, number);
    put_right(out, text, width);
}

static void put_line(rpt_out *out, const mp_hot_line *line)
{
    char seconds[MP_UNIT_TEXT] = "?", average[MP_UNIT_TEXT] = "?";
    const char *code = out->older ? "" : line->code;
    if (line->us != MP_UNKNOWN)
        mp_format_seconds(seconds, line->us, false);
    if (!isnan(line->average_seconds))
        snprintf(average, sizeof average, "%.6f", line->average_seconds);
    put_indent(out, out->older ? 116 : 147);
    put_cut(out, line->program, 30, false);
    fputc(' ', out->file);
    put_number(out, line->line, 5);
    put_right(out, seconds, 13);
    put_right(out, average, 13);
    put_number(out, line->calls, 10);
    put_cut(out, line->method, out->older ? 40 : 20, !*code);
    if (*code) {
        fputc(' ', out->file);
        put_cut(out, code, 50, true);
    }
    fputc('\n', out->file);
}

static void put_titles(const rpt_out *out)
{
    enum { NEWER = 1, OLDER = 2, BOTH = NEWER | OLDER };
    static const struct {
        const char *title;
        int width; /* negative = aligned right */
        unsigned layouts;
    } columns[] = {{"Program/Class", 30, BOTH}, {"Line", -5, BOTH},
                   {"Time", -13, BOTH},         {"Avg Time", -13, BOTH},
                   {"Calls", -10, BOTH},        {"IP/Method", 20, NEWER},
                   {"Code", 50, NEWER},         {"Internal Procedure/Method", 40, OLDER}};
    for (int line = 0; line < 2; line++) { /* the titles, then dashes */
        put_indent(out, out->older ? 116 : 147);
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            int width = columns[i].width;
            if (!(columns[i].layouts & (out->older ? OLDER : NEWER)))
                continue;
            bool last = width >= 40;
            if (line == 0)
                fprintf(out->file, "%*s", last ? 0 : -width, columns[i].title);
            else
                fprintf(out->file, "%.*s", abs(width), DASHES);
            fputc(last ? '\n' : ' ', out->file);
        }
    }
}

static void put_clock(const rpt_out *out, int64_t us)
{
    int64_t seconds = (us + 500000) / 1000000;
    fprintf(out->file, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, seconds / 3600, seconds / 60 % 60,
            seconds % 60);
}

static void put_header(rpt_out *out, const mp_hot_profile *profile)
{
    put_centred(out, "Profiler: Top 20 Results");
    put_indent(out, HEADER_FRAME);
    fprintf(out->file, "Description: %s", mp_safe_text(&out->arena, profile->description));
    if (profile->elapsed_us != MP_UNKNOWN) {
        fputs(" [", out->file);
        put_clock(out, profile->elapsed_us);
        fputc(']', out->file);
    }
    fputc('\n', out->file);
    put_indent(out, HEADER_FRAME);
    fputs("Session Total Execution Time   ", out->file);
    put_clock(out, profile->us);
    fputc('\n', out->file);
    put_indent(out, HEADER_FRAME);
    fputs("Line 0 = initialization, line -1 = cleanup\n\n", out->file);
    put_centred(out, "Top 20 Lines: Total Execution Time");
}

static bool write_rpt(const mp_document *document, const mp_style *style, FILE *file,
                      mp_error *error, bool older)
{
    rpt_out out = {.file = file, .older = older};
    const mp_table *lines = mp_document_answer(document, MP_ANSWER_HOT_LINES);
    if (document->files)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "ProTop's layout shows one profile, but these are separate; name one, or "
                       "combine them with %sgroup all",
                       style->dashes);
    if (!lines || strcmp(document->command, "top") != 0)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "ProTop's layout shows the hottest lines of an execution profile, expected "
                       "the command top on one, by line");
    put_header(&out, lines->about);
    put_titles(&out);
    for (size_t i = 0; i < lines->struct_count && i < ROWS; i++)
        put_line(&out, lines->structs[i].row);
    mp_arena_free(&out.arena);
    return true;
}

static bool write_newer(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    return write_rpt(document, style, file, error, false);
}

static bool write_older(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    return write_rpt(document, style, file, error, true);
}

const mp_renderer mp_renderer_rpt = {.name = "rpt",
                                     .summary = "ProTop's report with source text",
                                     .command = "top",
                                     .render = write_newer};
const mp_renderer mp_renderer_rpt_old = {.name = "rpt-old",
                                         .summary = "ProTop's older report, without source text",
                                         .command = "top",
                                         .render = write_older};

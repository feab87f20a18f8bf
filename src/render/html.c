/* HTML: one self-contained page with the whole answer, which can be sent by mail or published by a
 * CI job. Names in recordings cannot inject anything into it.
 *
 * Without scripts it has all tables and pictures. Scripts (src/render/html) sort, filter and zoom.
 * The page's content security policy allows its own scripts and style only, by their hashes.
 *
 * Sources: WHATWG, HTML; W3C, Content Security Policy Level 3; W3C, WCAG 2.2. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "document/checks.h"
#include "render/cell.h"
#include "render/html/page.h"
#include "render/svg.h"

/* Embedded files of src/render/html, and of d3 if it was installed at build time; see
 * cmake/html.cmake. Without scripts, library and script are empty. */
extern const char mp_embedded_page_style[], mp_embedded_page_style_hash[];
extern const char mp_embedded_page_library[], mp_embedded_page_library_hash[];
extern const char mp_embedded_page_script[], mp_embedded_page_script_hash[];

/* --- writing text --- */

void mp_page_text(mp_page *page, const char *text)
{
    for (const char *p = mp_safe_text(&page->arena, text), *plain = p;; p++) {
        const char *entity = *p == '&'   ? "&amp;"
                             : *p == '<' ? "&lt;"
                             : *p == '>' ? "&gt;"
                             : *p == '"' ? "&quot;"
                                         : NULL;
        if (*p && !entity)
            continue;
        fwrite(plain, 1, (size_t)(p - plain), page->file);
        if (!*p)
            return;
        fputs(entity, page->file);
        plain = p + 1;
    }
}

void mp_page_put(mp_page *page, const char *before, const char *text, const char *behind)
{
    fputs(before, page->file);
    mp_page_text(page, text);
    fputs(behind, page->file);
}

const char *const mp_page_tones[] = {[MP_TONE_PLAIN] = "plain",
                                     [MP_TONE_WORSE] = "worse",
                                     [MP_TONE_BETTER] = "better",
                                     [MP_TONE_WARNING] = "warning"};

/* --- head --- */

static void put_part(mp_page *page, const char *element, const char *part)
{
    if (*part)
        fprintf(page->file, "<%s>%s</%s>\n", element, part, element);
}

static void put_head(mp_page *page, const mp_document *document)
{
    const char *const title = document->title ? document->title : "";
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "base-uri 'none'; form-action 'none'; img-src data:",
          page->file);
    fprintf(page->file, "; style-src '%s' '%s'", mp_embedded_svg_css_hash,
            mp_embedded_page_style_hash);
    if (*mp_embedded_page_script)
        fprintf(page->file, "; script-src '%s' '%s'; require-trusted-types-for 'script'",
                mp_embedded_page_library_hash, mp_embedded_page_script_hash);
    fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n",
          page->file);
    mp_page_put(page, "<title>", title, *title ? ": memprof " : "memprof ");
    mp_page_put(page, "", document->command, "</title>\n");
    put_part(page, "style", mp_embedded_svg_css);
    put_part(page, "style", mp_embedded_page_style);
    fputs("</head>\n<body>\n<header>\n", page->file);
    mp_page_put(page, "<p>memprof ", document->command, "</p>\n");
    mp_page_put(page, "<h1>", *title ? title : document->command, "</h1>\n</header>\n<main>\n");
}

/* --- the summary --- */

static void put_answer(mp_page *page, const mp_document *document)
{
    enum { LONG = 75 }; /* number of columns; longer lines are not set in large type */
    bool begun = false;
    for (size_t i = 0; i < document->said_count && !document->said[i].file; i++) {
        const mp_said *said = &document->said[i];
        fputs(begun ? "" : "<section aria-label=\"Answer\">\n<dl class=\"answer\">\n", page->file);
        begun = true;
        fprintf(page->file, "<div class=\"%s%s\">", mp_page_tones[said->tone],
                mp_text_width(said->text) > LONG ? " long" : "");
        mp_page_put(page, "<dt>", said->label, "</dt>");
        mp_page_put(page, "<dd>", said->text, "</dd></div>\n");
    }
    fputs(begun ? "</dl>\n</section>\n" : "", page->file);
}

/* Return true if the report's own summary counts the checks already. */
static bool is_summed_up(const mp_document *document, const mp_checks *checks)
{
    bool said = false;
    for (size_t i = 0; i < document->said_count && !document->said[i].file; i++)
        said |= mp_text_is(document->said[i].label, MP_SAID_VERDICT);
    return said && !checks->warned && !checks->unread;
}

static void put_checks(mp_page *page, const mp_document *document, const mp_checks *checks)
{
    static const char *const classes[] = {"better", "worse", "warning"};
    if (!checks->count)
        return;
    mp_page_put(page, "<section id=\"checks\">\n<h2>", *checks->policy ? checks->policy : "Limits",
                "</h2>\n");
    if (!is_summed_up(document, checks))
        mp_page_put(page, "<p>", mp_checks_summary(checks, &page->arena), "</p>\n");
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Limits\">\n<table>\n"
          "<thead><tr><th scope=\"col\">Status</th><th scope=\"col\">Name</th>"
          "<th scope=\"col\">Measured</th><th scope=\"col\">Limit</th><th scope=\"col\">Why</th>"
          "</tr></thead>\n<tbody>\n",
          page->file);
    for (size_t i = 0; i < checks->count; i++) {
        const mp_check *check = &checks->items[i];
        fprintf(page->file, "<tr><td><span class=\"%s\">%s</span></td>", classes[check->verdict],
                mp_verdict_name(check->verdict));
        mp_page_put(page, "<th scope=\"row\">", check->name, "</th>");
        mp_page_put(page, "<td>", check->measured, "</td>");
        mp_page_put(page, "<td>", check->limit, "</td>");
        mp_page_put(page, "<td>", *check->message ? check->message : check->warning,
                    "</td></tr>\n");
    }
    fputs("</tbody>\n</table>\n</div>\n</section>\n", page->file);
}

/* --- tables and pictures --- */

static bool is_for_people(const mp_table *table)
{
    return !(table->flags & (MP_FOR_PROGRAMS | MP_OF_CHECKS)) && (table->title || table->row_count);
}

/* Print the figures. Each has its name, by which scripts find it to make it zoomable. `lines`:
 * print only figures over time, or only the others. */
static void put_figures(mp_page *page, const mp_document *document, bool lines)
{
    enum { ROOM = 50 * 1000 };
    mp_svg svg = {.file = page->file, .exact = page->exact_bytes, .room = ROOM};
    for (size_t i = 0; i < document->figure_count; i++) {
        const mp_figure *figure = &document->figures[i];
        const bool of_time = figure->kind == MP_FIGURE_LINES;
        if (figure->kind == MP_FIGURE_HISTORY || lines != of_time ||
            (of_time && figure->lines.moments < 2)) /* two moments are the fewest for a line */
            continue;
        fprintf(page->file, "<figure id=\"figure-%s\">\n", figure->name);
        mp_svg_figure(&svg, figure);
        fputs("</figure>\n", page->file);
    }
}

/* Return the table that the report is about. For many files, it is the summary of each file; for
 * several dumps, the growth of each of them. */
static const mp_table *first_table(const mp_document *document)
{
    const mp_table *main = mp_document_shown_main(document), *any = NULL;
    const mp_table *grown = mp_document_find(document, "accumulations");
    for (size_t i = document->table_count; i-- > 0;) {
        const mp_table *table = &document->tables[i];
        if (!is_for_people(table))
            continue;
        any = table;
        if (document->files && strcmp(table->name, "files") == 0)
            return table;
    }
    if (grown && grown->row_count && is_for_people(grown))
        return grown;
    return main && is_for_people(main) ? main : any;
}

/* Print the first table, then its pictures, then the other tables. If a picture is the main result,
 * it comes first. */
static void put_tables(mp_page *page, const mp_document *document)
{
    const mp_table *first = document->pictured ? NULL : first_table(document);
    put_figures(page, document, true);
    if (first)
        mp_page_table(page, first);
    put_figures(page, document, false);
    for (size_t i = 0; i < document->table_count; i++)
        if (&document->tables[i] != first && is_for_people(&document->tables[i]))
            mp_page_table(page, &document->tables[i]);
}

/* --- the end --- */

static void put_diagnostics(mp_page *page, const mp_diagnostics *diagnostics)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept);
    if (!count)
        return;
    fputs("<section id=\"diagnostics\">\n<h2>What was wrong with the input</h2>\n<ul>\n",
          page->file);
    for (size_t i = 0; i < count; i++) {
        mp_severity severity = mp_diagnostic_severity(kept[i].id);
        fputs("<li><code>", page->file);
        mp_page_text(page, kept[i].path ? kept[i].path : "");
        if (kept[i].line)
            fprintf(page->file, ":%" PRIu64, kept[i].line);
        fprintf(page->file, "</code> <span class=\"%s\">%s</span> ",
                severity == MP_ERROR     ? "worse"
                : severity == MP_WARNING ? "warning"
                                         : "plain",
                mp_severity_name(severity));
        mp_page_text(page, kept[i].message);
        uint64_t total = mp_diagnostics_count(diagnostics, kept[i].id);
        size_t behind = i + 1;
        while (behind < count && kept[behind].id != kept[i].id)
            behind++;
        size_t of_kind = 0;
        for (size_t j = 0; j < count; j++)
            of_kind += kept[j].id == kept[i].id;
        if (behind == count && total > of_kind)
            fprintf(page->file, " (and %" PRIu64 " more of this kind)", total - of_kind);
        fputs("\n", page->file);
    }
    fputs("</ul>\n</section>\n", page->file);
}

static void put_end(mp_page *page, const mp_document *document)
{
    const mp_table *inputs = mp_document_find(document, "inputs");
    fputs("<section id=\"made\">\n<h2>How it was made</h2>\n", page->file);
    if (page->style->command)
        mp_page_put(page, "<pre><code>", page->style->command, "</code></pre>\n");
    fputs("<p>By memprof " MEMPROF_VERSION ". This page is self-contained.</p>\n", page->file);
    if (inputs && inputs->flags & MP_FOR_PROGRAMS && inputs->row_count)
        mp_page_rows(page, inputs, "Inputs");
    fputs("</section>\n</main>\n", page->file);
}

/* Bytes for tables, in pages without and with figures. A page has at most two million bytes; the
 * remaining bytes are for pictures, their data and scripts. */
enum { ROOM = 900 * 1000, ROOM_BESIDE_FIGURES = 350 * 1000 };

static bool render_html(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    char *text = NULL;
    size_t length = 0;
    mp_page page = {.style = style,
                    .exact_bytes = document->exact_bytes,
                    .room = document->figure_count ? ROOM_BESIDE_FIGURES : ROOM};
    (void)error;
    page.file = mp_memory_open(&text, &length);
    mp_checks checks = mp_checks_of(document, diagnostics, style->dashes, &page.arena);
    put_head(&page, document);
    put_answer(&page, document);
    put_checks(&page, document, &checks);
    put_tables(&page, document);
    put_diagnostics(&page, diagnostics);
    put_end(&page, document);
    if (*mp_embedded_page_script)
        mp_page_data(&page, document);
    put_part(&page, "script", mp_embedded_page_library);
    put_part(&page, "script", mp_embedded_page_script);
    fputs("</body>\n</html>\n", page.file);
    mp_memory_close(page.file);
    fwrite(text, 1, length, file);
    free(text);
    mp_arena_free(&page.arena);
    return true;
}

const mp_renderer mp_renderer_html = {.name = "html",
                                      .ending = ".html",
                                      .summary = "one self-contained page for a browser",
                                      .rows = 100,
                                      .draws = true,
                                      .render = render_html};

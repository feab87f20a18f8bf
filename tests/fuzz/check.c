/* Checks of all output. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "export/formats.h"
#include "fuzz/fuzz.h"
#include "render/cell.h"

void fuzz_hold(bool holds, const char *sentence, mp_slice text)
{
    if (holds)
        return;
    fprintf(stderr, "\nFUZZ: does not hold: %s\n", sentence);
    if (text.start)
        fprintf(stderr, "----\n%.*s\n----\n", (int)text.length, text.start);
    abort();
}

static void hold_of(bool holds, const char *name, const char *sentence, mp_slice text)
{
    char line[256];
    if (holds)
        return;
    snprintf(line, sizeof line, "%s: %s", name, sentence);
    fuzz_hold(false, line, text);
}

/* --- text --- */

/* Return the first character that must be escaped in text for people; NULL if there is none.
 * Characters in `allowed` do not count. */
static const char *first_control(mp_slice text, const char *allowed)
{
    char escape[MP_ESCAPE];
    const char *end = text.start + text.length;
    for (const char *p = text.start; p < end;) {
        if ((!*p || !strchr(allowed, *p)) && mp_text_escape(p, end, escape))
            return p;
        size_t length = mp_utf8_length(p, end);
        p += length ? length : 1;
    }
    return NULL;
}

static void check_characters(const char *name, mp_slice text, const char *allowed)
{
    if (!text.length)
        return;
    hold_of(mp_utf8_valid(text), name, "the output is UTF-8", text);
    const char *control = first_control(text, allowed);
    if (control) {
        fprintf(stderr, "\nbyte %#x at %td\n", (unsigned char)*control, control - text.start);
        hold_of(false, name, "the output has no control characters", text);
    }
}

void fuzz_check_text(const char *name, mp_slice text)
{
    check_characters(name, text, "\n");
}

void fuzz_check_error(const mp_error *error)
{
    char line[8192];
    const char *text = mp_error_line(error, "--", line, sizeof line);
    hold_of(error->code != MP_ERROR_NONE, "an error", "it has a code", mp_slice_of(text));
    hold_of(*error->text != '\0', "an error", "it says something", mp_slice_of(text));
}

/* --- JSON --- */

void fuzz_check_json(const char *name, mp_slice text)
{
    hold_of(mp_utf8_valid(text), name, "the output is UTF-8", text);
    json_error_t error;
    json_t *object =
        json_loadb(text.start, text.length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    hold_of(object != NULL, name, "the output is JSON", text);
    hold_of(json_is_object(object), name, "it is an object", text);
    json_decref(object);
}

/* --- CSV --- */

/* Return the end of the field that begins at `p`, according to RFC 4180. */
static const char *past_field(const char *p, const char *end, const char *name, mp_slice text)
{
    if (p == end || *p != '"') {
        while (p < end && !strchr(",\r\n", *p)) {
            hold_of(*p != '"', name, "a quote stands in a field in quotes", text);
            p++;
        }
        return p;
    }
    for (p++; p < end; p++) {
        if (*p != '"')
            continue;
        if (p + 1 == end || p[1] != '"')
            return p + 1;
        p++;
    }
    hold_of(false, name, "quotes are closed", text);
    return end;
}

void fuzz_check_csv(const char *name, mp_slice text)
{
    size_t fields = 0, first = 0;
    const char *end = text.start + text.length;
    hold_of(mp_utf8_valid(text), name, "the output is UTF-8", text);
    for (const char *p = text.start; p < end;) {
        p = past_field(p, end, name, text);
        fields++;
        bool ends = p < end && (*p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'));
        hold_of(ends || (p < end && *p == ','), name, "a field ends at a comma or a line's end",
                text);
        if (ends) {
            first = first ? first : fields;
            hold_of(fields == first, name, "all rows have the same fields", text);
            fields = 0;
            p += *p == '\r';
        }
        p++;
    }
}

/* --- XML --- */

typedef struct element {
    const char *name;
    size_t length;
} element;

static size_t name_length(const char *p, const char *end)
{
    size_t length = 0;
    while (p + length < end && !strchr(" \t\n/>=", p[length]))
        length++;
    return length;
}

static void check_reference(const char *p, const char *end, const char *name, mp_slice text)
{
    static const char *const known[] = {"&amp;", "&lt;",  "&gt;",  "&quot;",
                                        "&#9;",  "&#10;", "&#13;", "&#160;"};
    const mp_slice rest = {p, (size_t)(end - p)};
    bool is_one = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_one |= mp_slice_starts(rest, known[i]);
    hold_of(is_one, name, "a & begins a reference", text);
}

/* Return the end of a tag's attributes: its > or />. In HTML, words and numbers need no quotes. */
static const char *past_attributes(const char *p, const char *end, const char *name, mp_slice text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789.+-";
    while (p < end && *p != '>' && *p != '/') {
        if (strchr(" \t\n", *p)) {
            p++;
            continue;
        }
        p += name_length(p, end);
        if (mp_text_is(name, "html") && p + 1 < end && *p == '=' && strchr(plain, p[1])) {
            p += 1 + strspn(p + 1, plain);
            continue;
        }
        hold_of(p + 1 < end && *p == '=' && p[1] == '"', name, "an attribute has a value in quotes",
                text);
        for (p += 2; p < end && *p != '"'; p++) {
            hold_of(*p != '<', name, "an attribute has no raw <", text);
            if (*p == '&')
                check_reference(p, end, name, text);
        }
        p++;
    }
    hold_of(p < end, name, "a tag ends", text);
    return p;
}

/* Return the > of <?...>, <!...> or <![CDATA[...]]>, which contains scripts; NULL if none of them
 * begins at `p`. */
static const char *past_declaration(const char *p, const char *end)
{
    static const char data[] = "<![CDATA[", close[] = "]]>";
    const size_t length = (size_t)(end - p);
    if (!mp_slice_starts((mp_slice){p, length}, data))
        return memchr(p, '>', length);
    p = memmem(p, length, close, strlen(close));
    return p ? p + strlen(close) - 1 : NULL;
}

void fuzz_check_xml(const char *subject, mp_slice text)
{
    element open[64];
    size_t depth = 0;
    const char *end = text.start + text.length;
    size_t roots = 0;
    check_characters(subject, text, "\n\t");
    hold_of(!memmem(text.start, text.length, "\xef\xbf\xbe", 3) &&
                !memmem(text.start, text.length, "\xef\xbf\xbf", 3),
            subject, "there is nothing that XML has no place for", text);
    for (const char *p = text.start; p < end; p++) {
        if (*p == '&')
            check_reference(p, end, subject, text);
        hold_of(*p != '>', subject, "a > stands behind a tag", text);
        if (*p != '<')
            continue;
        if (p + 1 < end && (p[1] == '?' || p[1] == '!')) {
            p = past_declaration(p, end);
            hold_of(p != NULL, subject, "a declaration ends", text);
            continue;
        }
        roots += !depth;
        bool closes = p + 1 < end && p[1] == '/';
        element tag = {p + 1 + closes, 0};
        tag.length = name_length(tag.name, end);
        hold_of(tag.length > 0, subject, "a tag has a name", text);
        if (closes) {
            hold_of(depth > 0 && open[depth - 1].length == tag.length &&
                        memcmp(open[depth - 1].name, tag.name, tag.length) == 0,
                    subject, "elements are closed in their order", text);
            depth--;
            p = tag.name + tag.length;
        } else {
            p = past_attributes(tag.name + tag.length, end, subject, text);
            if (*p == '/')
                p++;
            else if (depth < sizeof open / sizeof *open)
                open[depth++] = tag;
        }
        hold_of(p < end && *p == '>', subject, "a tag ends", text);
    }
    hold_of(depth == 0, subject, "all elements are closed", text);
    hold_of(roots == 1, subject, "one element has all others", text);
}

/* --- HTML --- */

/* Return true if a page may contain the element. */
static bool is_element(mp_slice name)
{
    static const char *const known[] = {
        "html",    "head",    "meta",  "link",  "title",  "style",  "body",  "header", "main",
        "section", "h1",      "h2",    "p",     "dl",     "dt",     "dd",    "div",    "span",
        "table",   "thead",   "tbody", "tr",    "th",     "td",     "ul",    "ol",     "li",
        "details", "summary", "small", "pre",   "code",   "figure", "svg",   "desc",   "g",
        "rect",    "path",    "text",  "tspan", "circle", "line",   "script"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (mp_slice_is(name, known[i]))
            return true;
    return false;
}

/* Return the end of a style or a script. Check data for scripts. */
static const char *past_raw(const char *p, const char *end, mp_slice name, const char *subject,
                            mp_slice text)
{
    static const char data[] = "<script type=\"application/json\" id=\"data\">";
    char closing[16];
    snprintf(closing, sizeof closing, "</%.*s>", (int)name.length, name.start);
    const char *close = memmem(p, (size_t)(end - p), closing, strlen(closing));
    hold_of(close != NULL, subject, "a script or a style ends", text);
    if (p - text.start >= (ptrdiff_t)sizeof data - 1 &&
        memcmp(p - (sizeof data - 1), data, sizeof data - 1) == 0)
        fuzz_check_json("data of a page", (mp_slice){p, (size_t)(close - p)});
    return close;
}

void fuzz_check_html(const char *subject, mp_slice text)
{
    const char *end = text.start + text.length, *plain = text.start;
    hold_of(mp_slice_starts(text, "<!doctype html>\n"), subject, "it is a page", text);
    for (const char *p = strchr(text.start, '\n'); p < end; p++) {
        if (*p == '&')
            check_reference(p, end, subject, text);
        hold_of(*p != '>', subject, "a > stands behind a tag", text);
        if (*p != '<')
            continue;
        bool closes = p + 1 < end && p[1] == '/';
        mp_slice name = {p + 1 + closes, name_length(p + 1 + closes, end)};
        hold_of(is_element(name), subject, "a page has elements of its own alone", text);
        p = past_attributes(name.start + name.length, end, subject, text);
        p += *p == '/';
        hold_of(p < end && *p == '>', subject, "a tag ends", text);
        if (!closes && (mp_slice_is(name, "script") || mp_slice_is(name, "style"))) {
            check_characters(subject, (mp_slice){plain, (size_t)(p - plain)}, "\n\t");
            plain = past_raw(p + 1, end, name, subject, text);
            p = plain - 1;
        }
    }
    check_characters(subject, (mp_slice){plain, (size_t)(end - plain)}, "\n\t");
}

/* --- JUnit --- */

static size_t times(mp_slice text, const char *words)
{
    size_t count = 0, length = strlen(words);
    const char *end = text.start + text.length, *p = text.start;
    while ((p = memmem(p, (size_t)(end - p), words, length))) {
        p += length;
        count++;
    }
    return count;
}

/* Check that each suite states the number of cases that it has. */
static void check_junit(const char *name, mp_slice text)
{
    char counts[128];
    size_t failures = times(text, "<failure "), errors = times(text, "<error ");
    snprintf(counts, sizeof counts, "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
             times(text, "<testcase "), failures, errors);
    hold_of(times(text, counts) == 2, name, "there are as many cases as it says", text);
    hold_of(times(text, "</testcase>") == failures + errors + times(text, "<system-out>"), name,
            "a case that has something has one thing", text);
    hold_of(times(text, " classname=\"memprof.") == times(text, "<testcase "), name,
            "a case has a class", text);
}

/* --- documents --- */

static void check_output(const char *name, mp_slice text)
{
    if (mp_text_is(name, "json") || mp_text_is(name, "speedscope"))
        fuzz_check_json(name, text);
    else if (mp_text_is(name, "html"))
        fuzz_check_html(name, text);
    else if (mp_text_is(name, "csv"))
        fuzz_check_csv(name, text);
    else if (!mp_text_is(name, "text") && mp_slice_starts(text, "<?xml")) /* not a title */
        fuzz_check_xml(name, text);
    else
        fuzz_check_text(name, text);
    if (mp_text_is(name, "junit"))
        check_junit(name, text);
}

/* Check that no line is wider than the window. */
static void check_width(const char *name, mp_slice text, size_t width)
{
    mp_arena arena = {0};
    for (mp_slice rest = text, line; mp_slice_take_line(&rest, &line);)
        hold_of(mp_text_width(mp_arena_copy(&arena, line.start, line.length)) <= width, name,
                "a line is no wider than the window", line);
    mp_arena_free(&arena);
}

char *fuzz_render(const mp_document *document, const mp_diagnostics *diagnostics,
                  const mp_renderer *renderer, fuzz_choice *choice)
{
    static const unsigned widths[] = {0, 60, 80, 100, 61, 200};
    char *text = NULL;
    size_t length = 0;
    mp_error error = {0};
    mp_style style = {.dashes = "--", .command = "memprof analyze 'a b'"};
    style.width = widths[fuzz_choose(choice, sizeof widths / sizeof *widths)];
    style.brief = renderer->can_be_brief && fuzz_choose(choice, 4) == 0;
    FILE *out = open_memstream(&text, &length);
    bool rendered = renderer->render(document, diagnostics, &style, out, &error);
    fclose(out);
    if (rendered) {
        check_output(renderer->name, (mp_slice){text, length});
        if (style.width && mp_text_is(renderer->name, "text"))
            check_width(renderer->name, (mp_slice){text, length}, style.width);
        return text;
    }
    fuzz_check_error(&error);
    hold_of(length == 0, renderer->name, "what is refused prints nothing",
            (mp_slice){text, length});
    free(text);
    return NULL;
}

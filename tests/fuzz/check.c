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
    if (text.at)
        fprintf(stderr, "----\n%.*s\n----\n", (int)text.length, text.at);
    abort();
}

static void hold_of(bool holds, const char *of, const char *sentence, mp_slice text)
{
    char line[256];
    if (holds)
        return;
    snprintf(line, sizeof line, "%s: %s", of, sentence);
    fuzz_hold(false, line, text);
}

/* --- text --- */

/* The first character that stands for something else before people, but for those that are allowed.
 */
static const char *first_control(mp_slice text, const char *allowed)
{
    char escape[MP_ESCAPE];
    const char *end = text.at + text.length;
    for (const char *p = text.at; p < end;) {
        if ((!*p || !strchr(allowed, *p)) && mp_text_escape(p, end, escape))
            return p;
        size_t length = mp_utf8_length(p, end);
        p += length ? length : 1;
    }
    return NULL;
}

static void check_characters(const char *of, mp_slice text, const char *allowed)
{
    if (!text.length)
        return;
    hold_of(mp_utf8_valid(text), of, "the output is UTF-8", text);
    const char *control = first_control(text, allowed);
    if (control) {
        fprintf(stderr, "\nbyte %#x at %td\n", (unsigned char)*control, control - text.at);
        hold_of(false, of, "the output has no control characters", text);
    }
}

void fuzz_check_text(const char *of, mp_slice text)
{
    check_characters(of, text, "\n");
}

void fuzz_check_error(const mp_error *error)
{
    char line[8192];
    const char *text = mp_error_line(error, "--", line, sizeof line);
    hold_of(error->code != MP_ERROR_NONE, "an error", "it has a code", mp_slice_of(text));
    hold_of(*error->text != '\0', "an error", "it says something", mp_slice_of(text));
}

/* --- JSON --- */

void fuzz_check_json(const char *of, mp_slice text)
{
    hold_of(mp_utf8_valid(text), of, "the output is UTF-8", text);
    json_error_t error;
    json_t *object =
        json_loadb(text.at, text.length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    hold_of(object != NULL, of, "the output is JSON", text);
    hold_of(json_is_object(object), of, "it is an object", text);
    json_decref(object);
}

/* --- CSV --- */

/* Past the field that begins at `p`, as RFC 4180 has it. */
static const char *past_field(const char *p, const char *end, const char *of, mp_slice text)
{
    if (p == end || *p != '"') {
        while (p < end && !strchr(",\r\n", *p)) {
            hold_of(*p != '"', of, "a quote stands in a field in quotes", text);
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
    hold_of(false, of, "quotes are closed", text);
    return end;
}

void fuzz_check_csv(const char *of, mp_slice text)
{
    size_t fields = 0, first = 0;
    const char *end = text.at + text.length;
    hold_of(mp_utf8_valid(text), of, "the output is UTF-8", text);
    for (const char *p = text.at; p < end;) {
        p = past_field(p, end, of, text);
        fields++;
        bool ends = p < end && (*p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'));
        hold_of(ends || (p < end && *p == ','), of, "a field ends at a comma or a line's end",
                text);
        if (ends) {
            first = first ? first : fields;
            hold_of(fields == first, of, "all rows have the same fields", text);
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

static void check_reference(const char *p, const char *end, const char *of, mp_slice text)
{
    static const char *const known[] = {"&amp;", "&lt;",  "&gt;",  "&quot;",
                                        "&#9;",  "&#10;", "&#13;", "&#160;"};
    const mp_slice rest = {p, (size_t)(end - p)};
    bool is_one = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_one |= mp_slice_starts(rest, known[i]);
    hold_of(is_one, of, "a & begins a reference", text);
}

/* Past the attributes of a tag, at its > or />. In HTML, words and numbers need no quotes. */
static const char *past_attributes(const char *p, const char *end, const char *of, mp_slice text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789.+-";
    while (p < end && *p != '>' && *p != '/') {
        if (strchr(" \t\n", *p)) {
            p++;
            continue;
        }
        p += name_length(p, end);
        if (mp_text_is(of, "html") && p + 1 < end && *p == '=' && strchr(plain, p[1])) {
            p += 1 + strspn(p + 1, plain);
            continue;
        }
        hold_of(p + 1 < end && *p == '=' && p[1] == '"', of, "an attribute has a value in quotes",
                text);
        for (p += 2; p < end && *p != '"'; p++) {
            hold_of(*p != '<', of, "an attribute has no raw <", text);
            if (*p == '&')
                check_reference(p, end, of, text);
        }
        p++;
    }
    hold_of(p < end, of, "a tag ends", text);
    return p;
}

/* At the > of <?...>, <!...> or <![CDATA[...]]>, which is where scripts stand; NULL where none is.
 */
static const char *past_declaration(const char *p, const char *end)
{
    static const char data[] = "<![CDATA[", close[] = "]]>";
    const size_t length = (size_t)(end - p);
    if (!mp_slice_starts((mp_slice){p, length}, data))
        return memchr(p, '>', length);
    p = memmem(p, length, close, strlen(close));
    return p ? p + strlen(close) - 1 : NULL;
}

void fuzz_check_xml(const char *of, mp_slice text)
{
    element open[64];
    size_t depth = 0;
    const char *end = text.at + text.length;
    size_t roots = 0;
    check_characters(of, text, "\n\t");
    hold_of(!memmem(text.at, text.length, "\xef\xbf\xbe", 3) &&
                !memmem(text.at, text.length, "\xef\xbf\xbf", 3),
            of, "there is nothing that XML has no place for", text);
    for (const char *p = text.at; p < end; p++) {
        if (*p == '&')
            check_reference(p, end, of, text);
        hold_of(*p != '>', of, "a > stands behind a tag", text);
        if (*p != '<')
            continue;
        if (p + 1 < end && (p[1] == '?' || p[1] == '!')) {
            p = past_declaration(p, end);
            hold_of(p != NULL, of, "a declaration ends", text);
            continue;
        }
        roots += !depth;
        bool closes = p + 1 < end && p[1] == '/';
        element tag = {p + 1 + closes, 0};
        tag.length = name_length(tag.name, end);
        hold_of(tag.length > 0, of, "a tag has a name", text);
        if (closes) {
            hold_of(depth > 0 && open[depth - 1].length == tag.length &&
                        memcmp(open[depth - 1].name, tag.name, tag.length) == 0,
                    of, "elements are closed in their order", text);
            depth--;
            p = tag.name + tag.length;
        } else {
            p = past_attributes(tag.name + tag.length, end, of, text);
            if (*p == '/')
                p++;
            else if (depth < sizeof open / sizeof *open)
                open[depth++] = tag;
        }
        hold_of(p < end && *p == '>', of, "a tag ends", text);
    }
    hold_of(depth == 0, of, "all elements are closed", text);
    hold_of(roots == 1, of, "one element has all others", text);
}

/* --- HTML --- */

/* Return true if a page may have the element of its own. */
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

/* Past what is in a style or a script; data are checked. */
static const char *past_raw(const char *p, const char *end, mp_slice name, const char *of,
                            mp_slice text)
{
    static const char data[] = "<script type=\"application/json\" id=\"data\">";
    char closing[16];
    snprintf(closing, sizeof closing, "</%.*s>", (int)name.length, name.at);
    const char *close = memmem(p, (size_t)(end - p), closing, strlen(closing));
    hold_of(close != NULL, of, "a script or a style ends", text);
    if (p - text.at >= (ptrdiff_t)sizeof data - 1 &&
        memcmp(p - (sizeof data - 1), data, sizeof data - 1) == 0)
        fuzz_check_json("data of a page", (mp_slice){p, (size_t)(close - p)});
    return close;
}

void fuzz_check_html(const char *of, mp_slice text)
{
    const char *end = text.at + text.length, *plain = text.at;
    hold_of(mp_slice_starts(text, "<!doctype html>\n"), of, "it is a page", text);
    for (const char *p = strchr(text.at, '\n'); p < end; p++) {
        if (*p == '&')
            check_reference(p, end, of, text);
        hold_of(*p != '>', of, "a > stands behind a tag", text);
        if (*p != '<')
            continue;
        bool closes = p + 1 < end && p[1] == '/';
        mp_slice name = {p + 1 + closes, name_length(p + 1 + closes, end)};
        hold_of(is_element(name), of, "a page has elements of its own alone", text);
        p = past_attributes(name.at + name.length, end, of, text);
        p += *p == '/';
        hold_of(p < end && *p == '>', of, "a tag ends", text);
        if (!closes && (mp_slice_is(name, "script") || mp_slice_is(name, "style"))) {
            check_characters(of, (mp_slice){plain, (size_t)(p - plain)}, "\n\t");
            plain = past_raw(p + 1, end, name, of, text);
            p = plain - 1;
        }
    }
    check_characters(of, (mp_slice){plain, (size_t)(end - plain)}, "\n\t");
}

/* --- JUnit --- */

static size_t times(mp_slice text, const char *words)
{
    size_t count = 0, length = strlen(words);
    const char *end = text.at + text.length, *p = text.at;
    while ((p = memmem(p, (size_t)(end - p), words, length))) {
        p += length;
        count++;
    }
    return count;
}

/* Check that the counts of suites match their cases. */
static void check_junit(const char *of, mp_slice text)
{
    char counts[128];
    size_t failures = times(text, "<failure "), errors = times(text, "<error ");
    snprintf(counts, sizeof counts, "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
             times(text, "<testcase "), failures, errors);
    hold_of(times(text, counts) == 2, of, "there are as many cases as it says", text);
    hold_of(times(text, "</testcase>") == failures + errors + times(text, "<system-out>"), of,
            "a case that has something has one thing", text);
    hold_of(times(text, " classname=\"memprof.") == times(text, "<testcase "), of,
            "a case has a class", text);
}

/* --- documents --- */

static void check_output(const char *of, mp_slice text)
{
    if (mp_text_is(of, "json") || mp_text_is(of, "speedscope"))
        fuzz_check_json(of, text);
    else if (mp_text_is(of, "html"))
        fuzz_check_html(of, text);
    else if (mp_text_is(of, "csv"))
        fuzz_check_csv(of, text);
    else if (!mp_text_is(of, "text") && mp_slice_starts(text, "<?xml")) /* no title */
        fuzz_check_xml(of, text);
    else
        fuzz_check_text(of, text);
    if (mp_text_is(of, "junit"))
        check_junit(of, text);
}

/* No line is wider than the window. */
static void check_width(const char *of, mp_slice text, size_t width)
{
    mp_arena arena = {0};
    for (mp_slice rest = text, line; mp_slice_take_line(&rest, &line);)
        hold_of(mp_text_width(mp_arena_copy(&arena, line.at, line.length)) <= width, of,
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

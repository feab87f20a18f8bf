/* JUnit XML, which continuous integration shows as test results: a policy is a suite, a rule a
 * test.
 *
 * Source: the schemas by which the consumers of such files describe them; tests/junit.xsd says what
 * is written here. A rule that fails is a failure, one that could not be judged an error. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "document/checks.h"
#include "render/renderer.h"

/* What XML 1.0 has no place for: control characters, U+FFFE, U+FFFF. */
static bool is_forbidden(const char *p, size_t length)
{
    unsigned char first = (unsigned char)*p;
    if (length == 1)
        return first < 32 && first != '\t' && first != '\n' && first != '\r';
    return length == 3 && memcmp(p, "\xef\xbf", 2) == 0 && (unsigned char)p[2] >= 0xbe;
}

/* `attribute`: line ends too, which a parser would make blanks of. */
static void put(FILE *file, const char *text, bool attribute)
{
    const char *end = text + strlen(text);
    for (size_t length; text < end; text += length) {
        length = mp_utf8_length(text, end);
        if (!length) {
            length = 1; /* no UTF-8, which no document has */
            continue;
        }
        if (is_forbidden(text, length))
            continue;
        if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else if (*text == '\r' || (attribute && (*text == '\n' || *text == '\t')))
            fprintf(file, "&#%d;", *text);
        else
            fwrite(text, 1, length, file);
    }
}

static void put_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    put(file, value, true);
    fputc('"', file);
}

static void put_counts(FILE *file, const mp_checks *checks)
{
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", checks->count,
            checks->counts[MP_VERDICT_FAIL], checks->counts[MP_VERDICT_ERROR]);
}

/* "p" of "rules/p.policy": a class name is shown as a path by its dots. */
static const char *class_of(mp_arena *arena, const mp_document *document, const mp_checks *checks)
{
    const char *slash = strrchr(checks->policy, '/');
    const char *file = slash ? slash + 1 : checks->policy;
    const char *dot = strrchr(file, '.');
    size_t length = dot && dot > file ? (size_t)(dot - file) : strlen(file);
    return *checks->policy ? mp_arena_format(arena, "memprof.%.*s", (int)length, file)
                           : mp_arena_format(arena, "memprof.%s", document->command);
}

static void put_problem(FILE *file, const mp_checks *checks, const mp_check *check)
{
    const char *element = check->verdict == MP_VERDICT_FAIL ? "failure" : "error";
    fprintf(file, "      <%s", element);
    put_attribute(file, "message", check->message);
    put_attribute(file, "type", check->verdict == MP_VERDICT_FAIL ? "limit" : "not judged");
    fputc('>', file);
    if (check->line) {
        put(file, checks->policy, false);
        fprintf(file, ":%" PRIu32 ": ", check->line);
    }
    put(file, check->message, false);
    if (*check->measured) {
        fputs("\nmeasured: ", file);
        put(file, check->measured, false);
    }
    if (*check->limit) {
        fputs("\nlimit: ", file);
        put(file, check->limit, false);
    }
    fprintf(file, "</%s>\n", element);
}

static void put_check(FILE *file, const mp_checks *checks, const mp_check *check,
                      const char *class_name)
{
    fputs("    <testcase", file);
    put_attribute(file, "name", check->name);
    put_attribute(file, "classname", class_name);
    put_attribute(file, "time", "0");
    if (check->verdict == MP_VERDICT_PASS) {
        fputs("/>\n", file);
        return;
    }
    fputs(">\n", file);
    put_problem(file, checks, check);
    fputs("    </testcase>\n", file);
}

static bool render_junit(const mp_document *document, const mp_diagnostics *diagnostics,
                         const mp_style *style, FILE *file, mp_error *error)
{
    mp_arena arena = {0};
    mp_checks checks;
    if (!mp_checks_find(document, diagnostics, style->dashes, "JUnit XML shows", &arena, &checks,
                        error)) {
        mp_arena_free(&arena);
        return false;
    }
    const char *suite = *checks.policy ? checks.policy : document->command;
    const char *class_name = class_of(&arena, document, &checks);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"memprof\"", file);
    put_counts(file, &checks);
    fputs(" time=\"0\">\n  <testsuite", file);
    put_attribute(file, "name", suite);
    put_counts(file, &checks);
    fputs(" skipped=\"0\" time=\"0\">\n", file);
    for (size_t i = 0; i < checks.count; i++)
        put_check(file, &checks, &checks.at[i], class_name);
    fputs("  </testsuite>\n</testsuites>\n", file);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_junit = {.name = "junit",
                                       .summary = "rules and limits as JUnit XML, a test each",
                                       .render = render_junit};

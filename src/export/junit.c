/* JUnit XML, which CI systems show as test results: a policy is a test suite, a rule is a test.
 *
 * Source: the schemas published by programs that read these files; tests/junit.xsd defines the part
 * that is written here. A failed rule is a failure, and a rule that cannot be judged is an error.
 * Warnings of passed rules are written as output. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "document/checks.h"
#include "render/renderer.h"
#include "render/xml.h"

static void put_counts(FILE *file, const mp_checks *checks)
{
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", checks->count,
            checks->counts[MP_VERDICT_FAIL], checks->counts[MP_VERDICT_ERROR]);
}

/* Return "p" for "rules/p.policy". The name of a class must not have dots, because readers would
 * show it as a path. */
static const char *class_of(mp_arena *arena, const mp_document *document, const mp_checks *checks)
{
    const char *file = mp_file_name(checks->policy);
    const char *dot = strrchr(file, '.');
    size_t length = dot && dot > file ? (size_t)(dot - file) : strlen(file);
    return *checks->policy ? mp_arena_format(arena, "memprof.%.*s", (int)length, file)
                           : mp_arena_format(arena, "memprof.%s", document->command);
}

static void put_problem(FILE *file, const mp_checks *checks, const mp_check *check)
{
    const char *element = check->verdict == MP_VERDICT_FAIL ? "failure" : "error";
    fprintf(file, "      <%s", element);
    mp_xml_attribute(file, "message", check->message);
    mp_xml_attribute(file, "type", check->verdict == MP_VERDICT_FAIL ? "limit" : "not judged");
    fputc('>', file);
    if (check->line) {
        mp_xml_text(file, checks->policy);
        fprintf(file, ":%" PRIu32 ": ", check->line);
    }
    mp_xml_text(file, check->message);
    if (*check->measured) {
        fputs("\nmeasured: ", file);
        mp_xml_text(file, check->measured);
    }
    if (*check->limit) {
        fputs("\nlimit: ", file);
        mp_xml_text(file, check->limit);
    }
    fprintf(file, "</%s>\n", element);
}

static void put_check(FILE *file, const mp_checks *checks, const mp_check *check,
                      const char *class_name)
{
    fputs("    <testcase", file);
    mp_xml_attribute(file, "name", check->name);
    mp_xml_attribute(file, "classname", class_name);
    mp_xml_attribute(file, "time", "0");
    if (check->verdict == MP_VERDICT_PASS && !*check->warning) {
        fputs("/>\n", file);
        return;
    }
    fputs(">\n", file);
    if (check->verdict == MP_VERDICT_PASS) {
        fputs("      <system-out>warning: ", file);
        mp_xml_text(file, check->warning);
        fputs("</system-out>\n", file);
    } else {
        put_problem(file, checks, check);
    }
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
    mp_xml_attribute(file, "name", suite);
    put_counts(file, &checks);
    fputs(" skipped=\"0\" time=\"0\">\n", file);
    for (size_t i = 0; i < checks.count; i++)
        put_check(file, &checks, &checks.items[i], class_name);
    fputs("  </testsuite>\n</testsuites>\n", file);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_junit = {.name = "junit",
                                       .summary = "rules and limits as JUnit XML, one test each",
                                       .of_checks = true,
                                       .render = render_junit};

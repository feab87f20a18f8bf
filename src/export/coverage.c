/* Coverage for continuous integration: Cobertura XML, lcov tracefiles, SonarQube XML. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "render/cell.h"
#include "render/renderer.h"
#include "render/xml.h"
#include "reports/answers.h"

/* Options for tables that have no effect here: these files contain all lines. */
static const char *const unused[] = {"by", "sort", "limit", "uncovered", NULL};
/* Name of a main block, for formats in which methods must have names. */
static const char main_block[] = "(main block)";

/* Return the document's coverage. Return NULL with a message if the document has none or was merged
 * from several runs, or if a program has several sources, because these formats allow one source
 * per path. */
static const mp_coverage_answer *coverage_of(const mp_document *document, const mp_style *style,
                                             const char *format, mp_error *error)
{
    const mp_table *table = mp_document_answer(document, MP_ANSWER_COVERAGE);
    const mp_coverage_answer *answer = table ? table->about : NULL;
    if (document->files)
        mp_fail(error, MP_ERROR_NO_ANSWER,
                "%s needs one set of runs, but these are separate; %sgroup all combines them",
                format, style->dashes);
    else if (!answer)
        mp_fail(error, MP_ERROR_NO_ANSWER, "%s shows coverage, expected the command coverage",
                format);
    else if (answer->versions)
        mp_fail(error, MP_ERROR_NO_ANSWER,
                "%s was compiled from several sources (CRC) with different lines; write %s from "
                "the runs of one of them",
                answer->versions, format);
    else if (answer->shared)
        mp_fail(error, MP_ERROR_NO_ANSWER,
                "several programs come from the file %s, and %s has one entry per path; select one "
                "of them",
                answer->shared, format);
    else
        return answer;
    return NULL;
}

/* Return the executions of the source line at *place, over all methods, and advance *place to the
 * next line. */
static int64_t take_line(const mp_coverage_file *file, size_t *place, int64_t *line)
{
    int64_t executions = 0;
    *line = file->items[*place].line;
    for (; *place < file->count && file->items[*place].line == *line; ++*place)
        executions += file->items[*place].executions;
    return executions;
}

/* --- Cobertura ---
 *
 * Packages, classes, methods, lines. Source: the document type coverage-04 of Cobertura;
 * tests/cobertura.xsd defines the part that is written here. A program becomes a class; its folder
 * or namespace becomes a package. Branches and complexity are required but unknown, so they are
 * 0. */

/* Rates are rounded down, so that only complete coverage is 1. */
static void put_rates(FILE *out, uint64_t executed, uint64_t lines)
{
    unsigned rate = lines ? (unsigned)(executed * 10000 / lines) : 10000;
    fprintf(out, " line-rate=\"%u.%04u\" branch-rate=\"0\"", rate / 10000, rate % 10000);
}

static void put_cobertura_line(FILE *out, int indent, int64_t line, int64_t executions)
{
    fprintf(out, "%*s<line number=\"%" PRId64 "\" hits=\"%" PRId64 "\" branch=\"false\"/>\n",
            indent, "", line, executions);
}

static void put_cobertura_method(FILE *out, const mp_coverage_file *file,
                                 const mp_coverage_method *method)
{
    fputs("            <method", out);
    mp_xml_attribute(out, "name", *method->name ? method->name : main_block);
    mp_xml_attribute(out, "signature", "");
    put_rates(out, method->executed, method->lines);
    fputs(" complexity=\"0\">\n              <lines>\n", out);
    for (uint32_t i = 0; i < method->lines; i++) {
        const mp_coverage_line *line = &file->items[file->by_method[method->first + i]];
        put_cobertura_line(out, 16, line->line, line->executions);
    }
    fputs("              </lines>\n            </method>\n", out);
}

static void put_class(FILE *out, const mp_coverage_file *file)
{
    fputs("        <class", out);
    mp_xml_attribute(out, "name", file->program);
    mp_xml_attribute(out, "filename", file->path);
    put_rates(out, file->executed, file->lines);
    fputs(" complexity=\"0\">\n          <methods>\n", out);
    for (size_t i = 0; i < file->method_count; i++)
        put_cobertura_method(out, file, &file->methods[i]);
    fputs("          </methods>\n          <lines>\n", out);
    for (size_t place = 0; place < file->count;) {
        int64_t line, executions = take_line(file, &place, &line);
        put_cobertura_line(out, 12, line, executions);
    }
    fputs("          </lines>\n        </class>\n", out);
}

/* A file and its package: "shop" for "shop/Order.cls", "." for files without a folder. */
typedef struct packed_file {
    const char *package;
    const mp_coverage_file *file;
} packed_file;

static const char *package_of(mp_arena *arena, const mp_coverage_file *file)
{
    const char *slash = strrchr(file->path, '/');
    if (!slash || slash == file->path)
        return ".";
    char *name = mp_arena_copy(arena, file->path, (size_t)(slash - file->path));
    for (char *p = name; *p; p++)
        *p = *p == '/' ? '.' : *p;
    return name;
}

static int by_package(const void *left, const void *right)
{
    const packed_file *a = left, *b = right;
    int order = strcmp(a->package, b->package);
    return order ? order : MP_COMPARE(a->file, b->file);
}

static void put_package(FILE *out, const packed_file *files, size_t count)
{
    uint64_t lines = 0, executed = 0;
    for (size_t i = 0; i < count; i++) {
        lines += files[i].file->lines;
        executed += files[i].file->executed;
    }
    fputs("    <package", out);
    mp_xml_attribute(out, "name", files->package);
    put_rates(out, executed, lines);
    fputs(" complexity=\"0\">\n      <classes>\n", out);
    for (size_t i = 0; i < count; i++)
        put_class(out, files[i].file);
    fputs("      </classes>\n    </package>\n", out);
}

static void put_packages(FILE *out, const mp_coverage_answer *answer)
{
    mp_arena arena = {0};
    packed_file *files = mp_arena_alloc(&arena, answer->file_count * sizeof *files);
    for (size_t i = 0; i < answer->file_count; i++)
        files[i] = (packed_file){package_of(&arena, &answer->files[i]), &answer->files[i]};
    qsort(files, answer->file_count, sizeof *files, by_package);
    for (size_t first = 0, next; first < answer->file_count; first = next) {
        for (next = first + 1; next < answer->file_count; next++)
            if (strcmp(files[first].package, files[next].package) != 0)
                break;
        put_package(out, &files[first], next - first);
    }
    mp_arena_free(&arena);
}

static bool render_cobertura(const mp_document *document, const mp_diagnostics *diagnostics,
                             const mp_style *style, FILE *out, mp_error *error)
{
    (void)diagnostics;
    const mp_coverage_answer *answer = coverage_of(document, style, "cobertura", error);
    if (!answer)
        return false;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n"
          "<coverage",
          out);
    put_rates(out, answer->executed, answer->lines);
    fprintf(out,
            " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64 "\" branches-covered=\"0\""
            " branches-valid=\"0\" complexity=\"0\" version=\"memprof " MEMPROF_VERSION "\""
            " timestamp=\"%" PRId64 "\">\n",
            answer->executed, answer->lines, answer->time_us / 1000);
    fputs("  <sources>\n    <source>.</source>\n  </sources>\n  <packages>\n", out);
    put_packages(out, answer);
    fputs("  </packages>\n</coverage>\n", out);
    return true;
}

const mp_renderer mp_renderer_cobertura = {.name = "cobertura",
                                           .summary = "coverage as Cobertura XML",
                                           .for_programs = true,
                                           .needs_receipt = true,
                                           .command = "coverage",
                                           .unused = unused,
                                           .render = render_cobertura};

/* --- lcov ---
 *
 * Each source file is a record of several lines, with one fact per line. Source: the manual page
 * geninfo(1) of lcov, FILES. */

/* Write the methods of a file. Each has its first executable line as its line. */
static void put_lcov_methods(FILE *out, mp_arena *arena, const mp_coverage_file *file)
{
    size_t executed = 0;
    for (size_t i = 0; i < file->method_count; i++) {
        const mp_coverage_method *method = &file->methods[i];
        const char *name = *method->name ? mp_safe_text(arena, method->name) : main_block;
        bool ran = method->calls > 0 || method->executed > 0;
        int64_t calls = ran && method->calls == 0 ? 1 : method->calls;
        executed += ran;
        fprintf(out, "FN:%" PRId64 ",%s\nFNDA:%" PRId64 ",%s\n",
                file->items[file->by_method[method->first]].line, name, calls, name);
    }
    fprintf(out, "FNF:%zu\nFNH:%zu\n", file->method_count, executed);
}

static bool render_lcov(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *out, mp_error *error)
{
    (void)diagnostics;
    mp_arena arena = {0};
    const mp_coverage_answer *answer = coverage_of(document, style, "lcov", error);
    for (size_t i = 0; answer && i < answer->file_count; i++) {
        const mp_coverage_file *file = &answer->files[i];
        fprintf(out, "TN:\nSF:%s\n", mp_safe_text(&arena, file->path));
        put_lcov_methods(out, &arena, file);
        for (size_t place = 0; place < file->count;) {
            int64_t line, executions = take_line(file, &place, &line);
            fprintf(out, "DA:%" PRId64 ",%" PRId64 "\n", line, executions);
        }
        fprintf(out, "LF:%" PRIu32 "\nLH:%" PRIu32 "\nend_of_record\n", file->lines,
                file->executed);
    }
    mp_arena_free(&arena);
    return answer != NULL;
}

const mp_renderer mp_renderer_lcov = {.name = "lcov",
                                      .summary = "coverage as a tracefile for lcov and genhtml",
                                      .for_programs = true,
                                      .needs_receipt = true,
                                      .command = "coverage",
                                      .unused = unused,
                                      .render = render_lcov};

/* --- SonarQube ---
 *
 * Files with their executable lines. Source: SonarQube's description of generic test data;
 * tests/sonar-generic.xsd defines the part that is written here. */

static bool render_sonar(const mp_document *document, const mp_diagnostics *diagnostics,
                         const mp_style *style, FILE *out, mp_error *error)
{
    (void)diagnostics;
    const mp_coverage_answer *answer = coverage_of(document, style, "sonar-generic", error);
    if (!answer)
        return false;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage version=\"1\">\n", out);
    for (size_t i = 0; i < answer->file_count; i++) {
        const mp_coverage_file *file = &answer->files[i];
        fputs("  <file", out);
        mp_xml_attribute(out, "path", file->path);
        fputs(">\n", out);
        for (size_t place = 0; place < file->count;) {
            int64_t line, executions = take_line(file, &place, &line);
            fprintf(out, "    <lineToCover lineNumber=\"%" PRId64 "\" covered=\"%s\"/>\n", line,
                    executions ? "true" : "false");
        }
        fputs("  </file>\n", out);
    }
    fputs("</coverage>\n", out);
    return true;
}

const mp_renderer mp_renderer_sonar_generic = {.name = "sonar-generic",
                                               .summary = "coverage in SonarQube's generic format",
                                               .for_programs = true,
                                               .needs_receipt = true,
                                               .command = "coverage",
                                               .unused = unused,
                                               .render = render_sonar};

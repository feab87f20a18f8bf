/* The tracefile of lcov, which genhtml makes pages of: a record a source file, a line a fact.
 *
 * Source: the manual page geninfo(1) of lcov, FILES. */
#include <inttypes.h>

#include "export/coverage_files.h"
#include "render/cell.h"

/* A function stands at its first line that could be executed. */
static void put_methods(FILE *out, mp_arena *arena, const mp_coverage_file *file)
{
    size_t executed = 0;
    for (size_t i = 0; i < file->method_count; i++) {
        const mp_coverage_method *method = &file->methods[i];
        const char *name = *method->name ? mp_safe_text(arena, method->name) : mp_main_block;
        bool ran = method->calls > 0 || method->executed > 0;
        int64_t calls = ran && method->calls == 0 ? 1 : method->calls;
        executed += ran;
        fprintf(out, "FN:%" PRId64 ",%s\nFNDA:%" PRId64 ",%s\n",
                file->at[file->by_method[method->first]].line, name, calls, name);
    }
    fprintf(out, "FNF:%zu\nFNH:%zu\n", file->method_count, executed);
}

static bool render_lcov(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *out, mp_error *error)
{
    (void)diagnostics;
    mp_arena arena = {0};
    const mp_coverage_answer *answer = mp_coverage_files(document, style, "lcov", error);
    for (size_t i = 0; answer && i < answer->file_count; i++) {
        const mp_coverage_file *file = &answer->files[i];
        fprintf(out, "TN:\nSF:%s\n", mp_safe_text(&arena, file->path));
        put_methods(out, &arena, file);
        for (size_t place = 0; place < file->count;) {
            int64_t line, executions = mp_coverage_take_line(file, &place, &line);
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
                                      .command = "coverage",
                                      .unused = mp_coverage_unused,
                                      .render = render_lcov};

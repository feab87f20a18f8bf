/* SonarQube's generic test coverage: files, and of each the lines that could be executed.
 *
 * Source: SonarQube's description of generic test data; tests/sonar-generic.xsd says what is
 * written. */
#include <inttypes.h>

#include "export/coverage_files.h"
#include "render/xml.h"

static bool render_sonar(const mp_document *document, const mp_diagnostics *diagnostics,
                         const mp_style *style, FILE *out, mp_error *error)
{
    (void)diagnostics;
    const mp_coverage_answer *answer = mp_coverage_files(document, style, "sonar-generic", error);
    if (!answer)
        return false;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage version=\"1\">\n", out);
    for (size_t i = 0; i < answer->file_count; i++) {
        const mp_coverage_file *file = &answer->files[i];
        fputs("  <file", out);
        mp_xml_attribute(out, "path", file->path);
        fputs(">\n", out);
        for (size_t place = 0; place < file->count;) {
            int64_t line, executions = mp_coverage_take_line(file, &place, &line);
            fprintf(out, "    <lineToCover lineNumber=\"%" PRId64 "\" covered=\"%s\"/>\n", line,
                    executions ? "true" : "false");
        }
        fputs("  </file>\n", out);
    }
    fputs("</coverage>\n", out);
    return true;
}

const mp_renderer mp_renderer_sonar_generic = {.name = "sonar-generic",
                                               .summary =
                                                   "coverage as SonarQube's generic test coverage",
                                               .for_programs = true,
                                               .command = "coverage",
                                               .unused = mp_coverage_unused,
                                               .render = render_sonar};

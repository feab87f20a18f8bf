/* What the exporters of coverage share. */
#ifndef MP_EXPORT_COVERAGE_FILES_H
#define MP_EXPORT_COVERAGE_FILES_H

#include "render/renderer.h"
#include "reports/answers.h"

/* What a main block is called where methods have names. */
extern const char mp_main_block[];

/* What is asked of tables, and these files have all lines. */
extern const char *const mp_coverage_unused[];

/* All of the document's coverage. NULL with a message where it has none, where it is of runs that
 * were read apart, or where a program has several sources: the formats have one of each path. */
const mp_coverage_answer *mp_coverage_files(const mp_document *document, const mp_style *style,
                                            const char *format, mp_error *error);

/* Executions of the source's line at *place, of whichever method it is; the next line is then at
 * *place. */
int64_t mp_coverage_take_line(const mp_coverage_file *file, size_t *place, int64_t *line);

#endif

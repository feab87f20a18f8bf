#include "export/coverage_files.h"

#include <string.h>

const char *const mp_coverage_unused[] = {"by", "sort", "limit", "uncovered", NULL};
const char mp_main_block[] = "(main block)";

const mp_coverage_answer *mp_coverage_files(const mp_document *document, const mp_style *style,
                                            const char *format, mp_error *error)
{
    const mp_table *table = mp_document_answer(document, MP_ANSWER_COVERAGE);
    const mp_coverage_answer *answer = table ? table->about : NULL;
    if (document->files)
        mp_fail(error, MP_ERROR_NO_ANSWER,
                "%s is of one set of runs, and these are read apart: %sgroup all reads them as one",
                format, style->dashes);
    else if (!answer)
        mp_fail(error, MP_ERROR_NO_ANSWER, "%s shows coverage, expected the command coverage",
                format);
    else if (answer->versions)
        mp_fail(error, MP_ERROR_NO_ANSWER,
                "%s was compiled from several sources (CRC), whose lines are not the same: write "
                "%s of the runs of one of them",
                answer->versions, format);
    else if (answer->shared)
        mp_fail(error, MP_ERROR_NO_ANSWER,
                "several programs are of the file %s, and %s has one of each path: select one of "
                "them",
                answer->shared, format);
    else
        return answer;
    return NULL;
}

int64_t mp_coverage_take_line(const mp_coverage_file *file, size_t *place, int64_t *line)
{
    int64_t executions = 0;
    *line = file->at[*place].line;
    for (; *place < file->count && file->at[*place].line == *line; ++*place)
        executions += file->at[*place].executions;
    return executions;
}

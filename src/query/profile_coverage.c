/* Which lines of a program were executed. */
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/profile_costs.h"
#include "query/profile_groups.h"

static int compare(const void *left, const void *right, void *model)
{
    const mp_program_coverage *a = left, *b = right;
    return mp_profile_text_compare(model, a->program, b->program);
}

/* Lines are numbered through a unit, its entities included: (program, line) tells them. */
mp_program_coverages mp_profile_coverage_of(const mp_filter *filter)
{
    enum { EXECUTABLE = 1, EXECUTED };
    mp_program_coverages result = {0};
    const mp_profile *profile = filter->model->profile;
    if (!profile)
        return result;
    mp_module_groups groups = mp_module_groups_of(filter);
    mp_id_index lines = {0};
    result.at = mp_alloc_zero(groups.program_count, sizeof *result.at);
    for (uint32_t i = 1; i < profile->coverage.count; i++) {
        const mp_profile_coverage *entity = &profile->coverage.at[i];
        uint64_t program = groups.program_of[entity->module.i];
        for (uint32_t k = 0; program != MP_NO_GROUP && k < entity->count; k++) {
            uint32_t line = (uint32_t)profile->coverage_lines.at[entity->first + k];
            uint32_t *state = mp_id_index_put(&lines, program << 32 | line);
            result.at[program].executable += *state != EXECUTABLE;
            *state = EXECUTABLE;
        }
    }
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.at[i];
        uint64_t program = groups.program_of[line->module.i];
        uint64_t key = program << 32 | (uint32_t)line->line;
        if (program == MP_NO_GROUP || line->executions == 0 ||
            mp_id_index_get(&lines, key) != EXECUTABLE)
            continue;
        *mp_id_index_put(&lines, key) = EXECUTED;
        result.at[program].executed++;
    }
    for (size_t i = 0; i < groups.program_count; i++) {
        result.at[i].program = groups.programs[i].program;
        if (result.at[i].executable)
            result.at[result.count++] = result.at[i];
    }
    qsort_r(result.at, result.count, sizeof *result.at, compare, (void *)(uintptr_t)filter->model);
    mp_id_index_free(&lines);
    mp_module_groups_free(&groups);
    return result;
}

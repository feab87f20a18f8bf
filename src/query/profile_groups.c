#include "query/profile_groups.h"

#include <stdlib.h>
#include <string.h>

int mp_profile_text_compare(const mp_model *model, mp_string_id a, mp_string_id b)
{
    return a.i == b.i ? 0 : strcmp(mp_model_text(model, a), mp_model_text(model, b));
}

/* Compare modules by names, then session, then number, so that the numbering of overloads does not
 * depend on the order in the file. */
static int by_names(const void *left, const void *right, void *opaque)
{
    const mp_module *modules = opaque;
    const mp_module *a = &modules[*(const uint32_t *)left], *b = &modules[*(const uint32_t *)right];
    int order = MP_COMPARE(a->program.i, b->program.i);
    order = order ? order : MP_COMPARE(a->method.i, b->method.i);
    order = order ? order : MP_COMPARE(a->start_line, b->start_line);
    order = order ? order : MP_COMPARE(a->runtime.i, b->runtime.i);
    order = order ? order : MP_COMPARE(a->session.i, b->session.i);
    return order ? order : MP_COMPARE(a->number, b->number);
}

mp_module_groups mp_module_groups_of(const mp_filter *filter)
{
    const mp_module *modules = filter->model->profile->modules.items, *before = &modules[0];
    uint32_t total = filter->model->profile->modules.count, count = 0, overload = 0;
    size_t first = 0; /* group of the method's overload 0 */
    uint32_t *order = mp_alloc(total * sizeof *order);
    mp_module_groups groups = {.methods = mp_alloc(total * sizeof *groups.methods),
                               .programs = mp_alloc(total * sizeof *groups.programs),
                               .method_of = mp_alloc(total * sizeof *groups.method_of),
                               .program_of = mp_alloc(total * sizeof *groups.program_of)};
    for (uint32_t i = 0; i < total; i++) {
        groups.method_of[i] = groups.program_of[i] = MP_NO_GROUP;
        if (i && modules[i].number != 0 && mp_filter_has_module(filter, i))
            order[count++] = i;
    }
    qsort_r(order, count, sizeof *order, by_names, (void *)(uintptr_t)modules);
    for (uint32_t i = 0; i < count; before = &modules[order[i++]]) {
        const mp_module *module = &modules[order[i]];
        bool same_program = i && module->program.i == before->program.i;
        bool same_method = same_program && module->method.i == before->method.i &&
                           module->start_line == before->start_line &&
                           module->runtime.i == before->runtime.i;
        if (!same_program)
            groups.programs[groups.program_count++] = (mp_code_name){.program = module->program};
        if (!same_method)
            first = groups.method_count;
        overload = same_method && module->session.i == before->session.i ? overload + 1 : 0;
        if (first + overload == groups.method_count)
            groups.methods[groups.method_count++] =
                (mp_code_name){.program = module->program,
                               .method = module->method,
                               .runtime = module->runtime,
                               .run_by_several = module->run_by_several,
                               .start_line = module->start_line,
                               .overload = overload};
        groups.method_of[order[i]] = (uint32_t)first + overload;
        groups.program_of[order[i]] = (uint32_t)groups.program_count - 1;
    }
    free(order);
    return groups;
}

void mp_module_groups_free(mp_module_groups *groups)
{
    MP_FREE(groups->methods, groups->programs, groups->method_of, groups->program_of);
    *groups = (mp_module_groups){0};
}

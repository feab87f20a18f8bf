#include "query/profile_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"

int mp_profile_text_compare(const mp_model *model, mp_string_id a, mp_string_id b)
{
    return a.i == b.i ? 0 : strcmp(mp_model_text(model, a), mp_model_text(model, b));
}

int mp_method_cost_compare(const void *left, const void *right, void *opaque)
{
    const mp_method_cost *a = left, *b = right;
    const mp_model *model = opaque;
    int order;
    if (a->exclusive_us != b->exclusive_us)
        return a->exclusive_us < b->exclusive_us ? 1 : -1;
    if ((order = mp_profile_text_compare(model, a->program, b->program)) != 0 ||
        (order = mp_profile_text_compare(model, a->method, b->method)) != 0)
        return order;
    if (a->start_line != b->start_line)
        return a->start_line < b->start_line ? -1 : 1;
    return a->overload < b->overload ? -1 : a->overload > b->overload;
}

/* --- overloads --- */

typedef struct numbered_module {
    uint32_t session;
    uint64_t number;
    uint32_t module;
} numbered_module;

static int by_number(const void *left, const void *right)
{
    const numbered_module *a = left, *b = right;
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Modules by session and number: overloads are counted in an order that does not depend on how the
 * file happens to list them. The caller frees it. */
static numbered_module *modules_in_order(const mp_profile *profile)
{
    numbered_module *order = mp_alloc_zero(profile->modules.count, sizeof *order);
    for (uint32_t i = 1; i < profile->modules.count; i++)
        order[i] =
            (numbered_module){profile->modules.at[i].session.i, profile->modules.at[i].number, i};
    qsort(order + 1, profile->modules.count - 1, sizeof *order, by_number);
    return order;
}

/* --- methods --- */

/* How many modules of a session have a row's names so far; kept at overload 0. */
typedef struct overload_count {
    uint32_t session, used;
} overload_count;

typedef struct method_index {
    mp_module_groups *groups;
    mp_hash_index index;
    overload_count *overloads; /* parallel to groups->methods */
    size_t overload_capacity;
    mp_method_cost wanted;
} method_index;

static bool same_method(const void *opaque, uint32_t value)
{
    const method_index *methods = opaque;
    const mp_method_cost *a = &methods->groups->methods[value - 1], *b = &methods->wanted;
    return a->program.i == b->program.i && a->method.i == b->method.i &&
           a->start_line == b->start_line && a->overload == b->overload;
}

/* The place of the row with these names, made if it is new. */
static uint32_t method_row(method_index *methods, const mp_module *module, uint32_t overload)
{
    mp_module_groups *groups = methods->groups;
    methods->wanted = (mp_method_cost){.program = module->program,
                                       .method = module->method,
                                       .start_line = module->start_line,
                                       .overload = overload};
    uint64_t hash = mp_hash64(((uint64_t)module->program.i << 32 | module->method.i) +
                              mp_hash64((uint64_t)overload << 32 | module->start_line));
    size_t place;
    uint32_t found = mp_hash_index_find(&methods->index, hash, same_method, methods, &place);
    if (found)
        return found - 1;
    size_t count = groups->method_count + 1;
    mp_grow(&groups->methods, &groups->method_capacity, count, sizeof *groups->methods);
    mp_grow(&methods->overloads, &methods->overload_capacity, count, sizeof *methods->overloads);
    groups->methods[count - 1] = methods->wanted;
    methods->overloads[count - 1] = (overload_count){0};
    groups->method_count = count;
    mp_hash_index_set(&methods->index, place, hash, (uint32_t)count);
    return (uint32_t)count - 1;
}

static uint32_t method_of_module(method_index *methods, const mp_module *module)
{
    uint32_t first = method_row(methods, module, 0);
    overload_count *overloads = &methods->overloads[first];
    if (overloads->session != module->session.i)
        *overloads = (overload_count){module->session.i, 0};
    uint32_t overload = overloads->used++;
    return overload ? method_row(methods, module, overload) : first;
}

static uint32_t program_row(mp_module_groups *groups, mp_id_index *index, mp_string_id program)
{
    uint32_t *place = mp_id_index_put(index, program.i);
    if (!*place) {
        size_t count = groups->program_count + 1;
        mp_grow(&groups->programs, &groups->program_capacity, count, sizeof *groups->programs);
        groups->programs[count - 1] = (mp_method_cost){.program = program};
        groups->program_count = count;
        *place = (uint32_t)count;
    }
    return *place - 1;
}

mp_module_groups mp_module_groups_make(const mp_model *model)
{
    mp_module_groups groups = {0};
    const mp_profile *profile = model->profile;
    if (!profile)
        return groups;
    method_index methods = {.groups = &groups};
    mp_id_index programs = {0};
    numbered_module *order = modules_in_order(profile);
    groups.method_of = mp_alloc_zero(profile->modules.count, sizeof *groups.method_of);
    groups.program_of = mp_alloc_zero(profile->modules.count, sizeof *groups.program_of);
    groups.method_of[0] = groups.program_of[0] = MP_NO_GROUP;
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        uint32_t at = order[i].module;
        const mp_module *module = &profile->modules.at[at];
        bool none = module->number == 0 || module->left_out;
        groups.method_of[at] = none ? MP_NO_GROUP : method_of_module(&methods, module);
        groups.program_of[at] =
            none ? MP_NO_GROUP : program_row(&groups, &programs, module->program);
    }
    free(order);
    free(methods.overloads);
    mp_hash_index_free(&methods.index);
    mp_id_index_free(&programs);
    return groups;
}

void mp_module_groups_free(mp_module_groups *groups)
{
    free(groups->methods);
    free(groups->programs);
    free(groups->method_of);
    free(groups->program_of);
    *groups = (mp_module_groups){0};
}

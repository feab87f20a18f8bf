/* Modules of all sessions, grouped into methods and programs by their names. */
#pragma once

#include "model/profile.h"
#include "query/filter.h"

/* Group number of modules without a group: the session itself, and unselected modules. */
#define MP_NO_GROUP UINT32_MAX

typedef struct mp_code_name {
    mp_string_id program, method, runtime; /* method and runtime: 0 for programs */
    uint32_t start_line, overload;
    bool run_by_several; /* other classes inherited and ran the method, too */
} mp_code_name;

/* Groups of modules, numbered from 0. method_of and program_of have the group of each module, by
 * mp_module_id. Release with mp_module_groups_free. */
typedef struct mp_module_groups {
    mp_code_name *methods, *programs;
    size_t method_count, program_count;
    uint32_t *method_of, *program_of;
} mp_module_groups;

mp_module_groups mp_module_groups_of(const mp_filter *filter);
void mp_module_groups_free(mp_module_groups *groups);

/* Compare two texts bytewise. */
int mp_profile_text_compare(const mp_model *model, mp_string_id a, mp_string_id b);

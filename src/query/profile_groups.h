/* Modules of all sessions, grouped into methods and programs by their names. */
#ifndef MP_QUERY_PROFILE_GROUPS_H
#define MP_QUERY_PROFILE_GROUPS_H

#include "model/profile.h"
#include "query/filter.h"

/* The group of a module that belongs to none: the session itself, or one that is not selected. */
#define MP_NO_GROUP UINT32_MAX

typedef struct mp_code_name {
    mp_string_id program, method, runtime; /* method and runtime: none of programs */
    uint32_t start_line, overload;
    bool run_by_several; /* objects of other classes inherited it, too */
} mp_code_name;

/* Groups count from 0. Arrays over modules go by mp_module_id. Release with
 * mp_module_groups_free. */
typedef struct mp_module_groups {
    mp_code_name *methods, *programs;
    size_t method_count, program_count;
    uint32_t *method_of, *program_of;
} mp_module_groups;

mp_module_groups mp_module_groups_of(const mp_filter *filter);
void mp_module_groups_free(mp_module_groups *groups);

/* Names byte-wise. */
int mp_profile_text_compare(const mp_model *model, mp_string_id a, mp_string_id b);

#endif

/* Names of the code in an execution profile, as all answers show them to people. Names live in the
 * arena or the model. */
#pragma once

#include "base/memory.h"
#include "query/profile_costs.h"

/* A program, a method, or a line of either. */
typedef struct mp_code_place {
    const char *program, *method; /* method: "" for a main block or a whole program */
    const char *run_by;           /* class to name, because several ran the method; "" = none */
    int64_t start_line;           /* first line of the method; 0 or less = unknown */
    int64_t line;                 /* MP_UNKNOWN = the whole method or program */
} mp_code_place;

/* Return the name of a line number of 0 or less, which is not a line of the source: "prologue" (0),
 * "clean-up" (-1), "garbage collection" (-2). */
const char *mp_line_name(int64_t line);
/* Return the name of a place, written like allocation sites: "openQuery shop.BaseRepository:76",
 * "shop/main.p (garbage collection)", or for a whole method "openQuery shop.BaseRepository (from
 * 70), run by shop.CustomerRepository". */
const char *mp_code_label(mp_arena *arena, const mp_code_place *place);
/* Return the place of a row of costs: a method or program, without a line. mp_module_place does the
 * same for a module. */
mp_code_place mp_cost_place(const mp_model *model, const mp_code_cost *cost);
mp_code_place mp_module_place(const mp_model *model, const mp_module *module);

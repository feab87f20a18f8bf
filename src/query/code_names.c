#include "query/code_names.h"

#include <inttypes.h>

#include "base/column.h"

const char *mp_line_name(int64_t line)
{
    return line == 0    ? "prologue"
           : line == -1 ? "clean-up"
           : line == -2 ? "garbage collection"
                        : "no line";
}

const char *mp_code_label(mp_arena *arena, const mp_code_place *place)
{
    const char *name =
        mp_arena_format(arena, "%s%s%s", place->method,
                        *place->method && *place->program ? " " : "", place->program);
    bool has_line = place->line > 0;
    if (has_line)
        name = mp_arena_format(arena, "%s:%" PRId64, name, place->line);
    if (!has_line && place->start_line > 0)
        name = mp_arena_format(arena, "%s (from %" PRId64 ")", name, place->start_line);
    if (!has_line && place->line != MP_UNKNOWN)
        name = mp_arena_format(arena, "%s (%s)", name, mp_line_name(place->line));
    return *place->run_by ? mp_arena_format(arena, "%s, run by %s", name, place->run_by) : name;
}

/* Return the place of a method. `several`: it was run by other classes besides `runtime`. */
static mp_code_place place_of(const mp_model *model, mp_string_id program, mp_string_id method,
                              uint32_t start_line, bool several, mp_string_id runtime)
{
    return (mp_code_place){.program = mp_model_text(model, program),
                           .method = mp_model_text(model, method),
                           .run_by =
                               several ? mp_model_text(model, runtime.i ? runtime : program) : "",
                           .start_line = start_line,
                           .line = MP_UNKNOWN};
}

mp_code_place mp_cost_place(const mp_model *model, const mp_code_cost *cost)
{
    return place_of(model, cost->program, cost->method, cost->start_line, cost->run_by_several,
                    cost->runtime);
}

mp_code_place mp_module_place(const mp_model *model, const mp_module *module)
{
    const bool named = module->program.i || module->method.i;
    return place_of(model, named ? module->program : module->name, module->method,
                    module->start_line, module->run_by_several, module->runtime);
}

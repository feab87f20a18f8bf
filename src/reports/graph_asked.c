/* Look up objects and types by the names that the user gave, and suggest other names if nothing has
 * them. */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/text.h"
#include "reports/graph_sections.h"

/* Names of the types that have objects, for suggestions. */
typedef struct named_types {
    const char **names;
    size_t count;
    mp_arena arena;
} named_types;

static named_types types_of_objects(const mp_model *model, const mp_graph *graph)
{
    named_types types = {.names = mp_alloc(model->types.count * sizeof *types.names)};
    bool *used = mp_alloc_zero(model->types.count, sizeof *used);
    for (uint32_t i = 1; i <= graph->count; i++)
        used[graph->types[i]] = true;
    for (uint32_t i = 0; i < model->types.count; i++)
        if (used[i])
            types.names[types.count++] = mp_type_text(&types.arena, model, i);
    free(used);
    return types;
}

static void types_free(named_types *types)
{
    free(types->names);
    mp_arena_free(&types->arena);
}

/* Return suggestions: the shortest names that contain the letters of the glob. If no name contains
 * them, return the most similar name; names are compared with and without their namespaces. NULL if
 * no name is similar. */
static const char *near_types(named_types *types, const char *glob)
{
    enum { MOST = 3 };
    const char *text = NULL, **last = mp_alloc((types->count + 1) * sizeof *last);
    const char *pattern = mp_arena_format(&types->arena, "*%s*", glob);
    const char *shortest[MOST + 1];
    size_t found = 0;
    for (size_t i = 0; i < types->count; i++) {
        const char *name = types->names[i], *dot = strrchr(name, '.');
        last[i] = dot ? dot + 1 : name;
        if (!mp_glob_fits(pattern, name, MP_GLOB_ANY_CASE))
            continue;
        size_t index = found < MOST ? found++ : MOST;
        for (; index && strlen(name) < strlen(shortest[index - 1]); index--)
            shortest[index] = shortest[index - 1];
        shortest[index] = name;
    }
    const char *nearest = mp_text_nearest(glob, types->names, types->count);
    const char *behind = nearest ? NULL : mp_text_nearest(glob, last, types->count);
    for (size_t i = 0; behind && i < types->count && !nearest; i++)
        if (last[i] == behind)
            nearest = types->names[i];
    if (!found && nearest)
        shortest[found++] = nearest;
    for (size_t i = 0; i < found; i++)
        text = text ? mp_arena_format(&types->arena, "%s, %s", text, shortest[i]) : shortest[i];
    free(last);
    return text;
}

bool mp_type_asked(const mp_model *model, const mp_graph *graph, const char *glob, mp_error *error)
{
    named_types types = types_of_objects(model, graph);
    size_t index = 0;
    while (index < types.count && !mp_glob_fits(glob, types.names[index], 0))
        index++;
    bool ok = index < types.count;
    if (!ok) {
        const char *near = near_types(&types, glob);
        mp_fail_argument(error, "type", glob, "no object has a matching type%s%s",
                         near ? ", expected one like " : ", expected one that memprof top prints",
                         near ? near : "");
    }
    types_free(&types);
    return ok;
}

/* Return true if the text is the name of a type. The user then means all objects of this type. */
static bool names_type(const mp_model *model, const mp_graph *graph, const char *text)
{
    named_types types = types_of_objects(model, graph);
    bool is_type = false;
    for (size_t i = 0; i < types.count; i++)
        is_type |= mp_glob_fits(text, types.names[i], 0);
    types_free(&types);
    return is_type;
}

bool mp_object_asked(const mp_model *model, const mp_graph *graph, const char *id, uint32_t *object,
                     mp_error *error)
{
    *object = id ? mp_graph_find(graph, id) : 0;
    if (!*object && id && names_type(model, graph, id))
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "%s is a type, not an object of the dump: with " MP_DASHES
                       "type %s instead, the report covers all of its objects",
                       id, id);
    return *object ||
           mp_fail(error, MP_ERROR_ARGUMENT,
                   "%s is not an object of the dump, expected %s, as memprof retained prints it",
                   id ? id : "nothing",
                   graph->hexadecimal ? "a hexadecimal id without a prefix" : "a decimal id");
}

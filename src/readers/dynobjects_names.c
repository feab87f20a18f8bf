/* Logs of dynamic objects: names, types and calls of code, as ids of the model. */
#include <stdlib.h>

#include "model/build.h"
#include "readers/dynobjects.h"

mp_string_id dyn_intern(dyn_names *names, mp_slice text)
{
    return mp_model_intern(names->model, text);
}

mp_symbol_id dyn_symbol(dyn_names *names, mp_string_id name, mp_string_id unit)
{
    mp_model *model = names->model;
    if (!name.i)
        return (mp_symbol_id){0};
    uint32_t *place = mp_id_index_put(&names->symbols, name.i);
    if (!*place) {
        MP_ADD(&model->symbols)->name = name;
        *place = model->symbols.count - 1;
        mp_grow(&names->units, &names->unit_capacity, *place + 1u, sizeof *names->units);
        names->units[*place] = unit;
    }
    return (mp_symbol_id){*place};
}

mp_symbol_id dyn_routine_symbol(dyn_names *names, const dyn_routine *routine)
{
    const mp_string_id unit = dyn_intern(names, routine->unit);
    if (!routine->name.length)
        return dyn_symbol(names, unit, unit);
    names->routine.length = 0;
    mp_text_put(&names->routine, routine->name.start, routine->name.length);
    mp_text_put(&names->routine, " ", 1);
    mp_text_put(&names->routine, routine->unit.start, routine->unit.length);
    const mp_slice text = {names->routine.text, names->routine.length};
    return dyn_symbol(names, dyn_intern(names, text), unit);
}

mp_type_id dyn_type(dyn_names *names, mp_slice text)
{
    static const struct {
        const char *name;
        mp_type_class class;
    } classes[] = {{"PROCEDURE", MP_TYPE_CODE},
                   {"Progress.Lang.Object", MP_TYPE_CODE},
                   {".NET Object", MP_TYPE_BUILT_IN},
                   {"MEMPTR", MP_TYPE_RAW_MEMORY},
                   {"Widget Pool", MP_TYPE_WIDGET_POOL}};
    const mp_string_id name = dyn_intern(names, text);
    const uint32_t known = names->model->types.count;
    const mp_type_id type = mp_model_type_named(names->model, name);
    if (type.i != known)
        return type;
    mp_type *added = &names->model->types.items[type.i];
    added->number = type.i;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (mp_slice_is(text, classes[i].name))
            added->class = classes[i].class;
    return type;
}

/* Return the node for a call of the symbol by `parent` at a line. */
static mp_node_id node_of(dyn_names *names, mp_node_id parent, mp_symbol_id symbol, uint32_t line)
{
    mp_model *model = names->model;
    if (!symbol.i)
        return (mp_node_id){0};
    const uint32_t call[] = {parent.i, symbol.i, line};
    uint32_t *place = mp_key_index_put(&names->nodes, call, sizeof call);
    if (!*place) {
        *place = model->nodes.count;
        *MP_ADD(&model->nodes) = (mp_node){
            .parent = parent, .symbol = symbol, .line = line, .defined = true, .number = *place};
    }
    return (mp_node_id){*place};
}

void dyn_names_free(dyn_names *names)
{
    free(names->units);
    free(names->routine.text);
    mp_id_index_free(&names->symbols);
    mp_key_index_free(&names->nodes);
}

/* --- calls --- */

/* Return the number of calls that remain if the innermost of these runs the routine. A call with
 * the same name is preferred to one in the same file or class. 0: no call matches. */
static size_t depth_of(const dyn_names *names, const dyn_calls *calls, mp_symbol_id routine)
{
    size_t depth = calls->depth;
    while (depth > 0 && calls->items[depth - 1].callee.i != routine.i)
        depth--;
    if (depth > 0 || !routine.i)
        return depth;
    for (depth = calls->depth; depth > 0; depth--)
        if (names->units[calls->items[depth - 1].callee.i].i == names->units[routine.i].i)
            return depth;
    return 0;
}

mp_node_id dyn_running_node(dyn_names *names, dyn_calls *calls, mp_symbol_id routine)
{
    const size_t depth = depth_of(names, calls, routine);
    if (!depth)
        return node_of(names, (mp_node_id){0}, routine, 0);
    calls->depth = depth;
    const dyn_call *call = &calls->items[depth - 1];
    if (call->callee.i == routine.i)
        return call->node;
    const mp_node *near = &names->model->nodes.items[call->node.i];
    return node_of(names, near->parent, routine, near->line);
}

void dyn_enter_call(dyn_names *names, dyn_calls *calls, const dyn_entry *entry)
{
    const mp_symbol_id caller = dyn_routine_symbol(names, &entry->routine);
    const mp_symbol_id callee = dyn_routine_symbol(names, &entry->callee);
    if (!depth_of(names, calls, caller))
        calls->depth = 0;
    const mp_node_id node = dyn_running_node(names, calls, caller);
    if (calls->depth < DYN_DEEPEST_STACK && callee.i)
        calls->items[calls->depth++] =
            (dyn_call){callee, node_of(names, node, callee, entry->line)};
}

void dyn_leave_call(dyn_names *names, dyn_calls *calls, const dyn_entry *entry)
{
    const size_t depth = depth_of(names, calls, dyn_routine_symbol(names, &entry->callee));
    if (depth)
        calls->depth = depth - 1;
}

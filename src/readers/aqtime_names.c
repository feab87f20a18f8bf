/* Names that the objects of a result set refer to by number: classes, routines, threads. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "base/units.h"
#include "model/build.h"
#include "readers/aqtime.h"

/* Return `name` with `owner` and a dot before it, unless it starts with `owner`. It is allocated in
 * the scratch arena. */
static const char *qualified(aq_state *state, const char *owner, const char *name)
{
    if (!*owner || strncmp(name, owner, strlen(owner)) == 0)
        return name;
    return mp_arena_format(&state->scratch, "%s.%s", owner, name);
}

/* --- classes --- */

static mp_type_class class_of(const char *name)
{
    static const char *const raw[] = {"C++ native memory", "VCL native memory", "VB native memory"};
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        if (mp_text_is(name, raw[i]))
            return MP_TYPE_RAW_MEMORY;
    return MP_TYPE_ORDINARY;
}

/* Return the type of this name. Types are identified by name; their numbers may differ between
 * sets. */
static mp_type_id type_named(aq_state *state, const char *name, int64_t number)
{
    mp_string_id text = aq_intern(state, name);
    const uint32_t known = state->model->types.count;
    const mp_type_id type = mp_model_type_named(state->model, text);
    if (type.i == known)
        state->model->types.items[type.i] =
            (mp_type){.name = text, .number = (uint64_t)number, .class = class_of(name)};
    return type;
}

/* Return a number that is only displayed; -1 if it is invalid. An invalid number does not make the
 * whole row invalid. */
static int64_t figure_of(const aq_state *state, aq_table table, int column)
{
    int64_t figure;
    return mp_parse_count(aq_text(state, table, column), &figure) ? figure : -1;
}

/* Set the module and the finalizer of a class. If several modules have a class with this name, set
 * the module to "(several)". */
static void describe(aq_state *state, aq_table table, mp_type_id id)
{
    mp_string_id module = aq_intern(state, aq_text(state, table, AQ_C_MODULE));
    const char *finalizable = aq_text(state, table, AQ_C_FINALIZABLE);
    mp_type *type = &state->model->types.items[id.i];
    if (!type->module.i)
        type->module = module;
    else if (module.i && module.i != type->module.i)
        type->module = aq_intern(state, "(several)");
    if (*finalizable)
        type->finalizable = strcmp(finalizable, "0") == 0 ? MP_TOLD_NO : MP_TOLD_YES;
}

mp_type_id aq_type_of_row(aq_state *state, aq_table table)
{
    /* both texts are valid here: a text is valid until the next text of the same column */
    const char *name = aq_text(state, table, AQ_C_NAME);
    const char *space = aq_text(state, table, AQ_C_NAMESPACE);
    if (!*name)
        return (mp_type_id){0};
    mp_type_id type = type_named(state, qualified(state, space, name), 0);
    mp_arena_free(&state->scratch);
    describe(state, table, type);
    return type;
}

bool aq_is_overwrite(const aq_state *state, mp_type_id type)
{
    return mp_text_is(mp_model_text(state->model, state->model->types.items[type.i].name),
                      "Memory Overwrite Error");
}

void aq_name_class(aq_state *state, int64_t record, mp_type_id type)
{
    uint32_t *place = mp_id_index_put(&state->classes, (uint64_t)record);
    if (!*place)
        *place = type.i;
}

static void read_classes(aq_state *state)
{
    aq_number numbers[AQ_COLUMNS];
    while (aq_next(state, AQ_META_CLASSES, numbers)) {
        mp_type_id type = aq_type_of_row(state, AQ_META_CLASSES);
        if (type.i)
            aq_name_class(state, numbers[AQ_C_RECORD].value, type);
    }
}

mp_type_id aq_class(aq_state *state, int64_t record, int64_t row)
{
    uint32_t *place = mp_id_index_put(&state->classes, (uint64_t)record);
    if (*place)
        return (mp_type_id){*place};
    char name[64];
    snprintf(name, sizeof name, "<class %" PRId64 ">", record);
    mp_type_id type = type_named(state, name, record);
    *place = type.i;
    aq_say(state, MP_DIAG_UNDEFINED_TYPE, AQ_OBJECTS, row,
           "is of class %" PRId64 ", which no table of classes has", record);
    return type;
}

/* --- routines --- */

/* Return the symbol of a routine. Routines with equal names and different start lines are
 * overloads. A start line of 0 is unknown. */
static mp_symbol_id symbol_named(aq_state *state, const char *name, uint32_t start_line, bool *made)
{
    mp_string_id text = aq_intern(state, name);
    uint32_t *place = mp_id_index_put(&state->symbols, (uint64_t)text.i << 32 | start_line);
    *made = !*place;
    if (*made) {
        mp_symbol *symbol = MP_ADD(&state->model->symbols);
        symbol->name = text;
        symbol->start_line = start_line;
        symbol->allocator = mp_is_allocator(state->options, mp_model_text(state->model, text));
        *place = state->model->symbols.count - 1;
    }
    return (mp_symbol_id){*place};
}

static mp_symbol_id symbol_of_row(aq_state *state, int64_t line)
{
    const char *owner = aq_text(state, AQ_ROUTINES, AQ_R_CLASS);
    const char *name = aq_text(state, AQ_ROUTINES, AQ_R_NAME);
    const char *unit = aq_text(state, AQ_ROUTINES, AQ_R_UNIT);
    bool made, good = line >= 0 && line <= INT32_MAX;
    uint32_t start_line = good ? (uint32_t)line : 0;
    if (!good)
        aq_say(state, MP_DIAG_BAD_ROW, AQ_ROUTINES, aq_row(state, AQ_ROUTINES),
               "begins at line %" PRId64 ", expected at most %" PRId32 "; the line is unknown",
               line, INT32_MAX);
    mp_symbol_id id = symbol_named(state, qualified(state, owner, name), start_line, &made);
    mp_arena_free(&state->scratch);
    if (made) {
        if (!*unit)
            unit = aq_text(state, AQ_ROUTINES, AQ_R_MODULE);
        mp_string_id source = aq_intern(state, aq_text(state, AQ_ROUTINES, AQ_R_FILE));
        mp_string_id module = aq_intern(state, unit);
        mp_symbol *symbol = &state->model->symbols.items[id.i];
        symbol->source = source;
        symbol->module = module;
        symbol->owner = aq_intern(state, owner);
    }
    int64_t hits = figure_of(state, AQ_ROUTINES, AQ_R_HITS);
    if (hits > state->model->symbols.items[id.i].hits)
        state->model->symbols.items[id.i].hits = hits;
    return id;
}

static void read_routines(aq_state *state)
{
    aq_number numbers[AQ_COLUMNS];
    while (aq_next(state, AQ_ROUTINES, numbers)) {
        uint64_t record = (uint64_t)numbers[AQ_R_RECORD].value;
        if (!mp_id_index_get(&state->routines, record)) {
            mp_symbol_id symbol = symbol_of_row(state, numbers[AQ_R_LINE].value);
            *mp_id_index_put(&state->routines, record) = symbol.i;
        }
    }
}

mp_symbol_id aq_routine(aq_state *state, int64_t record, int64_t row)
{
    uint32_t found = mp_id_index_get(&state->routines, (uint64_t)record);
    if (found)
        return (mp_symbol_id){found};
    char name[64];
    bool made;
    snprintf(name, sizeof name, "<routine %" PRId64 ">", record);
    mp_symbol_id symbol = symbol_named(state, name, 0, &made);
    *mp_id_index_put(&state->routines, (uint64_t)record) = symbol.i;
    if (state->cursors[AQ_ROUTINES].there)
        aq_say(state, MP_DIAG_UNDEFINED_ROUTINE, AQ_STACKS, row,
               "calls routine %" PRId64 ", which %s does not have", record,
               aq_table_name(AQ_ROUTINES));
    return symbol;
}

/* --- stacks --- */

/* Equal routines with equal callers share a node. */
mp_node_id aq_node_of(aq_state *state, size_t count)
{
    mp_node_id caller = {0};
    for (size_t i = count; i-- > 0;) {
        mp_symbol_id symbol = state->stack[i];
        uint32_t *known = mp_id_index_put(&state->node_index, (uint64_t)caller.i << 32 | symbol.i);
        if (!*known) {
            *known = state->model->nodes.count;
            *MP_ADD(&state->model->nodes) = (mp_node){.parent = caller,
                                                      .symbol = symbol,
                                                      .line = MP_NO_LINE,
                                                      .defined = true,
                                                      .number = ++state->node_count};
        }
        caller.i = *known;
    }
    return caller;
}

/* --- threads --- */

static void read_threads(aq_state *state)
{
    aq_number numbers[AQ_COLUMNS];
    while (aq_next(state, AQ_THREADS, numbers)) {
        const char *name = aq_text(state, AQ_THREADS, AQ_T_NAME);
        char text[64];
        snprintf(text, sizeof text, "thread %" PRId64, numbers[AQ_T_SYSTEM_ID].value);
        mp_string_id thread = aq_intern(state, *name ? name : text);
        uint32_t *place = mp_id_index_put(&state->threads, (uint64_t)numbers[AQ_T_RECORD].value);
        if (!*place)
            *place = thread.i;
    }
}

mp_string_id aq_thread(aq_state *state, int64_t record, int64_t row)
{
    if (!state->cursors[AQ_THREADS].there)
        return (mp_string_id){0};
    uint32_t *place = mp_id_index_put(&state->threads, (uint64_t)record);
    if (!*place) {
        char name[64];
        snprintf(name, sizeof name, "<thread %" PRId64 ">", record);
        *place = aq_intern(state, name).i;
        aq_say(state, MP_DIAG_UNDEFINED_THREAD, AQ_OBJECTS, row,
               "of thread %" PRId64 ", which %s does not have", record, aq_table_name(AQ_THREADS));
    }
    return (mp_string_id){*place};
}

void aq_read_names(aq_state *state)
{
    mp_id_index_free(&state->classes);
    mp_id_index_free(&state->routines);
    mp_id_index_free(&state->threads);
    read_classes(state);
    aq_read_figures(state);
    read_routines(state);
    read_threads(state);
}

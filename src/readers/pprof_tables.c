/* The tables of a pprof profile (strings, functions, locations and mappings), and the nodes of its
 * stacks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/pprof.h"

/* Field numbers. */
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_OFFSET = 4, MAPPING_FILE };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_START };

/* --- things by id --- */

/* Return the index of an id in its list. A new id gets the index `next`. */
static uint32_t place_of(mp_id_index *index, uint64_t id, uint32_t next)
{
    uint32_t *place = mp_id_index_put(index, id);
    *place = *place ? *place : next;
    return *place;
}

/* Define a function that returns the index of an id in its list, and adds the id if it is new. */
#define PLACE_BY_ID(thing)                                                                         \
    static uint32_t thing##_of(pp_state *state, uint64_t id)                                       \
    {                                                                                              \
        const uint32_t place = place_of(&state->thing##_index, id, state->thing##s.count);         \
        if (place == state->thing##s.count)                                                        \
            MP_ADD(&state->thing##s)->id = id;                                                     \
        return place;                                                                              \
    }
PLACE_BY_ID(function)
PLACE_BY_ID(location)
PLACE_BY_ID(mapping)

/* Return true if a definition is valid: its id is not 0, and is not defined yet. */
static bool may_define(pp_state *state, const char *what, uint64_t id, bool defined)
{
    if (!id)
        pp_say(state, MP_DIAG_BAD_ROW, "a %s has the id 0, expected another number: %s skipped",
               what, what);
    else if (defined)
        pp_say(state, MP_DIAG_REDEFINED, "%s %" PRIu64 " is defined again; the first one counts",
               what, id);
    return id && !defined;
}

/* --- messages --- */

static void read_text(pp_state *state, const pb_field *field)
{
    const mp_slice text = pb_text(&state->wire, field, PP_LONGEST_TEXT);
    const bool whole = text.length == field->value;
    if (state->wire.fault)
        return;
    const mp_string_id id = mp_model_intern(state->model, text);
    state->model->cut_names |= !whole;
    if (state->texts.count == 0 && text.length)
        pp_say(state, MP_DIAG_BAD_ROW,
               "the first string is \"%.40s\", expected an empty one; it is ignored",
               mp_model_text(state->model, id));
    mp_string_id *place = MP_ADD(&state->texts);
    if (state->texts.count > 1) /* string 0 means "none" */
        *place = id;
}

void pp_read_value_type(pb_wire *wire, uint64_t end, pp_value_type *type)
{
    pb_field field = {0};
    while (pb_next(wire, end, &field)) {
        if (field.number == VALUE_TYPE)
            type->type = field.value;
        else if (field.number == VALUE_UNIT)
            type->unit = field.value;
    }
}

static void read_value_type(pp_state *state, uint64_t end)
{
    pp_value_type type = {0};
    pp_read_value_type(&state->wire, end, &type);
    if (state->value_count <= PP_MOST_VALUES)
        state->values[state->value_count++] = type;
}

static void read_period_type(pp_state *state, uint64_t end)
{
    pp_read_value_type(&state->wire, end, &state->period_type);
}

static void read_mapping(pp_state *state, uint64_t end)
{
    pb_field field = {0};
    pp_mapping read = {.defined = true};
    while (pb_next(&state->wire, end, &field)) {
        uint64_t *members[] = {[MAPPING_ID] = &read.id,
                               [MAPPING_START] = &read.start,
                               [MAPPING_OFFSET] = &read.offset,
                               [MAPPING_FILE] = &read.file};
        if (field.number < sizeof members / sizeof *members && members[field.number])
            *members[field.number] = field.value;
    }
    if (state->wire.fault)
        return;
    const uint32_t place = mapping_of(state, read.id);
    pp_mapping *mapping = &state->mappings.items[place];
    if (may_define(state, "mapping", read.id, mapping->defined))
        *mapping = read;
}

static void read_function(pp_state *state, uint64_t end)
{
    pb_field field = {0};
    pp_function read = {.defined = true};
    uint64_t start = 0, system_name = 0;
    while (pb_next(&state->wire, end, &field)) {
        uint64_t *members[] = {[FUNCTION_ID] = &read.id,
                               [FUNCTION_NAME] = &read.name,
                               [FUNCTION_SYSTEM_NAME] = &system_name,
                               [FUNCTION_FILE] = &read.source,
                               [FUNCTION_START] = &start};
        if (field.number < sizeof members / sizeof *members && members[field.number])
            *members[field.number] = field.value;
    }
    read.name = read.name ? read.name : system_name;
    read.start_line = start <= INT32_MAX ? (uint32_t)start : 0;
    if (state->wire.fault)
        return;
    const uint32_t place = function_of(state, read.id);
    pp_function *function = &state->functions.items[place];
    if (may_define(state, "function", read.id, function->defined))
        *function = read;
}

/* Read a frame of a location. */
static void read_line(pp_state *state, uint64_t end)
{
    pb_field field = {0};
    uint64_t function = 0, line = 0;
    while (pb_next(&state->wire, end, &field)) {
        if (field.number == LINE_FUNCTION)
            function = field.value;
        else if (field.number == LINE_LINE)
            line = field.value;
    }
    if (state->wire.fault)
        return;
    if (line > INT32_MAX)
        pp_say(state, MP_DIAG_BAD_ROW,
               "a frame has line %" PRId64 ", expected 1 to %" PRId32 "; the line is unknown",
               (int64_t)line, INT32_MAX);
    const uint32_t place = function_of(state, function);
    *MP_ADD(&state->lines) =
        (pp_line){place, line && line <= INT32_MAX ? (uint32_t)line : MP_NO_LINE};
}

static void read_location(pp_state *state, uint64_t end)
{
    pb_field field = {0};
    pp_location read = {.defined = true, .first = state->lines.count};
    bool cut = false;
    while (pb_next(&state->wire, end, &field)) {
        if (field.number == LOCATION_ID)
            read.id = field.value;
        else if (field.number == LOCATION_MAPPING)
            read.mapping = field.value;
        else if (field.number == LOCATION_ADDRESS)
            read.address = field.value;
        else if (field.number == LOCATION_LINE && state->lines.count - read.first == PP_MOST_FRAMES)
            cut = true;
        else if (field.number == LOCATION_LINE && field.type == PB_BYTES)
            read_line(state, field.end);
    }
    read.count = state->lines.count - read.first;
    if (state->wire.fault)
        return;
    const uint32_t place = location_of(state, read.id);
    pp_location *location = &state->locations.items[place];
    if (may_define(state, "location", read.id, location->defined))
        *location = read;
    state->cut_stacks += cut;
}

/* --- all tables --- */

static const struct {
    uint32_t number;
    const char *name;
    void (*read)(pp_state *state, uint64_t end);
} messages[] = {
    {PP_SAMPLE_TYPE, "sample type", read_value_type},  {PP_MAPPING, "mapping", read_mapping},
    {PP_LOCATION, "location", read_location},          {PP_FUNCTION, "function", read_function},
    {PP_PERIOD_TYPE, "period type", read_period_type},
};

static void read_field(pp_state *state, const pb_field *field)
{
    if (field->number == PP_SAMPLE)
        state->samples++;
    else if (field->number == PP_TEXT)
        read_text(state, field);
    else if (field->number == PP_DROP_FRAMES && field->type == PB_VARINT)
        state->drop_frames = field->value;
    else if (field->number == PP_USUAL_TYPE && field->type == PB_VARINT)
        state->usual_type = field->value;
    else if (field->number == PP_TIME && field->type == PB_VARINT)
        state->time_ns = (int64_t)field->value;
    else if (field->number == PP_DURATION && field->type == PB_VARINT)
        state->duration_ns = (int64_t)field->value;
    else if (field->number == PP_PERIOD && field->type == PB_VARINT)
        state->period = (int64_t)field->value;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (field->number != messages[i].number || field->type != PB_BYTES)
            continue;
        messages[i].read(state, field->end);
        pp_resume(state, messages[i].name, field->end);
    }
}

void pp_resume(pp_state *state, const char *what, uint64_t end)
{
    if (state->wire.fault == PB_DAMAGED && pb_offset(&state->wire) <= end)
        pp_say(state, MP_DIAG_BAD_ROW, "a %s that ends at byte %" PRIu64 " is damaged: %s skipped",
               what, end, what);
    pb_resume(&state->wire, end);
}

bool pp_read_tables(pp_state *state)
{
    pb_field field = {0};
    (void)MP_ADD(&state->functions);
    (void)MP_ADD(&state->locations);
    (void)MP_ADD(&state->mappings);
    (void)MP_ADD(&state->steps);
    while (pb_next(&state->wire, UINT64_MAX, &field))
        read_field(state, &field);
    if (state->wire.fault)
        pp_say(state, MP_DIAG_NOTHING_USABLE,
               "%s at byte %" PRIu64 ", and the names of a profile are at its end: record it again",
               state->wire.fault == PB_TORN ? "ends within a field" : "is damaged",
               pb_offset(&state->wire));
    return !state->wire.fault;
}

void pp_free_tables(pp_state *state)
{
    mp_id_index_free(&state->function_index);
    mp_id_index_free(&state->location_index);
    mp_id_index_free(&state->mapping_index);
    mp_id_index_free(&state->step_index);
    state->texts.count = state->functions.count = state->lines.count = 0;
    state->locations.count = state->mappings.count = state->steps.count = 0;
}

/* --- names --- */

static mp_string_id text_of(pp_state *state, uint64_t place)
{
    if (place < state->texts.count)
        return state->texts.items[place];
    if (place) {
        pp_say(state, MP_DIAG_TORN,
               "refers to string %" PRIu64 ", but has only %" PRIu32 " strings: its end is missing",
               place, state->texts.count);
        state->torn = true;
    }
    return (mp_string_id){0};
}

const char *pp_text(pp_state *state, uint64_t place)
{
    return mp_model_text(state->model, text_of(state, place));
}

/* Return the module of a location: the name of its mapped file, without folders. */
static mp_string_id module_of(pp_state *state, const pp_location *location)
{
    const uint32_t place = mp_id_index_get(&state->mapping_index, location->mapping);
    pp_mapping *mapping = &state->mappings.items[place];
    if (!location->mapping || mapping->name.i)
        return mapping->name;
    if (!place)
        pp_say(state, MP_DIAG_UNDEFINED_NAME,
               "location %" PRIu64 " is in mapping %" PRIu64 ", which is not defined", location->id,
               location->mapping);
    const char *file = pp_text(state, mapping->file), *slash = strrchr(file, '/');
    const mp_string_id name = mp_model_intern_text(state->model, slash ? slash + 1 : file);
    if (place)
        mapping->name = name;
    return name;
}

static mp_symbol_id symbol_of_function(pp_state *state, const pp_location *location, uint32_t index)
{
    pp_function *function = &state->functions.items[index];
    if (function->symbol.i)
        return function->symbol;
    mp_symbol symbol = {.name = text_of(state, function->name),
                        .source = text_of(state, function->source),
                        .start_line = (uint32_t)function->start_line,
                        .module = module_of(state, location)};
    if (!symbol.name.i) {
        symbol.name = mp_model_intern_format(state->model, "<function %" PRIu64 ">", function->id);
        pp_say(state, MP_DIAG_UNDEFINED_NAME, "function %" PRIu64 " %s", function->id,
               function->defined ? "has no name" : "is used but not defined");
    }
    return function->symbol = mp_stack_symbol(&state->stacks, symbol);
}

/* Return the symbol of a location without lines. It is named after the offset in its module, which
 * is the same in every run. Without a module, it is named after the address. */
static mp_symbol_id symbol_of_location(pp_state *state, pp_location *location)
{
    if (location->symbol.i)
        return location->symbol;
    const mp_string_id module = module_of(state, location);
    const pp_mapping *mapping =
        &state->mappings.items[mp_id_index_get(&state->mapping_index, location->mapping)];
    const bool is_mapped = module.i && location->address >= mapping->start;
    if (location->defined) {
        location->symbol = mp_stack_address(&state->stacks, module, is_mapped,
                                            location->address -
                                                (is_mapped ? mapping->start - mapping->offset : 0));
        return location->symbol;
    }
    pp_say(state, MP_DIAG_UNDEFINED_NODE, "location %" PRIu64 " is used but not defined",
           location->id);
    const mp_string_id name =
        mp_model_intern_format(state->model, "<location %" PRIu64 ">", location->id);
    return location->symbol =
               mp_stack_symbol(&state->stacks, (mp_symbol){.name = name, .module = module});
}

/* --- stacks --- */

uint32_t pp_location_of(pp_state *state, uint64_t id)
{
    return location_of(state, id);
}

/* Add a step for a location and its caller. Return the index of the step. */
static uint32_t add_step(pp_state *state, mp_stack_frame caller, uint32_t place)
{
    mp_stack_frame step = caller;
    pp_location *location = &state->locations.items[place];
    for (uint32_t i = location->count; i-- > 0;) {
        const pp_line line = state->lines.items[location->first + i];
        mp_stack_call(&state->stacks, &step, symbol_of_function(state, location, line.function),
                      line.line);
    }
    if (!location->count)
        mp_stack_call(&state->stacks, &step, symbol_of_location(state, location), MP_NO_LINE);
    *MP_ADD(&state->steps) = step;
    return state->steps.count - 1;
}

uint32_t pp_step_of(pp_state *state, uint32_t caller, uint32_t place)
{
    uint32_t *step = mp_id_index_put(&state->step_index, mp_joined(caller, place));
    if (!*step)
        *step = add_step(state, state->steps.items[caller], place);
    return *step;
}

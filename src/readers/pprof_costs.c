/* The pprof reader: units, and profiles of costs. */
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "model/build.h"
#include "readers/pprof.h"

/* --- units --- */

const pp_unit pp_byte_units[] = {{"b byte", 1},
                                 {"kb kbyte kilobyte", 1 << 10},
                                 {"mb mbyte megabyte", 1 << 20},
                                 {"gb gbyte gigabyte", 1 << 30},
                                 {NULL, 0}};
const pp_unit pp_count_units[] = {{"count object sample", 1}, {NULL, 0}};
const pp_unit pp_time_units[] = {{"ns nanosecond", 1},
                                 {"us microsecond", 1000},
                                 {"ms millisecond", 1000000},
                                 {"s sec second", 1000000000},
                                 {"min minute", 60000000000},
                                 {"hr hour", 3600000000000},
                                 {NULL, 0}};

int64_t pp_unit_of(const char *name, const pp_unit *units)
{
    size_t length = strlen(name);
    length -= length > 2 && (name[length - 1] == 's' || name[length - 1] == 'S');
    for (; units->words; units++)
        for (const char *word = units->words; *word; word += strspn(word, " ")) {
            const size_t end = strcspn(word, " ");
            if (end == length && strncasecmp(word, name, length) == 0)
                return units->factor;
            word += end;
        }
    return 0;
}

/* --- what a profile holds --- */

/* Facts about the sample types of a profile. They are found while its strings are read. */
typedef struct pp_scan {
    pp_value_type values[PP_MOST_VALUES];
    size_t value_count;
    uint64_t most; /* largest index of their strings */
    uint64_t texts;
    bool late; /* strings came before a sample type that may refer to them */
    bool amounts, times, counts;
} pp_scan;

static void scan_type(pp_scan *scan, pb_wire *wire, uint64_t end)
{
    pp_value_type type = {0};
    pp_read_value_type(wire, end, &type);
    pb_resume(wire, end); /* the damage is reported by the reader later */
    scan->late |= scan->texts > 0;
    if (scan->value_count < PP_MOST_VALUES)
        scan->values[scan->value_count++] = type;
    scan->most = type.type > scan->most ? type.type : scan->most;
    scan->most = type.unit > scan->most ? type.unit : scan->most;
}

static void scan_text(pp_scan *scan, pb_wire *wire, const pb_field *field)
{
    const uint64_t place = scan->texts++;
    char text[64];
    if (!place || place > scan->most || field->value >= sizeof text)
        return;
    const mp_slice read = pb_text(wire, field, sizeof text - 1);
    memcpy(text, read.start, read.length);
    text[read.length] = '\0';
    for (size_t i = 0; i < scan->value_count; i++) {
        scan->amounts |= scan->values[i].type == place && pp_is_amount(text);
        scan->times |= scan->values[i].unit == place && pp_unit_of(text, pp_time_units);
        scan->counts |= scan->values[i].unit == place && pp_unit_of(text, pp_count_units);
    }
}

/* Read a profile to its end. Return false if it is damaged. */
static bool scan_profile(pp_scan *scan, mp_input *input, bool with_types)
{
    pb_wire wire = {.input = input};
    pb_field field = {0};
    scan->late = false;
    scan->texts = 0;
    while (pb_next(&wire, UINT64_MAX, &field))
        if (field.number == PP_SAMPLE_TYPE && field.type == PB_BYTES && with_types)
            scan_type(scan, &wire, field.end);
        else if (field.number == PP_TEXT && field.type == PB_BYTES)
            scan_text(scan, &wire, &field);
    return !wire.fault;
}

pp_kind pp_kind_of(mp_input *input)
{
    pp_scan scan = {.value_count = 0};
    if (!scan_profile(&scan, input, true) ||
        (scan.late && (!mp_input_rewind(input) || !scan_profile(&scan, input, false))))
        return PP_UNKNOWN;
    return scan.amounts ? PP_HEAP : scan.times ? PP_TIMES : scan.counts ? PP_SAMPLES : PP_UNKNOWN;
}

/* --- costs --- */

/* The code that waits, or ends the wait of another goroutine, by the beginning of its name. */
static const char *const go_waits[] = {"sync.", "internal/sync.", "runtime."};

/* Note whether the code of a sample in a profile of Go's `delay` waited, or released a lock for
 * which others had waited. Both profiles of Go have the same sample types. */
void pp_note_wait(pp_state *state, mp_slice name)
{
    bool known = false;
    for (size_t i = 0; i < sizeof go_waits / sizeof *go_waits; i++)
        known |= mp_slice_starts(name, go_waits[i]);
    const bool releases = memmem(name.start, name.length, "nlock", 5) ||
                          mp_slice_starts(name, "runtime._LostContended");
    state->waits |= !known ? PP_OTHER_WAIT : releases ? PP_MUTEX : PP_BLOCK;
}

/* Return the name of what a profile measures. */
static const char *measure_of(const pp_state *state)
{
    const char *name = mp_model_text(state->model, state->cost_name);
    return state->waits == PP_MUTEX   ? "mutex delay"
           : state->waits == PP_BLOCK ? "block delay"
                                      : name;
}

bool pp_check_measure(pp_state *state)
{
    const char *name = measure_of(state);
    const mp_string_id measure = mp_model_intern_text(state->model, name);
    if (!state->samples && state->measure.i)
        return true;
    if (state->measure.i && state->measure.i != measure.i) {
        pp_say(state, MP_DIAG_MIXED_INPUTS,
               "measures %.60s, but another profile %.60s, expected profiles of one kind; run "
               "memprof once for each kind",
               name, mp_model_text(state->model, state->measure));
        return false;
    }
    state->measure = measure;
    return true;
}

bool pp_find_cost(pp_state *state)
{
    const bool times = state->kind == PP_TIMES;
    const char *usual = pp_text(state, state->usual_type), *found = NULL;
    for (size_t i = 0; i < state->value_count; i++) {
        const char *name = pp_text(state, state->values[i].type);
        const int64_t unit = pp_unit_of(pp_text(state, state->values[i].unit),
                                        times ? pp_time_units : pp_count_units);
        if (!unit || pp_is_amount(name) || (found && mp_text_is(found, usual)))
            continue;
        found = name;
        state->cost = i;
        state->cost_unit = unit;
    }
    state->rest_ns = 0;
    state->waits = 0;
    if (!found)
        pp_say(state, MP_DIAG_NOTHING_USABLE, "states no %s, expected a sample type in %s",
               times ? "times" : "samples", times ? "nanoseconds" : "count");
    else
        state->cost_name = mp_model_intern_text(state->model, found);
    for (size_t i = 0; found && !times && i < state->value_count; i++)
        if (pp_unit_of(pp_text(state, state->values[i].unit), pp_byte_units))
            pp_say(state, MP_DIAG_UNREAD_VALUES,
                   "states %.60s in bytes, which are not read: it is a profile of %.60s, by count",
                   pp_text(state, state->values[i].type), found);
    return found;
}

int64_t pp_cost_of(pp_state *state, int64_t value)
{
    enum { PER_MICROSECOND = 1000 };
    if (value < 0 || value > (INT64_MAX - PER_MICROSECOND) / state->cost_unit)
        return -1;
    if (state->kind == PP_SAMPLES)
        return value * state->cost_unit;
    const int64_t ns = state->rest_ns + value * state->cost_unit;
    state->rest_ns = ns % PER_MICROSECOND;
    return ns / PER_MICROSECOND;
}

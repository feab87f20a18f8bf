/* The pprof reader. Heap profiles of Go, Rust, Node.js, jemalloc and others are read as snapshots
 * in time. Profiles of CPU time and other costs are read as execution profiles. */
#include "readers/pprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "base/units.h"
#include "model/build.h"

extern const mp_reader mp_reader_pprof, mp_reader_pprof_time, mp_reader_pprof_samples;

/* --- detection --- */

/* Read a varint of at most 10 bytes, and remove it. Return false if it is longer or incomplete. */
static bool take_number(mp_slice *bytes, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < bytes->length && i < 10; i++) {
        *value |= (uint64_t)(bytes->start[i] & 0x7f) << (7 * i);
        if (!(bytes->start[i] & 0x80)) {
            *bytes = (mp_slice){bytes->start + i + 1, bytes->length - i - 1};
            return true;
        }
    }
    return false;
}

/* Return true if the message is a sample type: two indexes in the table of strings. */
static bool is_value_type(mp_slice bytes)
{
    uint64_t tag, place;
    bool known = false;
    while (bytes.length) {
        if (!take_number(&bytes, &tag) || (tag != 1 << 3 && tag != 2 << 3) ||
            !take_number(&bytes, &place) || place > UINT32_MAX)
            return false;
        known = true;
    }
    return known;
}

/* Claim input that consists of fields of a profile and includes a sample type. */
static mp_bid probe(mp_slice head)
{
    static const char types[] = {-1, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 2, 0, 2, 0, 0};
    bool found = false;
    while (head.length) {
        uint64_t tag, value;
        if (!take_number(&head, &tag))
            return found && head.length < 10 ? MP_MINE : MP_NOT_MINE;
        const uint64_t number = tag >> 3, type = tag & 7;
        const bool packed = number == 13;
        if (!number || number > PP_LAST_FIELD ||
            (type != (unsigned char)types[number] && !(packed && type == PB_VARINT)))
            return MP_NOT_MINE;
        if (!take_number(&head, &value))
            return found && head.length < 10 ? MP_MINE : MP_NOT_MINE;
        if (type != PB_BYTES)
            continue;
        if (value > head.length)
            return found ? MP_MINE : MP_NOT_MINE;
        if (number == PP_SAMPLE_TYPE && !is_value_type((mp_slice){head.start, (size_t)value}))
            return MP_NOT_MINE;
        found |= number == PP_SAMPLE_TYPE;
        head = (mp_slice){head.start + value, head.length - (size_t)value};
    }
    return found ? MP_MINE : MP_NOT_MINE;
}

/* Claim input only if the user chooses this reader. Otherwise the reader of heap profiles claims
 * all profiles, and finds out what they contain. */
static mp_bid probe_costs(mp_slice head)
{
    return probe(head) == MP_MINE ? MP_IF_CHOSEN : MP_NOT_MINE;
}

static const mp_reader *settle(mp_input *input)
{
    static const mp_reader *const readers[] = {[PP_HEAP] = &mp_reader_pprof,
                                               [PP_TIMES] = &mp_reader_pprof_time,
                                               [PP_SAMPLES] = &mp_reader_pprof_samples,
                                               [PP_UNKNOWN] = &mp_reader_pprof};
    return readers[pp_kind_of(input)];
}

/* --- one profile --- */

enum { PER_MICROSECOND = 1000 };

/* Report data that was read, but could not be used as it is. */
static void tell_rest(pp_state *state)
{
    const bool heap = state->kind == PP_HEAP;
    if (!state->samples)
        pp_say(state, MP_DIAG_EMPTY_PROFILE, "has no samples: nothing %s, or the profiler was off",
               heap ? "is in use" : "ran");
    if (*pp_text(state, state->drop_frames))
        pp_say(state, MP_DIAG_DROP_FRAMES, "names frames to drop, \"%.60s\", which are kept%s%s%s",
               pp_text(state, state->drop_frames), heap ? " (" : "",
               heap ? mp_diagnostics_dashes(state->diagnostics) : "",
               heap ? "skip selects others)" : "");
    if (state->older)
        pp_say(state, MP_DIAG_OLDER_OBJECTS,
               "samples with more memory in use than allocated: %" PRIu64
               "; it was allocated before the profile began, and counts as allocated",
               state->older);
    if (state->cut_stacks)
        pp_say(state, MP_DIAG_CUT_STACKS,
               "%" PRIu64 " stacks have more than %d frames, or there are more than %d distinct "
               "ones: only their innermost frames are kept",
               state->cut_stacks, PP_MOST_FRAMES, PP_MOST_STEPS);
}

/* Find out what a profile of costs measures. Return false after a diagnostic. */
static bool find_measure(pp_state *state, mp_input *input)
{
    state->looks = strcmp(mp_model_text(state->model, state->cost_name), "delay") == 0;
    if (state->looks) {
        state->wire = (pb_wire){.input = input};
        pp_read_samples(state);
        state->looks = false;
        if (!mp_input_rewind(input))
            return false;
    }
    return pp_check_measure(state);
}

/* Read the tables, then the samples. Values and stacks of samples refer to the tables. */
static bool read_twice(pp_state *state, mp_input *input)
{
    state->wire = (pb_wire){.input = input};
    if (!mp_input_keep(input) || !pp_read_tables(state) || !pp_find_values(state) ||
        !mp_input_rewind(input) || (state->kind != PP_HEAP && !find_measure(state, input)))
        return false;
    state->wire = (pb_wire){.input = input};
    if (state->kind == PP_HEAP)
        mp_profile_series_begin(&state->series);
    else
        mp_stack_profile_begin(&state->costs);
    pp_read_samples(state);
    return true;
}

/* Set the start of a session of costs, and its description, which says what it measures. */
static void describe_session(pp_state *state)
{
    char start[MP_UNIT_TEXT];
    mp_recorded_session *session = &state->model->sessions.items[state->costs.session.i];
    session->start_us = state->time_ns / PER_MICROSECOND;
    mp_stack_profile_measures(&state->costs, state->measure);
    if (session->start_us && mp_format_utc(start, session->start_us))
        session->start_time = mp_model_intern_text(state->model, start);
}

/* Set the duration of a profile, and the interval between its samples. */
static void describe_sampling(pp_state *state, mp_recorded_session *session)
{
    const char *name = pp_text(state, state->period_type.unit);
    const int64_t ns = pp_unit_of(name, pp_time_units), bytes = pp_unit_of(name, pp_byte_units),
                  counts = pp_unit_of(name, pp_count_units), period = state->period;
    if (state->duration_ns > 0)
        session->duration_us = state->duration_ns / PER_MICROSECOND;
    if (period <= 0 || period > INT64_MAX / (ns + bytes + counts + 1))
        return;
    session->period_us = period * ns / PER_MICROSECOND;
    session->period_bytes = period * bytes;
    session->period_count = period * counts;
}

static bool read_pprof(void *opaque, mp_input *input, uint32_t summary)
{
    pp_state *state = opaque;
    state->path = state->model->inputs.items[summary].path;
    state->torn = false;
    state->samples = state->older = state->cut_stacks = state->drop_frames = state->usual_type = 0;
    state->value_count = 0;
    state->time_ns = state->duration_ns = state->period = 0;
    state->period_type = (pp_value_type){0};
    const bool ok = read_twice(state, input);
    if (ok)
        tell_rest(state);
    if (ok && state->kind != PP_HEAP) {
        mp_stack_profile_end(&state->costs);
        describe_session(state);
        describe_sampling(state, &state->model->sessions.items[state->costs.session.i]);
    } else if (ok) {
        mp_profile_series_end(&state->series, summary, state->time_ns, state->states_made);
        describe_sampling(state, &state->model->sessions.items[state->series.session.i]);
    }
    pp_free_tables(state);
    state->model->inputs.items[summary].records = state->samples;
    state->model->inputs.items[summary].complete = ok && !state->torn && mp_input_is_whole(input);
    return ok;
}

/* --- the reader --- */

static pp_state *open_any(mp_model *model, mp_diagnostics *diagnostics,
                          const mp_load_options *options, pp_kind kind)
{
    pp_state *state = mp_alloc_zero(1, sizeof *state);
    state->kind = kind;
    state->model = model;
    state->diagnostics = diagnostics;
    state->stack = mp_alloc(PP_MOST_FRAMES * sizeof *state->stack);
    state->stacks = (mp_stack_builder){.model = model, .options = options};
    state->costs.stacks = &state->stacks;
    return state;
}

static void *open_pprof(mp_model *model, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    pp_state *state = open_any(model, diagnostics, options, PP_HEAP);
    mp_profile_series_open(&state->series, model, diagnostics);
    model->holds |= MP_HOLDS_NATIVE;
    return state;
}

static void *open_time(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    (void)mp_model_profile(model);
    return open_any(model, diagnostics, options, PP_TIMES);
}

static void *open_samples(mp_model *model, mp_diagnostics *diagnostics,
                          const mp_load_options *options)
{
    (void)mp_model_profile(model);
    return open_any(model, diagnostics, options, PP_SAMPLES);
}

static void close_pprof(void *opaque)
{
    pp_state *state = opaque;
    if (state->kind == PP_HEAP)
        mp_profile_series_close(&state->series);
    mp_stack_profile_free(&state->costs);
    pp_free_tables(state);
    mp_stack_builder_free(&state->stacks);
    MP_FREE(state->texts.items, state->functions.items, state->lines.items, state->locations.items,
            state->mappings.items, state->steps.items, state->stack, state);
}

const mp_reader mp_reader_pprof = {
    .name = "pprof",
    .summary = "pprof heap profile (Go, Rust, Node.js, jemalloc)",
    .endings = ".pprof .pb",
    .versions = "all",
    .noun = "a heap profile",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .settle = settle,
    .open = open_pprof,
    .read = read_pprof,
    .close = close_pprof,
};

const mp_reader mp_reader_pprof_time = {
    .name = "pprof-time",
    .summary = "pprof profile of time (CPU, wall, mutex, block)",
    .endings = ".pprof .pb",
    .versions = "all",
    .noun = "a profile of sampled time",
    .kind = MP_KIND_PROFILE,
    .holds = MP_HOLDS_UNCALLED,
    .probe = probe_costs,
    .open = open_time,
    .read = read_pprof,
    .close = close_pprof,
};

const mp_reader mp_reader_pprof_samples = {
    .name = "pprof-samples",
    .summary = "pprof profile of samples or other counts",
    .endings = ".pprof .pb",
    .versions = "all",
    .noun = "a profile of samples",
    .kind = MP_KIND_PROFILE,
    .holds = MP_HOLDS_SAMPLES | MP_HOLDS_UNCALLED,
    .probe = probe_costs,
    .open = open_samples,
    .read = read_pprof,
    .close = close_pprof,
};

/* The pprof reader: heap profiles of Go, Rust, Node.js, jemalloc and others, as snapshots in time.
 */
#include "readers/pprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "base/units.h"
#include "model/build.h"

/* --- detection --- */

/* Take a varint of at most 10 bytes. Return false if it is longer, or not all of it is there. */
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

/* Claim input that consists of a profile's fields, among them a sample type. */
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

/* --- one profile --- */

static void begin_session(pp_state *state)
{
    if (state->session.i)
        return;
    (void)MP_ADD(&state->model->sessions);
    state->session.i = state->model->sessions.count - 1;
    mp_census_open(&state->census, state->model, state->session);
}

/* Report data that was read but could not be used as it is. */
static void tell_rest(pp_state *state)
{
    if (!state->samples)
        pp_say(state, MP_DIAG_EMPTY_PROFILE,
               "has no samples: nothing is in use, or the profiler was off");
    if (*pp_text(state, state->drop_frames))
        pp_say(state, MP_DIAG_DROP_FRAMES,
               "names frames to drop, \"%.60s\", which are kept (%sskip selects others)",
               pp_text(state, state->drop_frames), mp_diagnostics_dashes(state->diagnostics));
    if (state->cut_stacks)
        pp_say(state, MP_DIAG_CUT_STACKS,
               "%" PRIu64 " stacks have more than %d frames, or there are more than %d distinct "
               "ones: only their innermost frames are kept",
               state->cut_stacks, PP_MOST_FRAMES, PP_MOST_STEPS);
    if (state->converted)
        mp_reader_tell_converted(state->diagnostics, state->path);
}

/* Read the tables, then the samples, whose values and stacks refer to them. */
static bool read_twice(pp_state *state, mp_input *input)
{
    state->wire = (pb_wire){.input = input};
    if (!mp_input_keep(input) || !pp_read_tables(state) || !pp_find_amounts(state) ||
        !mp_input_rewind(input))
        return false;
    state->wire = (pb_wire){.input = input};
    begin_session(state);
    pp_read_samples(state);
    return true;
}

static bool read_pprof(void *opaque, mp_input *input, uint32_t summary)
{
    pp_state *state = opaque;
    state->path = state->model->inputs.items[summary].path;
    state->converted = state->torn = false;
    state->samples = state->cut_stacks = state->drop_frames = state->value_count = 0;
    state->time_ns = 0;
    const uint32_t first = state->rows.count;
    const bool ok = read_twice(state, input);
    if (ok) {
        tell_rest(state);
        pp_profile *profile = MP_ADD(&state->profiles);
        *profile = (pp_profile){.input = summary,
                                .time_ns = state->time_ns,
                                .first = first,
                                .end = state->rows.count,
                                .has_made = state->roles[PP_MADE_OBJECTS] >= 0};
        for (uint32_t i = first; i < state->rows.count; i++)
            profile->made = pp_sum(profile->made, state->rows.items[i].made);
    }
    pp_free_tables(state);
    state->model->inputs.items[summary].records = state->samples;
    state->model->inputs.items[summary].complete = ok && !state->torn && mp_input_is_whole(input);
    return ok;
}

/* --- the series --- */

static int by_time(const void *left, const void *right)
{
    const pp_profile *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->input < b->input ? -1 : a->input > b->input;
}

/* Sort the profiles by time, if each has one; otherwise their order is that of the inputs. */
static void order(pp_state *state)
{
    pp_profile *profiles = state->profiles.items;
    for (uint32_t i = 0; i < state->profiles.count; i++)
        if (!profiles[i].time_ns)
            return;
    if (state->profiles.count)
        qsort(profiles, state->profiles.count, sizeof *profiles, by_time);
    for (uint32_t i = 1; i < state->profiles.count; i++) {
        const mp_input_summary *inputs = state->model->inputs.items;
        if (profiles[i].input > profiles[i - 1].input)
            continue;
        mp_diagnose(state->diagnostics, MP_DIAG_DUMP_ORDER, inputs[profiles[i].input].path, 0,
                    "comes before %s on the command line or by name, but was recorded later; "
                    "profiles are read in the order of their times",
                    inputs[profiles[i - 1].input].path);
        return;
    }
}

/* Report a profile that has fewer allocations than the one before it. A process counts them from
 * its start, so the profiles are not of one process. */
static void check_process(const pp_state *state, const pp_profile *before,
                          const pp_profile *profile)
{
    if (before->has_made && profile->has_made && profile->made.objects < before->made.objects)
        mp_diagnose(state->diagnostics, MP_DIAG_OTHER_PROCESS,
                    state->model->inputs.items[profile->input].path, 0,
                    "has %" PRId64 " allocated objects, fewer than the profile before it, %" PRId64
                    ": profiles of several processes, or differences, do not form a series",
                    profile->made.objects, before->made.objects);
}

static void describe(const pp_state *state, const pp_profile *profile, mp_snapshot *snapshot)
{
    enum { PER_MICROSECOND = 1000 };
    const int64_t start_us = state->profiles.items[0].time_ns / PER_MICROSECOND;
    const char *path = state->model->inputs.items[profile->input].path, *slash = strrchr(path, '/');
    snapshot->sequence = (uint64_t)(profile - state->profiles.items) + 1;
    snapshot->tag = mp_model_intern_text(state->model, slash ? slash + 1 : path);
    snapshot->input = profile->input;
    const int64_t time_us = profile->time_ns / PER_MICROSECOND;
    snapshot->time_us = start_us && time_us > start_us ? time_us - start_us : 0;
}

static void add_snapshot(pp_state *state, const pp_profile *profile)
{
    mp_snapshot *begun = mp_model_begin_snapshot(state->model, state->session);
    const mp_snapshot_id snapshot = {state->model->snapshots.count - 1};
    describe(state, profile, begun);
    for (uint32_t i = profile->first; i < profile->end; i++) {
        const pp_row *row = &state->rows.items[i];
        const mp_context context = state->model->contexts.items[row->context];
        mp_census_stock(&state->census, &context, snapshot, row->alive,
                        profile->has_made ? &row->made : NULL);
    }
    mp_census_count(&state->census, snapshot);
    mp_census_end(&state->census, snapshot);
}

static void add_series(pp_state *state)
{
    char start[MP_UNIT_TEXT];
    order(state);
    const int64_t start_us = state->profiles.items[0].time_ns / 1000;
    mp_recorded_session *session = &state->model->sessions.items[state->session.i];
    session->start_us = start_us;
    if (start_us && mp_format_utc(start, start_us))
        session->start_time = mp_model_intern_text(state->model, start);
    for (uint32_t i = 0; i < state->profiles.count; i++) {
        if (i)
            check_process(state, &state->profiles.items[i - 1], &state->profiles.items[i]);
        add_snapshot(state, &state->profiles.items[i]);
    }
}

/* --- the reader --- */

static void *open_pprof(mp_model *model, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    pp_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->options = options;
    state->stack = mp_alloc(PP_MOST_FRAMES * sizeof *state->stack);
    (void)MP_ADD(&state->rows);
    model->holds |= MP_HOLDS_NATIVE;
    return state;
}

static void close_pprof(void *opaque)
{
    pp_state *state = opaque;
    if (state->profiles.count)
        add_series(state);
    mp_census_close(&state->census);
    pp_free_tables(state);
    mp_id_index_free(&state->types);
    mp_id_index_free(&state->symbols);
    mp_id_index_free(&state->nodes);
    free(state->profiles.items);
    free(state->rows.items);
    free(state->texts.items);
    free(state->functions.items);
    free(state->lines.items);
    free(state->locations.items);
    free(state->mappings.items);
    free(state->steps.items);
    free(state->stack);
    free(state);
}

const mp_reader mp_reader_pprof = {
    .name = "pprof",
    .summary = "pprof heap profile (Go, Rust, Node.js, jemalloc)",
    .endings = ".pprof .pb",
    .versions = "all",
    .noun = "heap profile",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_pprof,
    .read = read_pprof,
    .close = close_pprof,
};

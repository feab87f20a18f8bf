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

enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT };

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

/* --- amounts --- */

static const struct {
    const char *name;
    pp_role role;
} amounts[] = {
    {"inuse_objects", PP_ALIVE_OBJECTS}, {"inuse_space", PP_ALIVE_BYTES},
    {"alloc_objects", PP_MADE_OBJECTS},  {"alloc_space", PP_MADE_BYTES},
    {"objects", PP_ALIVE_OBJECTS},       {"space", PP_ALIVE_BYTES},
    {"goroutine", PP_ALIVE_OBJECTS},
};

/* Return the number of objects or bytes in a unit, spelled in any way that pprof accepts; 0 if it
 * is not a unit. */
static int64_t unit_of(const char *name, bool bytes)
{
    static const char *const sizes[] = {"b byte", "kb kbyte kilobyte", "mb mbyte megabyte",
                                        "gb gbyte gigabyte"};
    size_t length = strlen(name);
    if (!bytes)
        return strcasecmp(name, "count") == 0 || strcasecmp(name, "objects") == 0;
    length -= length > 2 && (name[length - 1] == 's' || name[length - 1] == 'S');
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (const char *word = sizes[i]; *word; word += strspn(word, " ")) {
            const size_t end = strcspn(word, " ");
            if (end == length && strncasecmp(word, name, length) == 0)
                return (int64_t)1 << (10 * i);
            word += end;
        }
    return 0;
}

/* Note which amount a sample type states, if any. Return false after a diagnostic. */
static bool assign(pp_state *state, size_t place)
{
    const char *name = pp_text(state, state->values[place].type);
    const char *unit = pp_text(state, state->values[place].unit);
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        const pp_role role = amounts[i].role;
        const bool bytes = role == PP_ALIVE_BYTES || role == PP_MADE_BYTES;
        if (!mp_text_is(name, amounts[i].name))
            continue;
        const int64_t factor = unit_of(unit, bytes);
        if (!factor)
            pp_say(state, MP_DIAG_NOTHING_USABLE, "%s is in \"%.40s\", expected %s", name, unit,
                   bytes ? "bytes, kilobytes, megabytes or gigabytes" : "count");
        else if (state->roles[role] >= 0)
            pp_say(state, MP_DIAG_REDEFINED, "has two values for %s; the first one counts", name);
        if (state->roles[role] < 0) {
            state->roles[role] = (int)place;
            state->units[role] = factor;
        }
        return factor;
    }
    return true;
}

/* Find the value of each amount in a sample. Return false after a diagnostic. */
static bool find_amounts(pp_state *state)
{
    if (state->value_count > PP_MOST_VALUES) {
        pp_say(state, MP_DIAG_NOTHING_USABLE, "has more than %d sample types", PP_MOST_VALUES);
        return false;
    }
    for (int role = 0; role < PP_ROLES; role++)
        state->roles[role] = -1;
    for (size_t i = 0; i < state->value_count; i++)
        if (!assign(state, i))
            return false;
    if (state->torn) {
        pp_say(state, MP_DIAG_NOTHING_USABLE,
               "lacks the names of its amounts, which are at its end: record it again");
        return false;
    }
    if (state->roles[PP_MADE_OBJECTS] < 0 || state->roles[PP_MADE_BYTES] < 0)
        state->roles[PP_MADE_OBJECTS] = state->roles[PP_MADE_BYTES] = -1;
    const bool unsized = state->roles[PP_ALIVE_BYTES] < 0;
    if (state->roles[PP_ALIVE_OBJECTS] < 0) {
        const pp_value_type *first = &state->values[0];
        pp_say(state, MP_DIAG_FOREIGN_FILE,
               "is a pprof profile of %.60s (%.20s), expected a heap profile, with inuse_objects "
               "and inuse_space",
               pp_text(state, first->type), pp_text(state, first->unit));
        return false;
    }
    if (state->profiles.count && unsized != !!(state->model->holds & MP_HOLDS_UNSIZED)) {
        pp_say(state, MP_DIAG_MIXED_INPUTS,
               "states %s, but another profile does not, expected profiles of one kind; run "
               "memprof once for each kind",
               unsized ? "no bytes" : "bytes");
        return false;
    }
    state->model->holds |= unsized ? MP_HOLDS_UNSIZED : 0;
    return true;
}

/* --- samples --- */

/* A sample, while it is read. */
typedef struct pp_sample {
    uint64_t number, frames;
    size_t depth; /* locations in state->stack */
    bool cut;
    int64_t values[PP_MOST_VALUES];
    size_t value_count;
    mp_context context;
} pp_sample;

static void read_locations(pp_state *state, pb_field *field, pp_sample *sample)
{
    uint64_t id;
    while (pb_repeated(&state->wire, field, &id)) {
        if (sample->frames >= PP_MOST_FRAMES) {
            sample->cut = true;
            continue;
        }
        const uint32_t place = pp_location_of(state, id);
        const uint32_t lines = state->locations.items[place].count;
        sample->frames += lines ? lines : 1;
        state->stack[sample->depth++] = place;
    }
}

static mp_type_id type_named(pp_state *state, mp_string_id name)
{
    uint32_t *place = mp_id_index_put(&state->types, name.i);
    if (!*place) {
        MP_ADD(&state->model->types)->name = name;
        *place = state->model->types.count - 1;
    }
    return (mp_type_id){*place};
}

/* Read a label. Labels other than "type" and "thread" are ignored. */
static void read_label(pp_state *state, uint64_t end, pp_sample *sample)
{
    pb_field field = {0};
    uint64_t key = 0, text = 0;
    while (pb_next(&state->wire, end, &field)) {
        if (field.number == LABEL_KEY)
            key = field.value;
        else if (field.number == LABEL_TEXT)
            text = field.value;
    }
    const char *name = text ? pp_text(state, key) : "";
    if (mp_text_is(name, "type"))
        sample->context.type =
            type_named(state, mp_model_intern_text(state->model, pp_text(state, text)));
    else if (mp_text_is(name, "thread"))
        sample->context.thread = mp_model_intern_text(state->model, pp_text(state, text));
}

static void read_sample(pp_state *state, uint64_t end, pp_sample *sample)
{
    pb_field field = {0};
    uint64_t value;
    while (pb_next(&state->wire, end, &field)) {
        if (field.number == SAMPLE_LOCATION)
            read_locations(state, &field, sample);
        else if (field.number == SAMPLE_LABEL && field.type == PB_BYTES)
            read_label(state, field.end, sample);
        while (field.number == SAMPLE_VALUE && pb_repeated(&state->wire, &field, &value)) {
            if (sample->value_count < PP_MOST_VALUES)
                sample->values[sample->value_count] = (int64_t)value;
            sample->value_count++;
        }
    }
}

/* Set the node of a sample's stack. If the profile's stacks have too many distinct frames, only the
 * innermost one is kept. */
static void set_stack(pp_state *state, pp_sample *sample)
{
    uint32_t step = 0;
    if (state->steps.count > PP_MOST_STEPS && sample->depth > 1) {
        sample->cut = true;
        sample->depth = 1;
    }
    for (size_t i = sample->depth; i-- > 0;)
        step = pp_step_of(state, step, state->stack[i]);
    sample->context.node = state->steps.items[step].node;
    sample->context.line = step ? state->steps.items[step].line : 0;
    state->cut_stacks += sample->cut;
}

/* Return an amount of a sample in objects or bytes; 0 if it is not stated. Clear *sound if it is
 * impossible. */
static int64_t amount_of(pp_state *state, const pp_sample *sample, pp_role role, bool *sound)
{
    if (state->roles[role] < 0)
        return 0;
    const int64_t value = sample->values[state->roles[role]], unit = state->units[role];
    *sound &=
        value >= 0 && value <= INT64_MAX / unit && mp_census_affords(&state->census, value * unit);
    return *sound ? value * unit : 0;
}

static mp_census_share sum_of(mp_census_share a, mp_census_share b)
{
    return (mp_census_share){a.objects + b.objects, a.bytes + b.bytes};
}

/* Add the amounts of a sample to those of its context. */
static void enter(pp_state *state, pp_sample *sample, mp_census_share alive, mp_census_share made)
{
    set_stack(state, sample);
    const mp_context_id context = mp_model_context(state->model, &sample->context);
    uint32_t *place = mp_id_index_put(&state->row_index, context.i);
    if (!*place) {
        MP_ADD(&state->rows)->context = context.i;
        *place = state->rows.count - 1;
    }
    pp_row *row = &state->rows.items[*place];
    row->alive = sum_of(row->alive, alive);
    row->made = sum_of(row->made, made);
}

/* Check the amounts of a sample, then add them. */
static void take(pp_state *state, pp_sample *sample)
{
    bool sound = true;
    if (sample->value_count != state->value_count) {
        pp_say(state, MP_DIAG_BAD_ROW,
               "sample %" PRIu64
               " has %zu values, expected one for each of %zu types: sample skipped",
               sample->number, sample->value_count, state->value_count);
        return;
    }
    const mp_census_share alive = {amount_of(state, sample, PP_ALIVE_OBJECTS, &sound),
                                   amount_of(state, sample, PP_ALIVE_BYTES, &sound)};
    mp_census_share made = {amount_of(state, sample, PP_MADE_OBJECTS, &sound),
                            amount_of(state, sample, PP_MADE_BYTES, &sound)};
    if (!sound || (!alive.objects && alive.bytes)) {
        pp_say(state, MP_DIAG_BAD_ROW, "sample %" PRIu64 " %s: sample skipped", sample->number,
               sound ? "has bytes but no objects"
                     : "has a negative amount, as a difference of two profiles has, or an "
                       "impossibly large one");
        return;
    }
    if (state->roles[PP_MADE_OBJECTS] >= 0 && made.objects < alive.objects) {
        pp_say(state, MP_DIAG_BAD_ROW,
               "sample %" PRIu64 " has %" PRId64 " objects in use, but only %" PRId64
               " allocated; those in use count as allocated",
               sample->number, alive.objects, made.objects);
        made = alive;
    }
    if (alive.objects || made.objects)
        enter(state, sample, alive, made);
}

static void read_samples(pp_state *state)
{
    pb_field field = {0};
    uint64_t number = 0;
    while (pb_next(&state->wire, UINT64_MAX, &field)) {
        if (field.number != PP_SAMPLE || field.type != PB_BYTES)
            continue;
        number++;
        pp_sample sample = {.number = number, .context = {.session = state->session}};
        read_sample(state, field.end, &sample);
        if (state->wire.fault)
            pp_resume(state, "sample", field.end);
        else
            take(state, &sample);
    }
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
    if (!mp_input_keep(input) || !pp_read_tables(state) || !find_amounts(state) ||
        !mp_input_rewind(input))
        return false;
    state->wire = (pb_wire){.input = input};
    begin_session(state);
    read_samples(state);
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
            profile->made = sum_of(profile->made, state->rows.items[i].made);
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
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_pprof,
    .read = read_pprof,
    .close = close_pprof,
};

/* The pprof reader: samples and their amounts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/build.h"
#include "readers/pprof.h"

enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };

/* --- amounts --- */

static const struct {
    const char *name;
    pp_role role;
} amounts[] = {
    {"inuse_objects", PP_ALIVE_OBJECTS}, {"inuse_space", PP_ALIVE_BYTES},
    {"alloc_objects", PP_MADE_OBJECTS},  {"alloc_space", PP_MADE_BYTES},
    {"objects", PP_ALIVE_OBJECTS},       {"space", PP_ALIVE_BYTES},
    {"goroutine", PP_ALIVE_OBJECTS},     {"threadcreate", PP_ALIVE_OBJECTS},
};

bool pp_is_amount(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        found |= mp_text_is(name, amounts[i].name);
    return found;
}

/* Note the amount that a sample type states, if it states one. Return false after a diagnostic. */
static bool assign(pp_state *state, size_t place)
{
    const char *name = pp_text(state, state->values[place].type);
    const char *unit = pp_text(state, state->values[place].unit);
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        const pp_role role = amounts[i].role;
        const bool bytes = role == PP_ALIVE_BYTES || role == PP_MADE_BYTES;
        if (!mp_text_is(name, amounts[i].name))
            continue;
        const int64_t factor = pp_unit_of(unit, bytes ? pp_byte_units : pp_count_units);
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

/* Return what heap profiles with these capabilities state. */
static const char *stated_by(unsigned lacks)
{
    return lacks & MP_HOLDS_UNSIZED     ? "objects without bytes"
           : lacks & MP_HOLDS_UNCOUNTED ? "bytes without objects"
                                        : "objects and bytes";
}

static bool find_amounts(pp_state *state)
{
    for (int role = 0; role < PP_ROLES; role++)
        state->roles[role] = -1;
    for (size_t i = 0; i < state->value_count; i++)
        if (!assign(state, i))
            return false;
    const bool unsized = state->roles[PP_ALIVE_BYTES] < 0;
    const bool uncounted = state->roles[PP_ALIVE_OBJECTS] < 0;
    const unsigned lacks = unsized ? MP_HOLDS_UNSIZED : uncounted ? MP_HOLDS_UNCOUNTED : 0;
    const unsigned others = state->model->holds & (MP_HOLDS_UNSIZED | MP_HOLDS_UNCOUNTED);
    state->states_made =
        state->roles[PP_MADE_BYTES] >= 0 && (uncounted || state->roles[PP_MADE_OBJECTS] >= 0);
    if (unsized && uncounted) {
        const pp_value_type *first = &state->values[0];
        pp_say(state, MP_DIAG_FOREIGN_FILE,
               "is a pprof profile of %.60s (%.20s), expected a heap profile, with inuse_space, or "
               "a profile of times or counts",
               pp_text(state, first->type), pp_text(state, first->unit));
        return false;
    }
    if (state->series.profiles.count && lacks != others) {
        pp_say(state, MP_DIAG_MIXED_INPUTS,
               "states %s, but another profile %s, expected profiles of one kind; run memprof once "
               "for each kind",
               stated_by(lacks), stated_by(others));
        return false;
    }
    state->model->holds |= lacks;
    return true;
}

bool pp_find_values(pp_state *state)
{
    if (state->value_count > PP_MOST_VALUES) {
        pp_say(state, MP_DIAG_NOTHING_USABLE, "has more than %d sample types", PP_MOST_VALUES);
        return false;
    }
    for (size_t i = 0; i < state->value_count; i++) {
        (void)pp_text(state, state->values[i].type);
        (void)pp_text(state, state->values[i].unit);
    }
    if (state->torn) {
        pp_say(state, MP_DIAG_NOTHING_USABLE,
               "lacks the names of its amounts, which are at its end: record it again");
        return false;
    }
    return state->kind == PP_HEAP ? find_amounts(state) : pp_find_cost(state);
}

/* --- samples --- */

/* A sample, while it is read. */
typedef struct pp_sample {
    uint64_t number, frames;
    size_t depth; /* number of locations in state->stack */
    bool cut;
    int64_t values[PP_MOST_VALUES];
    size_t value_count;
    bool has_thread;
    size_t thread_rank; /* place of its label in the table of labels for threads */
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

/* Labels that profilers give to threads. The label that takes precedence is the first. */
static const char *const thread_labels[] = {"thread",    "thread name", "thread_name",
                                            "thread id", "thread_id",   "tid"};
enum { THREAD_LABELS = sizeof thread_labels / sizeof *thread_labels };

/* Set the thread of a sample, unless a label that counts more has set it. */
static void set_thread(pp_state *state, const char *key, uint64_t text, uint64_t number,
                       pp_sample *sample)
{
    size_t rank = 0;
    while (rank < THREAD_LABELS && !mp_text_is(key, thread_labels[rank]))
        rank++;
    if (rank >= THREAD_LABELS || (sample->has_thread && rank >= sample->thread_rank))
        return;
    sample->has_thread = true;
    sample->thread_rank = rank;
    sample->context.thread =
        text ? mp_model_intern_text(state->model, pp_text(state, text))
             : mp_model_intern_format(state->model, "%" PRId64, (int64_t)number);
}

/* Read a label. Labels other than the type and the thread are ignored. */
static void read_label(pp_state *state, uint64_t end, pp_sample *sample)
{
    pb_field field = {0};
    uint64_t key = 0, text = 0, number = 0;
    while (pb_next(&state->wire, end, &field)) {
        if (field.number == LABEL_KEY)
            key = field.value;
        else if (field.number == LABEL_TEXT)
            text = field.value;
        else if (field.number == LABEL_NUMBER)
            number = field.value;
    }
    const char *name = text || number ? pp_text(state, key) : "";
    if (text && mp_text_is(name, "type"))
        sample->context.type = mp_model_type_named(
            state->model, mp_model_intern_text(state->model, pp_text(state, text)));
    else
        set_thread(state, name, text, number, sample);
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

/* Set the node of a sample's stack. If the stacks of the profile have too many distinct frames,
 * only the innermost frame is kept. */
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

/* Return an amount of a sample in objects or bytes; 0 if it is not stated. If it is impossible,
 * clear *sound. */
static int64_t amount_of(pp_state *state, const pp_sample *sample, pp_role role, bool *sound)
{
    if (state->roles[role] < 0)
        return 0;
    const int64_t value = sample->values[state->roles[role]], unit = state->units[role];
    *sound &= value >= 0 && value <= INT64_MAX / unit &&
              mp_census_affords(&state->series.census, value * unit);
    return *sound ? value * unit : 0;
}

/* Return two amounts of a sample. If numbers of objects are not stated, each byte counts as an
 * object. */
static mp_census_share share_of(pp_state *state, const pp_sample *sample, pp_role objects,
                                pp_role bytes, bool *sound)
{
    const bool uncounted = state->model->holds & MP_HOLDS_UNCOUNTED;
    const int64_t size = amount_of(state, sample, bytes, sound);
    return (mp_census_share){uncounted ? size : amount_of(state, sample, objects, sound), size};
}

static const char impossible[] =
    "has a negative amount, as a difference of two profiles has, or an impossibly large one";

/* Add the cost of a sample to the profile. */
static void take_cost(pp_state *state, pp_sample *sample)
{
    const int64_t value = sample->values[state->cost];
    const int64_t cost = value ? pp_cost_of(state, value) : 0;
    if (!value)
        return;
    set_stack(state, sample);
    mp_stack_frame frame = {sample->context.node, sample->context.line};
    if (!frame.node.i) {
        const mp_symbol unknown = {.name = mp_model_intern_text(state->model, "[unknown]")};
        mp_stack_call(&state->stacks, &frame, mp_stack_symbol(&state->stacks, unknown), MP_NO_LINE);
    }
    if (cost < 0 || !mp_stack_profile_add(&state->costs, frame, cost))
        pp_say(state, MP_DIAG_BAD_ROW, "sample %" PRIu64 " %s: sample skipped", sample->number,
               impossible);
}

/* Check the amounts of a sample, then add them. */
static void take_amounts(pp_state *state, pp_sample *sample)
{
    bool sound = true;
    const mp_census_share alive = share_of(state, sample, PP_ALIVE_OBJECTS, PP_ALIVE_BYTES, &sound);
    mp_census_share made = {0};
    if (state->states_made)
        made = share_of(state, sample, PP_MADE_OBJECTS, PP_MADE_BYTES, &sound);
    if (!sound || (!alive.objects && alive.bytes)) {
        pp_say(state, MP_DIAG_BAD_ROW, "sample %" PRIu64 " %s: sample skipped", sample->number,
               sound ? "has bytes but no objects" : impossible);
        return;
    }
    if (state->states_made && made.objects < alive.objects) {
        state->older++;
        made = alive;
    }
    if (alive.objects || made.objects) {
        set_stack(state, sample);
        mp_profile_series_add(&state->series, &sample->context, alive, made);
    }
}

/* Note the innermost function of a sample. */
static void look_at(pp_state *state, const pp_sample *sample)
{
    const bool counts =
        sample->value_count == state->value_count && sample->depth && sample->values[state->cost];
    const pp_location *location = counts ? &state->locations.items[state->stack[0]] : NULL;
    if (!location)
        return;
    const uint64_t name =
        location->count ? state->functions.items[state->lines.items[location->first].function].name
                        : UINT64_MAX;
    pp_note_wait(state, mp_slice_of(name < state->texts.count ? pp_text(state, name) : ""));
}

static void take(pp_state *state, pp_sample *sample)
{
    if (state->looks)
        look_at(state, sample);
    else if (sample->value_count != state->value_count)
        pp_say(state, MP_DIAG_BAD_ROW,
               "sample %" PRIu64
               " has %zu values, expected one for each of %zu types: sample skipped",
               sample->number, sample->value_count, state->value_count);
    else if (state->kind == PP_HEAP)
        take_amounts(state, sample);
    else
        take_cost(state, sample);
}

void pp_read_samples(pp_state *state)
{
    pb_field field = {0};
    uint64_t number = 0;
    while (pb_next(&state->wire, UINT64_MAX, &field)) {
        if (field.number != PP_SAMPLE || field.type != PB_BYTES)
            continue;
        number++;
        pp_sample sample = {.number = number};
        read_sample(state, field.end, &sample);
        if (state->wire.fault && state->looks)
            pb_resume(&state->wire, field.end);
        else if (state->wire.fault)
            pp_resume(state, "sample", field.end);
        else
            take(state, &sample);
    }
}

/* Heap profiles in text, as gperftools, jemalloc and Go write them: numbers and bytes of objects by
 * stack. Several files are snapshots in time. */
#include "readers/gperftools.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "readers/reader.h"

/* --- numbers --- */

/* Remove OBJECTS: BYTES from the start of the text. */
static bool take_share(mp_slice *text, mp_census_share *share)
{
    uint64_t objects, bytes;
    if (!mp_slice_take_number(text, 10, &objects) || !mp_slice_take(text, ":") ||
        !mp_slice_take_number(text, 10, &bytes) || objects > INT64_MAX || bytes > INT64_MAX)
        return false;
    *share = (mp_census_share){(int64_t)objects, (int64_t)bytes};
    return true;
}

/* Remove OBJECTS: BYTES [OBJECTS: BYTES] from the start of the text. */
static bool take_counts(mp_slice *text, gt_counts *counts)
{
    return take_share(text, &counts->alive) && mp_slice_take(text, "[") &&
           take_share(text, &counts->made) && mp_slice_take(text, "]");
}

/* --- the header --- */

/* Kinds of profiles. A sampled profile states the mean number of bytes between two samples, times
 * `factor`. */
static const struct {
    const char *name;
    unsigned factor;  /* 0: not sampled */
    bool states_made; /* the numbers in brackets always count allocated objects */
} kinds[] = {
    {"heapprofile", 0, true}, {"heap", 2, true}, {"heap_v2", 1, false}, {"heapz_v2", 1, false}};

static bool differs(mp_census_share a, mp_census_share b)
{
    return a.objects != b.objects || a.bytes != b.bytes;
}

static void set_stated(gt_state *state, gt_counts stated)
{
    state->stated = stated;
    state->has_stated = true;
    state->has_made |= (stated.made.objects || stated.made.bytes) &&
                       (state->by_thread || differs(stated.made, stated.alive));
}

/* Report a profile if another program wrote it than the first one of the series. */
static void check_kind(gt_state *state, const char *kind)
{
    if (!state->series_kind)
        state->series_kind = kind;
    if (strcmp(kind, state->series_kind) != 0)
        gt_say(state, MP_DIAG_OTHER_PROCESS,
               "is a profile of the kind %s, and the first is of the kind %s: profiles of several "
               "processes do not form a series",
               kind, state->series_kind);
}

/* Read the kind of a profile and the rate of its samples, such as "heap_v2/524288". */
static bool read_kind(gt_state *state, mp_slice text)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t rate = 0;
        mp_slice rest = text;
        if (!mp_slice_take(&rest, kinds[i].name) ||
            (mp_slice_take(&rest, "/") && !mp_slice_take_number(&rest, 10, &rate)) ||
            mp_slice_trim(rest).length)
            continue;
        rate = kinds[i].factor ? rate / kinds[i].factor : 0;
        state->rate = (double)rate;
        state->has_made |= kinds[i].states_made;
        check_kind(state, kinds[i].name);
        return true;
    }
    return false;
}

/* Read the first line: "heap profile: COUNTS @ KIND", or "heap_v2/RATE" of jemalloc. In files of
 * jemalloc, the totals follow in a line for all threads. Return false after a diagnostic. */
static bool read_header(gt_state *state, mp_slice line)
{
    gt_counts stated;
    mp_slice rest = line;
    if (mp_slice_take(&rest, "heap profile:")) {
        if (take_counts(&rest, &stated) && mp_slice_take(&rest, "@") && read_kind(state, rest)) {
            set_stated(state, stated);
            return true;
        }
    } else if (read_kind(state, line)) {
        state->by_thread = true;
        return true;
    }
    gt_say(state, MP_DIAG_NOTHING_USABLE,
           "begins with \"%.*s\", expected the header of a heap profile, such as heap profile: 50: "
           "201216 [56: 201720] @ heapprofile, heap_v2/524288 or heap/1048576",
           (int)(line.length < 80 ? line.length : 80), line.start);
    return false;
}

/* --- records --- */

/* Estimate how much was allocated from what was sampled: an object of `size` bytes is sampled with
 * probability 1 - exp(-size / rate). Return false if the result does not fit. */
static bool scale(double rate, mp_census_share *share)
{
    enum { LARGEST = 62 };
    if (rate <= 1 || !share->objects || !share->bytes)
        return true;
    const double size = (double)share->bytes / (double)share->objects;
    const double factor = 1 / (1 - exp(-size / rate));
    const double most = (double)((int64_t)1 << LARGEST);
    if (!((double)share->objects * factor < most && (double)share->bytes * factor < most))
        return false;
    *share = (mp_census_share){(int64_t)((double)share->objects * factor),
                               (int64_t)((double)share->bytes * factor)};
    return true;
}

/* Add amounts to a sum. Return false if they are impossibly large. */
static bool add_share(gt_state *state, mp_census_share *sum, mp_census_share share)
{
    if (!mp_census_affords(&state->series.census, share.objects) ||
        !mp_census_affords(&state->series.census, share.bytes))
        return false;
    sum->objects += share.objects;
    sum->bytes += share.bytes;
    return true;
}

/* Skip a record. The text says what is wrong. */
#define SKIP(state, ...)                                                                           \
    do {                                                                                           \
        gt_say(state, MP_DIAG_BAD_ROW, __VA_ARGS__);                                               \
        (state)->skipped++;                                                                        \
    } while (0)

/* Check and scale the numbers of a record. Return false after a diagnostic. */
static bool check_counts(gt_state *state, gt_counts *counts)
{
    mp_census_share *alive = &counts->alive, *made = &counts->made, unused = {0, 0};
    if ((!alive->objects && alive->bytes) || (!made->objects && made->bytes)) {
        SKIP(state, "record has bytes but no objects: record skipped");
        return false;
    }
    if (state->has_made && made->objects < alive->objects) {
        gt_say(state, MP_DIAG_BAD_ROW,
               "record has %" PRId64 " objects in use, but only %" PRId64
               " allocated; those in use count as allocated",
               alive->objects, made->objects);
        *made = *alive;
    }
    const gt_counts read = *counts;
    if (scale(state->rate, alive) && scale(state->rate, made) &&
        add_share(state, &unused, *alive) && add_share(state, &unused, *made) &&
        add_share(state, &state->sum.alive, read.alive) &&
        add_share(state, &state->sum.made, read.made))
        return true;
    SKIP(state, "record has impossibly large numbers: record skipped");
    return false;
}

/* Enter the current record, whose frames are complete. */
static void end_record(gt_state *state)
{
    const mp_census_share alive = state->counts.alive;
    const mp_census_share made = state->has_made ? state->counts.made : alive;
    if (state->has_counts && (alive.objects || made.objects)) {
        const mp_stack_frame frame = gt_stack(state);
        mp_profile_series_add(&state->series, &(mp_context){.node = frame.node, .line = frame.line},
                              alive, made);
    }
    if (state->has_stack && !state->has_counts)
        SKIP(state, "stack before this line has no numbers, expected t*: and OBJECTS: BYTES "
                    "[OBJECTS: BYTES] after it: stack skipped");
    state->has_stack = state->has_counts = false;
}

/* Take the numbers of the current record. */
static void take_record(gt_state *state, gt_counts counts)
{
    state->records++;
    state->has_counts = true;
    state->counts = check_counts(state, &counts) ? counts : (gt_counts){0};
}

/* Read OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES. */
static void read_record(gt_state *state, mp_slice line)
{
    gt_counts counts;
    end_record(state);
    if (take_counts(&line, &counts) && mp_slice_take(&line, "@") && gt_read_addresses(state, line))
        take_record(state, counts);
    else
        SKIP(state, "record is damaged, expected OBJECTS: BYTES [OBJECTS: BYTES] @ and addresses "
                    "such as 0x401a2b: record skipped");
}

/* Read a line of jemalloc: a stack, the numbers of all threads for that stack, or the numbers of
 * one thread, which are a part of these. */
static void read_threads(gt_state *state, mp_slice line)
{
    gt_counts counts;
    uint64_t thread;
    mp_slice rest = line;
    if (mp_slice_take(&rest, "@")) {
        end_record(state);
        state->has_stack = gt_read_addresses(state, rest);
        if (state->has_stack)
            return;
    } else if (mp_slice_take(&rest, "t*:") && take_counts(&rest, &counts)) {
        if (state->has_stack && !state->has_counts)
            take_record(state, counts);
        else if (!state->has_stack && !state->has_stated)
            set_stated(state, counts);
        return;
    } else if (mp_slice_take(&rest, "t") && mp_slice_take_number(&rest, 10, &thread) &&
               mp_slice_take(&rest, ":") && take_counts(&rest, &counts)) {
        return;
    }
    SKIP(state, "line is damaged, expected @ and addresses, or t*: OBJECTS: BYTES [OBJECTS: "
                "BYTES]: line skipped");
}

static void read_comment(gt_state *state, mp_slice line)
{
    static const char time[] = "# LastGC = ";
    uint64_t time_ns;
    if (mp_slice_starts(line, "#\t")) {
        if (state->has_counts)
            gt_read_frame(state, line);
    } else if (mp_slice_starts(line, "# runtime.MemStats")) {
        state->ended = true;
    } else if (mp_slice_starts(line, time)) {
        mp_slice rest = {line.start + sizeof time - 1, line.length - (sizeof time - 1)};
        if (mp_slice_take_number(&rest, 10, &time_ns) && time_ns <= INT64_MAX)
            state->time_ns = (int64_t)time_ns;
    }
}

static void read_line(gt_state *state, mp_slice line)
{
    if (state->in_mappings)
        gt_check_mapping(state, line);
    else if (gt_begins_mappings(line))
        state->in_mappings = state->ended = true;
    else if (line.length && *line.start == '#')
        read_comment(state, line);
    else if (!mp_slice_trim(line).length)
        return;
    else if (state->by_thread)
        read_threads(state, line);
    else
        read_record(state, line);
}

/* --- one profile --- */

/* Report records that do not add up to the totals of the header. */
static void check_total(gt_state *state, const char *which, mp_census_share sum,
                        mp_census_share stated)
{
    if (!differs(sum, stated))
        return;
    const bool more = sum.objects > stated.objects || sum.bytes > stated.bytes;
    gt_say(state, more ? MP_DIAG_TRAILER_OBJECTS : MP_DIAG_TORN,
           "records have %" PRId64 " objects of %" PRId64 " bytes%s, but the header states %" PRId64
           " of %" PRId64 "%s",
           sum.objects, sum.bytes, which, stated.objects, stated.bytes,
           more ? "" : ": the profile is truncated, or was too long for its recorder");
    state->ended &= more;
}

/* Compare the sums over the records with the totals of the header. jemalloc corrects each number of
 * a sampled profile separately, so these do not add up. */
static void check_totals(gt_state *state)
{
    if (state->by_thread && !state->has_stated && state->records)
        gt_say(state, MP_DIAG_TORN, "has no totals, expected t*: and totals before the stacks");
    if (!state->has_stated || (state->by_thread && state->rate > 1) || state->skipped)
        return;
    check_total(state, "", state->sum.alive, state->stated.alive);
    if (state->has_made && state->ended)
        check_total(state, " allocated", state->sum.made, state->stated.made);
}

/* Report data that was read, but could not be used as it is. */
static void tell_rest(gt_state *state)
{
    if (!state->ended)
        gt_say(state, MP_DIAG_TORN,
               "the profile is truncated, expected MAPPED_LIBRARIES: or # runtime.MemStats after "
               "its records");
    check_totals(state);
    if (!state->records)
        gt_say(state, MP_DIAG_EMPTY_PROFILE,
               "has no records: nothing is in use, or the profiler was off");
    if (state->cut_stacks)
        gt_say(state, MP_DIAG_CUT_STACKS,
               "%" PRIu64 " stacks have more than %d frames: only their innermost frames are kept",
               state->cut_stacks, GT_MOST_FRAMES);
}

static void begin(gt_state *state, mp_input *input, const char *path)
{
    const size_t kept = offsetof(gt_state, input), records = offsetof(gt_state, addresses);
    free(state->mappings.items);
    mp_id_index_free(&state->symbols);
    memset((char *)state + kept, 0, records - kept);
    state->input = input;
    state->path = path;
}

static bool read_gperftools(void *opaque, mp_input *input, uint32_t summary)
{
    gt_state *state = opaque;
    mp_slice line;
    begin(state, input, state->model->inputs.items[summary].path);
    if (!gt_read_mappings(state) || !mp_input_line(input, &line) || !read_header(state, line))
        return false;
    mp_profile_series_begin(&state->series);
    while (mp_input_line(input, &line))
        read_line(state, line);
    end_record(state);
    state->ended &= mp_input_line_closed(input);
    tell_rest(state);
    mp_profile_series_end(&state->series, summary, state->time_ns, state->has_made);
    state->model->inputs.items[summary].records = state->records;
    state->model->inputs.items[summary].complete = state->ended && mp_input_is_whole(input);
    return true;
}

/* --- the reader --- */

/* Claim input that begins with the header of a profile. */
static mp_bid probe(mp_slice head)
{
    mp_slice line;
    if (!mp_slice_take_line(&head, &line))
        return MP_NOT_MINE;
    const bool threads = mp_slice_starts(line, "heap_v2/") || mp_slice_starts(line, "heapz_v2/");
    return threads || mp_slice_starts(line, "heap profile:") ? MP_MINE : MP_NOT_MINE;
}

static void *open_gperftools(mp_model *model, mp_diagnostics *diagnostics,
                             const mp_load_options *options)
{
    gt_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->stacks = (mp_stack_builder){.model = model, .options = options};
    mp_profile_series_open(&state->series, model, diagnostics);
    model->holds |= MP_HOLDS_NATIVE;
    return state;
}

static void close_gperftools(void *opaque)
{
    gt_state *state = opaque;
    mp_profile_series_close(&state->series);
    mp_stack_builder_free(&state->stacks);
    mp_id_index_free(&state->symbols);
    free(state->mappings.items);
    free(state);
}

const mp_reader mp_reader_gperftools = {
    .name = "gperftools",
    .summary = "heap profile in text (gperftools, jemalloc, Go)",
    .endings = ".heap",
    .versions = "all",
    .noun = "a heap profile",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_gperftools,
    .read = read_gperftools,
    .close = close_gperftools,
};

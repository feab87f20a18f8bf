/* Output files of valgrind's massif: the bytes of a heap at snapshots, some of them with a tree of
 * the stacks that allocated them.
 *
 * Numbers of blocks are not recorded (MP_HOLDS_UNCOUNTED). A snapshot without a tree has only a
 * total. A tree begins at the innermost functions, and its nodes are kept in that order. The whole
 * stack of a node is made when the node first has bytes of its own. Massif combines places below a
 * threshold. A site may be above the threshold at one snapshot and below it at the next. It then
 * keeps its bytes, as long as all these sites together do not have more bytes than the combined
 * places.
 *
 * docs/formats/massif.md describes the lines and names the sources. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/census.h"
#include "readers/native_code.h"

enum {
    MS = 1000,
    MOST_FRAMES = 1024, /* maximum number of frames of a stack; massif has at most 200 */
    /* Maximum number of sites that a snapshot may keep although its tree does not name them: for
     * each line of the tree, and at least. */
    KEPT_PER_LINE = 64,
    LEAST_KEPT = 4096
};

/* A function in the tree. It is below the functions that it calls. */
typedef struct massif_place {
    uint32_t inner; /* the function that it calls; 0: it allocates memory itself */
    native_frame frame;
    mp_context context; /* its stack up to this function */
    bool known;         /* the context is made */
    uint32_t seen;      /* number of the last tree that has the place */
    int64_t now;        /* own bytes in the current tree */
    int64_t before;     /* own bytes at the last tree, if the place is active */
    int64_t combined;   /* bytes of the combined places below it, in the current tree */
    bool active;        /* member of `active` */
} massif_place;

/* A node of the current tree. */
typedef struct massif_level {
    uint32_t place;
    int64_t children; /* number of children that are still to come */
    int64_t bytes;    /* own bytes: the bytes of the children are subtracted as these come */
} massif_level;

typedef enum massif_tree { TREE_MISSING, TREE_EMPTY, TREE_DETAILED, TREE_PEAK } massif_tree;
static const char *const tree_names[] = {"", "empty", "detailed", "peak"};

typedef struct massif_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    native_code code;
    /* The current file: */
    mp_input *input;
    const char *path;
    mp_session_id session;
    mp_census census;
    MP_LIST(massif_place) places; /* place 0: the caller of all others */
    mp_id_index place_index;      /* by inner place, symbol and line */
    MP_LIST(uint32_t) active;     /* places with bytes at the last tree */
    massif_level *levels;
    bool timed; /* times are milliseconds */
    int64_t last_us;
    uint64_t snapshots, trees, damaged;
    /* The current snapshot: */
    bool begun;
    int64_t number, time, heap_bytes, line; /* -1: not stated */
    massif_tree tree;
    size_t depth;    /* number of levels */
    uint64_t lines;  /* number of lines of the tree */
    uint32_t serial; /* number of the tree */
    bool broken;     /* the tree cannot be used */
} massif_state;

static void say(massif_state *state, mp_diagnostic_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(massif_state *state, mp_diagnostic_id id, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    mp_diagnose(state->diagnostics, id, state->path, mp_input_line_number(state->input), "%s",
                text);
}

/* Report the first fault of a tree. If a tree has a fault, only its total is used. */
#define SPOIL(state, ...)                                                                          \
    do {                                                                                           \
        if (!(state)->broken)                                                                      \
            say((state), MP_DIAG_DAMAGED_SNAPSHOT, __VA_ARGS__);                                   \
        (state)->broken = true;                                                                    \
    } while (0)

/* --- places --- */

static massif_place *place_at(massif_state *state, uint32_t place)
{
    return &state->places.items[place];
}

/* Return the place of a function that calls `inner`. */
static uint32_t place_of(massif_state *state, uint32_t inner, native_frame frame)
{
    const uint64_t words[] = {inner, mp_joined(frame.symbol.i, frame.line)};
    uint32_t *place = mp_id_index_put(&state->place_index, mp_hash_words(words, 2));
    if (!*place) {
        *MP_ADD(&state->places) = (massif_place){.inner = inner, .frame = frame};
        *place = state->places.count - 1;
    }
    return *place;
}

/* Return the context of a place: the stack from this place to the innermost function. */
static const mp_context *context_of(massif_state *state, uint32_t place)
{
    massif_place *target = place_at(state, place);
    mp_stack_frame stack = {{0}, 0};
    if (target->known)
        return &target->context;
    for (uint32_t i = place; i; i = place_at(state, i)->inner)
        mp_stack_call(&state->code.stacks, &stack, place_at(state, i)->frame.symbol,
                      place_at(state, i)->frame.line);
    if (!place) { /* combined sites are one site, which has a name instead of a stack */
        static const char name[] = "(sites below massif's threshold)";
        const mp_slice none = {"", 0};
        mp_stack_call(&state->code.stacks, &stack,
                      native_symbol(&state->code, mp_slice_of(name), none, none), MP_NO_LINE);
    }
    target->context = (mp_context){.node = stack.node, .line = stack.line};
    target->known = true;
    return &target->context;
}

/* --- trees --- */

static void add_bytes(massif_state *state, uint32_t place, int64_t bytes)
{
    massif_place *target = place_at(state, place);
    target->now += bytes;
    if (target->active || !bytes)
        return;
    target->active = true;
    *MP_ADD(&state->active) = place;
}

/* End the levels of the tree below `depth`. Their own bytes are those that their children do not
 * have. */
static void end_levels(massif_state *state, size_t depth)
{
    while (state->depth > depth) {
        const massif_level *level = &state->levels[--state->depth];
        if (level->children)
            SPOIL(state,
                  "tree lacks %" PRId64 " lines of a node: only the snapshot's total is used",
                  level->children);
        if (level->bytes < 0)
            SPOIL(state, "nodes of the tree have more bytes than the one above them: only the "
                         "snapshot's total is used");
        if (!state->broken)
            add_bytes(state, level->place, level->bytes);
    }
}

/* Return the place of a new node at this depth, and reset the values that the previous tree left in
 * it. */
static uint32_t enter_place(massif_state *state, size_t depth, mp_slice label)
{
    uint32_t place = 0;
    if (depth) {
        const native_frame frame = native_frame_of_label(&state->code, label);
        place = place_of(state, state->levels[depth - 1].place, frame);
    }
    massif_place *entered = place_at(state, place);
    if (entered->seen != state->serial)
        entered->combined = 0;
    entered->seen = state->serial;
    return place;
}

/* Remove the node from the start of a line, " n1: 204800 LABEL". */
static bool take_node(mp_slice *line, size_t *depth, int64_t *children, int64_t *bytes)
{
    mp_slice rest = *line;
    while (rest.length && *rest.start == ' ')
        rest = (mp_slice){rest.start + 1, rest.length - 1};
    *depth = (size_t)(rest.start - line->start);
    if (!rest.length || *rest.start != 'n')
        return false;
    rest = (mp_slice){rest.start + 1, rest.length - 1};
    if (!native_take_number(&rest, children) || !mp_slice_starts(rest, ": "))
        return false;
    rest = (mp_slice){rest.start + 2, rest.length - 2};
    if (!native_take_number(&rest, bytes) || (rest.length && *rest.start != ' '))
        return false;
    *line = rest.length ? (mp_slice){rest.start + 1, rest.length - 1} : rest;
    return true;
}

/* Return true if the label is that of combined places: "in 2 places, all below ...". */
static bool is_combined(mp_slice label)
{
    int64_t count;
    if (!mp_slice_starts(label, "in "))
        return false;
    label = (mp_slice){label.start + 3, label.length - 3};
    return native_take_number(&label, &count) && mp_slice_starts(label, " place");
}

static void read_node(massif_state *state, mp_slice line)
{
    size_t depth;
    int64_t children, bytes;
    if (state->broken)
        return;
    state->lines++;
    if (!take_node(&line, &depth, &children, &bytes)) {
        SPOIL(state, "line of the tree is damaged, expected n, the number of lines below it, a "
                     "colon, bytes and code: only the snapshot's total is used");
        return;
    }
    end_levels(state, depth < state->depth ? depth : state->depth);
    if (state->broken)
        return;
    const bool fits = depth <= state->depth && (depth > 0) == (state->depth > 0);
    massif_level *above = fits && depth ? &state->levels[depth - 1] : NULL;
    if (!fits || (above ? !above->children : state->lines > 1)) {
        SPOIL(state, "line of the tree does not belong to one above it: only the snapshot's total "
                     "is used");
        return;
    }
    if (depth >= MOST_FRAMES) {
        SPOIL(state, "stack has more than %d frames: only the snapshot's total is used",
              MOST_FRAMES);
        return;
    }
    if (above)
        above->children--;
    if (above && !children && is_combined(line)) {
        /* these bytes remain own bytes of that node */
        place_at(state, above->place)->combined += bytes;
        return;
    }
    if (above)
        above->bytes -= bytes;
    state->levels[depth] = (massif_level){enter_place(state, depth, line), children, bytes};
    state->depth = depth + 1;
}

/* --- snapshots --- */

/* A tree may lack a site of an earlier tree, because small places are combined. Keep the bytes of
 * this site, if the combined places have as many. */
static void keep(massif_state *state, uint32_t place)
{
    massif_place *site = place_at(state, place);
    uint32_t inner = place;
    if (site->seen == state->serial || !place)
        return;
    while (inner && place_at(state, inner)->seen != state->serial)
        inner = place_at(state, inner)->inner;
    massif_place *named = place_at(state, inner);
    const int64_t kept = site->before < named->combined ? site->before : named->combined;
    named->combined -= kept;
    named->now -= kept;
    site->now += kept;
}

static mp_snapshot *begin_snapshot(massif_state *state)
{
    mp_snapshot *snapshot = mp_model_begin_snapshot(state->model, state->session);
    snapshot->sequence = (uint64_t)state->number;
    snapshot->tag = mp_model_intern_text(state->model, tree_names[state->tree]);
    snapshot->time_us = state->last_us;
    snapshot->line = (uint64_t)state->line;
    return snapshot;
}

/* Enter the sites of a whole tree. A snapshot of 0 bytes has no sites. */
static void enter_tree(massif_state *state)
{
    const uint64_t affordable = state->lines * KEPT_PER_LINE + LEAST_KEPT;
    for (uint32_t i = 0; i < state->active.count && i < affordable; i++)
        keep(state, state->active.items[i]);
    begin_snapshot(state);
    const mp_snapshot_id id = {state->model->snapshots.count - 1};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->active.count; i++) {
        const uint32_t place = state->active.items[i];
        const mp_context context = *context_of(state, place);
        massif_place *site = place_at(state, place);
        site->before = site->now;
        site->now = 0;
        mp_census_stock(&state->census, &context, id, (mp_census_share){site->before, site->before},
                        NULL);
        site->active = site->before > 0;
        if (site->active)
            state->active.items[kept++] = place;
    }
    state->active.count = kept;
    mp_census_count(&state->census, id);
    mp_census_end(&state->census, id);
    state->trees += state->lines > 0;
}

/* Forget the bytes that were read of a tree, because the tree will not be used. */
static void drop_tree(massif_state *state)
{
    for (uint32_t i = 0; i < state->active.count; i++)
        place_at(state, state->active.items[i])->now = 0;
}

/* Reserve bytes. They are counted as objects too. */
static bool affords(massif_state *state, int64_t bytes)
{
    return bytes <= INT64_MAX / 2 && mp_census_affords(&state->census, 2 * bytes);
}

/* Set the time of the snapshot. If times are not milliseconds, set none. */
static void set_time(massif_state *state)
{
    const int64_t us = state->timed && state->time <= INT64_MAX / MS ? state->time * MS : 0;
    if (state->timed && us < state->last_us)
        say(state, MP_DIAG_TIME_ORDER, "snapshot %" PRId64 " is earlier than the one before it",
            state->number);
    else
        state->last_us = us;
}

static void end_snapshot(massif_state *state)
{
    if (!state->begun)
        return;
    state->begun = false;
    end_levels(state, 0);
    const bool has_tree = state->tree >= TREE_DETAILED && state->lines;
    if (state->heap_bytes < 0 || state->tree == TREE_MISSING || state->number < 0 ||
        (state->tree >= TREE_DETAILED && !state->lines) || !affords(state, state->heap_bytes)) {
        say(state, MP_DIAG_DAMAGED_SNAPSHOT,
            "snapshot lacks its bytes or its tree, or has impossibly many bytes, expected "
            "snapshot=, time=, mem_heap_B= and heap_tree=: snapshot skipped");
        drop_tree(state);
        state->damaged++;
        return;
    }
    set_time(state);
    state->snapshots++;
    int64_t sum = 0;
    for (uint32_t i = 0; i < state->active.count; i++)
        sum += place_at(state, state->active.items[i])->now;
    if (has_tree && !state->broken && sum != state->heap_bytes)
        SPOIL(state,
              "tree has %" PRId64 " bytes, but the snapshot %" PRId64 ": only its total is used",
              sum, state->heap_bytes);
    if (has_tree ? !state->broken : !state->heap_bytes) {
        enter_tree(state);
        return;
    }
    drop_tree(state);
    mp_snapshot *snapshot = begin_snapshot(state);
    snapshot->only_total = true;
    snapshot->live_bytes = state->heap_bytes;
}

static void begin_reading(massif_state *state, int64_t number)
{
    end_snapshot(state);
    if (number != (int64_t)(state->snapshots + state->damaged))
        say(state, MP_DIAG_SEQUENCE_GAP, "snapshot %" PRId64 " follows %" PRIu64 " others", number,
            state->snapshots + state->damaged);
    state->begun = true;
    state->broken = false;
    state->number = number;
    state->time = state->heap_bytes = -1;
    state->line = (int64_t)mp_input_line_number(state->input);
    state->tree = TREE_MISSING;
    state->lines = 0;
    state->depth = 0;
    state->serial++;
    place_at(state, 0)->combined = 0;
}

/* --- lines --- */

/* Set a number if the line is "NAME=NUMBER". Return false if it is another line. */
static bool read_number(massif_state *state, mp_slice line, const char *name, int64_t *number)
{
    if (!mp_slice_starts(line, name))
        return false;
    mp_slice rest = {line.start + strlen(name), line.length - strlen(name)};
    if (!native_take_number(&rest, number) || rest.length) {
        *number = -1;
        say(state, MP_DIAG_BAD_ROW, "%s is not followed by a number", name);
    }
    return true;
}

static void read_tree_kind(massif_state *state, mp_slice kind)
{
    for (massif_tree i = TREE_EMPTY; i <= TREE_PEAK; i++)
        if (mp_slice_is(kind, tree_names[i]))
            state->tree = i;
    if (state->tree == TREE_MISSING)
        say(state, MP_DIAG_BAD_ROW,
            "heap_tree is of an unknown kind, expected empty, detailed or peak");
}

static void read_head(massif_state *state, mp_slice line)
{
    mp_recorded_session *session = &state->model->sessions.items[state->session.i];
    if (mp_slice_starts(line, "cmd: "))
        session->application =
            mp_model_intern(state->model, (mp_slice){line.start + 5, line.length - 5});
    else if (mp_slice_starts(line, "time_unit: "))
        state->timed = mp_slice_is(line, "time_unit: ms");
    else if (!mp_slice_starts(line, "desc:") && !mp_slice_is(line, "cmd:"))
        say(state, MP_DIAG_BAD_ROW, "expected desc:, cmd:, time_unit: or a snapshot: line skipped");
}

static void read_line(massif_state *state, mp_slice line)
{
    int64_t number, ignored;
    if (!line.length || *line.start == '#')
        return;
    if (read_number(state, line, "snapshot=", &number))
        begin_reading(state, number);
    else if (!state->begun)
        read_head(state, line);
    else if (state->tree >= TREE_DETAILED)
        read_node(state, line);
    else if (mp_slice_starts(line, "heap_tree="))
        read_tree_kind(state, (mp_slice){line.start + 10, line.length - 10});
    else if (!read_number(state, line, "time=", &state->time) &&
             !read_number(state, line, "mem_heap_B=", &state->heap_bytes) &&
             !read_number(state, line, "mem_heap_extra_B=", &ignored) &&
             !read_number(state, line, "mem_stacks_B=", &ignored))
        say(state, MP_DIAG_BAD_ROW, "expected time=, mem_heap_B= or heap_tree=: line skipped");
}

/* --- one file --- */

/* Return true if the tree of the last snapshot is incomplete. */
static bool breaks_off(const massif_state *state)
{
    bool open = state->begun &&
                (state->tree == TREE_MISSING || (state->tree >= TREE_DETAILED && !state->lines));
    for (size_t i = 0; state->begun && i < state->depth; i++)
        open |= state->levels[i].children > 0;
    return open;
}

static bool read_massif(void *opaque, mp_input *input, uint32_t summary)
{
    massif_state *state = opaque;
    mp_model *model = state->model;
    bool whole = true;
    state->session = mp_model_add_session(model);
    state->input = input;
    state->path = model->inputs.items[summary].path;
    state->begun = state->timed = false;
    state->last_us = 0;
    state->snapshots = state->trees = state->damaged = 0;
    state->places.count = state->active.count = 0;
    (void)MP_ADD(&state->places);
    mp_census_open(&state->census, model, state->session);
    for (mp_slice line; mp_input_line(input, &line);) {
        whole = mp_input_line_closed(input);
        if (whole)
            read_line(state, line);
    }
    whole &= !breaks_off(state);
    if (!whole) {
        say(state, MP_DIAG_TORN, "the recording is truncated within a snapshot, which is skipped");
        drop_tree(state);
        state->begun = false;
    }
    end_snapshot(state);
    mp_census_close(&state->census);
    mp_id_index_free(&state->place_index);
    if (!state->trees)
        say(state, MP_DIAG_NOTHING_USABLE,
            "has no snapshot with a tree, expected heap_tree=detailed or heap_tree=peak");
    mp_input_summary *read = &model->inputs.items[summary];
    read->records = state->snapshots;
    read->complete = whole && state->trees;
    read->open_ended = true;
    return state->trees > 0;
}

/* --- the reader --- */

/* Claim a file that begins with the lines desc:, cmd: and time_unit:. */
static mp_bid probe(mp_slice head)
{
    static const char *const starts[] = {"cmd:", "time_unit:"};
    mp_slice line;
    size_t found = 0;
    if (!mp_slice_starts(head, "desc:"))
        return MP_NOT_MINE;
    while (found < 2 && mp_slice_take_line(&head, &line))
        if (mp_slice_starts(line, starts[found]))
            found++;
        else if (!mp_slice_starts(line, "desc:"))
            break;
    return found == 2 ? MP_MINE : MP_NOT_MINE;
}

static void *open_massif(mp_model *model, mp_diagnostics *diagnostics,
                         const mp_load_options *options)
{
    massif_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->code = (native_code){.stacks = {.model = model, .options = options}};
    state->levels = mp_alloc(MOST_FRAMES * sizeof *state->levels);
    model->holds |= MP_HOLDS_NATIVE | MP_HOLDS_UNCOUNTED;
    return state;
}

static void close_massif(void *opaque)
{
    massif_state *state = opaque;
    mp_stack_builder_free(&state->code.stacks);
    MP_FREE(state->places.items, state->active.items, state->levels, state);
}

const mp_reader mp_reader_massif = {
    .name = "massif",
    .summary = "massif profile of valgrind",
    .endings = ".massif massif.out",
    .versions = "all",
    .noun = "a massif profile",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_massif,
    .read = read_massif,
    .close = close_massif,
};

/* The reader of AQTime allocation databases: opens them and reads their result sets in order. */
#include "readers/aqtime.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"

static const char signature[] = "SQLite format 3"; /* including the final NUL */

/* Return true if the schema names a table of AQTime. The schema is at the start of the file, as
 * plain text. */
static bool names_table(mp_slice head)
{
    static const char name[] = "ALLOCATION_PROFILER_";
    const char *end = head.start + head.length;
    for (const char *cursor = head.start; cursor + sizeof name - 1 <= end; cursor++)
        if ((*cursor == 'A' || *cursor == 'a') && strncasecmp(cursor, name, sizeof name - 1) == 0)
            return true;
    return false;
}

static mp_bid probe(mp_slice head)
{
    bool database =
        head.length > sizeof signature && memcmp(head.start, signature, sizeof signature) == 0;
    return database && names_table(head) ? MP_MINE : MP_NOT_MINE;
}

/* --- one input --- */

static void begin_session(aq_state *state)
{
    mp_census_open(&state->census, state->model, mp_model_add_session(state->model));
    if (state->options->keep_objects)
        state->history = mp_history_new(state->model);
    for (size_t i = 0; i < state->set_count; i++) {
        mp_snapshot *snapshot = mp_model_begin_snapshot(state->model, state->census.session);
        snapshot->sequence = (uint64_t)state->sets[i].id;
        snapshot->tag = state->sets[i].caption;
        state->sets[i].snapshot.i = state->model->snapshots.count - 1;
    }
}

/* Return the index of the result set that reports show by default (mp_window_of). */
static size_t last_of_interest(const aq_state *state)
{
    for (size_t i = state->set_count; i-- > 0;)
        if (mp_model_is_clean_up(state->model, state->sets[i].caption))
            return i;
    return state->set_count - 1;
}

static void read_set(aq_state *state)
{
    mp_snapshot_id snapshot = state->sets[state->set].snapshot;
    aq_read_names(state);
    aq_read_objects(state);
    if (state->failed)
        return;
    mp_census_count(&state->census, snapshot);
    aq_check_figures(state);
    mp_census_end(&state->census, snapshot);
    if (state->history)
        mp_history_end_snapshot(state->history, snapshot);
    aq_read_references(state);
}

static bool read_database(aq_state *state, aq_source *file)
{
    if (!aq_connect(state, file) || !aq_open_tables(state, file) || !aq_read_sets(state))
        return false;
    begin_session(state);
    state->graph_set = last_of_interest(state);
    for (state->set = 0; state->set < state->set_count && !state->failed; state->set++)
        read_set(state);
    return !state->failed;
}

static void end_input(aq_state *state)
{
    if (state->bad_text)
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_TEXT, state->path, 0,
                    "has text that is neither UTF-8 nor %s: read as U+FFFD",
                    state->options->encoding);
    aq_close_tables(state);
    mp_census_close(&state->census);
    mp_history_free(state->history);
    mp_id_index_free(&state->classes);
    mp_id_index_free(&state->routines);
    mp_id_index_free(&state->threads);
    mp_id_index_free(&state->identities);
    mp_id_index_free(&state->kept);
    mp_id_index_free(&state->vertex_of);
    state->history = NULL;
    state->set_count = state->ids_before = state->id_count = state->vertex_count = 0;
    state->figure_count = state->active_count = 0;
}

static bool read_aqtime(void *opaque, mp_input *input, uint32_t summary)
{
    aq_state *state = opaque;
    state->path = state->model->inputs.items[summary].path;
    state->failed = state->bad_text = false;
    state->records = 0;
    state->next_id = (uint64_t)1 << 62;
    aq_source *file = aq_source_open(input, state->path, state->diagnostics);
    mp_checksum *checksum = &state->model->inputs.items[summary].checksum;
    if (file && checksum->known)
        aq_source_sum_up(file, checksum);
    bool ok = file && read_database(state, file);
    state->model->inputs.items[summary].complete = ok && aq_source_is_whole(file);
    end_input(state);
    aq_source_close(file);
    mp_input_finish(input);
    state->model->inputs.items[summary].records = state->records;
    return ok;
}

/* --- the reader --- */

static void *open_aqtime(mp_model *model, mp_diagnostics *diagnostics,
                         const mp_load_options *options)
{
    aq_state *state = mp_alloc_zero(1, sizeof *state);
    state->model = model;
    state->diagnostics = diagnostics;
    state->options = options;
    const char *why;
    state->encoding = options->encoding ? mp_encoding_open(options->encoding, &why) : NULL;
    model->holds |= MP_HOLDS_NATIVE | MP_HOLDS_STARTS | MP_HOLDS_OBJECTS;
    return state;
}

static void close_aqtime(void *opaque)
{
    aq_state *state = opaque;
    mp_id_index_free(&state->symbols);
    mp_id_index_free(&state->node_index);
    MP_FREE(state->sets, state->ids, state->figures, state->active, state->stack, state->vertices);
    mp_arena_free(&state->scratch);
    mp_encoding_close(state->encoding);
    free(state);
}

const mp_reader mp_reader_aqtime = {
    .name = "aqtime",
    .summary = "AQTime allocation profiler database (SQLite)",
    .endings = ".sqlite .db",
    .versions = "all",
    .kind = MP_KIND_DATABASE,
    .probe = probe,
    .open = open_aqtime,
    .read = read_aqtime,
    .close = close_aqtime,
};

/* Relations of any recording: their sums equal its totals. A search by key finds the same rows as a
 * walk over all rows. A row does not depend on which columns are requested. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "document/document.h"
#include "query/graph_query.h"
#include "query/profile_costs.h"
#include "relation/relation.h"
#include "sql/sql.h"
#include "support/memory_reader.h"

/* A sample file that has been read. */
typedef struct sample {
    reading read;
    const mp_model *model;
    const mp_diagnostics *diagnostics;
    mp_filter *filter;
    mp_window window;
    bool has_window;
    mp_relation_source *source;
} sample;

/* Open a sample. Its source contains a pointer to the sample, so the sample must not be moved. */
static void open_sample(sample *state, const char *name)
{
    char path[512];
    const mp_load_options options = {.keep_objects = true};
    mp_error error = {0};
    snprintf(path, sizeof path, SAMPLES "/%s", name);
    *state = (sample){.read = read_path(path, &options)};
    assert_true(state->read.ok);
    state->model = state->read.model;
    state->diagnostics = state->read.diagnostics;
    state->filter = mp_filter_of(state->model, NULL, &error);
    state->has_window = state->model->holds & MP_HOLDS_LEDGER;
    if (state->has_window)
        assert_true(mp_window_of(state->filter, NULL, NULL, &state->window, &error));
    state->source = mp_relation_source_new(state->filter, state->has_window ? &state->window : NULL,
                                           state->diagnostics);
}

static void close_sample(sample *state)
{
    mp_relation_source_free(state->source);
    if (state->has_window)
        mp_window_free(&state->window);
    mp_filter_free(state->filter);
    reading_free(&state->read);
}

static bool fits(const sample *state, const mp_relation *relation)
{
    return (state->model->holds & relation->needs) == relation->needs;
}

static size_t column_of(const mp_relation *relation, const char *name)
{
    size_t column = mp_column_find(relation->columns, relation->column_count, name);
    assert_true(column < relation->column_count);
    return column;
}

static int64_t sum_of(const sample *state, const mp_relation *relation, const char *name)
{
    const size_t column = column_of(relation, name);
    mp_cursor cursor = mp_cursor_open(relation, state->source);
    mp_arena arena = {0};
    int64_t sum = 0;
    while (mp_cursor_next(&cursor, (uint64_t)1 << column)) {
        mp_cell cell = mp_row_cell(&arena, &relation->columns[column], cursor.row);
        sum += cell.known ? cell.number : 0;
    }
    mp_arena_free(&arena);
    mp_cursor_free(&cursor);
    return sum;
}

static int64_t count_of(const sample *state, const mp_relation *relation)
{
    mp_cursor cursor = mp_cursor_open(relation, state->source);
    int64_t count = 0;
    while (mp_cursor_next(&cursor, 0))
        count++;
    mp_cursor_free(&cursor);
    return count;
}

/* Run a check on every recording among the samples. */
static void each_sample(void (*check)(const sample *state))
{
    static const char *const endings[] = {".oemp",     ".prf",   ".rpt",
                                          ".taligent", ".gclog", ".sqlite"};
    struct dirent **files;
    int count = scandir(SAMPLES, &files, NULL, alphasort), checked = 0;
    for (int i = 0; i < count; i++) {
        const char *ending = strrchr(files[i]->d_name, '.');
        bool is = false;
        for (size_t index = 0; ending && index < sizeof endings / sizeof *endings; index++)
            is |= strcmp(ending, endings[index]) == 0;
        if (is) {
            sample self;
            open_sample(&self, files[i]->d_name);
            check(&self);
            close_sample(&self);
            checked++;
        }
        free(files[i]);
    }
    free(files);
    assert_true(checked > 20);
}

static void check_heap(const sample *state)
{
    const mp_totals totals = mp_totals_of(&state->window);
    const mp_relation *const groups[] = {&mp_relation_types, &mp_relation_sites};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sum_of(state, groups[i], "live_bytes"), totals.live_bytes);
        assert_int_equal(sum_of(state, groups[i], "live_objects"), totals.live_objects);
        assert_int_equal(sum_of(state, groups[i], "created_bytes"), totals.created_bytes);
        assert_int_equal(sum_of(state, groups[i], "leaked_bytes"), totals.leaked_bytes);
    }
    assert_int_equal(sum_of(state, &mp_relation_types, "from_bytes"), totals.from_bytes);
    if (fits(state, &mp_relation_deltas))
        assert_int_equal(sum_of(state, &mp_relation_deltas, "delta_bytes"), totals.live_bytes);
}

static void check_graph(const sample *state)
{
    const mp_graph_totals totals = mp_graph_totals_of(state->filter->graph, NULL);
    assert_int_equal(count_of(state, &mp_relation_objects), totals.objects);
    assert_int_equal(sum_of(state, &mp_relation_objects, "self_bytes"), totals.bytes);
    assert_int_equal(count_of(state, &mp_relation_refs),
                     totals.references - totals.dangling_references);
    assert_int_equal(count_of(state, &mp_relation_roots), totals.roots);
}

static void check_profile(const sample *state)
{
    const mp_profile_totals totals = mp_profile_total(state->filter);
    assert_int_equal(sum_of(state, &mp_relation_lines, "seconds"), totals.exclusive_us);
    if (state->model->profile->trace_rows)
        assert_int_equal(count_of(state, &mp_relation_executions),
                         state->model->profile->trace_rows);
}

static void check_sums(const sample *state)
{
    assert_int_equal(count_of(state, &mp_relation_recordings), 1);
    assert_int_equal(count_of(state, &mp_relation_files), 1);
    assert_int_equal(sum_of(state, &mp_relation_diagnostics, "count"),
                     mp_diagnostics_severity_count(state->diagnostics, MP_NOTE) +
                         mp_diagnostics_severity_count(state->diagnostics, MP_WARNING) +
                         mp_diagnostics_severity_count(state->diagnostics, MP_ERROR));
    if (state->has_window)
        check_heap(state);
    if (state->filter->graph)
        check_graph(state);
    if (state->model->profile)
        check_profile(state);
}

static void sums_are_the_totals(void **state)
{
    (void)state;
    each_sample(check_sums);
}

static mp_cell key_of(mp_arena *arena, const mp_cursor *cursor)
{
    return mp_row_cell(arena, &cursor->relation->columns[cursor->relation->key], cursor->row);
}

static bool is_within(const mp_relation *relation, const mp_cell *key, const mp_key_bounds *bounds)
{
    return relation->find ? strcmp(key->text, bounds->text) == 0
                          : key->number >= bounds->least && key->number <= bounds->most;
}

static int rows_within(mp_cursor *cursor, const mp_key_bounds *bounds, bool narrowed)
{
    mp_arena arena = {0};
    int count = 0;
    mp_cursor_enter(cursor, cursor->source, narrowed ? bounds : &mp_any_key);
    while (mp_cursor_next(cursor, MP_ALL_COLUMNS)) {
        const mp_cell key = key_of(&arena, cursor);
        count += is_within(cursor->relation, &key, bounds);
    }
    mp_arena_free(&arena);
    return count;
}

static void check_bounds(mp_cursor *cursor, const mp_key_bounds *bounds)
{
    const int narrowed = rows_within(cursor, bounds, true);
    assert_true(narrowed > 0);
    assert_int_equal(narrowed, rows_within(cursor, bounds, false));
}

static void check_keys(const sample *state)
{
    enum { LOOKED_AT = 40 };
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    for (size_t i = 0; i < count; i++) {
        if (relations[i]->key == MP_NO_KEY || !fits(state, relations[i]))
            continue;
        mp_arena arena = {0};
        mp_cursor rows = mp_cursor_open(relations[i], state->source);
        mp_cursor found = mp_cursor_open(relations[i], state->source);
        for (int row = 0; row < LOOKED_AT && mp_cursor_next(&rows, MP_ALL_COLUMNS); row++) {
            const mp_cell key = key_of(&arena, &rows);
            assert_true(key.known);
            mp_key_bounds bounds = mp_any_key;
            if (relations[i]->find)
                bounds.text = key.text;
            else
                bounds.least = bounds.most = key.number;
            check_bounds(&found, &bounds);
            if (relations[i]->find)
                continue;
            bounds.least = INT64_MIN;
            check_bounds(&found, &bounds);
            bounds.least = bounds.most;
            bounds.most = INT64_MAX;
            check_bounds(&found, &bounds);
        }
        const mp_key_bounds nothing = relations[i]->find
                                          ? (mp_key_bounds){"no such key", INT64_MIN, INT64_MAX}
                                          : (mp_key_bounds){NULL, INT64_MAX - 1, INT64_MAX};
        assert_int_equal(rows_within(&found, &nothing, true), 0);
        mp_cursor_free(&rows);
        mp_cursor_free(&found);
        mp_arena_free(&arena);
    }
}

static void keys_find_what_a_walk_finds(void **state)
{
    (void)state;
    each_sample(check_keys);
}

/* --- statements --- */

typedef struct answer {
    int64_t number; /* number in the first row */
    int64_t read;   /* rows read from tables */
} answer;

static answer ask(const sample *state, const char *statement)
{
    mp_error error = {0};
    const mp_sql_recording recording = {state->source, "one"};
    mp_sql *sql = mp_sql_open(&recording, 1, false, statement, &error);
    assert_non_null(sql);
    assert_true(mp_sql_step(sql, &error));
    const answer made = {mp_sql_value_at(sql, 0).integer, mp_sql_rows_read(sql)};
    assert_false(mp_sql_step(sql, &error) || error.code);
    const answer ended = {made.number, mp_sql_rows_read(sql)};
    mp_sql_close(sql);
    return ended;
}

/* A statement with a condition on the key reads only the rows that satisfy it. With "+", which
 * hides the key from SQLite, it reads all rows. */
static void a_statement_reads_the_rows_of_its_keys(void **opaque)
{
    (void)opaque;
    static const struct {
        const char *file, *table, *key, *condition;
    } cases[] = {
        {"shop-v2.oemp", "sites", "site", "= 3"},
        {"shop-v2.oemp", "sites", "site", "between 3 and 5"},
        {"shop-v2.oemp", "frames", "site", "= 3"},
        {"shop-v2.oemp", "frames", "site", ">= 4"},
        {"shop-v2.oemp", "snapshots", "sequence", "<= 2"},
        {"shop-v2.oemp", "platform", "sequence", "= 4"},
        {"shop-v2.oemp", "deltas", "sequence", "= 4"},
        {"shop-v2.oemp", "deltas", "sequence", "between 2 and 3"},
        {"shop-v2.oemp", "deltas", "sequence", "= -1"},
        {"shop-v2.oemp", "lives", "from_sequence", ">= 6"},
        {"shop-3.gclog", "objects", "object", "= '1c1c4a'"},
        {"shop-3.gclog", "refs", "object", "= '1c1c4a'"},
    };
    char statement[200];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample state;
        open_sample(&state, cases[i].file);
        snprintf(statement, sizeof statement, "select count(*) from %s where %s %s", cases[i].table,
                 cases[i].key, cases[i].condition);
        const answer found = ask(&state, statement);
        snprintf(statement, sizeof statement, "select count(*) from %s where +%s %s",
                 cases[i].table, cases[i].key, cases[i].condition);
        const answer walked = ask(&state, statement);
        snprintf(statement, sizeof statement, "select count(*) from %s", cases[i].table);
        const answer whole = ask(&state, statement);
        assert_int_equal(found.number, walked.number);
        assert_int_equal(found.read, walked.number);
        assert_int_equal(walked.read, whole.number);
        assert_true(found.read < whole.number);
        close_sample(&state);
    }
}

/* A join by a key reads each of the rows once. */
static void a_join_reads_each_row_once(void **opaque)
{
    (void)opaque;
    sample state;
    open_sample(&state, "shop-v2.oemp");
    const int64_t rows = ask(&state, "select count(*) from sites").number +
                         ask(&state, "select count(*) from frames").number;
    assert_int_equal(
        ask(&state, "select count(*) from sites s cross join frames f where f.site = s.site").read,
        rows);
    close_sample(&state);
}

static bool same_cell(const mp_column *column, const mp_cell *a, const mp_cell *b)
{
    if (a->known != b->known || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(a->list[i], b->list[i]) != 0)
            return false;
    if (!a->known || a->count || (column->unit == MP_LIST && !a->text))
        return true;
    return mp_cell_is_text(column, a) ? strcmp(a->text, b->text) == 0 : a->number == b->number;
}

static void check_columns(const sample *state)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t index = 0; fits(state, relations[i]) && index < relations[i]->column_count;
             index++) {
            const mp_column *column = &relations[i]->columns[index];
            mp_cursor cursor = mp_cursor_open(relations[i], state->source);
            mp_cursor one = mp_cursor_open(relations[i], state->source);
            while (mp_cursor_next(&cursor, MP_ALL_COLUMNS)) {
                assert_true(mp_cursor_next(&one, (uint64_t)1 << index));
                mp_arena arena = {0};
                mp_cell a = mp_row_cell(&arena, column, cursor.row);
                mp_cell b = mp_row_cell(&arena, column, one.row);
                assert_true(same_cell(column, &a, &b));
                mp_arena_free(&arena);
            }
            assert_false(mp_cursor_next(&one, 0));
            mp_cursor_free(&cursor);
            mp_cursor_free(&one);
        }
}

static void rows_do_not_depend_on_what_is_wanted(void **state)
{
    (void)state;
    each_sample(check_columns);
}

static void relations_say_what_they_are(void **state)
{
    (void)state;
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(relations[i]->column_count <= 64 && relations[i]->meaning[0]);
        for (size_t index = 0; index < relations[i]->column_count; index++) {
            const mp_column *column = &relations[i]->columns[index];
            assert_int_equal(column_of(relations[i], column->name), index);
            assert_true(column->flags & MP_FOR_PEOPLE || (column->meaning && *column->meaning));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_totals),
        cmocka_unit_test(keys_find_what_a_walk_finds),
        cmocka_unit_test(a_statement_reads_the_rows_of_its_keys),
        cmocka_unit_test(a_join_reads_each_row_once),
        cmocka_unit_test(rows_do_not_depend_on_what_is_wanted),
        cmocka_unit_test(relations_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Merging of answers about several files into one document. Expected values are calculated by hand
 * from the small tables below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "document/checks.h"
#include "document/merge.h"

typedef struct made_row {
    int64_t rank, calls, bytes;
    const char *key;
} made_row;

static const mp_column row_columns[] = {
    MP_COLUMN(made_row, rank, "#", MP_NUMBER, 0),
    MP_COLUMN(made_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(made_row, key, "Group", MP_TEXT, 0),
};
static const mp_column other_columns[] = {
    MP_COLUMN(made_row, rank, "#", MP_NUMBER, 0),
    MP_COLUMN(made_row, calls, "Calls", MP_COUNT, 0),
    MP_COLUMN(made_row, bytes, "Retained", MP_BYTES, 0),
    MP_COLUMN(made_row, key, "Group", MP_TEXT, 0),
};

typedef struct made_total {
    int64_t live_bytes, peak_time_us;
    const char *alive;
} made_total;

static const mp_column total_columns[] = {
    MP_COLUMN(made_total, live_bytes, "Alive", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY),
    MP_COLUMN(made_total, peak_time_us, "", MP_TIME, MP_FOR_PROGRAMS),
    MP_COLUMN(made_total, alive, "Alive", MP_TEXT, MP_FOR_PEOPLE),
};
static const mp_column session_columns[] = {{"uuid", "UUID", MP_TEXT, 0, 0, NULL}};
static const mp_column change_columns[] = {{"delta", "Change", MP_BYTES, MP_SIGNED, 0, NULL}};

/* Return a document with a total, and rows of these sizes. */
static mp_document *answer(int64_t total, const int64_t *sizes, size_t count)
{
    mp_document *document = mp_document_new("top");
    mp_table *table = MP_TABLE(document, "totals", "Totals", MP_RECORD, total_columns);
    table->order = "live_bytes";
    mp_table_put(document, table, &(made_total){total, 7, "all of it"});
    table = MP_TABLE(document, "session", "Session", MP_RECORD, session_columns);
    table->name_of_many = "sessions";
    mp_table_put(document, table, &(const char *){"u"});
    table = MP_TABLE(document, "top", "Biggest, alive at x", MP_ROWS, row_columns);
    table->title_of_many = "Biggest";
    table->main = true;
    table->order = "bytes";
    for (size_t i = 0; i < count; i++) {
        mp_table_put(
            document, table,
            &(made_row){.rank = (int64_t)i + 1, .bytes = sizes[i], .key = i % 2 ? "odd" : "even"});
        mp_table_attach(table, &sizes[i]);
    }
    return document;
}

static mp_cell cell(const mp_table *table, size_t row, const char *column)
{
    return mp_table_cell(table, row, mp_table_column_find(table, column));
}

static void rows_stand_in_one_order(void **unused)
{
    (void)unused;
    mp_document *a = answer(10, (const int64_t[]){9, 5, 1}, 3);
    mp_document *b = answer(30, (const int64_t[]){8, 5}, 2);
    const mp_part parts[] = {{"rec/a", a}, {"rec/b", b}};
    mp_document *merged = mp_documents_merge(parts, 2, &(mp_merging){.rows = 4});
    const mp_table *top = mp_document_find(merged, "top");
    static const char *const files[] = {"rec/a", "rec/b", "rec/a", "rec/b"};
    static const int64_t bytes[] = {9, 8, 5, 5};
    assert_int_equal(top->row_count, 4);
    assert_int_equal(top->footer.rest.count, 1);
    assert_int_equal(top->footer.rest.kind, MP_REST_MORE);
    assert_string_equal(top->columns[0].name, "file");
    assert_true(top->main);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(cell(top, i, "file").text, files[i]);
        assert_string_equal(cell(top, i, "file_name").text, files[i] + 4);
        assert_int_equal(cell(top, i, "bytes").number, bytes[i]);
        assert_int_equal(cell(top, i, "rank").number, i + 1);
        assert_string_equal(top->structs[i].file, files[i]); /* attached structs are also merged */
        assert_int_equal(*(const int64_t *)top->structs[i].row, bytes[i]);
    }
    mp_document_free(merged);
    mp_document_free(a);
    mp_document_free(b);
}

/* Rows that are not in the order of their table stay as they are. */
static void rows_of_one_file_stay_as_they_stood(void **unused)
{
    (void)unused;
    mp_document *a = answer(10, (const int64_t[]){3, 7, 1}, 3);
    mp_document *b = answer(30, (const int64_t[]){5, 2}, 2);
    const mp_part parts[] = {{"a", a}, {"b", b}};
    mp_document *merged = mp_documents_merge(parts, 2, &(mp_merging){0});
    const mp_table *top = mp_document_find(merged, "top");
    static const int64_t bytes[] = {5, 3, 7, 2, 1};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(cell(top, i, "bytes").number, bytes[i]);
    mp_document_free(merged);
    mp_document_free(a);
    mp_document_free(b);
}

/* The sum of each recording fits into 64 bits. If the sum of several does not, it is unknown. */
static void sums_beyond_numbers_are_not_known(void **unused)
{
    (void)unused;
    static const struct {
        int64_t totals[3], sum; /* MP_UNKNOWN = unknown */
    } cases[] = {{{INT64_MAX - 3, 2, 1}, INT64_MAX},
                 {{INT64_MAX - 3, 2, 2}, MP_UNKNOWN},
                 {{INT64_MAX, INT64_MAX, -INT64_MAX}, MP_UNKNOWN},
                 {{-INT64_MAX, -1, 1}, -INT64_MAX},
                 {{-INT64_MAX, -2, 1}, MP_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_part parts[3] = {{"a", NULL}, {"b", NULL}, {"c", NULL}};
        for (size_t k = 0; k < 3; k++)
            parts[k].document = answer(cases[i].totals[k], NULL, 0);
        mp_document *merged = mp_documents_merge(parts, 3, &(mp_merging){.rows = 20});
        const mp_cell sum = cell(mp_document_find(merged, "totals"), 0, "live_bytes");
        assert_int_equal(sum.known, cases[i].sum != MP_UNKNOWN);
        assert_true(!sum.known || sum.number == cases[i].sum);
        mp_document_free(merged);
        for (size_t k = 0; k < 3; k++)
            mp_document_free((mp_document *)(uintptr_t)parts[k].document);
    }
}

static void totals_add_up(void **unused)
{
    (void)unused;
    mp_document *a = answer(10, NULL, 0), *b = answer(30, NULL, 0);
    const mp_part parts[] = {{"a", a}, {"b", b}};
    mp_document *merged = mp_documents_merge(parts, 2, &(mp_merging){.rows = 20});
    const mp_table *totals = mp_document_find(merged, "totals");
    assert_int_equal(totals->shape, MP_RECORD);
    assert_int_equal(cell(totals, 0, "live_bytes").number, 40);
    assert_false(cell(totals, 0, "peak_time_us").known);
    assert_false(cell(totals, 0, "alive").known);
    const mp_table *files = mp_document_find(merged, "files"); /* in the order of the parts */
    assert_int_equal(files->row_count, 2);
    assert_int_equal(cell(files, 0, "live_bytes").number, 10);
    assert_int_equal(cell(files, 0, "peak_time_us").number, 7);
    assert_int_equal(cell(files, 1, "live_bytes").number, 30);
    const mp_table *shown =
        files + 1; /* for people: the file with most comes first, and there is a total */
    assert_string_equal(shown->name, "files");
    assert_int_equal(shown->row_count, 3);
    assert_string_equal(cell(shown, 0, "file").text, "b");
    assert_int_equal(cell(shown, 2, "live_bytes").number, 40);
    assert_string_equal(cell(shown, 2, "file_name").text, "total of 2");
    assert_null(mp_document_find(merged, "session"));
    assert_int_equal(mp_document_find(merged, "sessions")->row_count, 2);
    mp_document_free(merged);
    mp_document_free(a);
    mp_document_free(b);
}

/* Tables with the same name may have different columns. This happens for recordings of different
 * kinds. */
static void columns_are_united(void **unused)
{
    (void)unused;
    mp_document *a = answer(1, (const int64_t[]){3}, 1), *b = mp_document_new("top");
    mp_table *other = MP_TABLE(b, "top", "Biggest: so", MP_ROWS, other_columns);
    other->title_of_many = "Biggest";
    other->order = "bytes";
    mp_table_put(b, other, &(made_row){.rank = MP_UNKNOWN, .bytes = 4, .calls = 2});
    const mp_part parts[] = {{"a", a}, {"b", b}};
    mp_document *merged = mp_documents_merge(parts, 2, &(mp_merging){0});
    const mp_table *top = mp_document_find(merged, "top");
    static const char *const names[] = {"file", "file_name", "rank", "calls", "bytes", "key"};
    assert_int_equal(top->column_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(top->columns[i].name, names[i]);
    assert_string_equal(top->columns[4].title,
                        "Bytes");               /* the titles differ, so neither of them is used */
    assert_string_equal(top->title, "Biggest"); /* for many files, both have this title */
    assert_int_equal(cell(top, 0, "calls").number, 2);
    assert_false(cell(top, 1, "calls").known);
    assert_string_equal(cell(top, 1, "key").text, "even");
    mp_document_free(merged);
    mp_document_free(a);
    mp_document_free(b);
}

static void changes_stand_by_their_size(void **unused)
{
    (void)unused;
    mp_document *parts_of[2];
    static const int64_t deltas[2][2] = {{-9, 2}, {5, -1}};
    mp_part parts[2] = {{"a", NULL}, {"b", NULL}};
    for (size_t i = 0; i < 2; i++) {
        parts[i].document = parts_of[i] = mp_document_new("growth");
        mp_table *table = MP_TABLE(parts_of[i], "growth", NULL, MP_ROWS, change_columns);
        table->order = "delta";
        for (size_t j = 0; j < 2; j++)
            mp_table_put(parts_of[i], table, &deltas[i][j]);
    }
    mp_document_check(parts_of[1],
                      (mp_check){.name = "max-live", .limit = "1", .message = "too much"});
    mp_document *merged = mp_documents_merge(parts, 2, &(mp_merging){0});
    const mp_table *growth = mp_document_find(merged, "growth");
    static const int64_t expected[] = {-9, 5, 2, -1};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(cell(growth, i, "delta").number, expected[i]);
    assert_null(mp_document_find(merged, "files")); /* none of the columns can be added up */
    assert_int_equal(merged->check_count, 1);
    assert_string_equal(merged->checks[0].file, "b");
    assert_string_equal(mp_limit_text(merged->arena, &merged->checks[0], "--"),
                        "b: --max-live 1 exceeded: too much");
    mp_document_free(merged);
    for (size_t i = 0; i < 2; i++)
        mp_document_free(parts_of[i]);
}

static void count_rows(mp_document *merged)
{
    mp_document_say(merged, MP_TONE_PLAIN, "Rows", "%zu",
                    mp_document_find(merged, "top")->row_count);
}

/* The most important headline comes first, before the answers of the files. Headlines are ordered
 * by their keys; if several are equal, the headline of the first file counts. It names the file as
 * people know it. */
static void the_first_headline_is_said_of_all(void **unused)
{
    (void)unused;
    static const struct {
        int64_t keys[4][3]; /* keys of a to d; d has no headline */
        const char *first;
    } cases[] = {{{{1, 9, 9}, {2, 0, 0}, {1, 9, 9}, {9}}, "b"},
                 {{{2, 3, 9}, {2, 3, 9}, {2, 4, 0}, {9}}, "c"},
                 {{{2, 3, 1}, {2, 3, 2}, {2, 3, 2}, {9}}, "b"},
                 {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0}}, "a"},
                 {{{-1, 0, 0}, {-2, 5, 5}, {-1, 0, -1}, {9}}, "a"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const names[] = {"rec/a", "rec/b", "rec/c", "rec/d"};
        mp_document *documents[4];
        mp_part parts[4];
        for (size_t k = 0; k < 4; k++) {
            documents[k] = answer(1, (const int64_t[]){1}, 1);
            mp_document_say(documents[k], MP_TONE_PLAIN, "Own", "of %s", names[k]);
            documents[k]->headline.label = k < 3 ? "Worst" : NULL;
            documents[k]->headline.tone = MP_TONE_WORSE;
            documents[k]->headline.text = "so much";
            memcpy(documents[k]->headline.keys, cases[i].keys[k], sizeof cases[i].keys[k]);
            parts[k] = (mp_part){names[k], documents[k]};
        }
        mp_document *merged = mp_documents_merge(parts, 4, &(mp_merging){.sum_up = count_rows});
        size_t count;
        const mp_said *said = mp_document_said(merged, &count);
        assert_int_equal(count, 6);
        assert_string_equal(said[0].label, "Rows");
        assert_string_equal(said[0].text, "4");
        assert_null(said[0].file);
        assert_string_equal(said[1].label, "Worst");
        assert_int_equal(said[1].tone, MP_TONE_WORSE);
        assert_memory_equal(said[1].text, "so much, in ", 12);
        assert_string_equal(said[1].text + 12, cases[i].first);
        assert_null(said[1].file);
        assert_string_equal(said[2].text, "of rec/a");
        assert_string_equal(said[2].file, "rec/a");
        mp_document_free(merged);
        for (size_t k = 0; k < 4; k++)
            mp_document_free(documents[k]);
    }
}

/* Return a document that borrows no texts. */
static mp_document *own_answer(uint32_t seed, int64_t sizes[4])
{
    size_t count = seed * 2654435761u >> 30; /* 0 to 3 rows, by the golden ratio */
    for (size_t i = 0; i < count; i++)
        sizes[i] = (int64_t)(((seed + 1) * (i + 7) * 40503u) % 1000);
    mp_document *document = answer((int64_t)seed, sizes, count);
    mp_table *table = &document->tables[document->table_count - 1];
    mp_column *columns = mp_arena_alloc(document->arena, sizeof row_columns);
    memcpy(columns, row_columns, sizeof row_columns);
    columns[1].title = mp_document_text(document, "Size %s", "now");
    table->columns = columns;
    table->title_of_many = mp_document_text(document, "Most %d", 7);
    table->title = mp_document_text(document, "Most of %u", seed);
    table->footer.rest = (mp_rest){seed % 3, MP_REST_MORE};
    (void)mp_table_line(document, table, "line of %u", seed);
    mp_document_say(document, MP_TONE_PLAIN, "Says", "it is %u", seed);
    document->headline = (mp_headline){.label = "First",
                                       .text = mp_document_text(document, "no. %u", seed),
                                       .keys = {seed % 3, seed % 7, seed}};
    document->running = seed % 4 == 0;
    mp_document_check(document, (mp_check){.name = "max-live",
                                           .limit = mp_document_text(document, "%u", seed),
                                           .message = "too much"});
    return document;
}

static void assert_same_table(const mp_document *a, const mp_document *b, const char *name)
{
    const mp_table *left = mp_document_find(a, name), *right = mp_document_find(b, name);
    assert_string_equal(left->title ? left->title : "", right->title ? right->title : "");
    assert_int_equal(left->row_count, right->row_count);
    assert_int_equal(left->footer.rest.count, right->footer.rest.count);
    assert_int_equal(left->line_count, right->line_count);
    for (size_t i = 0; i < left->line_count; i++)
        assert_string_equal(left->lines[i].text, right->lines[i].text);
    size_t found = 0;
    for (size_t i = 0; i < left->column_count; i++) {
        size_t place = mp_table_column_find(right, left->columns[i].name);
        if (place == right->column_count) { /* for programs, a pile does not have this column */
            assert_true(left->columns[i].flags & MP_FOR_PEOPLE);
            continue;
        }
        assert_int_equal(place, found++);
        assert_string_equal(left->columns[i].title, right->columns[place].title);
        for (size_t row = 0; row < left->row_count; row++) {
            const mp_cell x = mp_table_cell(left, row, i), y = mp_table_cell(right, row, place);
            assert_int_equal(x.known, y.known);
            if (mp_cell_is_text(&left->columns[i], &x))
                assert_string_equal(x.text ? x.text : "", y.text ? y.text : "");
            else
                assert_int_equal(x.number, y.number);
        }
    }
    assert_int_equal(found, right->column_count);
}

/* A pile cuts and packs documents. It gives the same merged document as merging all documents at
 * once. This is also so without a limit on rows, and for people. */
static void a_pile_says_what_all_say(void **unused)
{
    (void)unused;
    enum { COUNT = 1200 };
    static mp_document *whole[COUNT];
    static mp_part parts[COUNT];
    static int64_t sizes[COUNT][4];
    static const mp_pile piles[] = {
        {.how = {.rows = 10}}, {.how = {.rows = 1, .for_people = true}}, {.how = {.rows = 0}}};
    for (size_t p = 0; p < sizeof piles / sizeof *piles; p++) {
        mp_pile pile = piles[p];
        size_t rows = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            whole[i] = own_answer(i, sizes[i]);
            parts[i] = (mp_part){"f", whole[i]};
            mp_document *packed = own_answer(i, sizes[i]);
            mp_pile_pack(&pile, packed);
            mp_pile_add(&pile, "f", packed);
        }
        for (size_t i = 0; i < pile.count; i++)
            rows += mp_document_find(pile.documents[i], "top")->row_count;
        assert_true(!pile.how.rows || rows < 2 * COUNT / 4); /* a document has about 1.5 rows */
        assert_true(pile.cuttable_count <
                    COUNT / 2); /* the other documents are not examined again */
        mp_document *a = mp_documents_merge(parts, COUNT, &pile.how);
        mp_document *b = mp_documents_merge(pile.parts, COUNT, &pile.how);
        assert_same_table(a, b, "top");
        assert_same_table(a, b, "files");
        assert_same_table(a, b, "totals");
        /* the number with remainder 2 modulo 3 and remainder 6 modulo 7 is 20 modulo 21 */
        assert_string_equal(a->said[0].text, "no. 1196, in f");
        assert_string_equal(b->said[0].text, "no. 1196, in f");
        assert_int_equal(b->running, COUNT / 4);
        assert_int_equal(a->said_count, 1 + COUNT);
        assert_int_equal(b->said_count, pile.how.for_people ? 1 : 1 + COUNT);
        assert_string_equal(b->said[b->said_count - 1].text,
                            pile.how.for_people ? "no. 1196, in f" : a->said[COUNT].text);
        assert_string_equal(a->checks[COUNT - 1].limit, b->checks[COUNT - 1].limit);
        if (!pile.how.for_people)
            assert_same_table(a, b, "sessions");
        mp_document_free(a);
        mp_document_free(b);
        mp_pile_free(&pile);
        for (size_t i = 0; i < COUNT; i++)
            mp_document_free(whole[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stand_in_one_order),
        cmocka_unit_test(rows_of_one_file_stay_as_they_stood),
        cmocka_unit_test(totals_add_up),
        cmocka_unit_test(the_first_headline_is_said_of_all),
        cmocka_unit_test(sums_beyond_numbers_are_not_known),
        cmocka_unit_test(columns_are_united),
        cmocka_unit_test(changes_stand_by_their_size),
        cmocka_unit_test(a_pile_says_what_all_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

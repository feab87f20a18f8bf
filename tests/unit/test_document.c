/* Documents: contents are copied into them, and cells are formatted as text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "document/document.h"
#include "document/figure.h"
#include "render/cell.h"
#include "render/name.h"
#include "render/wrap.h"

typedef struct counted {
    const char *name;
    int64_t count;
    double share;
    mp_texts stack;
} counted;

static const mp_column columns[] = {
    MP_COLUMN(counted, name, "Name", MP_TEXT, 0),
    MP_COLUMN(counted, count, "Count", MP_COUNT, 0),
    MP_COLUMN(counted, share, "Share", MP_PERCENT, 0),
    MP_COLUMN(counted, stack, "Stack", MP_LIST, 0),
};

static void tables_are_found_and_filled(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("top");
    char name[20];
    for (int i = 0; i < 50; i++) /* more than the initial capacity */
        MP_TABLE(document, i == 7 ? "seven" : "other", NULL, MP_ROWS, columns);
    mp_table *table = &document->tables[7];
    assert_ptr_equal(mp_document_find(document, "seven"), table);
    assert_null(mp_document_find(document, "eight"));
    assert_int_equal(mp_table_column_find(table, "stack"), 3);
    for (int i = 0; i < 1000; i++) {
        const char *stack[] = {name, "caller"};
        snprintf(name, sizeof name, "row %d", i);
        mp_table_put(document, table, &(counted){name, i, i / 2.0, {.items = stack, .count = 2}});
    }
    assert_int_equal(table->row_count, 1000);
    for (int i = 0; i < 1000; i++) {
        const mp_cell *row = &table->cells[i * 4];
        snprintf(name, sizeof name, "row %d", i);
        assert_string_equal(row[0].text, name);
        assert_int_equal(row[1].number, i);
        assert_true(row[2].known && row[2].real * 2 > i - 0.1 && row[2].real * 2 < i + 0.1);
        assert_int_equal(row[3].count, 2);
        assert_string_equal(row[3].list[0], name);
        assert_string_equal(row[3].list[1], "caller");
    }
    mp_document_free(document);
    mp_document_free(NULL);
}

/* --- rows that are structs --- */

typedef struct made_row {
    const char *name;
    int64_t bytes, delta, whole;
    double share;
    mp_texts stack;
} made_row;

static const mp_column struct_columns[] = {
    MP_COLUMN(made_row, name, "Name", MP_TEXT, 0),
    MP_COLUMN(made_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(made_row, delta, "Change", MP_BYTES, MP_SIGNED),
    MP_COLUMN(made_row, whole, "Whole", MP_FLAG, 0),
    MP_COLUMN(made_row, share, "%", MP_PERCENT, 0),
    MP_COLUMN(made_row, stack, "Stack", MP_LIST, 0),
    MP_COLUMN_OF(made_row, bytes, "again", "Bytes", MP_NUMBER, 0),
};

static void structs_become_rows(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("top");
    mp_table *table = MP_TABLE(document, "rows", NULL, MP_ROWS, struct_columns);
    char name[] = "K\xe4se";
    const char *stack[] = {name, "caller"};
    mp_table_put(document, table,
                 &(made_row){.name = name,
                             .bytes = 7,
                             .whole = 1,
                             .share = 12.5,
                             .stack = {.items = stack, .count = 2}});
    memset(name, 'x', 4); /* texts are copied */
    const mp_cell *cells = table->cells;
    assert_string_equal(cells[0].text, "K\xc3\xa4se");
    assert_int_equal(cells[1].number, 7);
    assert_true(cells[2].known && cells[2].number == 0);
    assert_true(cells[3].known && cells[3].number == 1);
    assert_true(cells[4].known && cells[4].real > 12.4 && cells[4].real < 12.6);
    assert_int_equal(cells[5].count, 2);
    assert_string_equal(cells[5].list[0], "K\xc3\xa4se");
    assert_string_equal(cells[5].list[1], "caller");
    assert_int_equal(cells[6].number, 7);
    mp_document_free(document);
}

static void what_is_not_known_stays_unknown(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("top");
    mp_table *table = MP_TABLE(document, "rows", NULL, MP_ROWS, struct_columns);
    mp_table_put(
        document, table,
        &(made_row){.bytes = MP_UNKNOWN, .delta = MP_UNKNOWN, .whole = MP_UNKNOWN, .share = NAN});
    mp_table_put(document, table, &(made_row){.name = "", .stack = {.empty = "(session)"}});
    assert_int_equal(table->row_count, 2);
    for (size_t i = 0; i < table->column_count; i++)
        assert_false(table->cells[i].known);
    const mp_cell *second = table->cells + table->column_count;
    assert_false(second[0].known);
    assert_true(second[1].known && second[1].number == 0);
    assert_true(second[4].known);
    assert_true(second[5].known && second[5].count == 0);
    assert_string_equal(second[5].text, "(session)");
    mp_document_free(document);
}

/* Sort by a column, and check the order of the names. */
static void sorts_to(size_t column, const char *names)
{
    made_row rows[] = {
        {.name = "c", .bytes = 5, .delta = -9, .share = 1},
        {.name = "a", .bytes = MP_UNKNOWN, .delta = 3, .share = NAN},
        {.name = "d", .bytes = 5, .delta = 9, .share = -2},
        {.name = "", .bytes = 9, .delta = MP_UNKNOWN, .share = 2.5},
        {.name = "b", .bytes = -1, .delta = 0, .share = 1},
    };
    mp_rows_sort(rows, 5, sizeof *rows, (const mp_column *const[]){&struct_columns[column], NULL});
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(*rows[i].name ? *rows[i].name : '-', names[i]);
}

static void structs_stand_in_the_order_of_a_column(void **unused)
{
    (void)unused;
    sorts_to(0, "abcd-"); /* texts ascending, unknown cells last */
    sorts_to(1, "-cdba"); /* the largest first; equal values keep their order */
    sorts_to(2, "cdab-"); /* changes are sorted by their absolute size */
    sorts_to(4, "-cbda");
    sorts_to(6, "-cdba");
    mp_rows_sort(NULL, 0, sizeof(made_row), (const mp_column *const[]){&struct_columns[0], NULL});
}

/* A struct is attached to each row. The table is found by the type of the structs. */
static void structs_are_attached(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("top");
    MP_TABLE(document, "other", NULL, MP_ROWS, columns);
    mp_table *table = MP_TABLE(document, "rows", NULL, MP_ROWS, columns);
    assert_null(mp_document_answer(document, MP_ANSWER_HOT_LINES));
    table->answer = MP_ANSWER_HOT_LINES;
    static int numbers[100];
    for (int i = 0; i < 100; i++) {
        numbers[i] = i;
        mp_table_row(table);
        if (i % 2)
            mp_table_attach(table, &numbers[i]);
    }
    const mp_table *found = mp_document_answer(document, MP_ANSWER_HOT_LINES);
    assert_ptr_equal(found, &document->tables[1]);
    assert_int_equal(found->struct_count, 100);
    assert_null(found->structs[98].row);
    assert_int_equal(*(const int *)found->structs[99].row, 99);
    mp_document_free(document);
}

/* Paths and patterns may contain any bytes; text that is not UTF-8 is read as ISO 8859-1. */
static void every_text_is_utf8(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("top");
    mp_table *table = MP_TABLE(document, "top", NULL, MP_ROWS, columns);
    const char *stack[] = {"gr\xfc\xc3\x9f", "caller"};
    mp_table_put(document, table,
                 &(counted){.name = "K\xe4se", .stack = {.items = stack, .count = 2}});
    mp_table_line(document, table, "%s ends here", "caf\xe9");
    assert_string_equal(table->cells[0].text, "K\xc3\xa4se");
    assert_string_equal(table->cells[3].list[0], "gr\xc3\xbc\xc3\x9f");
    assert_string_equal(table->lines[0].text, "caf\xc3\xa9 ends here");
    assert_string_equal(mp_document_text(document, "%s", "\xff"), "\xc3\xbf");
    assert_string_equal(mp_safe_text(document->arena, "\xe2\x82 x"), "\xc3\xa2\\xc2\\x82 x");
    mp_document_free(document);
}

static void nothing_stays_unknown(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("top");
    mp_table *table = MP_TABLE(document, "rows", NULL, MP_ROWS, columns);
    const mp_cell *row = mp_table_row(table);
    for (size_t i = 0; i < 4; i++)
        assert_false(row[i].known);
    mp_table_put(document, table, &(counted){.name = "", .stack = {.empty = "(session)"}});
    row = table->cells + 4;
    assert_false(row[0].known);
    assert_true(row[1].known);
    assert_true(row[3].known);
    assert_int_equal(row[3].count, 0);
    assert_string_equal(row[3].text, "(session)");
    mp_document_free(document);
}

static void lines_and_limits_are_kept(void **unused)
{
    (void)unused;
    mp_document *document = mp_document_new("top");
    mp_table *table = MP_TABLE(document, "rows", NULL, MP_ROWS, columns);
    for (int i = 0; i < 100; i++) {
        mp_table_line(document, table, "line %d", i);
        mp_document_check(document, (mp_check){.name = "max-live", .limit_bytes = i});
    }
    assert_int_equal(table->line_count, 100);
    assert_string_equal(table->lines[99].text, "line 99");
    assert_int_equal(document->check_count, 100);
    assert_int_equal(document->checks[99].limit_bytes, 99);
    assert_string_equal(mp_document_text(document, "%s-%d", "a", 5), "a-5");
    mp_document_free(document);
}

static void text_is_made_safe(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"", ""},
        {"a\nb\tc\x1b[0m\x7f", "a\\x0ab\\x09c\\x1b[0m\\x7f"},
        {"\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0"}, /* U+00A0 is a blank */
        {"a\xe2\x80\xae"
         "b",
         "a\\u{202e}b"},                                           /* right-to-left override */
        {"a\xe2\x80\x8b\xf3\xa0\x80\xa0", "a\\u{200b}\\u{e0020}"}, /* zero width; a tag */
        /* A line separator; a byte order mark. */
        {"a\xe2\x80\xa8\xef\xbb\xbf", "a\\u{2028}\\u{feff}"},
        {"\xe2\x9a\xa0\xef\xb8\x8f", "\xe2\x9a\xa0\\u{fe0f}"}, /* a variation selector */
        {"\xd7\x90\xd7\x91", "\xd7\x90\xd7\x91"},              /* Hebrew letters */
        {"Z\xc3\xbcrich \xe2\x82\xac", "Z\xc3\xbcrich \xe2\x82\xac"},
    };
    mp_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *safe = mp_safe_text(&arena, cases[i][0]);
        assert_string_equal(safe, cases[i][1]);
        assert_int_equal(safe == cases[i][0], strcmp(cases[i][0], cases[i][1]) == 0);
    }
    mp_arena_free(&arena);
}

/* The right end, which distinguishes names, stays. */
static void names_lose_what_matters_least(void **unused)
{
    (void)unused;
#define DOTS "\xe2\x80\xa6"
    static const struct {
        const char *name;
        size_t width;
        const char *shortened;
    } cases[] = {
        {"abcdefghij", 10, "abcdefghij"},
        {"abcdefghij", 9, "abcd" DOTS "ghij"}, /* no part is more important than another */
        {"abcdefghij", 4, "a" DOTS "ij"},
        {"abcdefghij", 2, DOTS "j"},
        {"abcdefghij", 1, DOTS},
        {"abcdefghij", 0, ""},
        {"", 0, ""},
        {"shop.orders.OrderService:155", 28, "shop.orders.OrderService:155"},
        {"shop.orders.OrderService:155", 27, DOTS "orders.OrderService:155"},
        {"shop.orders.OrderService:155", 20, DOTS "OrderService:155"},
        {"shop.orders.OrderService:155", 12,
         DOTS "Service:155"}, /* then its own left side is cut */
        {"placeOrder shop.OrderService:155", 28, "placeOrder " DOTS "OrderService:155"},
        {"OOABL Obj shop.OrderEvent", 24, "OOABL Obj " DOTS "OrderEvent"},
        {"C:\\work\\shop\\placeOrder.p", 17, DOTS "placeOrder.p"},
        {"runs/shop-monday.taligent", 22, DOTS "shop-monday.taligent"},
        {"shop/placeOrder.p:51", 19, DOTS "placeOrder.p:51"}, /* a suffix is no component */
        {"TOrder::Add(const TLine&, int)", 29, "TOrder::Add(" DOTS ")"},
        /* "::" does not separate components. */
        {"TOrder::Add(const TLine&, int)", 10, "TOrd" DOTS "dd(" DOTS ")"},
        {"Dict`2[[shop.Key, shop],[int, lib]]", 12, "Dict`2[" DOTS "]"},
        {"find_all.part.0 [clone .constprop.0]", 20, "find_all." DOTS "nstprop.0]"},
        {"List<shop.Order>.Add", 19, "List<" DOTS ">.Add"},
        {"operator()(int)", 14, "operator()(" DOTS ")"},
        {"App.Order (several names)", 22, DOTS "Order (several names)"},
        {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x84\xc3\x96\xc3\x9c", 5,
         "\xc3\xa4\xc3\xb6" DOTS "\xc3\x96\xc3\x9c"},
        {"\xe5\x95\x86\xe5\x93\x81.\xe6\xb3\xa8\xe6\x96\x87", 8, /* two columns each */
         DOTS "\xe6\xb3\xa8\xe6\x96\x87"},
        {"    connectDatabases shop/startup.p", 31, "    connectDatabases " DOTS "startup.p"},
        {"ae\xcc\x81iou", 4, "a" DOTS "ou"}, /* an accent goes with its letter */
    };
    mp_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *shortened = mp_shorten_name(&arena, cases[i].name, cases[i].width, 1);
        assert_string_equal(shortened, cases[i].shortened);
        assert_true(mp_text_width(shortened) <= cases[i].width);
    }
    mp_arena_free(&arena);
}

static void long_texts_go_on_in_a_next_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        size_t used, hang, width;
        const char *lines;
    } cases[] = {
        {"it fits", 0, 2, 7, "it fits"},
        {"any width", 90, 2, 0, "any width"},
        {"two words", 0, 2, 8, "two\n  words"},
        {"two words", 4, 2, 9, "two\n  words"},
        {"grew by 29 objects", 0, 0, 12,
         "grew by\n29 objects"}, /* a number stays on the line of its noun */
        {"at placeOrder (line 30)", 0, 2, 21, "at placeOrder\n  (line 30)"},
        {"void node::options::Insert()", 0, 2, 24, "void node::options::\n  Insert()"},
        {"_GLOBAL__cli_options_mutex", 0, 2, 16, "_GLOBAL__cli_\n  options_mutex"},
        {"C:\\shop\\src,C:\\lib", 0, 1, 14, "C:\\shop\\src,\n C:\\lib"},
        {"Initialize(...)", 0, 2, 14, "Initialize\n  (...)"}, /* brackets stay together */
        {"0123456789", 0, 2, 6, "012345\n  6789"},
        {"0123456789", 0, 9, 4, "0123\n  45\n  67\n  89"}, /* `hang` is at most half of the width */
    };
    mp_arena arena = {0};
    bool further;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
            mp_wrap_text(&arena, cases[i].text, cases[i].used, cases[i].hang, cases[i].width),
            cases[i].lines);
    assert_string_equal(mp_line_of_text(&arena, "a\n b", 0, &further), "a");
    assert_true(further);
    assert_string_equal(mp_line_of_text(&arena, "a\n b", 1, &further), " b");
    assert_false(further);
    assert_string_equal(mp_line_of_text(&arena, "a\n b", 2, &further), "");
    mp_arena_free(&arena);
}

/* Widths follow Unicode's East_Asian_Width and general categories. No locale is set here. */
/* An arena of many blocks owns exactly the memory that it handed out. */
static void arenas_know_what_they_handed_out(void **unused)
{
    (void)unused;
    enum { COUNT = 2000 };
    static const char *texts[COUNT];
    mp_arena one = {0}, other = {0};
    size_t count;
    free(mp_arena_ranges(&one, &count));
    assert_int_equal(count, 0);
    for (size_t i = 0; i < COUNT; i++) {
        texts[i] = memset(mp_arena_alloc(&one, 16 + i), 'x', 16 + i);
        mp_arena_alloc(&other, 16 + i);
    }
    mp_memory_range *ranges = mp_arena_ranges(&one, &count);
    assert_true(count > 20);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(mp_ranges_have(ranges, count, texts[i]));
        assert_true(mp_ranges_have(ranges, count, texts[i] + 15 + i));
    }
    free(ranges);
    ranges = mp_arena_ranges(&other, &count);
    for (size_t i = 0; i < COUNT; i++)
        assert_false(mp_ranges_have(ranges, count, texts[i]));
    free(ranges);
    mp_arena_free(&one);
    mp_arena_free(&other);
}

/* Documents may be packed twice. Frames and lists that rows share are stored once, even if a list
 * is the beginning of another. Borrowed texts stay at their addresses. */
static void packed_rows_share_what_they_shared(void **unused)
{
    (void)unused;
    static const char *borrowed[] = {"static", "frames"};
    mp_shared_parts shared = {.last = NULL};
    mp_document *document = mp_document_new("leaks");
    mp_table *table = MP_TABLE(document, "leaks", NULL, MP_ROWS, columns);
    const char *caller = mp_document_text(document, "caller");
    *mp_document_kept(document, 7) = caller;
    const char **frames = mp_arena_alloc(document->arena, 3 * sizeof *frames);
    frames[0] = mp_document_text(document, "own");
    frames[1] = caller;
    frames[2] = "literal";
    const char **others = mp_arena_alloc(document->arena, 2 * sizeof *others);
    others[0] = others[1] = caller;
    const mp_texts stacks[] = {{.items = frames, .count = 2, .kept = true},
                               {.items = frames, .count = 3, .kept = true},
                               {.items = frames, .count = 2, .kept = true},
                               {.items = others, .count = 2, .kept = true},
                               {.items = borrowed, .count = 2, .kept = true},
                               {.items = frames, .count = 0, .kept = true},
                               {.empty = "none"}};
    enum { ROWS = sizeof stacks / sizeof *stacks };
    for (size_t i = 0; i < ROWS; i++)
        mp_table_put(document, table, &(counted){"row", (int64_t)i, 1, stacks[i]});
    mp_document_figure(document, MP_FIGURE_MAP, "map"); /* merged answers have no maps */
    mp_place *place = mp_arena_alloc(document->arena, sizeof *place);
    *place = (mp_place){.label = mp_document_text(document, "all"), .self = 3};
    mp_document_figure(document, MP_FIGURE_STACKS, "stacks")->tree =
        (mp_tree_figure){.items = place, .count = 1, .measure = "leaked"};
    for (int again = 0; again < 2; again++) {
        mp_document_pack(document, &shared);
        const mp_cell *list[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            list[i] = &document->tables[0].cells[4 * i + 3];
            assert_true(list[i]->known);
            assert_int_equal(list[i]->count, stacks[i].count);
            assert_string_equal(list[i][-3].text, "row");
        }
        assert_string_equal(list[0]->list[0], "own");
        assert_string_equal(list[1]->list[1], "caller");
        assert_string_equal(list[1]->list[2], "literal");
        assert_ptr_equal(list[2]->list, list[1]->list);
        for (size_t i = 0; i < 2; i++) {
            assert_ptr_equal(list[0]->list[i], list[1]->list[i]);
            assert_ptr_equal(list[3]->list[i], list[0]->list[1]);
        }
        assert_ptr_equal(list[4]->list, borrowed);
        assert_string_equal(list[4]->list[1], "frames");
        assert_string_equal(list[6]->text, "none");
        assert_int_equal(document->figure_count, 1);
        assert_string_equal(document->figures[0].tree.items[0].label, "all");
        assert_int_equal(document->figures[0].tree.items[0].self, 3);
        assert_null(*mp_document_kept(document, 7));
    }
    mp_document_free(document);
    mp_shared_parts_free(&shared);
}

static void characters_have_the_columns_that_terminals_give_them(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        size_t width;
    } cases[] = {
        {"abc", 3},
        {"\xc3\xa4", 1},                 /* U+00E4, a letter with its mark */
        {"a\xcc\x88", 1},                /* U+0308 is combined with the a */
        {"\xe5\x80\x89\xe5\xba\xab", 4}, /* U+5009 U+5EAB, wide */
        {"\xf0\x9f\x90\x9b", 2},         /* U+1F41B, an emoji */
        {"\xe2\x80\xa6", 1},             /* U+2026, ambiguous, is narrow */
        /* U+0915 U+093E: a spacing mark takes up a column. */
        {"\xe0\xa4\x95\xe0\xa4\xbe", 2},
        {"a\xe2\x80\x8b"
         "b",
         2}, /* U+200B, zero width */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_text_width(cases[i].text), cases[i].width);
}

/* When a tree is cut, one place is the sum of the parts that are left out below a place. It comes
 * after the place's children, which need not be adjacent. No amount is lost. */
static void trees_are_cut(void **unused)
{
    mp_place places[] = {{.label = "all", .self = 1, .total = 10},
                         {.label = "a", .self = 5, .total = 7, .own_count = 2},
                         {.parent = 1, .label = "d", .self = 2, .total = 2},
                         {.label = "b", .self = 1, .total = 1, .own_count = 1},
                         {.label = "c", .self = 1, .total = 1, .own_count = 3}};
    static const struct {
        const char *label;
        uint32_t parent;
        int64_t self, own_count;
    } wanted[] = {
        {"all", 0, 1, 0}, {"a", 0, 5, 2}, {"(1 smaller)", 1, 2, 0}, {"(2 smaller)", 0, 2, 4}};
    const mp_tree_figure tree = {.items = places, .count = 5, .unit = MP_BYTES};
    mp_arena arena = {0};
    mp_tree_figure cut = mp_tree_cut(&arena, &tree, 2, 9);
    assert_int_equal(cut.count, 4);
    for (uint32_t i = 0; i < cut.count; i++) {
        assert_string_equal(cut.items[i].label, wanted[i].label);
        assert_int_equal(cut.items[i].parent, wanted[i].parent);
        assert_int_equal(cut.items[i].self, wanted[i].self);
        assert_int_equal(cut.items[i].own_count, wanted[i].own_count);
    }
    assert_int_equal(mp_tree_cut(&arena, &tree, 5, 9).count, 5);
    /* only D is left out, and its sum replaces it */
    assert_int_equal(mp_tree_cut(&arena, &tree, 5, 1).count, 5);
    mp_arena_free(&arena);
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_have_the_columns_that_terminals_give_them),
        cmocka_unit_test(arenas_know_what_they_handed_out),
        cmocka_unit_test(packed_rows_share_what_they_shared),
        cmocka_unit_test(tables_are_found_and_filled),
        cmocka_unit_test(structs_become_rows),
        cmocka_unit_test(what_is_not_known_stays_unknown),
        cmocka_unit_test(structs_stand_in_the_order_of_a_column),
        cmocka_unit_test(structs_are_attached),
        cmocka_unit_test(trees_are_cut),
        cmocka_unit_test(every_text_is_utf8),
        cmocka_unit_test(nothing_stays_unknown),
        cmocka_unit_test(lines_and_limits_are_kept),
        cmocka_unit_test(text_is_made_safe),
        cmocka_unit_test(names_lose_what_matters_least),
        cmocka_unit_test(long_texts_go_on_in_a_next_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

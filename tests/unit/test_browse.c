/* The browser without a screen: what keys do to its pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "cli/browse_state.h"
#include "cli/commands.h"
#include "cli/run.h"
#include "render/text.h"

/* --- lines and words --- */

static void a_line_is_taken_apart_as_by_a_shell(void **unused)
{
    static const struct {
        const char *line, *words; /* with a bar between them */
    } cases[] = {
        {"", ""},
        {"  ", ""},
        {"--type A", "--type|A"},
        {"  --type\t'A B'  x", "--type|A B|x"},
        {"--type=\"A 'B'\"", "--type=A 'B'"},
        {"a\\ b 'c\\d' \"e\\\"f\"", "a b|c\\d|e\"f"},
        {"'' x", "|x"},
        {"'not closed", "not closed"},
        {"end\\", "end\\"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_arena arena = {0};
        mp_text_buffer all = {0};
        const char **words;
        size_t count = browse_words(&arena, cases[i].line, &words);
        for (size_t k = 0; k < count; k++) {
            mp_text_put(&all, "|", k > 0);
            mp_text_put(&all, words[k], strlen(words[k]));
        }
        assert_string_equal(all.at ? all.at : "", cases[i].words);
        free(all.at);
        mp_arena_free(&arena);
    }
}

static void a_word_in_a_line_comes_out_again(void **unused)
{
    static const char *const texts[] = {"",   "plain", "a b",  "it's",    "\\*x",
                                        "\"", "'",     "\t|$", "a'b\\'c", "\xe5\x80\x89 \xe5"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    (void)unused;
    mp_arena arena = {0};
    mp_text_buffer line = {0};
    const char **words;
    for (size_t i = 0; i < TEXTS; i++)
        browse_put_word(&line, texts[i]);
    assert_int_equal(browse_words(&arena, line.at, &words), TEXTS);
    for (size_t i = 0; i < TEXTS; i++)
        assert_string_equal(words[i], texts[i]);
    free(line.at);
    mp_arena_free(&arena);
}

/* --- a recording that is browsed --- */

typedef struct subject {
    cli_options options;
    cli_session session;
    browse_source source;
    browse_state state;
} subject;

static void begin(subject *of, const char *path, unsigned rows, unsigned columns)
{
    static char program[] = "memprof", command[] = "browse", none[] = "--no-config";
    static char folders[] = "--sources", folder[] = SAMPLES "/sources", file[256];
    char *words[] = {program, command, none, folders, folder, file, NULL};
    size_t count;
    const cli_command *commands = cli_commands(&count);
    snprintf(file, sizeof file, "%s", path);
    assert_true(cli_parse(6, words, commands, count, &of->options));
    cli_session_begin(&of->session, &of->options);
    assert_true(mp_session_find(&of->session.own, NULL, false));
    assert_true(mp_session_read(&of->session.own, &of->options.reading.load));
    of->source = (browse_source){&of->options, &of->session.own};
    browse_begin(&of->state, &of->source, rows, columns, true);
}

static void finish(subject *of)
{
    browse_end(&of->state);
    cli_session_end(&of->session);
    cli_options_free(&of->options);
}

static void type(subject *of, const char *text)
{
    for (; *text; text++) {
        browse_key key = {.kind = BROWSE_CHARACTER, .code = (unsigned char)*text};
        key.kind = *text == '\n'     ? BROWSE_ENTER
                   : *text == '\033' ? BROWSE_ESCAPE
                   : *text == '\t'   ? BROWSE_TAB
                                     : BROWSE_CHARACTER;
        browse_press(&of->state, key);
    }
}

static const browse_page *page_of(subject *of)
{
    return &browse_top(&of->state)->page;
}

/* The text of the cell in this column of the row that the cursor is on. */
static const char *cell(subject *of, const char *column)
{
    static mp_arena arena; /* texts are the page's own */
    const char *at = browse_page_cell(&arena, page_of(of), column);
    return at ? at : "";
}

static void keys_move_open_and_find(void **unused)
{
    subject of;
    (void)unused;
    begin(&of, SAMPLES "/shop-v2.oemp", 24, 100);
    assert_string_equal(of.state.views[of.state.view]->name, "overview");
    type(&of, "2");
    assert_string_equal(of.state.views[of.state.view]->name, "leaks");
    assert_string_equal(cell(&of, "name"), "shop.OrderEvent");
    size_t closed = page_of(&of)->line_count;
    type(&of, "l"); /* five callers */
    assert_int_equal(page_of(&of)->line_count, closed + 5);
    type(&of, "jj");
    assert_int_equal(browse_page_at(page_of(&of))->frame, 2);
    type(&of, "h");
    assert_int_equal(page_of(&of)->line_count, closed);
    assert_int_equal(browse_page_at(page_of(&of))->frame, 0);
    type(&of, "/PDFwriter\n");
    assert_string_equal(cell(&of, "type"), "MEMPTR");
    type(&of, "/shop/printInvoice\n"); /* the first caller, in a closed stack */
    assert_int_equal(browse_page_at(page_of(&of))->frame, 1);
    type(&of, "/nowhere\n");
    assert_non_null(strstr(of.state.said, "nowhere"));
    type(&of, "g");
    assert_int_equal(page_of(&of)->top, 0);
    type(&of, "q");
    assert_true(of.state.over);
    finish(&of);
}

static void filters_and_commands_ask_anew(void **unused)
{
    subject of;
    (void)unused;
    begin(&of, SAMPLES "/shop-v2.oemp", 24, 100);
    type(&of, "2f--type 'MEM*'\n");
    assert_string_equal(browse_top(&of.state)->line, "--type 'MEM*'");
    assert_int_equal(page_of(&of)->document->tables[0].row_count > 0, true);
    type(&of, "f");
    assert_string_equal(of.state.typed, "--type 'MEM*'");
    type(&of, "\033f\025--limit x\n");
    assert_non_null(strstr(of.state.said, "limit"));
    assert_string_equal(browse_top(&of.state)->line, "--type 'MEM*'");
    type(&of, "f\025--base x --type y\n");
    assert_true(*of.state.said);
    type(&of, "f\025--type NoSuch\n");
    assert_non_null(strstr(of.state.said, "nothing matches"));
    static const char *const refused[] = {":watch\n", ":diff x\n",  ":trend\n",        ":gate x\n",
                                          ":what\n",  ":leaks x\n", ":leaks --help\n", ":export\n"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        type(&of, refused[i]);
        assert_true(*of.state.said);
        assert_int_equal(of.state.leaf_count, 1);
    }
    type(&of, ":top --by source\n");
    assert_int_equal(of.state.leaf_count, 2);
    type(&of, "\n"); /* a group leads to its sites */
    assert_int_equal(of.state.mode, BROWSE_CHOOSES);
    type(&of, "1");
    assert_int_equal(of.state.leaf_count, 3);
    assert_non_null(strstr(browse_top(&of.state)->line, "--source"));
    type(&of, "\033\033");
    assert_int_equal(of.state.leaf_count, 1);
    finish(&of);
}

static void trees_fold_and_lists_are_sorted(void **unused)
{
    subject of;
    (void)unused;
    begin(&of, SAMPLES "/shop-v4.prf", 60, 100);
    type(&of, ":tree\n");
    size_t all = page_of(&of)->line_count;
    type(&of, "jh"); /* below "session" is one tree */
    assert_true(page_of(&of)->line_count < all);
    type(&of, "s");
    assert_non_null(strstr(of.state.said, "tree"));
    type(&of, "l");
    assert_int_equal(page_of(&of)->line_count, all);
    type(&of, "q:top --limit 10\ns");
    size_t calls = 0;
    while (calls < of.state.item_count && strcmp(of.state.items[calls], "Calls") != 0)
        calls++;
    assert_true(calls < of.state.item_count);
    for (size_t i = 0; i < calls; i++)
        type(&of, "j");
    type(&of, "\n");
    const browse_page *page = page_of(&of);
    const browse_line *line = browse_page_at(page);
    const mp_table *table = &page->document->tables[line->table];
    const browse_table *as = &page->tables[line->table];
    size_t column = mp_column_find(table->columns, table->column_count, "calls");
    assert_int_equal(as->count, 10);
    for (size_t i = 1; i < as->count; i++)
        assert_true(table->cells[as->order[i - 1] * table->column_count + column].number >=
                    table->cells[as->order[i] * table->column_count + column].number);
    finish(&of);
}

static void a_row_leads_to_its_source(void **unused)
{
    subject of;
    (void)unused;
    begin(&of, SAMPLES "/shop-v4.prf", 24, 100);
    type(&of, "2o"); /* the hottest line has no source */
    assert_null(of.state.edit_path);
    assert_non_null(strstr(of.state.said, "BaseRepository"));
    type(&of, "jjo");
    assert_non_null(of.state.edit_path);
    assert_string_equal(of.state.edit_path, SAMPLES "/sources/shop/placeOrder.p");
    assert_int_equal(of.state.edit_line, 69);
    finish(&of);
}

static void press(subject *of, browse_key_kind kind)
{
    browse_press(&of->state, (browse_key){.kind = kind});
}

static void a_line_is_typed_and_corrected(void **unused)
{
    subject of;
    (void)unused;
    begin(&of, SAMPLES "/shop-v2.oemp", 24, 100);
    type(&of, "n");
    assert_non_null(strstr(of.state.said, "no search yet"));
    type(&of, "/one two  ");
    type(&of, "\027");
    assert_string_equal(of.state.typed, "one ");
    browse_press(&of.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0x5009});
    browse_press(&of.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0xe9});
    browse_press(&of.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0x1f600});
    browse_press(&of.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0x9b}); /* a control */
    assert_string_equal(of.state.typed, "one \xe5\x80\x89\xc3\xa9\xf0\x9f\x98\x80");
    press(&of, BROWSE_ERASE);
    press(&of, BROWSE_ERASE);
    assert_string_equal(of.state.typed, "one \xe5\x80\x89");
    type(&of, "\025");
    press(&of, BROWSE_ERASE); /* erasing in an empty line closes it */
    assert_int_equal(of.state.mode, BROWSE_READS);
    type(&of, ":\n");
    assert_int_equal(of.state.leaf_count, 1);
    type(&of, "?");
    press(&of, BROWSE_PAGE_DOWN);
    assert_true(of.state.help_top > 0);
    for (int i = 0; i < 100; i++)
        type(&of, "k");
    assert_int_equal(of.state.help_top, 0); /* there is nothing above the first line */
    type(&of, "q");
    press(&of, BROWSE_BACK_TAB); /* the view before the first one is the last one */
    assert_int_equal(of.state.view, of.state.view_count - 1);
    press(&of, BROWSE_TAB);
    assert_int_equal(of.state.view, 0);
    finish(&of);
}

static void a_wide_page_moves_sideways(void **unused)
{
    subject of;
    (void)unused;
    begin(&of, SAMPLES "/shop-v2.oemp", 24, 60);
    type(&of, "2ll");
    assert_int_equal(page_of(&of)->left, 0);
    type(&of, "f--width 0\n");
    assert_true(page_of(&of)->wide);
    type(&of, "ll");
    assert_int_equal(page_of(&of)->left, 16);
    type(&of, "hhh");
    assert_int_equal(page_of(&of)->left, 0);
    type(&of, "w");
    assert_false(page_of(&of)->wide);
    type(&of, ":info\njs"); /* a record has no order */
    assert_true(*of.state.said);
    finish(&of);
}

static void sorted_rows_turn_round_and_go_back(void **unused)
{
    subject of;
    (void)unused;
    begin(&of, SAMPLES "/shop-v2.oemp", 60, 100);
    type(&of, ":top\n");
    char first[64], last[64];
    snprintf(first, sizeof first, "%s", cell(&of, "key"));
    type(&of, "s2"); /* by size, as it is */
    assert_string_equal(cell(&of, "key"), first);
    type(&of, "s2");
    snprintf(last, sizeof last, "%s", cell(&of, "key"));
    assert_string_not_equal(last, first);
    type(&of, "sG");
    while (of.state.item + 1 < of.state.item_count)
        type(&of, "j");
    type(&of, "k\033s");
    while (of.state.item + 1 < of.state.item_count)
        press(&of, BROWSE_DOWN);
    type(&of, "l"); /* as they were */
    assert_string_equal(cell(&of, "key"), first);
    type(&of, "f--limit 3\ns2");
    assert_non_null(strstr(of.state.said, "rows shown"));
    finish(&of);
}

/* --- whatever is typed --- */

static void hold(const browse_state *state, const browse_page *page)
{
    assert_true(page->line_count > 0 && page->cursor < page->line_count);
    assert_true(page->top < page->line_count);
    assert_true(state->item < state->item_count || state->mode != BROWSE_CHOOSES);
    const browse_line *last = &page->lines[page->line_count - 1];
    assert_int_equal(page->text[last->from + last->length], '\n');
    for (size_t i = 0; i < page->line_count; i++)
        if (page->lines[i].table != SIZE_MAX && page->lines[i].row < MP_ROW_NONE)
            assert_true(page->lines[i].row <
                        page->document->tables[page->lines[i].table].row_count);
}

static void no_key_in_no_window_breaks_it(void **unused)
{
    static const char *const samples[] = {"shop-v2.oemp", "shop.taligent", "shop-1.gclog",
                                          "shop-v4.prf", "shop-aqtime.sqlite"};
    static const browse_key_kind kinds[] = {
        BROWSE_UP,    BROWSE_DOWN,         BROWSE_LEFT,     BROWSE_RIGHT,     BROWSE_PAGE_UP,
        BROWSE_HOME,  BROWSE_END,          BROWSE_ENTER,    BROWSE_ESCAPE,    BROWSE_ERASE,
        BROWSE_CLICK, BROWSE_DOUBLE_CLICK, BROWSE_WHEEL_UP, BROWSE_WHEEL_DOWN};
    static const char letters[] = "jjjjkkllhh+-wgG /nNs?o:f123\004\025\006\002";
    enum { KEYS = 1500, MOST_LEAVES = 6 };
    uint32_t random = 1;
    (void)unused;
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        subject of;
        char path[256];
        snprintf(path, sizeof path, "%s/%s", SAMPLES, samples[s]);
        begin(&of, path, 24, 80);
        for (int i = 0; i < KEYS; i++) {
            random = random * 1664525 + 1013904223;
            uint32_t draw = random >> 8;
            browse_key key = {.line = draw % 30};
            if (draw % 3) {
                key.code = (unsigned char)letters[draw / 3 % (sizeof letters - 1)];
            } else {
                key.kind = kinds[draw / 3 % (sizeof kinds / sizeof *kinds)];
            }
            if (draw % 41 == 0)
                browse_resize(&of.state, 1 + draw / 41 % 50, 1 + draw / 2050 % 150);
            browse_press(&of.state, key);
            assert_false(of.state.over);
            while (of.state.leaf_count > MOST_LEAVES)
                type(&of, of.state.mode == BROWSE_READS ? "q" : "\033");
            if (browse_has_page(browse_top(&of.state)))
                hold(&of.state, page_of(&of));
        }
        finish(&of);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_taken_apart_as_by_a_shell),
        cmocka_unit_test(a_word_in_a_line_comes_out_again),
        cmocka_unit_test(keys_move_open_and_find),
        cmocka_unit_test(filters_and_commands_ask_anew),
        cmocka_unit_test(trees_fold_and_lists_are_sorted),
        cmocka_unit_test(a_row_leads_to_its_source),
        cmocka_unit_test(a_line_is_typed_and_corrected),
        cmocka_unit_test(a_wide_page_moves_sideways),
        cmocka_unit_test(sorted_rows_turn_round_and_go_back),
        cmocka_unit_test(no_key_in_no_window_breaks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

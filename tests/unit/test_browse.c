/* The browser without a screen: how keys affect its pages. */
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
        const char *line, *words; /* words separated by bars */
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
        mp_text_buffer text = {0};
        const char **words;
        size_t count = browse_words(&arena, cases[i].line, &words);
        for (size_t k = 0; k < count; k++) {
            mp_text_put(&text, "|", k > 0);
            mp_text_put(&text, words[k], strlen(words[k]));
        }
        assert_string_equal(text.text ? text.text : "", cases[i].words);
        free(text.text);
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
    assert_int_equal(browse_words(&arena, line.text, &words), TEXTS);
    for (size_t i = 0; i < TEXTS; i++)
        assert_string_equal(words[i], texts[i]);
    free(line.text);
    mp_arena_free(&arena);
}

/* --- a recording that is browsed --- */

typedef struct subject {
    cli_options options;
    cli_session session;
    browse_source source;
    browse_state state;
} subject;

static void begin(subject *self, const char *path, unsigned rows, unsigned columns)
{
    static char program[] = "memprof", command[] = "browse", none[] = "--no-config";
    static char folders[] = "--sources", folder[] = SAMPLES "/sources", file[256];
    char *words[] = {program, command, none, folders, folder, file, NULL};
    size_t count;
    const cli_command *commands = cli_commands(&count);
    snprintf(file, sizeof file, "%s", path);
    assert_true(cli_parse(6, words, commands, count, &self->options));
    cli_session_begin(&self->session, &self->options);
    assert_true(mp_session_find(&self->session.session, NULL, false));
    assert_true(mp_session_read(&self->session.session, &self->options.reading.load));
    self->source = (browse_source){&self->options, &self->session.session};
    browse_begin(&self->state, &self->source, rows, columns, true);
}

static void finish(subject *self)
{
    browse_end(&self->state);
    cli_session_end(&self->session);
    cli_options_free(&self->options);
}

static void type(subject *self, const char *text)
{
    for (; *text; text++) {
        browse_key key = {.kind = BROWSE_CHARACTER, .code = (unsigned char)*text};
        key.kind = *text == '\n'     ? BROWSE_ENTER
                   : *text == '\033' ? BROWSE_ESCAPE
                   : *text == '\t'   ? BROWSE_TAB
                                     : BROWSE_CHARACTER;
        browse_press(&self->state, key);
    }
}

static const browse_page *page_of(subject *self)
{
    return &browse_top(&self->state)->page;
}

/* Return the text of a cell in the row under the cursor. `name` is the name of the column. */
static const char *cell(subject *state, const char *column)
{
    static mp_arena arena; /* texts belong to the page */
    const char *cursor = browse_page_cell(&arena, page_of(state), column);
    return cursor ? cursor : "";
}

static void keys_move_open_and_find(void **unused)
{
    subject self;
    (void)unused;
    begin(&self, SAMPLES "/shop-v2.oemp", 24, 100);
    assert_string_equal(self.state.views[self.state.view]->name, "overview");
    type(&self, "2");
    assert_string_equal(self.state.views[self.state.view]->name, "leaks");
    assert_string_equal(cell(&self, "name"), "shop.OrderEvent");
    size_t closed = page_of(&self)->line_count;
    type(&self, "l"); /* opens five callers */
    assert_int_equal(page_of(&self)->line_count, closed + 5);
    type(&self, "jj");
    assert_int_equal(browse_page_at(page_of(&self))->frame, 2);
    type(&self, "h");
    assert_int_equal(page_of(&self)->line_count, closed);
    assert_int_equal(browse_page_at(page_of(&self))->frame, 0);
    type(&self, "/PDFwriter\n");
    assert_string_equal(cell(&self, "type"), "MEMPTR");
    type(&self, "/shop/printInvoice\n"); /* the first caller, which is in a closed stack */
    assert_int_equal(browse_page_at(page_of(&self))->frame, 1);
    type(&self, "/nowhere\n");
    assert_non_null(strstr(self.state.said, "nowhere"));
    type(&self, "g");
    assert_int_equal(page_of(&self)->top, 0);
    type(&self, "q");
    assert_true(self.state.over);
    finish(&self);
}

static void filters_and_commands_ask_anew(void **unused)
{
    subject self;
    (void)unused;
    begin(&self, SAMPLES "/shop-v2.oemp", 24, 100);
    type(&self, "2f--type 'MEM*'\n");
    assert_string_equal(browse_top(&self.state)->line, "--type 'MEM*'");
    assert_int_equal(page_of(&self)->document->tables[0].row_count > 0, true);
    type(&self, "f");
    assert_string_equal(self.state.typed, "--type 'MEM*'");
    type(&self, "\033f\025--limit x\n");
    assert_non_null(strstr(self.state.said, "limit"));
    assert_string_equal(browse_top(&self.state)->line, "--type 'MEM*'");
    type(&self, "f\025--base x --type y\n");
    assert_true(*self.state.said);
    type(&self, "f\025--type NoSuch\n");
    assert_non_null(strstr(self.state.said, "nothing matches"));
    static const char *const refused[] = {":watch\n", ":diff x\n",  ":trend\n",        ":gate x\n",
                                          ":what\n",  ":leaks x\n", ":leaks --help\n", ":export\n"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        type(&self, refused[i]);
        assert_true(*self.state.said);
        assert_int_equal(self.state.leaf_count, 1);
    }
    type(&self, ":top --by source\n");
    assert_int_equal(self.state.leaf_count, 2);
    type(&self, "\n"); /* a link of a group leads to its sites */
    assert_int_equal(self.state.mode, BROWSE_CHOOSES);
    type(&self, "1");
    assert_int_equal(self.state.leaf_count, 3);
    assert_non_null(strstr(browse_top(&self.state)->line, "--source"));
    type(&self, "\033\033");
    assert_int_equal(self.state.leaf_count, 1);
    finish(&self);
}

static void trees_fold_and_lists_are_sorted(void **unused)
{
    subject self;
    (void)unused;
    begin(&self, SAMPLES "/shop-v4.prf", 60, 100);
    type(&self, ":tree\n");
    size_t total = page_of(&self)->line_count;
    type(&self, "jh"); /* the group "session" contains one tree */
    assert_true(page_of(&self)->line_count < total);
    type(&self, "s");
    assert_non_null(strstr(self.state.said, "tree"));
    type(&self, "l");
    assert_int_equal(page_of(&self)->line_count, total);
    type(&self, "q:top --limit 10\ns");
    size_t calls = 0;
    while (calls < self.state.item_count && strcmp(self.state.items[calls], "Calls") != 0)
        calls++;
    assert_true(calls < self.state.item_count);
    for (size_t i = 0; i < calls; i++)
        type(&self, "j");
    type(&self, "\n");
    const browse_page *page = page_of(&self);
    const browse_line *line = browse_page_at(page);
    const mp_table *table = &page->document->tables[line->table];
    const browse_table *as = &page->tables[line->table];
    size_t column = mp_column_find(table->columns, table->column_count, "calls");
    assert_int_equal(as->count, 10);
    for (size_t i = 1; i < as->count; i++)
        assert_true(table->cells[as->order[i - 1] * table->column_count + column].number >=
                    table->cells[as->order[i] * table->column_count + column].number);
    finish(&self);
}

static void a_row_leads_to_its_source(void **unused)
{
    subject self;
    (void)unused;
    begin(&self, SAMPLES "/shop-v4.prf", 24, 100);
    type(&self, "2o"); /* the hottest line has no source */
    assert_null(self.state.edit_path);
    assert_non_null(strstr(self.state.said, "BaseRepository"));
    type(&self, "jjo");
    assert_non_null(self.state.edit_path);
    assert_string_equal(self.state.edit_path, SAMPLES "/sources/shop/placeOrder.p");
    assert_int_equal(self.state.edit_line, 69);
    finish(&self);
}

static void press(subject *self, browse_key_kind kind)
{
    browse_press(&self->state, (browse_key){.kind = kind});
}

static void a_line_is_typed_and_corrected(void **unused)
{
    subject self;
    (void)unused;
    begin(&self, SAMPLES "/shop-v2.oemp", 24, 100);
    type(&self, "n");
    assert_non_null(strstr(self.state.said, "no search yet"));
    type(&self, "/one two  ");
    type(&self, "\027");
    assert_string_equal(self.state.typed, "one ");
    browse_press(&self.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0x5009});
    browse_press(&self.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0xe9});
    browse_press(&self.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0x1f600});
    /* A control character. */
    browse_press(&self.state, (browse_key){.kind = BROWSE_CHARACTER, .code = 0x9b});
    assert_string_equal(self.state.typed, "one \xe5\x80\x89\xc3\xa9\xf0\x9f\x98\x80");
    press(&self, BROWSE_ERASE);
    press(&self, BROWSE_ERASE);
    assert_string_equal(self.state.typed, "one \xe5\x80\x89");
    type(&self, "\025");
    press(&self, BROWSE_ERASE); /* erasing in an empty line closes it */
    assert_int_equal(self.state.mode, BROWSE_READS);
    type(&self, ":\n");
    assert_int_equal(self.state.leaf_count, 1);
    type(&self, "?");
    press(&self, BROWSE_PAGE_DOWN);
    assert_true(self.state.help_top > 0);
    for (int i = 0; i < 100; i++)
        type(&self, "k");
    assert_int_equal(self.state.help_top, 0); /* the help cannot scroll above its first line */
    type(&self, "q");
    press(&self, BROWSE_BACK_TAB); /* the view before the first view is the last view */
    assert_int_equal(self.state.view, self.state.view_count - 1);
    press(&self, BROWSE_TAB);
    assert_int_equal(self.state.view, 0);
    finish(&self);
}

/* Return the last line of the screen and the help as one text, after checking that each line fits
 * on the screen. */
static const char *keys_of(subject *self)
{
    static char text[8192];
    const char *lines[BROWSE_MOST_HELP];
    mp_arena arena = {0};
    size_t length = (size_t)snprintf(text, sizeof text, "%s\n", browse_foot(&arena, &self->state));
    const size_t count = browse_help(&self->state, lines);
    const char *path = strstr(text, SAMPLES);
    assert_true(count < BROWSE_MOST_HELP);
    assert_true(path && path - text <= 81); /* begins after a margin and two blanks */
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(lines[i]) < 80);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s\n", lines[i]);
    }
    mp_arena_free(&arena);
    return text;
}

static void only_keys_that_work_are_shown(void **unused)
{
    static const struct {
        const char *keys, *shown[4], *missing[4]; /* after these keys */
    } cases[] = {
        {"",
         {"? help  q leave  Enter open  c calls  l unfold  Tab view  f filter  1-"},
         {"  n N  "}},
        {"2", {"? help  q leave", "  q, Q  ", "  + -  "}, {"q back", "sideways"}},
        {"2/PDF\n", {"  n N  ", "  o  "}, {"sideways"}},
        {"2f--width 0\n", {"sideways", "--width 0"}, {"l unfold"}},
        {":tree\n", {"q back", "l unfold"}, {"s sort", "q leave"}},
        {":info\n", {"q back", "/ search"}, {"l unfold", "  + -  "}},
        {"2f--limit x\n", {"f filter"}, {"--limit x"}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        subject self;
        begin(&self, SAMPLES "/shop-v2.oemp", 24, 80);
        type(&self, cases[i].keys);
        const char *text = keys_of(&self);
        for (size_t k = 0; k < 4 && cases[i].shown[k]; k++)
            if (!strstr(text, cases[i].shown[k]))
                fail_msg("after %s: no \"%s\" in %s", cases[i].keys, cases[i].shown[k], text);
        for (size_t k = 0; k < 4 && cases[i].missing[k]; k++)
            if (strstr(text, cases[i].missing[k]))
                fail_msg("after %s: \"%s\" in %s", cases[i].keys, cases[i].missing[k], text);
        finish(&self);
    }
}

static void a_wide_page_moves_sideways(void **unused)
{
    subject self;
    (void)unused;
    begin(&self, SAMPLES "/shop-v2.oemp", 24, 60);
    type(&self, "2ll");
    assert_int_equal(page_of(&self)->left, 0);
    type(&self, "f--width 0\n");
    assert_true(page_of(&self)->wide);
    type(&self, "ll");
    assert_int_equal(page_of(&self)->left, 16);
    type(&self, "hhh");
    assert_int_equal(page_of(&self)->left, 0);
    type(&self, "w");
    assert_false(page_of(&self)->wide);
    type(&self, ":info\njs"); /* a record cannot be sorted */
    assert_true(*self.state.said);
    finish(&self);
}

static void sorted_rows_turn_round_and_go_back(void **unused)
{
    subject self;
    (void)unused;
    begin(&self, SAMPLES "/shop-v2.oemp", 60, 100);
    type(&self, ":top\n");
    char first[64], last[64];
    snprintf(first, sizeof first, "%s", cell(&self, "key"));
    type(&self, "s2"); /* it is already sorted by size, so this reverses the order */
    assert_string_equal(cell(&self, "key"), first);
    type(&self, "s2");
    snprintf(last, sizeof last, "%s", cell(&self, "key"));
    assert_string_not_equal(last, first);
    type(&self, "sG");
    while (self.state.item + 1 < self.state.item_count)
        type(&self, "j");
    type(&self, "k\033s");
    while (self.state.item + 1 < self.state.item_count)
        press(&self, BROWSE_DOWN);
    type(&self, "l"); /* unsorted */
    assert_string_equal(cell(&self, "key"), first);
    type(&self, "f--limit 3\ns2");
    assert_non_null(strstr(self.state.said, "rows shown"));
    finish(&self);
}

/* --- any keys --- */

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
        subject self;
        char path[256];
        snprintf(path, sizeof path, "%s/%s", SAMPLES, samples[s]);
        begin(&self, path, 24, 80);
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
                browse_resize(&self.state, 1 + draw / 41 % 50, 1 + draw / 2050 % 150);
            browse_press(&self.state, key);
            assert_false(self.state.over);
            while (self.state.leaf_count > MOST_LEAVES)
                type(&self, self.state.mode == BROWSE_READS ? "q" : "\033");
            if (browse_has_page(browse_top(&self.state)))
                hold(&self.state, page_of(&self));
        }
        finish(&self);
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
        cmocka_unit_test(only_keys_that_work_are_shown),
        cmocka_unit_test(a_wide_page_moves_sideways),
        cmocka_unit_test(sorted_rows_turn_round_and_go_back),
        cmocka_unit_test(no_key_in_no_window_breaks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

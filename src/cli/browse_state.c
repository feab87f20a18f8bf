#include "cli/browse_state.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

enum { SIDEWAYS = 8, WHEEL = 3 };
enum {
    CONTROL_B = 2,
    CONTROL_D = 4,
    CONTROL_F = 6,
    CONTROL_L = 12,
    CONTROL_U = 21,
    CONTROL_W = 23
};

/* --- pages --- */

browse_leaf *browse_top(browse_state *state)
{
    return &state->leaves[state->leaf_count - 1];
}

bool browse_has_page(const browse_leaf *leaf)
{
    return leaf->page.document != NULL;
}

static void say(browse_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(browse_state *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->said, sizeof state->said, format, arguments);
    va_end(arguments);
}

static void free_leaf(browse_leaf *leaf)
{
    browse_page_free(&leaf->page); /* the page owns the document */
    browse_answer_free(&leaf->answer);
    free(leaf->line);
}

/* Run a command. Return a page with the answer or, if there is none, with the reason. */
static browse_leaf ask(const browse_state *state, const char *name, const char *command,
                       const char *line)
{
    browse_leaf leaf = {.name = name, .command = command, .line = mp_copy(line, strlen(line))};
    if (browse_ask(state->source, command, leaf.line, &leaf.answer, leaf.why, sizeof leaf.why)) {
        browse_page_begin(&leaf.page, leaf.answer.document, state->rows, state->columns,
                          state->colour);
        leaf.answer.document = NULL;
        if (leaf.answer.options.width == 0)
            browse_page_set_wide(&leaf.page, true);
    }
    return leaf;
}

static void tell_of(browse_state *state, const browse_leaf *leaf)
{
    if (browse_has_page(leaf) && leaf->page.document->fits_nothing)
        say(state, "nothing matches the filters; a pattern matches a whole name, *NAME* a part");
}

static void push(browse_state *state, const browse_leaf *leaf)
{
    *MP_APPEND(state->leaves, state->leaf_count, state->leaf_capacity) = *leaf;
    tell_of(state, leaf);
}

static void go_to_view(browse_state *state, size_t view)
{
    const browse_view *as = state->views[view];
    browse_leaf leaf = ask(state, as->name, as->command, as->words);
    while (state->leaf_count)
        free_leaf(&state->leaves[--state->leaf_count]);
    state->view = view;
    push(state, &leaf);
}

/* Open a page on top of the others if there is an answer; otherwise show the reason why there is
 * none. Return true if it was opened. */
static bool open_page(browse_state *state, const char *name, const char *command, const char *line)
{
    browse_leaf leaf = ask(state, name, command, line);
    if (browse_has_page(&leaf)) {
        push(state, &leaf);
        return true;
    }
    say(state, "%s", leaf.why);
    free_leaf(&leaf);
    return false;
}

static void back(browse_state *state)
{
    if (state->leaf_count > 1)
        free_leaf(&state->leaves[--state->leaf_count]);
    else
        say(state, "this is the first page: q ends");
}

/* --- typed lines --- */

static void begin_typing(browse_state *state, browse_prompt prompt, const char *text)
{
    state->mode = BROWSE_TYPES;
    state->prompt = prompt;
    state->typed_length = strlen(text) < sizeof state->typed ? strlen(text) : 0;
    memcpy(state->typed, text, state->typed_length);
    state->typed[state->typed_length] = '\0';
}

static void search(browse_state *state, bool forward)
{
    browse_leaf *leaf = browse_top(state);
    if (!*state->sought)
        say(state, "no search yet; / searches");
    else if (!browse_has_page(leaf) || !browse_page_find(&leaf->page, state->sought, forward))
        say(state, "\"%s\" not found", state->sought);
}

/* Replace the page by a page with the typed options. */
static void filter(browse_state *state)
{
    browse_leaf *old = browse_top(state), leaf = ask(state, old->name, old->command, state->typed);
    if (browse_has_page(&leaf)) {
        free_leaf(old);
        *old = leaf;
        tell_of(state, old);
        return;
    }
    say(state, "%s", leaf.why);
    free_leaf(&leaf);
}

static void run_command(browse_state *state)
{
    const cli_options *options = state->source->options;
    const char *line = state->typed + strspn(state->typed, " ");
    size_t length = strcspn(line, " ");
    const cli_command *command = cli_command_find(options, line, length);
    if (command) {
        open_page(state, command->name, command->name, line + length);
        return;
    }
    char *name = mp_copy(line, length);
    const char *nearest = cli_command_nearest(options, name);
    if (length)
        say(state, "unknown command '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
            nearest ? nearest : "", nearest ? "'?" : "");
    free(name);
}

static void finish_typing(browse_state *state)
{
    state->mode = BROWSE_READS;
    if (state->prompt == BROWSE_FILTER) {
        filter(state);
    } else if (state->prompt == BROWSE_COMMAND) {
        run_command(state);
    } else {
        if (state->typed_length)
            snprintf(state->sought, sizeof state->sought, "%s", state->typed);
        search(state, true);
    }
}

static void erase_character(browse_state *state)
{
    while (state->typed_length &&
           ((unsigned char)state->typed[--state->typed_length] & 0xc0) == 0x80)
        continue;
    state->typed[state->typed_length] = '\0';
}

static void erase_word(browse_state *state)
{
    while (state->typed_length && state->typed[state->typed_length - 1] == ' ')
        erase_character(state);
    while (state->typed_length && state->typed[state->typed_length - 1] != ' ')
        erase_character(state);
}

static void put_character(browse_state *state, uint32_t code)
{
    char *out = state->typed + state->typed_length;
    if (code < ' ' || code == 127 || code > 0x10ffff || (code >= 0x80 && code < 0xa0) ||
        state->typed_length + 5 > sizeof state->typed)
        return;
    out += utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)out);
    *out = '\0';
    state->typed_length = (size_t)(out - state->typed);
}

static void type(browse_state *state, browse_key key)
{
    if (key.kind == BROWSE_ESCAPE || (key.kind == BROWSE_ERASE && !state->typed_length))
        state->mode = BROWSE_READS;
    else if (key.kind == BROWSE_ENTER)
        finish_typing(state);
    else if (key.kind == BROWSE_ERASE)
        erase_character(state);
    else if (key.kind == BROWSE_CHARACTER && key.code == CONTROL_U)
        begin_typing(state, state->prompt, "");
    else if (key.kind == BROWSE_CHARACTER && key.code == CONTROL_W)
        erase_word(state);
    else if (key.kind == BROWSE_CHARACTER)
        put_character(state, key.code);
}

/* --- menus --- */

static void choose_link(browse_state *state)
{
    browse_leaf *leaf = browse_top(state);
    if (!browse_has_page(leaf))
        return;
    mp_arena_free(&state->menu);
    state->item_count =
        browse_links(&state->menu, state->source, &leaf->answer.options, &leaf->page, state->links);
    for (size_t i = 0; i < state->item_count; i++)
        state->items[i] = state->links[i].label;
    state->item = 0;
    state->sorts = false;
    state->menu_title = "Open";
    if (state->item_count)
        state->mode = BROWSE_CHOOSES;
    else if (!browse_page_open(&leaf->page, !browse_page_is_open(&leaf->page)))
        say(state, "there is nothing to open from this row");
}

/* Open the page that shows how the program gets to the row. */
static void open_way(browse_state *state)
{
    const browse_leaf *leaf = browse_top(state);
    browse_link link;
    mp_arena_free(&state->menu);
    if (!browse_has_page(leaf))
        return;
    if (browse_way_to(&state->menu, state->source, &leaf->answer.options, &leaf->page, &link))
        open_page(state, link.command, link.command, link.line);
    else
        say(state, "this row has no call tree, callers or path");
}

static void choose_column(browse_state *state)
{
    browse_leaf *leaf = browse_top(state);
    const browse_line *line = browse_has_page(leaf) ? browse_page_at(&leaf->page) : NULL;
    const mp_table *table = line ? &leaf->page.document->tables[line->table] : NULL;
    if (!table || table->shape != MP_ROWS ||
        leaf->page.tables[line->table].depth < table->column_count) {
        say(state, "%s",
            table && table->shape == MP_ROWS ? "a tree cannot be sorted"
                                             : "the cursor is in no table");
        return;
    }
    mp_arena_free(&state->menu);
    state->item_count = state->item = 0;
    for (size_t i = 0; i <= table->column_count; i++) {
        bool none = i == table->column_count;
        const mp_column *column = &table->columns[none ? 0 : i];
        if (!none && (column->flags & (MP_FOR_PROGRAMS | MP_BELOW) || column->unit == MP_LIST ||
                      !*column->title || !mp_column_is_known(table, i)))
            continue;
        if (state->item_count == sizeof state->items / sizeof *state->items)
            break;
        state->sort_columns[state->item_count] = i;
        state->items[state->item_count++] = none ? "(original order)" : column->title;
    }
    state->sorts = true;
    state->menu_title = "Sort by";
    state->mode = BROWSE_CHOOSES;
}

static void take_item(browse_state *state)
{
    browse_leaf *leaf = browse_top(state);
    state->mode = BROWSE_READS;
    if (state->sorts) {
        const browse_line *line = browse_page_at(&leaf->page);
        bool cut = line && leaf->page.document->tables[line->table].footer.rest.count;
        browse_page_sort(&leaf->page, state->sort_columns[state->item]);
        if (cut)
            say(state, "sorted the rows shown; --sort in f sorts all rows");
        return;
    }
    const browse_link *link = &state->links[state->item];
    open_page(state, link->command, link->command, link->line);
}

static void choose(browse_state *state, browse_key key)
{
    uint32_t code = key.kind == BROWSE_CHARACTER ? key.code : 0;
    if (key.kind == BROWSE_ESCAPE || code == 'q' || key.kind == BROWSE_ERASE) {
        state->mode = BROWSE_READS;
    } else if (key.kind == BROWSE_DOWN || code == 'j' || key.kind == BROWSE_WHEEL_DOWN) {
        state->item += state->item + 1 < state->item_count;
    } else if (key.kind == BROWSE_UP || code == 'k' || key.kind == BROWSE_WHEEL_UP) {
        state->item -= state->item > 0;
    } else if (code >= '1' && code <= '9' && code - '1' < state->item_count) {
        state->item = code - '1';
        take_item(state);
    } else if (key.kind == BROWSE_ENTER || key.kind == BROWSE_RIGHT || code == 'l') {
        take_item(state);
    }
}

/* --- the page --- */

static void edit(browse_state *state)
{
    browse_leaf *leaf = browse_top(state);
    mp_arena_free(&state->edit);
    state->edit_path = NULL;
    if (browse_has_page(leaf))
        browse_source_line(&state->edit, state->source, &leaf->page, &state->edit_path,
                           &state->edit_line, state->said, sizeof state->said);
}

static void open_or_shift(browse_state *state, browse_page *page, bool open)
{
    if (page->wide)
        browse_page_shift(page, open ? SIDEWAYS : -SIDEWAYS);
    else if (!browse_page_open(page, open))
        say(state, "%s",
            open ? "nothing more to open here; Enter leads to other views"
                 : "nothing to close here");
}

/* Handle a key that moves on the page. Return false if it is another key. */
static bool move(browse_state *state, browse_page *page, browse_key key)
{
    long height = (long)browse_page_height(page), half = height / 2 ? height / 2 : 1;
    uint32_t code = key.kind == BROWSE_CHARACTER ? key.code : 0;
    if (key.kind == BROWSE_DOWN || code == 'j')
        browse_page_move(page, 1);
    else if (key.kind == BROWSE_UP || code == 'k')
        browse_page_move(page, -1);
    else if (key.kind == BROWSE_PAGE_DOWN || code == ' ' || code == CONTROL_F)
        browse_page_scroll(page, height);
    else if (key.kind == BROWSE_PAGE_UP || code == CONTROL_B)
        browse_page_scroll(page, -height);
    else if (code == CONTROL_D)
        browse_page_scroll(page, half);
    else if (code == CONTROL_U)
        browse_page_scroll(page, -half);
    else if (key.kind == BROWSE_WHEEL_DOWN || key.kind == BROWSE_WHEEL_UP)
        browse_page_scroll(page, key.kind == BROWSE_WHEEL_DOWN ? WHEEL : -WHEEL);
    else if (key.kind == BROWSE_HOME || code == 'g')
        browse_page_to_end(page, false);
    else if (key.kind == BROWSE_END || code == 'G')
        browse_page_to_end(page, true);
    else if (key.kind == BROWSE_RIGHT || code == 'l')
        open_or_shift(state, page, true);
    else if (key.kind == BROWSE_LEFT || code == 'h')
        open_or_shift(state, page, false);
    else if (code == '+' || code == '-')
        browse_page_open_all(page, code == '+');
    else if (code == 'w')
        browse_page_set_wide(page, !page->wide);
    else if ((key.kind == BROWSE_CLICK || key.kind == BROWSE_DOUBLE_CLICK) && key.line > 0)
        browse_page_point(page, key.line - 1);
    else
        return false;
    return true;
}

/* Handle a key that leads to another page or mode. */
static void lead(browse_state *state, browse_key key)
{
    size_t views = state->view_count;
    uint32_t code = key.kind == BROWSE_CHARACTER ? key.code : 0;
    size_t place = code == '0' ? 9 : code - '1';
    if (code == 'Q' || (code == 'q' && state->leaf_count == 1))
        state->over = true;
    else if (code == 'q' || key.kind == BROWSE_ESCAPE || key.kind == BROWSE_ERASE)
        back(state);
    else if (key.kind == BROWSE_TAB)
        go_to_view(state, (state->view + 1) % views);
    else if (key.kind == BROWSE_BACK_TAB)
        go_to_view(state, (state->view + views - 1) % views);
    else if (code >= '0' && code <= '9' && place < views)
        go_to_view(state, place);
    else if (code == '/')
        begin_typing(state, BROWSE_SEARCH, "");
    else if (code == ':')
        begin_typing(state, BROWSE_COMMAND, "");
    else if (code == 'f')
        begin_typing(state, BROWSE_FILTER, browse_top(state)->line);
    else if (code == 'n' || code == 'N')
        search(state, code == 'n');
    else if (code == 'c')
        open_way(state);
    else if (code == 's')
        choose_column(state);
    else if (code == 'o')
        edit(state);
    else if (code == '?') {
        state->mode = BROWSE_HELPS;
        state->help_top = 0;
    } else if (key.kind == BROWSE_ENTER || key.kind == BROWSE_DOUBLE_CLICK)
        choose_link(state);
}

static void help(browse_state *state, browse_key key)
{
    uint32_t code = key.kind == BROWSE_CHARACTER ? key.code : 0;
    const char *lines[BROWSE_MOST_HELP];
    size_t height = state->rows > 2 ? state->rows - 2 : 1, count = browse_help(state, lines);
    size_t most = count > height ? count - height : 0;
    if (key.kind == BROWSE_DOWN || code == 'j' || key.kind == BROWSE_WHEEL_DOWN)
        state->help_top += state->help_top < most;
    else if (key.kind == BROWSE_UP || code == 'k' || key.kind == BROWSE_WHEEL_UP)
        state->help_top -= state->help_top > 0;
    else if (key.kind == BROWSE_PAGE_DOWN || code == ' ')
        state->help_top = state->help_top + height < most ? state->help_top + height : most;
    else
        state->mode = BROWSE_READS;
}

void browse_press(browse_state *state, browse_key key)
{
    browse_leaf *leaf = browse_top(state);
    state->said[0] = '\0';
    switch (state->mode) {
    case BROWSE_TYPES:
        type(state, key);
        break;
    case BROWSE_CHOOSES:
        choose(state, key);
        break;
    case BROWSE_HELPS:
        help(state, key);
        break;
    case BROWSE_READS:
        if (!browse_has_page(leaf) || !move(state, &leaf->page, key) ||
            key.kind == BROWSE_DOUBLE_CLICK)
            lead(state, key);
        break;
    }
}

/* --- begin and end --- */

void browse_begin(browse_state *state, const browse_source *source, unsigned rows, unsigned columns,
                  bool colour)
{
    *state = (browse_state){.source = source, .rows = rows, .columns = columns, .colour = colour};
    state->view_count = browse_views(mp_session_kind(source->session), state->views);
    go_to_view(state, 0);
}

void browse_end(browse_state *state)
{
    while (state->leaf_count)
        free_leaf(&state->leaves[--state->leaf_count]);
    free(state->leaves);
    mp_arena_free(&state->menu);
    mp_arena_free(&state->edit);
}

void browse_resize(browse_state *state, unsigned rows, unsigned columns)
{
    state->rows = rows;
    state->columns = columns;
    for (size_t i = 0; i < state->leaf_count; i++)
        if (browse_has_page(&state->leaves[i]))
            browse_page_resize(&state->leaves[i].page, rows, columns);
}

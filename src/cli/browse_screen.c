#include "cli/browse_screen.h"

#ifdef MEMPROF_BROWSE

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <utf8proc.h>

#include "cli/curses.h"
#include "cli/screen.h"

enum { WORSE = 1, BETTER, WARNING }; /* numbers of colour pairs */

static cli_curses nc;
static SCREEN *screen;
static int screen_rows, screen_columns;
static bool has_colours;

/* --- the terminal --- */

/* Defined only in the static program (src/cli/static), into which ncurses is linked. */
extern const cli_curses cli_curses_linked __attribute__((weak));

const char *browse_screen_load(void)
{
    static const char *const names[] = {CLI_CURSES(MP_LATE_NAME)};
    static mp_late library = MP_LATE(MEMPROF_BROWSE, names, nc, cli_curses_linked);
    return mp_late_load(&library);
}

bool browse_screen_is_known(const char *kind)
{
    return nc.tgetent(NULL, kind) == 1;
}

bool browse_screen_begin(bool colour)
{
    cli_screen_characters();
    screen = nc.newterm(NULL, stdout, stdin);
    if (!screen)
        return false;
    cli_screen_own(browse_screen_end);
    nc.cbreak();
    nc.noecho();
    nc.nonl();
    nc.keypad(*nc.stdscr, TRUE);
    nc.nodelay(*nc.stdscr, TRUE);
    nc.set_escdelay(25);
    nc.curs_set(0);
    nc.mouseinterval(0);
    nc.mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    has_colours = colour && nc.has_colors();
    if (has_colours) {
        nc.start_color();
        nc.use_default_colors();
        nc.init_pair(WORSE, COLOR_RED, -1);
        nc.init_pair(BETTER, COLOR_CYAN, -1);
        nc.init_pair(WARNING, COLOR_MAGENTA, -1);
    }
    return true;
}

void browse_screen_end(void)
{
    if (!screen)
        return;
    nc.curs_set(1);
    nc.endwin();
    cli_screen_own(NULL);
    screen = NULL;
}

void browse_screen_leave(void)
{
    nc.curs_set(1);
    nc.endwin();
}

void browse_screen_measure(unsigned *rows, unsigned *columns)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
        (size.ws_row != *nc.LINES || size.ws_col != *nc.COLS))
        nc.resizeterm(size.ws_row, size.ws_col);
    screen_rows = *nc.LINES;
    screen_columns = *nc.COLS;
    *rows = (unsigned)screen_rows;
    *columns = (unsigned)screen_columns;
}

/* --- drawing --- */

/* Position on the screen, its attributes, and the number of text columns that were scrolled out of
 * view. */
typedef struct pen {
    int row, column;
    size_t hidden;
    attr_t always, now; /* attributes of the whole line, and of the current part */
    short pair;
} pen;

static void put_cell(pen *state, const wchar_t *text, int width)
{
    cchar_t cell;
    if (state->column + width <= screen_columns &&
        nc.setcchar(&cell, text, state->always | state->now, state->pair, NULL) == OK)
        nc.mvadd_wchnstr(state->row, state->column, &cell, 1);
    state->column += width;
}

/* Return the code of the character at `p`, which must be valid UTF-8. */
static wchar_t code_at(const char *p)
{
    utf8proc_int32_t code;
    utf8proc_iterate((const utf8proc_uint8_t *)p, -1, &code);
    return (wchar_t)code;
}

/* Draw text that mp_safe_text has processed. Combining characters are drawn in the cell of the
 * character before them. */
static void put_text(pen *state, const char *text, size_t length)
{
    enum { MARKS = 4 };
    for (const char *p = text, *end = text + length; p < end && state->column < screen_columns;) {
        wchar_t cell[MARKS + 2] = {code_at(p)};
        int width = (int)mp_next_width(&p);
        size_t count = 1;
        for (const char *next = p; p < end; p = next) {
            wchar_t mark = code_at(p);
            if (mp_next_width(&next) > 0)
                break;
            if (count <= MARKS && wcwidth(mark) == 0)
                cell[count++] = mark;
        }
        if (wcwidth(cell[0]) <= 0 || wcwidth(cell[0]) > width) {
            cell[0] = L'?'; /* the C library does not know the character */
            cell[1] = L'\0';
        }
        if (state->hidden)
            state->hidden -= (size_t)width < state->hidden ? (size_t)width : state->hidden;
        else
            put_cell(state, cell, width ? width : 1);
    }
}

/* Apply an escape sequence of the text renderer. */
static void turn(pen *state, const char *sequence, size_t length)
{
    static const struct {
        const char *sequence;
        attr_t looks;
        short pair;
    } states[] = {{MP_TEXT_PLAIN, A_NORMAL, 0},        {MP_TEXT_BOLD, A_BOLD, 0},
                  {MP_TEXT_FAINT, A_DIM, 0},           {MP_TEXT_UNDERLINED, A_UNDERLINE, 0},
                  {MP_TEXT_WORSE, A_NORMAL, WORSE},    {MP_TEXT_BETTER, A_NORMAL, BETTER},
                  {MP_TEXT_WARNING, A_NORMAL, WARNING}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strlen(states[i].sequence) == length &&
            memcmp(states[i].sequence, sequence, length) == 0) {
            state->now = states[i].looks;
            state->pair = has_colours ? states[i].pair : 0;
        }
}

static void fill(pen *state)
{
    state->now = A_NORMAL;
    state->pair = 0;
    while (state->column < screen_columns)
        put_cell(state, L" ", 1);
}

static void draw_line(const browse_page *page, size_t line, int row, bool current)
{
    pen state = {.row = row, .hidden = page->left, .always = current ? A_REVERSE : A_NORMAL};
    size_t length;
    const char *text = browse_page_text(page, line, &length);
    for (size_t done = 0; done < length;) {
        const char *escape = memchr(text + done, '\033', length - done);
        size_t plain = (escape ? (size_t)(escape - text) : length) - done;
        put_text(&state, text + done, plain);
        done += plain;
        if (!escape)
            break;
        const char *end = memchr(escape, 'm', length - done);
        size_t taken = end ? (size_t)(end - escape) + 1 : length - done;
        turn(&state, escape, taken);
        done += taken;
    }
    if (current)
        fill(&state);
    /* Mark the line with a character, too, because an attribute alone may be invisible. */
    if (current && page->lines[line].begins && !page->left) {
        pen mark = {.row = row, .always = A_REVERSE};
        put_cell(&mark, L">", 1);
    }
}

static void draw_page(const browse_page *page)
{
    size_t height = browse_page_height(page), first, titles = browse_page_titles(page, &first);
    const browse_line *state =
        page->line_count && page->lines[page->cursor].begins ? &page->lines[page->cursor] : NULL;
    int above = page->rows > 3;
    for (size_t i = 0; i < height && page->top + i < page->line_count; i++) {
        size_t line = i < titles ? first + i : page->top + i;
        const browse_line *is = &page->lines[line];
        bool current = state && is->table == state->table && is->row == state->row &&
                       is->frame == state->frame && line >= page->cursor;
        for (size_t k = page->cursor + 1; current && k <= line; k++)
            current = !page->lines[k].begins && page->lines[k].length;
        draw_line(page, line, (int)i + above, current);
    }
}

static void draw_text(int row, attr_t looks, const char *text)
{
    mp_arena arena = {0};
    pen state = {.row = row, .always = looks};
    const char *safe = mp_safe_text(&arena, text);
    put_text(&state, safe, strlen(safe));
    if (looks != A_NORMAL)
        fill(&state);
    mp_arena_free(&arena);
}

/* Draw a message in as many lines as it needs. `row` is its first line or, if `up` is true, its
 * last line. */
static void draw_folded(int row, bool up, attr_t looks, const char *text)
{
    mp_arena arena = {0};
    const size_t width = screen_columns > 1 ? (size_t)screen_columns : 1;
    const char *folded = mp_wrap_text(&arena, mp_safe_text(&arena, text), 0, 0, width);
    int lines = 0, most = screen_rows > 3 ? screen_rows / 2 : 1;
    bool further = true;
    for (; further && lines < most; lines++)
        (void)mp_line_of_text(&arena, folded, (size_t)lines, &further);
    for (int i = 0; i < lines; i++) {
        const char *line = mp_line_of_text(&arena, folded, (size_t)i, &further);
        const int index = up ? row - lines + 1 + i : row + i;
        nc.move(index, 0);
        nc.clrtoeol();
        draw_text(index, looks, line);
    }
    mp_arena_free(&arena);
}

/* Draw the line that is being typed, so that its end is visible. */
static void draw_typed(int row, const browse_state *state)
{
    mp_arena arena = {0};
    const char *text =
        mp_arena_format(&arena, "%c%s", (char)state->prompt, mp_safe_text(&arena, state->typed));
    size_t width = mp_text_width(text), room = screen_columns > 1 ? (size_t)screen_columns - 1 : 1;
    while (width > room)
        width -= mp_next_width(&text);
    pen self = {.row = row};
    put_text(&self, text, strlen(text));
    nc.curs_set(1);
    nc.move(row, self.column < screen_columns ? self.column : screen_columns - 1);
    mp_arena_free(&arena);
}

/* --- head and foot --- */

/* Draw the names of the views. On a page that was opened from another page, draw the path of pages
 * instead. */
static void draw_head(browse_state *state)
{
    mp_arena arena = {0};
    const char *text = "";
    size_t room = (size_t)screen_columns, from = 0;
    pen self = {.always = A_REVERSE};
    if (state->leaf_count > 1) {
        const char *line = browse_top(state)->line;
        for (size_t i = 0; i < state->leaf_count; i++)
            text = mp_arena_format(&arena, "%s%s%s", text, i ? " > " : " ", state->leaves[i].name);
        text = mp_safe_text(&arena, mp_arena_format(&arena, "%s %s", text, line));
        while (mp_text_width(text) > room)
            mp_next_width(&text);
        put_text(&self, text, strlen(text));
    }
    /* If not all views fit, start the list so that the current view is visible. */
    for (size_t width = 0, i = state->view + 1; state->leaf_count == 1 && i-- > 0;) {
        width += strlen(state->views[i]->name) + 4;
        if (width + 2 > room &&
            i < state->view) { /* room for the marks that stand for omitted views */
            from = i + 1;
            break;
        }
    }
    size_t used = from > 0;
    put_text(&self, "<", used);
    for (size_t i = from; state->leaf_count == 1 && i < state->view_count; i++) {
        text = mp_arena_format(&arena, i < 10 ? "%zu %s" : "%.0zu%s", i < 10 ? (i + 1) % 10 : 0,
                               state->views[i]->name);
        self.now = A_NORMAL;
        put_text(&self, i == state->view ? "[" : " ", 1);
        self.now = i == state->view ? A_BOLD : A_NORMAL;
        put_text(&self, text, strlen(text));
        self.now = A_NORMAL;
        put_text(&self, i == state->view ? "]" : " ", 1);
        used += strlen(text) + 2;
    }
    fill(&self);
    if (used > room) { /* views at the end of the list do not fit */
        pen mark = {.column = screen_columns - 1, .always = A_REVERSE};
        put_cell(&mark, L">", 1);
    }
    mp_arena_free(&arena);
}

static void draw_foot(browse_state *state)
{
    int row = screen_rows - 1;
    mp_arena arena = {0};
    if (state->mode == BROWSE_TYPES)
        draw_typed(row, state);
    else if (*state->said)
        draw_folded(row, true, A_BOLD, state->said);
    else
        draw_text(row, A_REVERSE, mp_arena_format(&arena, " %s", browse_foot(&arena, state)));
    mp_arena_free(&arena);
}

/* Draw a menu over the lower part of the page, or over all of it. */
static void draw_menu(const browse_state *state)
{
    mp_arena arena = {0};
    size_t height = screen_rows > 2 ? (size_t)screen_rows - 2 : 1, count = state->item_count;
    size_t shown = count + 1 < height ? count : height > 1 ? height - 1 : 1;
    size_t first = state->item >= shown ? state->item - shown + 1 : 0;
    int row = screen_rows - 1 - (int)shown;
    if (row > 0)
        draw_text(row - 1, A_BOLD | A_REVERSE, mp_arena_format(&arena, " %s", state->menu_title));
    for (size_t i = 0; i < shown; i++, row++) {
        size_t item = first + i;
        const char *mark = item == state->item ? ">" : " ";
        const char *text =
            item < 9 ? mp_arena_format(&arena, "%s%zu  %s", mark, item + 1, state->items[item])
                     : mp_arena_format(&arena, "%s   %s", mark, state->items[item]);
        nc.move(row, 0);
        nc.clrtoeol();
        draw_text(row, item == state->item ? A_REVERSE : A_NORMAL, text);
    }
    mp_arena_free(&arena);
}

void browse_screen_draw(browse_state *state)
{
    browse_leaf *leaf = browse_top(state);
    const char *help[BROWSE_MOST_HELP];
    nc.erase();
    nc.curs_set(0);
    if (state->mode == BROWSE_HELPS) {
        size_t count = browse_help(state, help);
        for (size_t i = 0; state->help_top + i < count && (int)i + 1 < screen_rows; i++)
            draw_text((int)i, A_NORMAL, help[state->help_top + i]);
    } else if (browse_has_page(leaf)) {
        draw_page(&leaf->page);
    } else {
        draw_folded(screen_rows > 3, false, A_NORMAL, leaf->why);
    }
    if (screen_rows > 3 && state->mode != BROWSE_HELPS)
        draw_head(state);
    if (state->mode == BROWSE_CHOOSES)
        draw_menu(state);
    if (screen_rows > 1)
        draw_foot(state);
    nc.refresh();
}

/* --- keys --- */

static bool mouse_key(browse_key *key)
{
    static struct timespec last;
    static int line = -1;
    struct timespec now;
    MEVENT event;
    if (nc.getmouse(&event) != OK)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long since = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
    key->line = (unsigned)event.y;
    key->column = (unsigned)event.x;
    if (event.bstate & BUTTON4_PRESSED) {
        key->kind = BROWSE_WHEEL_UP;
    } else if (event.bstate & BUTTON5_PRESSED) {
        key->kind = BROWSE_WHEEL_DOWN;
    } else if (event.bstate & BUTTON1_PRESSED) {
        key->kind = line == event.y && since < 400 ? BROWSE_DOUBLE_CLICK : BROWSE_CLICK;
        line = key->kind == BROWSE_CLICK ? event.y : -1;
        last = now;
    } else {
        return false;
    }
    return true;
}

bool browse_screen_key(browse_key *key)
{
    static const struct {
        wint_t code;
        browse_key_kind kind;
    } keys[] = {
        {KEY_UP, BROWSE_UP},           {KEY_DOWN, BROWSE_DOWN},     {KEY_LEFT, BROWSE_LEFT},
        {KEY_RIGHT, BROWSE_RIGHT},     {KEY_PPAGE, BROWSE_PAGE_UP}, {KEY_NPAGE, BROWSE_PAGE_DOWN},
        {KEY_HOME, BROWSE_HOME},       {KEY_END, BROWSE_END},       {KEY_ENTER, BROWSE_ENTER},
        {KEY_BACKSPACE, BROWSE_ERASE}, {KEY_DC, BROWSE_ERASE},      {KEY_BTAB, BROWSE_BACK_TAB}};
    wint_t code;
    for (int got; (got = nc.get_wch(&code)) != ERR;) {
        *key = (browse_key){.kind = BROWSE_CHARACTER, .code = code};
        if (got == KEY_CODE_YES) {
            if (code == KEY_MOUSE && mouse_key(key))
                return true;
            for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
                if (keys[i].code == code) {
                    key->kind = keys[i].kind;
                    return true;
                }
            continue;
        }
        key->kind = code == '\r' || code == '\n'  ? BROWSE_ENTER
                    : code == '\t'                ? BROWSE_TAB
                    : code == '\b' || code == 127 ? BROWSE_ERASE
                    : code == 27                  ? BROWSE_ESCAPE
                                                  : BROWSE_CHARACTER;
        return true;
    }
    return false;
}

#endif

/* The state of the browser: open pages, the effect of keys, and what to draw. It is independent of
 * the terminal. */
#pragma once

#include "cli/browse_ask.h"
#include "cli/browse_link.h"
#include "cli/browse_page.h"

typedef enum browse_key_kind {
    BROWSE_CHARACTER, /* a typed character; `code` is its code point */
    BROWSE_UP,
    BROWSE_DOWN,
    BROWSE_LEFT,
    BROWSE_RIGHT,
    BROWSE_PAGE_UP,
    BROWSE_PAGE_DOWN,
    BROWSE_HOME,
    BROWSE_END,
    BROWSE_ENTER,
    BROWSE_ESCAPE,
    BROWSE_ERASE, /* delete the character before the cursor */
    BROWSE_TAB,
    BROWSE_BACK_TAB,
    BROWSE_CLICK, /* mouse click at `line` and `column` of the screen */
    BROWSE_DOUBLE_CLICK,
    BROWSE_WHEEL_UP,
    BROWSE_WHEEL_DOWN,
} browse_key_kind;

typedef struct browse_key {
    browse_key_kind kind;
    uint32_t code; /* codes of control keys: 1 for ^A, and so on */
    unsigned line, column;
} browse_key;

/* The part of the screen to which keys apply. */
typedef enum browse_mode {
    BROWSE_READS,   /* the page */
    BROWSE_TYPES,   /* a line at the bottom */
    BROWSE_CHOOSES, /* a menu */
    BROWSE_HELPS,
} browse_mode;

/* Purpose of the line that is being typed. Each value is the character that prompts for it. */
typedef enum browse_prompt {
    BROWSE_SEARCH = '/',
    BROWSE_FILTER = '>',
    BROWSE_COMMAND = ':',
} browse_prompt;

/* A page, and the command line that made it. */
typedef struct browse_leaf {
    browse_page page;
    browse_answer answer;
    const char *name; /* name of the view or command; lives as long as the tables of commands */
    const char *command;
    char *line;     /* options of the command */
    char why[1024]; /* the reason if there is no answer; otherwise "" */
} browse_leaf;

typedef struct browse_state {
    const browse_source *source;
    const browse_view *views[BROWSE_MOST_VIEWS];
    size_t view_count, view; /* `view` is the page at the bottom of the stack */
    browse_leaf *leaves;     /* stack of pages; each page was opened from the one below */
    size_t leaf_count, leaf_capacity;
    unsigned rows, columns;
    bool colour, over;
    browse_mode mode;

    browse_prompt prompt;
    char typed[2048];
    size_t typed_length;
    char sought[2048];
    char said[1024]; /* message at the bottom, until the next key */

    /* A menu: of links, or of columns to sort by. */
    const char *menu_title;
    const char *items[BROWSE_MOST_LINKS + 48];
    size_t item_count, item;
    bool sorts;
    browse_link links[BROWSE_MOST_LINKS];
    size_t sort_columns[BROWSE_MOST_LINKS + 48];
    mp_arena menu; /* texts of the menu */
    size_t help_top;

    /* File that will be opened in an editor; NULL = none. The caller opens it, and resets this
     * member. */
    const char *edit_path;
    int64_t edit_line;
    mp_arena edit;
} browse_state;

/* Begin with the first view. Release with browse_end. */
void browse_begin(browse_state *state, const browse_source *source, unsigned rows, unsigned columns,
                  bool colour);
void browse_end(browse_state *state);
void browse_resize(browse_state *state, unsigned rows, unsigned columns);
void browse_press(browse_state *state, browse_key key);

/* Return the visible page. */
browse_leaf *browse_top(browse_state *state);
/* Return true if the leaf has an answer. */
bool browse_has_page(const browse_leaf *leaf);

/* --- browse_keys.c: the keys that do something on the visible page --- */

enum { BROWSE_MOST_HELP = 40 };
/* Write the lines of the help to `lines`, which has room for BROWSE_MOST_HELP, and return their
 * number. They are static. */
size_t browse_help(const browse_state *state, const char **lines);
/* Return the text of the last line for times when nothing is typed or reported. It has the most
 * important keys, as many as fit on the screen, then the position on the page, its options and the
 * file. */
const char *browse_foot(mp_arena *arena, const browse_state *state);

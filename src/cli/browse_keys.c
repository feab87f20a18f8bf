/* Keys of the browser: the help, and the last line of the screen. */
#include "cli/browse_state.h"

#include <string.h>

/* --- conditions --- */

static const browse_page *page_of(const browse_state *state)
{
    const browse_leaf *leaf = &state->leaves[state->leaf_count - 1];
    return browse_has_page(leaf) ? &leaf->page : NULL;
}

/* Return the table under the cursor; NULL if there is none. */
static const mp_table *table_of(const browse_state *state)
{
    const browse_page *page = page_of(state);
    const browse_line *line = page ? browse_page_at(page) : NULL;
    return line ? &page->document->tables[line->table] : NULL;
}

static bool is_tree(const browse_state *state, const mp_table *table)
{
    const browse_page *page = page_of(state);
    return page->tables[table - page->document->tables].depth < table->column_count;
}

static bool has_page(const browse_state *state)
{
    return page_of(state) != NULL;
}

static bool has_rows(const browse_state *state)
{
    return table_of(state) != NULL;
}

static bool is_wide(const browse_state *state)
{
    return has_page(state) && page_of(state)->wide;
}

static bool unfolds(const browse_state *state)
{
    const mp_table *table = table_of(state);
    return table && (is_tree(state, table) || browse_list_column(table) < table->column_count);
}

static bool opens(const browse_state *state)
{
    return unfolds(state) && !is_wide(state);
}

static bool follows(const browse_state *state)
{
    browse_link links[BROWSE_MOST_LINKS];
    mp_arena arena = {0};
    const browse_leaf *leaf = &state->leaves[state->leaf_count - 1];
    bool has = has_rows(state) &&
               browse_links(&arena, state->source, &leaf->answer.options, &leaf->page, links) > 0;
    mp_arena_free(&arena);
    return has;
}

static bool has_way(const browse_state *state)
{
    browse_link link;
    mp_arena arena = {0};
    const browse_leaf *leaf = &state->leaves[state->leaf_count - 1];
    const bool has = has_rows(state) && browse_way_to(&arena, state->source, &leaf->answer.options,
                                                      &leaf->page, &link);
    mp_arena_free(&arena);
    return has;
}

static bool sorts(const browse_state *state)
{
    const mp_table *table = table_of(state);
    return table && table->shape == MP_ROWS && !is_tree(state, table);
}

static bool has_views(const browse_state *state)
{
    return state->view_count > 1;
}

static bool is_opened(const browse_state *state)
{
    return state->leaf_count > 1;
}

static bool is_first(const browse_state *state)
{
    return state->leaf_count == 1;
}

static bool has_searched(const browse_state *state)
{
    return *state->sought != '\0';
}

static bool has_sources(const browse_state *state)
{
    return has_rows(state) && state->source->options->source_folders.count;
}

/* --- keys --- */

/* `works`: NULL = the key always works. `hint`: the key on the last line of the screen; NULL = it
 * is not there. */
static const struct browse_key_row {
    const char *help, *hint;
    bool (*works)(const browse_state *state);
} keys[] = {
    {"Moving", NULL, NULL},
    {"  j k, arrows       a row down, up", NULL, has_rows},
    {"  Ctrl-D Ctrl-U     half a page", NULL, has_page},
    {"  Space, PgDn PgUp  a page (also Ctrl-F, Ctrl-B)", NULL, has_page},
    {"  g G, Home End     to the first, the last row", NULL, has_page},
    {"  l h, arrows       open, close: a stack, a branch of a tree", "l unfold", opens},
    {"  l h, arrows       move sideways", NULL, is_wide},
    {"  + -               open, close all rows of the table", NULL, unfolds},
    {"  w                 show whole lines, or cut them again", NULL, has_page},
    {"", NULL, NULL},
    {"Views", NULL, NULL},
    {"  Tab, Shift-Tab    the next, the previous view; 1 to 9, 0 go to one", "Tab view", has_views},
    {"  Enter             list what can be opened from this row", "Enter open", follows},
    {"  c                 the row's call tree, callers or path from a root", "c calls", has_way},
    {"  q, Esc, Backspace back to the previous page", "q back", is_opened},
    {"  q, Q              leave", "q leave", is_first},
    {"  Q                 leave", NULL, is_opened},
    {"  :                 any command with its options, as on the command line:", NULL, NULL},
    {"                    top --by line, leaks --sort objects", NULL, NULL},
    {"", NULL, NULL},
    {"Filters", NULL, NULL},
    {"  f                 the options of this view, as on the command line:", "f filter", NULL},
    {"                    --limit 0, --type 'Order*'", NULL, NULL},
    {"  /                 search", "/ search", has_page},
    {"  n N               the next, the previous hit", NULL, has_searched},
    {"  s                 sort the rows shown by a column; again: reverse order", "s sort", sorts},
    {"", NULL, NULL},
    {"  o                 open the source line in $VISUAL or $EDITOR", NULL, has_sources},
    {"  ?                 these keys", "? help", NULL},
};

/* Order of the keys on the last line of the screen. */
static const char *const hints[] = {"? help",   "q back",   "q leave",  "Enter open", "c calls",
                                    "l unfold", "Tab view", "f filter", "s sort",     "/ search"};

static bool does_work(const browse_state *state, const struct browse_key_row *key)
{
    return !key->works || key->works(state);
}

size_t browse_help(const browse_state *state, const char **lines)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (does_work(state, &keys[i]))
            lines[count++] = keys[i].help;
    return count;
}

static bool hint_works(const browse_state *state, const char *hint)
{
    bool works = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !works; i++)
        works = keys[i].hint && strcmp(keys[i].hint, hint) == 0 && does_work(state, &keys[i]);
    return works;
}

/* --- the last line --- */

/* Return "4-20 of 31" and the options of the page, for example "--type A". */
static const char *place_text(mp_arena *arena, const browse_state *state)
{
    const browse_page *page = page_of(state);
    const char *options = state->leaves[state->leaf_count - 1].line;
    if (!page)
        return mp_arena_format(arena, "%s", options);
    size_t last = page->top + browse_page_height(page);
    last = last < page->line_count ? last : page->line_count;
    return mp_arena_format(arena, "%zu-%zu of %zu%s%s", page->top + (page->line_count > 0), last,
                           page->line_count, *options ? "  " : "", options);
}

const char *browse_foot(mp_arena *arena, const browse_state *state)
{
    if (state->mode == BROWSE_CHOOSES)
        return "Enter selects, q cancels";
    if (state->mode == BROWSE_HELPS)
        return "j k scroll, any other key goes back";
    const char *place = place_text(arena, state), *text = "";
    const size_t end = mp_text_width(place) + 3; /* includes a margin and a gap */
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hint_works(state, hints[i]) &&
            mp_text_width(text) + strlen(hints[i]) + 2 + end <= state->columns)
            text = mp_arena_format(arena, "%s%s%s", text, *text ? "  " : "", hints[i]);
    return mp_arena_format(arena, "%s  %s  %s", *text ? text : hints[0], place,
                           state->source->options->paths[0]);
}

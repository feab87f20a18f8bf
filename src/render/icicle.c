#include "render/icicle.h"

#include <stdlib.h>

#include "base/units.h"
#include "render/cell.h"
#include "render/frame_name.h"
#include "render/svg.h"

/* Levels that are drawn with names, one line each, followed by levels of half a line each. */
enum { NAMED = 16, HALVED = 8, LEVELS = NAMED + HALVED };

/* 1 + the place at each level and half column; 0 = no place */
typedef struct icicle_grid {
    const mp_tree_figure *tree;
    uint32_t *halves[LEVELS];
    uint32_t columns, levels;
    uint32_t left_out;
    mp_arena arena;
} icicle_grid;

/* --- positions --- */

/* Fill in the grid. Positions are computed from the sums of widths and then rounded, so that
 * rounding errors do not add up. */
static void fill(icicle_grid *grid)
{
    const mp_place *place = grid->tree->items;
    const uint32_t count = grid->tree->count, halves = 2 * grid->columns;
    int64_t *widths = mp_tree_widths(grid->tree);
    int64_t *left = mp_alloc_zero(count, sizeof *left), *next = mp_alloc_zero(count, sizeof *next);
    uint32_t *depth = mp_alloc_zero(count, sizeof *depth);
    const double scale = widths[0] > 0 ? (double)halves / (double)widths[0] : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i) {
            depth[i] = depth[place[i].parent] + 1;
            left[i] = next[place[i].parent];
            next[place[i].parent] += widths[i];
        }
        next[i] = left[i];
        uint32_t from = (uint32_t)((double)left[i] * scale + 0.5);
        uint32_t to = (uint32_t)((double)(left[i] + widths[i]) * scale + 0.5);
        to = to < halves ? to : halves;
        if (depth[i] >= LEVELS || from >= to) {
            grid->left_out++;
            continue;
        }
        grid->levels = depth[i] + 1 > grid->levels ? depth[i] + 1 : grid->levels;
        to -= to - from > 2; /* a gap, to separate neighbours */
        for (uint32_t half = from; half < to; half++)
            grid->halves[depth[i]][half] = i + 1;
    }
    MP_FREE(widths, left, next, depth);
}

/* --- colours: light ones of the palette of 256, for black letters --- */

static unsigned colour_of(const mp_tree_figure *tree, uint32_t place)
{
    static const unsigned char code[] = {223, 222, 229, 216, 186, 221};
    static const unsigned char types[] = {152, 151, 153, 159, 115, 147};
    static const unsigned char more[] = {223, 216, 215, 208}, less[] = {189, 153, 111, 75};
    const mp_place *state = &tree->items[place];
    if (tree->has_base) {
        int64_t larger = state->total > state->base_all ? state->total : state->base_all;
        double share = larger > 0 ? (double)(state->total - state->base_all) / (double)larger : 0;
        double size = share < 0 ? -share : share;
        size_t step = size < 0.1 ? 0 : size < 0.35 ? 1 : size < 0.8 ? 2 : 3;
        return share > 0 ? more[step] : share < 0 ? less[step] : 252;
    }
    return state->kind == MP_PLACE_CODE    ? code[mp_svg_colour(state->label, sizeof code)]
           : state->kind == MP_PLACE_TYPE  ? types[mp_svg_colour(state->label, sizeof types)]
           : state->kind == MP_PLACE_GROUP ? 183
                                           : 252;
}

/* --- lines --- */

/* Set the colours of the upper and lower (or left and right) half of a character; 0 = the
 * terminal's own colour. */
static void put_colours(const icicle_grid *grid, const mp_style *style, FILE *file, uint32_t upper,
                        uint32_t lower)
{
    if (!style->colour)
        return;
    fputs("\033[0", file);
    if (upper)
        fprintf(file, ";38;5;%u", colour_of(grid->tree, upper - 1));
    if (lower)
        fprintf(file, ";48;5;%u", colour_of(grid->tree, lower - 1));
    fputc('m', file);
}

/* Return the text for a place's amount. In a comparison it is the place's change: "+10.4 KiB", "new
 * +10.4 KiB". */
static const char *amount_of(icicle_grid *grid, const mp_place *place)
{
    const int64_t change = grid->tree->has_base ? place->total - place->base_all : 0;
    const mp_column column = {.unit = grid->tree->unit, .flags = change ? MP_SIGNED : 0};
    const mp_cell cell = {.known = true, .number = change ? change : place->total};
    const char *text = mp_cell_for_people(&grid->arena, &column, &cell, false);
    const char *word = !change || (place->total && place->base_all) ? ""
                       : place->total                               ? "new "
                                                                    : "gone ";
    return mp_arena_format(&grid->arena, "%s%s", word, text);
}

/* Return the longest form of the name that fits, or the shortest form. */
static const char *short_name(icicle_grid *grid, const mp_place *place, const char *name,
                              size_t room)
{
    const char *names[MP_FRAME_NAMES];
    const size_t count = mp_frame_names(&grid->arena, name, place->kind == MP_PLACE_TYPE, names);
    for (size_t i = 0; i < count; i++)
        if (mp_text_width(names[i]) <= room)
            return names[i];
    return names[count - 1];
}

/* Return "shop/main.p:52
 *
 * 18.6 KiB", shortened to the room. In a comparison the change comes first; at least its sign
 * stays. */
static const char *name_of(icicle_grid *grid, uint32_t place, size_t room)
{
    enum { LONGEST = 500, SHORTEST = 8 };
    const mp_place *state = &grid->tree->items[place];
    const char *name =
        mp_safe_text(&grid->arena, mp_svg_short(&grid->arena, state->label, LONGEST));
    const char *amount = amount_of(grid, state);
    const size_t width = mp_text_width(amount) + 2;
    if (mp_text_width(name) + width <= room)
        return mp_arena_format(&grid->arena, "%s  %s", name, amount);
    if (!grid->tree->has_base || state->total == state->base_all)
        return room < 3 ? "" : short_name(grid, state, name, room);
    if (room < width + SHORTEST)
        amount = state->total > state->base_all ? "+" : "-";
    const size_t before = mp_text_width(amount) + 1;
    return room < before + 3 ? amount
                             : mp_arena_format(&grid->arena, "%s %s", amount,
                                               short_name(grid, state, name, room - before));
}

/* Print a name across the columns that only this place has, cut at a character if necessary. Return
 * the next column. */
static uint32_t put_named(icicle_grid *grid, const mp_style *style, FILE *file, uint32_t level,
                          uint32_t column)
{
    const uint32_t *halves = grid->halves[level], place = halves[2 * column];
    uint32_t end = column, used = 0;
    while (end < grid->columns && halves[2 * end] == place && halves[2 * end + 1] == place)
        end++;
    const char *text = name_of(grid, place - 1, end - column);
    if (style->colour)
        fprintf(file, "\033[0;38;5;16;48;5;%um", colour_of(grid->tree, place - 1));
    else if (end > column + 1) {
        fputs("|", file); /* without colours, a bar marks the edge */
        used++;
        text = name_of(grid, place - 1, end - column - 1);
    }
    for (const char *p = text; *p;) {
        const char *from = p;
        uint32_t width = (uint32_t)mp_next_width(&p);
        if (used + width > end - column)
            break;
        fwrite(from, 1, (size_t)(p - from), file);
        used += width;
    }
    fprintf(file, "%*s", (int)(end - column - used), "");
    return end;
}

/* Return the column after which the line is empty. */
static uint32_t last_column(const icicle_grid *grid, uint32_t level)
{
    uint32_t last = grid->columns;
    for (; last; last--) {
        const uint32_t *place = &grid->halves[level][2 * (last - 1)];
        bool below =
            level >= NAMED && level + 1 < LEVELS && grid->halves[level + 1][2 * (last - 1)] != 0;
        if (place[0] || place[1] || below)
            break;
    }
    return last;
}

static void put_level(icicle_grid *grid, const mp_style *style, FILE *file, uint32_t level)
{
    const uint32_t *halves = grid->halves[level], end = last_column(grid, level);
    for (uint32_t column = 0; column < end;) {
        uint32_t left = halves[2 * column], right = halves[2 * column + 1];
        if (left && left == right) {
            column = put_named(grid, style, file, level, column);
            continue;
        }
        if (left || right || !column || halves[2 * column - 1] || halves[2 * column - 2])
            put_colours(grid, style, file, left, right);
        fputs(left ? "\u258c" : right && !style->colour ? "\u2590" : right ? "\u258c" : " ", file);
        column++;
    }
    fputs(style->colour ? "\033[0m\n" : "\n", file);
}

/* Print two levels: the upper half and the lower half of a line. */
static void put_two(icicle_grid *grid, const mp_style *style, FILE *file, uint32_t level)
{
    for (uint32_t column = 0; column < last_column(grid, level); column++) {
        uint32_t upper = grid->halves[level][2 * column];
        uint32_t lower = level + 1 < LEVELS ? grid->halves[level + 1][2 * column] : 0;
        if (!upper && lower) { /* the gap after a wide place may be above a narrow place */
            put_colours(grid, style, file, lower, 0);
            fputs("\u2584", file);
            continue;
        }
        put_colours(grid, style, file, upper, lower);
        fputs(!upper ? " " : lower && !style->colour ? "\u2588" : "\u2580", file);
    }
    fputs(style->colour ? "\033[0m\n" : "\n", file);
}

void mp_icicle_put(const mp_figure *figure, const mp_style *style, FILE *file)
{
    icicle_grid grid = {.tree = &figure->tree, .columns = style->width};
    char count[MP_UNIT_TEXT];
    for (uint32_t i = 0; i < LEVELS; i++)
        grid.halves[i] = mp_alloc_zero((size_t)grid.columns * 2 + 2, sizeof *grid.halves[i]);
    fill(&grid);
    for (uint32_t i = 0; i < grid.levels && i < NAMED; i++)
        put_level(&grid, style, file, i);
    for (uint32_t i = NAMED; i < grid.levels; i += 2)
        put_two(&grid, style, file, i);
    if (figure->note)
        fprintf(file, "%s\n", mp_safe_text(&grid.arena, figure->note));
    mp_format_count(count, grid.left_out, false);
    if (grid.left_out)
        fprintf(file, "%s frame%s not drawn; %soutput FILE.svg draws more.\n", count,
                grid.left_out == 1 ? " is" : "s are", style->dashes);
    for (uint32_t i = 0; i < LEVELS; i++)
        free(grid.halves[i]);
    mp_arena_free(&grid.arena);
}

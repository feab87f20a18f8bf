/* Data of a page for its scripts: the figures as JSON, in flat arrays of numbers, with each text
 * once. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/json_writer.h"
#include "document/figure.h"
#include "render/cell.h"
#include "render/html/page.h"
#include "render/svg.h"

/* Distinct texts, numbered from 0. */
typedef struct texts {
    mp_arena arena;
    const char **items;
    size_t count, capacity, bytes;
    mp_key_index index;
} texts;

typedef struct data_out {
    mp_json json;
    texts texts;
} data_out;

static void put_number(data_out *out, int64_t number)
{
    mp_json_next(&out->json);
    mp_json_put_number(&out->json, number);
}

/* Write the number of a text. Very long names lose their middle. If there are very many texts, only
 * their beginnings are kept, so different texts may become equal. */
static void put_text(data_out *out, const char *text)
{
    enum { ENOUGH = 400 * 1000, LONGEST = 300, SHORT = 40 };
    texts *state = &out->texts;
    const char *safe = mp_safe_text(&state->arena, text ? text : "");
    safe = state->bytes < ENOUGH ? mp_svg_short(&state->arena, safe, LONGEST)
                                 : mp_svg_ends(&state->arena, safe, SHORT, 0);
    const size_t size = strlen(safe) + 1;
    const char *kept = mp_key_index_copy(&state->index, safe, size);
    uint32_t *number = mp_key_index_put(&state->index, safe, size);
    if (!*number) {
        state->bytes += size - 1;
        *MP_APPEND(state->items, state->count, state->capacity) = kept;
        *number = (uint32_t)state->count;
    }
    put_number(out, *number - 1);
}

/* Write a list: `put` writes the item of each `i` below the count. */
#define PUT_LIST(out, name, item_count, put)                                                       \
    do {                                                                                           \
        mp_json_open_member(&(out)->json, name, '[');                                              \
        for (size_t i = 0; i < (item_count); i++)                                                  \
            put;                                                                                   \
        mp_json_close(&(out)->json, ']');                                                          \
    } while (0)

/* --- history --- */

static void put_group(data_out *out, const mp_history_group *group)
{
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "name", group->name);
    mp_json_number(&out->json, "others", (int64_t)group->others);
    PUT_LIST(out, "labels", group->rows, put_text(out, group->labels[i]));
    if (group->places) {
        PUT_LIST(out, "types", group->rows, put_text(out, group->types[i]));
        PUT_LIST(out, "places", group->rows, put_number(out, group->places[i]));
    }
    if (group->names) {
        PUT_LIST(out, "names", group->rows, put_text(out, group->names[i]));
    }
    /* Changes are numbers in one flat array. Each change has: the difference of its row to the row
     * of the previous change, moment, moment of birth (if births are known), objects, bytes. */
    mp_json_number(&out->json, "births", group->births);
    mp_json_open_member(&out->json, "changes", '[');
    for (size_t i = 0; i < group->change_count; i++) {
        const mp_history_change *change = &group->changes[i];
        put_number(out, (int64_t)change->row - (i ? change[-1].row : 0));
        put_number(out, change->moment);
        if (group->births)
            put_number(out, change->born);
        put_number(out, change->objects);
        put_number(out, change->bytes);
    }
    mp_json_close(&out->json, ']');
    mp_json_close(&out->json, '}');
}

static void put_history(data_out *out, const mp_figure *figure)
{
    const mp_history_figure *history = &figure->history;
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "note", figure->note ? figure->note : "");
    mp_json_text(&out->json, "leaksNote", history->leaks_note ? history->leaks_note : "");
    mp_json_text(&out->json, "session",
                 history->session ? mp_safe_text(&out->texts.arena, history->session) : "");
    mp_json_text(&out->json, "graph", history->graph ? history->graph : "");
    mp_json_number(&out->json, "from", (int64_t)history->from);
    mp_json_number(&out->json, "to", (int64_t)history->to);
    PUT_LIST(out, "names", history->moments, put_text(out, history->names[i]));
    PUT_LIST(out, "numbers", history->moments, put_number(out, history->numbers[i]));
    PUT_LIST(out, "parents", history->stack_count, put_number(out, history->stacks[i].parent));
    PUT_LIST(out, "frames", history->stack_count, put_text(out, history->stacks[i].label));
    PUT_LIST(out, "groups", history->group_count, put_group(out, &history->groups[i]));
    mp_json_close(&out->json, '}');
}

/* --- trees --- */

static void put_tree(data_out *out, const mp_figure *figure)
{
    enum { PLACES = 3000, DEEPEST = 150 };
    const mp_tree_figure tree = mp_tree_cut(&out->texts.arena, &figure->tree, PLACES, DEEPEST);
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "name", figure->name);
    mp_json_text(&out->json, "title", mp_safe_text(&out->texts.arena, figure->title));
    mp_json_text(&out->json, "note",
                 figure->note ? mp_safe_text(&out->texts.arena, figure->note) : "");
    mp_json_text(&out->json, "of", tree.measure);
    mp_json_text(&out->json, "shape", figure->kind == MP_FIGURE_MAP ? "map" : "stacks");
    mp_json_text(&out->json, "unit",
                 tree.unit == MP_BYTES     ? "bytes"
                 : tree.unit == MP_SECONDS ? "seconds"
                                           : "count");
    mp_json_text(&out->json, "countOf", tree.count_of ? tree.count_of : "");
    PUT_LIST(out, "parents", tree.count, put_number(out, tree.items[i].parent));
    PUT_LIST(out, "labels", tree.count, put_text(out, tree.items[i].label));
    PUT_LIST(out, "kinds", tree.count, put_number(out, tree.items[i].kind));
    PUT_LIST(out, "own", tree.count, put_number(out, tree.items[i].self));
    if (tree.count_of)
        PUT_LIST(out, "counts", tree.count, put_number(out, tree.items[i].own_count));
    if (tree.has_base)
        PUT_LIST(out, "base", tree.count, put_number(out, tree.items[i].base_own));
    if (tree.has_base && tree.count_of)
        PUT_LIST(out, "baseCounts", tree.count, put_number(out, tree.items[i].base_own_count));
    mp_json_close(&out->json, '}');
}

/* --- lines --- */

static void put_lines(data_out *out, const mp_figure *figure)
{
    const mp_line_figure *lines = &figure->lines;
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "name", figure->name);
    PUT_LIST(out, "at", lines->moments, put_number(out, lines->times[i]));
    PUT_LIST(out, "names", lines->moments, put_text(out, lines->names[i]));
    mp_json_text(&out->json, "momentOf", lines->moment_of);
    mp_json_number(&out->json, "timed", lines->moment_unit == MP_TIME);
    mp_json_open_member(&out->json, "lines", '[');
    for (size_t i = 0; i < lines->line_count; i++) {
        mp_json_next(&out->json);
        mp_json_open(&out->json, '{');
        mp_json_text(&out->json, "title", mp_safe_text(&out->texts.arena, lines->lines[i].title));
        mp_json_text(&out->json, "unit", lines->lines[i].unit == MP_BYTES ? "bytes" : "count");
        mp_json_open_member(&out->json, "values", '[');
        for (size_t j = 0; j < lines->moments; j++) {
            mp_json_next(&out->json);
            if (lines->lines[i].values[j] == MP_UNKNOWN)
                mp_json_put_word(&out->json, "null");
            else
                mp_json_put_number(&out->json, lines->lines[i].values[j]);
        }
        mp_json_close(&out->json, ']');
        mp_json_close(&out->json, '}');
    }
    mp_json_close(&out->json, ']');
    mp_json_close(&out->json, '}');
}

/* --- all figures --- */

static bool is_tree(const mp_figure *figure)
{
    return figure->kind == MP_FIGURE_STACKS || figure->kind == MP_FIGURE_MAP;
}

void mp_page_data(mp_page *page, const mp_document *document)
{
    data_out out = {.json = {.file = page->file, .in_page = true}};
    fputs("<script type=\"application/json\" id=\"data\">", page->file);
    mp_json_open(&out.json, '{');
    mp_json_open_member(&out.json, "histories", '[');
    for (size_t i = 0; i < document->figure_count; i++)
        if (document->figures[i].kind == MP_FIGURE_HISTORY)
            put_history(&out, &document->figures[i]);
    mp_json_close(&out.json, ']');
    mp_json_open_member(&out.json, "trees", '[');
    for (size_t i = 0; i < document->figure_count; i++)
        if (is_tree(&document->figures[i]))
            put_tree(&out, &document->figures[i]);
    mp_json_close(&out.json, ']');
    mp_json_open_member(&out.json, "lines", '[');
    for (size_t i = 0; i < document->figure_count; i++)
        if (document->figures[i].kind == MP_FIGURE_LINES)
            put_lines(&out, &document->figures[i]);
    mp_json_close(&out.json, ']');
    mp_json_number(&out.json, "exact", page->exact_bytes);
    mp_json_open_member(&out.json, "texts", '[');
    for (uint32_t i = 0; i < out.texts.count; i++) {
        mp_json_next(&out.json);
        mp_json_put_text(&out.json, out.texts.items[i], strlen(out.texts.items[i]));
    }
    mp_json_close(&out.json, ']');
    mp_json_close(&out.json, '}');
    fputs("</script>\n", page->file);
    mp_arena_free(&out.texts.arena);
    mp_key_index_free(&out.texts.index);
    free(out.texts.items);
}

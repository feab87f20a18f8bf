/* Stacks of flame graphs for other tools: folded lines for the FlameGraph scripts, and speedscope's
 * file format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/json_writer.h"
#include "base/memory.h"
#include "base/text.h"
#include "document/figure.h"
#include "render/renderer.h"

/* Options for pictures that have no effect here: these files contain all frames. */
static const char *const unused[] = {"limit", "depth", "min-percent", NULL};
#define FOR_STACKS                                                                                 \
    .command = "flame", .for_tools = true, .for_programs = true, .draws = true, .unused = unused

/* Return the document's stacks. Return NULL with a message if it has none. */
static const mp_figure *stacks_of(const mp_document *document, mp_error *error)
{
    const mp_figure *figure = mp_document_figure_of(document, MP_FIGURE_STACKS);
    if (!figure)
        mp_fail(error, MP_ERROR_NO_ANSWER, "%s has no stacks", document->command);
    return figure;
}

/* --- folded ---
 *
 * One line per stack, "frame;frame;frame 123", outermost frame first. A comparison has two amounts
 * per line, as difffolded.pl writes them. Each line contains its whole stack, so the file would
 * grow with the square of the depth. Very deep stacks are therefore cut to DEEPEST frames and a
 * frame "(deeper)". */

enum { DEEPEST = 500 };

typedef struct folded_out {
    FILE *file;
    const mp_tree_figure *tree;
    mp_text_buffer stack;     /* frames of the current path */
    size_t ends[DEEPEST + 1]; /* length of `stack` for each number of frames */
} folded_out;

/* Append a frame. Escape hidden characters, and characters that separate frames or lines. */
static void put_frame(folded_out *out, uint32_t depth, const char *label)
{
    char escape[MP_ESCAPE];
    out->stack.length = out->ends[depth - 1];
    if (depth > 1)
        mp_text_put(&out->stack, ";", 1);
    for (const char *p = label, *end = label + strlen(label); p < end;) {
        size_t length = mp_text_escape(p, end, escape);
        if (length)
            mp_text_put(&out->stack, escape, strlen(escape));
        else if (*p == ';')
            mp_text_put(&out->stack, "\\x3b", 4);
        else
            mp_text_put(&out->stack, p, 1);
        p += length ? length : 1;
    }
    out->ends[depth] = out->stack.length;
}

static void put_line(const folded_out *out, int64_t self, int64_t base, const char *behind)
{
    if (!self && !base)
        return;
    fprintf(out->file, "%s%s ", out->stack.length ? out->stack.text : "all", behind);
    if (out->tree->has_base)
        fprintf(out->file, "%" PRId64 " ", base);
    fprintf(out->file, "%" PRId64 "\n", self);
}

static void put_stacks(folded_out *out)
{
    mp_tree_walk walk = mp_tree_walk_begin(out->tree);
    for (bool deep = false; mp_tree_walk_next(&walk, !deep);) {
        const mp_place *place = &out->tree->items[walk.place];
        deep = walk.depth == DEEPEST;
        put_frame(out, walk.depth, place->label);
        put_line(out, place->self, place->base_own, "");
        if (deep)
            put_line(out, place->total - place->self, place->base_all - place->base_own,
                     ";(deeper)");
    }
    mp_tree_walk_free(&walk);
}

static bool render_folded(const mp_document *document, const mp_diagnostics *diagnostics,
                          const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    (void)style;
    const mp_figure *figure = stacks_of(document, error);
    if (!figure)
        return false;
    folded_out out = {.file = file, .tree = &figure->tree};
    put_stacks(&out);
    free(out.stack.text);
    return true;
}

const mp_renderer mp_renderer_folded = {.name = "folded",
                                        .ending = ".folded",
                                        .summary = "stacks, one per line, for flame graphs",
                                        FOR_STACKS,
                                        .render = render_folded};

/* --- speedscope (https://www.speedscope.app) ---
 *
 * Profiles of events that open and close frames, so the size of the file does not depend on the
 * depth of stacks. A comparison has two profiles with a common list of frames. */

typedef struct speedscope_out {
    mp_json json;
    const mp_tree_figure *tree;
    uint32_t *frames;     /* index of each place's frame */
    mp_id_index by_label; /* frames by label; labels that are equal usually have the same address */
} speedscope_out;

/* Write the frames: one for each label and source, in the order of their first use. */
static void put_frames(speedscope_out *out)
{
    uint32_t count = 0;
    mp_json_open_member(&out->json, "frames", '[');
    for (uint32_t i = 1; i < out->tree->count; i++) {
        const mp_place *place = &out->tree->items[i];
        uint64_t key = mp_hash_pair((uintptr_t)place->label, (uintptr_t)place->source);
        uint32_t *frame = mp_id_index_put(&out->by_label, key);
        if (!*frame) {
            *frame = ++count;
            mp_json_next(&out->json);
            mp_json_open(&out->json, '{');
            mp_json_text(&out->json, "name", place->label);
            if (place->source)
                mp_json_text(&out->json, "file", place->source);
            if (place->line != MP_UNKNOWN && place->line >= 0)
                mp_json_number(&out->json, "line", place->line);
            mp_json_close(&out->json, '}');
        }
        out->frames[i] = *frame - 1;
    }
    mp_json_close(&out->json, ']');
}

static int64_t weight_of(const mp_place *place, bool base)
{
    int64_t total = base ? place->base_all : place->total;
    return total > 0 ? total : 0;
}

static void put_event(speedscope_out *out, const char *type, uint32_t place, int64_t position)
{
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "type", type);
    mp_json_number(&out->json, "frame", out->frames[place]);
    mp_json_number(&out->json, "at", position);
    mp_json_close(&out->json, '}');
}

/* Write the events in order. The own weight of a frame comes after the weights of its callees. */
static void put_events(speedscope_out *out, bool base)
{
    const mp_place *place = out->tree->items;
    int64_t *next = mp_alloc_zero(out->tree->count, sizeof *next); /* start of the next child */
    int64_t *end = mp_alloc_zero(out->tree->count, sizeof *end);
    mp_tree_walk walk = mp_tree_walk_begin(out->tree);
    uint32_t open = 0, *opened = NULL;
    size_t capacity = 0;
    for (bool descend = true; mp_tree_walk_next(&walk, descend);) {
        const int64_t weight = weight_of(&place[walk.place], base);
        const uint32_t parent = place[walk.place].parent;
        descend = weight > 0;
        if (!descend)
            continue;
        while (open && opened[open - 1] != parent) {
            open--;
            put_event(out, "C", opened[open], end[opened[open]]);
        }
        const int64_t start = next[parent];
        next[parent] = end[walk.place] = start + weight;
        next[walk.place] = start;
        put_event(out, "O", walk.place, start);
        *MP_APPEND(opened, open, capacity) = walk.place;
    }
    while (open) {
        open--;
        put_event(out, "C", opened[open], end[opened[open]]);
    }
    mp_tree_walk_free(&walk);
    MP_FREE(opened, next, end);
}

static void put_profile(speedscope_out *out, const mp_figure *figure, bool base)
{
    const mp_tree_figure *tree = out->tree;
    mp_json_next(&out->json);
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "type", "evented");
    mp_json_text(&out->json, "name", base ? "base" : tree->has_base ? "new" : figure->title);
    mp_json_text(&out->json, "unit",
                 tree->unit == MP_BYTES     ? "bytes"
                 : tree->unit == MP_SECONDS ? "microseconds"
                                            : "none");
    mp_json_number(&out->json, "startValue", 0);
    mp_json_number(&out->json, "endValue", weight_of(&tree->items[0], base));
    mp_json_open_member(&out->json, "events", '[');
    put_events(out, base);
    mp_json_close(&out->json, ']');
    mp_json_close(&out->json, '}');
}

static bool render_speedscope(const mp_document *document, const mp_diagnostics *diagnostics,
                              const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    (void)style;
    const mp_figure *figure = stacks_of(document, error);
    if (!figure)
        return false;
    speedscope_out out = {.json = {.file = file},
                          .tree = &figure->tree,
                          .frames = mp_alloc_zero(figure->tree.count, sizeof *out.frames)};
    mp_json_open(&out.json, '{');
    mp_json_text(&out.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    mp_json_text(&out.json, "exporter", "memprof");
    mp_json_text(&out.json, "name", figure->title);
    mp_json_number(&out.json, "activeProfileIndex", 0);
    mp_json_open_member(&out.json, "shared", '{');
    put_frames(&out);
    mp_json_close(&out.json, '}');
    mp_json_open_member(&out.json, "profiles", '[');
    put_profile(&out, figure, false);
    if (figure->tree.has_base)
        put_profile(&out, figure, true);
    mp_json_close(&out.json, ']');
    mp_json_close(&out.json, '}');
    fputc('\n', file);
    mp_id_index_free(&out.by_label);
    free(out.frames);
    return true;
}

const mp_renderer mp_renderer_speedscope = {.name = "speedscope",
                                            .ending = ".speedscope.json",
                                            .summary = "stacks for speedscope",
                                            FOR_STACKS,
                                            .render = render_speedscope};

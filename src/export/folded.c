/* Stacks as FlameGraph's scripts and many viewers read them: a line each, "frame;frame;frame 123",
 * the outermost first; of a difference both amounts, as difffolded.pl writes them.
 *
 * Each line has its whole stack, so of a stack that is deep beyond measure the lines say its first
 * frames, and one that stands for the rest: all lines together stay in proportion to what was
 * recorded. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "document/figure.h"
#include "render/renderer.h"

enum { DEEPEST = 500 };

typedef struct folded_out {
    FILE *file;
    const mp_tree_figure *tree;
    mp_text_buffer stack;     /* the frames of the walk's path */
    size_t ends[DEEPEST + 1]; /* how long it is with so many of them */
} folded_out;

/* What takes frames and lines apart, and what nobody sees, is escaped. */
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

static void put_line(const folded_out *out, int64_t own, int64_t base, const char *behind)
{
    if (!own && !base)
        return;
    fprintf(out->file, "%s%s ", out->stack.length ? out->stack.at : "all", behind);
    if (out->tree->has_base)
        fprintf(out->file, "%" PRId64 " ", base);
    fprintf(out->file, "%" PRId64 "\n", own);
}

static void put_stacks(folded_out *out)
{
    mp_tree_walk walk = mp_tree_walk_begin(out->tree);
    for (bool deep = false; mp_tree_walk_next(&walk, !deep);) {
        const mp_place *place = &out->tree->at[walk.at];
        deep = walk.depth == DEEPEST;
        put_frame(out, walk.depth, place->label);
        put_line(out, place->own, place->base_own, "");
        if (deep)
            put_line(out, place->all - place->own, place->base_all - place->base_own, ";(deeper)");
    }
    mp_tree_walk_free(&walk);
}

static bool render_folded(const mp_document *document, const mp_diagnostics *diagnostics,
                          const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    (void)style;
    const mp_figure *figure = mp_document_figure_of(document, MP_FIGURE_STACKS);
    if (!figure)
        return mp_fail(error, MP_ERROR_NO_ANSWER, "%s has no stacks, expected memprof flame",
                       document->command);
    folded_out out = {.file = file, .tree = &figure->tree};
    put_stacks(&out);
    free(out.stack.at);
    return true;
}

static const char *const unused[] = {"limit", "depth", "min-percent", NULL};

const mp_renderer mp_renderer_folded = {.name = "folded",
                                        .ending = ".folded",
                                        .summary = "stacks, one per line, for flame graphs",
                                        .command = "flame",
                                        .for_tools = true,
                                        .for_programs = true,
                                        .draws = true,
                                        .unused = unused,
                                        .render = render_folded};

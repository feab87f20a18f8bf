/* A figure as an SVG file: the document's first one. */
#include "base/error.h"
#include "render/renderer.h"
#include "render/svg.h"

typedef void draw_figure(mp_svg *svg, const mp_figure *figure);

static draw_figure *const drawings[] = {
    [MP_FIGURE_STACKS] = mp_svg_stacks,
    [MP_FIGURE_MAP] = mp_svg_map,
    [MP_FIGURE_LINES] = mp_svg_lines,
    [MP_FIGURE_SPANS] = mp_svg_spans,
};

bool mp_svg_figure(mp_svg *svg, const mp_figure *figure)
{
    const size_t kinds = sizeof drawings / sizeof *drawings;
    if ((size_t)figure->kind >= kinds || !drawings[figure->kind])
        return false;
    drawings[figure->kind](svg, figure);
    return true;
}

static bool render_svg(const mp_document *document, const mp_diagnostics *diagnostics,
                       const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    mp_svg svg = {.file = file, .alone = true, .exact = document->exact_bytes};
    for (size_t i = 0; i < document->figure_count; i++)
        if (mp_svg_figure(&svg, &document->figures[i]))
            return true;
    if (document->files > 1)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "a picture is of one recording, not of %zu that are read apart",
                       document->files);
    if (!document->draws)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "%s was asked for no figures, expected the setting draws",
                       document->command);
    return mp_fail(error, MP_ERROR_NO_ANSWER,
                   "%s has nothing that is drawn, expected flame, treemap, snapshots, growth or "
                   "timeline, or %sformat html",
                   document->command, style->dashes);
}

const mp_renderer mp_renderer_svg = {.name = "svg",
                                     .ending = ".svg",
                                     .summary = "the report's picture, as one file",
                                     .for_programs = true,
                                     .draws = true,
                                     .render = render_svg};

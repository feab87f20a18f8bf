/* Stacks in a terminal: a line a level, frames as wide as what they cost. */
#ifndef MP_RENDER_ICICLE_H
#define MP_RENDER_ICICLE_H

#include "document/figure.h"
#include "render/renderer.h"

/* Draw it in the width of the style: the outer levels with names, more below them by half a line
 * each, and what is not drawn in a sentence. */
void mp_icicle_put(const mp_figure *figure, const mp_style *style, FILE *file);

#endif

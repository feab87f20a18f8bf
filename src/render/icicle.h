/* Stacks in a terminal: one line per level, with frames as wide as their costs. */
#pragma once

#include "document/figure.h"
#include "render/renderer.h"

/* Draw the figure in the width of the style: the outer levels with names, below them two levels per
 * line, and a sentence about the parts that are not drawn. */
void mp_icicle_put(const mp_figure *figure, const mp_style *style, FILE *file);

/* A figure on a surface of cairo: title, legend, axes, and of each series the bands from the least
 * to the largest and from the 10th to the 90th percentile, and the mean as a line. Texts become
 * outlines of their glyphs, in SVG, too: nothing of a name is ever markup. */
#ifndef DCAMP_PLOT_DRAW_H
#define DCAMP_PLOT_DRAW_H

#include <cairo.h>

#include "plot/figure.h"

void draw_figure(cairo_t *cairo, const struct figure *figure);

#endif

#include "plot/draw.h"

#include <math.h>
#include <string.h>

#include "plot/ticks.h"

#define MARGIN 14
#define TITLE_SIZE 15
#define TEXT_SIZE 11
#define LINE 17             /* of texts */
#define TICK_WIDTH 92       /* that the text of a time takes */
#define TICK_HEIGHT 38      /* that a value takes */
#define BELOW_AXIS 40       /* times and days */
#define NAME_WIDTH_MOST 420 /* in the legend */
#define SHORTENED 512

struct colour {
    double red, green, blue;
};

/* From B. Wong: Points of view: Color blindness. Nature Methods 8, 441 (2011); on black, lighter.
 */
static const struct colour on_white[] = {{.00, .45, .70}, {.84, .37, .00}, {.00, .62, .45},
                                         {.80, .47, .65}, {.90, .62, .00}, {.34, .71, .91},
                                         {.30, .30, .30}, {.55, .40, .10}};
static const struct colour on_black[] = {{.40, .72, .98}, {1.0, .56, .25}, {.25, .82, .62},
                                         {.93, .62, .80}, {.98, .78, .25}, {.62, .86, 1.0},
                                         {.80, .80, .80}, {.80, .66, .40}};
#define COLOURS (sizeof on_white / sizeof *on_white)

struct canvas {
    cairo_t *cairo;
    const struct figure *figure;
    struct ticks_values values;
    double left, right, top, bottom; /* of the area that the axes enclose */
};

/* -- Colours and texts ----------------------------------------------------------------------- */

static void use(const struct canvas *canvas, struct colour colour, double alpha)
{
    cairo_set_source_rgba(canvas->cairo, colour.red, colour.green, colour.blue, alpha);
}

/* For what is neither background nor a series. Contrast 0 is the background, 1 the colour of texts.
 */
static void use_grey(const struct canvas *canvas, double contrast)
{
    double paper = canvas->figure->is_dark ? .08 : 1, ink = canvas->figure->is_dark ? .93 : .1;
    double grey = paper + (ink - paper) * contrast;
    use(canvas, (struct colour){grey, grey, grey}, 1);
}

static struct colour colour_of(const struct canvas *canvas, size_t series)
{
    return (canvas->figure->is_dark ? on_black : on_white)[series % COLOURS];
}

static double width_of(const struct canvas *canvas, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->cairo, text, &extents);
    return extents.x_advance;
}

/* Copies a text so that it is at most so wide; an ellipsis stands for what is cut off. */
static void shorten(const struct canvas *canvas, const char *text, double width,
                    char shortened[SHORTENED])
{
    static const char ellipsis[] = "…";
    size_t len = strlen(text), most = SHORTENED - sizeof ellipsis;
    if (len > most)
        len = most;
    memcpy(shortened, text, len);
    shortened[len] = '\0';
    while (len > 0 && (text[len] || width_of(canvas, shortened) > width)) {
        do
            len--;
        while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80);
        memcpy(shortened, text, len);
        memcpy(shortened + len, ellipsis, sizeof ellipsis);
        if (width_of(canvas, shortened) <= width)
            break;
    }
}

/* share: how much of the text is left of x: 0 none of it, 0.5 half of it, 1 all of it. */
static void write_text(const struct canvas *canvas, double x, double y, double share,
                       const char *text)
{
    cairo_move_to(canvas->cairo, x - share * width_of(canvas, text), y);
    cairo_show_text(canvas->cairo, text);
    cairo_new_path(canvas->cairo);
}

static void use_font(const struct canvas *canvas, double size, cairo_font_weight_t weight)
{
    cairo_select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, weight);
    cairo_set_font_size(canvas->cairo, size);
}

/* -- Places ---------------------------------------------------------------------------------- */

static double x_of(const struct canvas *canvas, double ms)
{
    const struct figure *figure = canvas->figure;
    return canvas->left + (ms - (double)figure->from_ms) /
                              (double)(figure->to_ms - figure->from_ms) *
                              (canvas->right - canvas->left);
}

static double y_of(const struct canvas *canvas, double value)
{
    const struct ticks_values *values = &canvas->values;
    return canvas->bottom - (value - values->least) / (values->largest - values->least) *
                                (canvas->bottom - canvas->top);
}

/* A point is drawn in the middle of its span. */
static double x_of_point(const struct canvas *canvas, const struct figure_series *series,
                         size_t point)
{
    return x_of(canvas, (double)series->points[point].ms + (double)series->step_ms / 2);
}

/* -- Frame ----------------------------------------------------------------------------------- */

static void draw_title(struct canvas *canvas)
{
    char text[SHORTENED];
    use_font(canvas, TITLE_SIZE, CAIRO_FONT_WEIGHT_BOLD);
    use_grey(canvas, 1);
    shorten(canvas, canvas->figure->title, canvas->figure->width - 2 * MARGIN, text);
    write_text(canvas, MARGIN, MARGIN + TITLE_SIZE, 0, text);
    use_font(canvas, TEXT_SIZE, CAIRO_FONT_WEIGHT_NORMAL);
    canvas->top = MARGIN + TITLE_SIZE + 12;
}

static void draw_legend(struct canvas *canvas)
{
    const struct figure *figure = canvas->figure;
    double x = MARGIN, y = canvas->top + TEXT_SIZE;
    for (size_t i = 0; i < figure->n; i++) {
        char text[SHORTENED];
        shorten(canvas, figure->series[i].name,
                fmin(NAME_WIDTH_MOST, figure->width - 2 * MARGIN - 22), text);
        double width = 22 + width_of(canvas, text) + 16;
        if (x > MARGIN && x + width > figure->width - MARGIN) {
            x = MARGIN;
            y += LINE;
        }
        use(canvas, colour_of(canvas, i), 1);
        cairo_rectangle(canvas->cairo, x, y - 6, 16, 3);
        cairo_fill(canvas->cairo);
        use_grey(canvas, 1);
        write_text(canvas, x + 22, y, 0, text);
        x += width;
    }
    canvas->top = y + 10;
}

static void draw_line(const struct canvas *canvas, double x, double y, double to_x, double to_y)
{
    cairo_move_to(canvas->cairo, x, y);
    cairo_line_to(canvas->cairo, to_x, to_y);
    cairo_stroke(canvas->cairo);
}

static void draw_values(struct canvas *canvas)
{
    char text[TICKS_TEXT];
    double widest = 0;
    use_grey(canvas, .8);
    write_text(canvas, MARGIN, canvas->top + TEXT_SIZE, 0, canvas->values.unit);
    canvas->top += canvas->values.unit[0] ? LINE + 6 : 6;
    for (int i = 0; i < ticks_count(&canvas->values); i++) {
        ticks_text(&canvas->values, i, text);
        widest = fmax(widest, width_of(canvas, text));
    }
    canvas->left = MARGIN + widest + 8;
    for (int i = 0; i < ticks_count(&canvas->values); i++) {
        double y = floor(y_of(canvas, ticks_place(&canvas->values, i))) + .5;
        ticks_text(&canvas->values, i, text);
        use_grey(canvas, .8);
        write_text(canvas, canvas->left - 6, y + 4, 1, text);
        use_grey(canvas, i == 0 ? .6 : .14);
        draw_line(canvas, canvas->left, y, canvas->right, y);
    }
}

static void draw_times(const struct canvas *canvas)
{
    static size_t (*const ticks_of[])(struct ticks_time *, int64_t, int64_t,
                                      size_t) = {[FIGURE_DATES] = ticks_of_time,
                                                 [FIGURE_ELAPSED] = ticks_of_elapsed,
                                                 [FIGURE_PERCENT] = ticks_of_percent};
    const struct figure *figure = canvas->figure;
    struct ticks_time ticks[TICKS_MAX];
    double width = canvas->right - canvas->left;
    size_t most = width < 2 * TICK_WIDTH ? 2 : (size_t)(width / TICK_WIDTH);
    size_t n = ticks_of[figure->axis](ticks, figure->from_ms, figure->to_ms, most);
    for (size_t i = 0; i < n; i++) {
        double x = floor(x_of(canvas, (double)ticks[i].ms)) + .5;
        use_grey(canvas, .14);
        draw_line(canvas, x, canvas->top, x, canvas->bottom);
        use_grey(canvas, .6);
        draw_line(canvas, x, canvas->bottom, x, canvas->bottom + 4);
        use_grey(canvas, .8);
        double half = width_of(canvas, ticks[i].text) / 2;
        double share = x + half > canvas->figure->width - 2 ? 1 : .5;
        write_text(canvas, x, canvas->bottom + 17, share, ticks[i].text);
        write_text(canvas, x, canvas->bottom + 31, share, ticks[i].below);
    }
}

/* -- Series ---------------------------------------------------------------------------------- */

/* The end of the unbroken run of points that begins at a point. */
static size_t end_of_run(const struct figure_series *series, size_t begin)
{
    size_t end = begin + 1;
    while (end < series->n && !figure_is_broken(series, end))
        end++;
    return end;
}

static double upper_of(const struct figure_point *point, bool is_wide)
{
    return is_wide ? point->max : point->p90;
}

static double lower_of(const struct figure_point *point, bool is_wide)
{
    return is_wide ? point->min : point->p10;
}

static void draw_band(const struct canvas *canvas, const struct figure_series *series, size_t begin,
                      size_t end, bool is_wide)
{
    for (size_t i = begin; i < end; i++)
        cairo_line_to(canvas->cairo, x_of_point(canvas, series, i),
                      y_of(canvas, upper_of(&series->points[i], is_wide)));
    for (size_t i = end; i-- > begin;)
        cairo_line_to(canvas->cairo, x_of_point(canvas, series, i),
                      y_of(canvas, lower_of(&series->points[i], is_wide)));
    cairo_close_path(canvas->cairo);
    cairo_fill(canvas->cairo);
}

/* Draws the band of the percentiles for each stretch of the run in which they are known. */
static void draw_inner(const struct canvas *canvas, const struct figure_series *series,
                       size_t begin, size_t end)
{
    while (begin < end) {
        size_t stop = begin;
        while (stop < end && !isnan(series->points[stop].p10))
            stop++;
        if (stop > begin)
            draw_band(canvas, series, begin, stop, false);
        begin = stop + 1;
    }
}

static void draw_mean(const struct canvas *canvas, const struct figure_series *series, size_t begin,
                      size_t end)
{
    for (size_t i = begin; i < end; i++)
        cairo_line_to(canvas->cairo, x_of_point(canvas, series, i),
                      y_of(canvas, series->points[i].mean));
    cairo_stroke(canvas->cairo);
}

/* A point that has no neighbours is a line from the least to the largest value, and a dot. */
static void draw_alone(const struct canvas *canvas, const struct figure_series *series,
                       size_t point)
{
    const struct figure_point *at = &series->points[point];
    double x = x_of_point(canvas, series, point);
    draw_line(canvas, x, y_of(canvas, at->min), x, y_of(canvas, at->max));
    cairo_arc(canvas->cairo, x, y_of(canvas, at->mean), 1.6, 0, 2 * M_PI);
    cairo_fill(canvas->cairo);
}

static void draw_run(const struct canvas *canvas, size_t series, size_t begin, size_t end)
{
    const struct figure_series *at = &canvas->figure->series[series];
    const struct colour colour = colour_of(canvas, series);
    cairo_new_path(canvas->cairo);
    if (end - begin == 1) {
        use(canvas, colour, 1);
        draw_alone(canvas, at, begin);
        return;
    }
    use(canvas, colour, .14);
    draw_band(canvas, at, begin, end, true);
    use(canvas, colour, .26);
    draw_inner(canvas, at, begin, end);
    use(canvas, colour, 1);
    draw_mean(canvas, at, begin, end);
}

static void draw_series(const struct canvas *canvas, size_t series)
{
    const struct figure_series *at = &canvas->figure->series[series];
    size_t end;
    for (size_t begin = 0; begin < at->n; begin = end) {
        end = begin + 1;
        if (at->points[begin].is_gap)
            continue;
        end = end_of_run(at, begin);
        draw_run(canvas, series, begin, end);
    }
}

/* -- All ------------------------------------------------------------------------------------- */

/* Later curves are drawn over earlier ones. */
static void draw_curves(const struct canvas *canvas)
{
    cairo_t *cairo = canvas->cairo;
    cairo_save(cairo);
    cairo_rectangle(cairo, canvas->left, canvas->top - 2, canvas->right - canvas->left,
                    canvas->bottom - canvas->top + 4);
    cairo_clip(cairo);
    cairo_set_line_width(cairo, 1.5);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < canvas->figure->n; i++)
        draw_series(canvas, i);
    cairo_restore(cairo);
}

void draw_figure(cairo_t *cairo, const struct figure *figure)
{
    struct canvas canvas = {.cairo = cairo,
                            .figure = figure,
                            .right = figure->width - MARGIN,
                            .bottom = figure->height - BELOW_AXIS};
    double least = 0, largest = 1;
    if (!figure_range(figure, &least, &largest)) {
        least = 0;
        largest = 1;
    }
    use_grey(&canvas, 0);
    cairo_paint(cairo);
    cairo_set_line_width(cairo, 1);
    draw_title(&canvas);
    draw_legend(&canvas);
    int most = (int)((canvas.bottom - canvas.top) / TICK_HEIGHT);
    ticks_of_values(&canvas.values, least, largest, figure->unit, most < 2 ? 2 : most);
    draw_values(&canvas);
    draw_times(&canvas);
    draw_curves(&canvas);
}

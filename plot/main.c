/* dcamp-plot: draws what comes as JSON on the standard input (plot/figure.h) into a file, which is
 * SVG or PNG by its name. dcamp plot starts it. A file that was there stays as it was until the new
 * one is whole. */
#include <cairo-svg.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot/draw.h"

static int fail(const char *name, const char *why)
{
    fprintf(stderr, "dcamp-plot: %s: %s\n", name, why);
    return 1;
}

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), n = strlen(end);
    return len > n && strcmp(name + len - n, end) == 0;
}

/* A cairo_write_func_t. */
static cairo_status_t write_octets(void *context, const unsigned char *octets, unsigned n)
{
    return fwrite(octets, 1, n, context) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t draw(const struct figure *figure, bool is_svg, FILE *to)
{
    cairo_surface_t *surface =
        is_svg
            ? cairo_svg_surface_create_for_stream(write_octets, to, figure->width, figure->height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, figure->width, figure->height);
    cairo_t *cairo = cairo_create(surface);
    draw_figure(cairo, figure);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (status == CAIRO_STATUS_SUCCESS && !is_svg)
        status = cairo_surface_write_to_png_stream(surface, write_octets, to);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

/* Draws into a file beside it, which then takes its place. */
static int write_file(const struct figure *figure, const char *name)
{
    char *beside = malloc(strlen(name) + sizeof ".XXXXXX");
    if (!beside)
        return fail(name, "no memory");
    stpcpy(stpcpy(beside, name), ".XXXXXX");
    int file = mkstemp(beside), code = 0;
    FILE *to = file < 0 ? NULL : fdopen(file, "w");
    if (!to) {
        code = fail(name, strerror(errno));
        free(beside);
        return code;
    }
    mode_t mask = umask(0);
    umask(mask);
    cairo_status_t status = draw(figure, ends_with(name, ".svg"), to);
    bool is_good = status == CAIRO_STATUS_SUCCESS && fchmod(file, 0666 & ~mask) == 0;
    errno = status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR ? errno : 0;
    if (fclose(to) != 0 || !is_good || rename(beside, name) != 0) {
        code = fail(name, errno ? strerror(errno) : cairo_status_to_string(status));
        unlink(beside);
    }
    free(beside);
    return code;
}

int main(int argc, char **argv)
{
    struct figure figure;
    char error[256];
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("dcamp-plot " PACKAGE_VERSION);
        return 0;
    }
    if (argc != 2 || !(ends_with(argv[1], ".svg") || ends_with(argv[1], ".png")))
        return fail(argc > 1 ? argv[1] : "", "expected a name that ends with .svg or .png");
    int code = figure_read(&figure, stdin, error) ? write_file(&figure, argv[1])
                                                  : fail("standard input", error);
    figure_release(&figure);
    return code;
}

# What draws; a library, for its tests.
libplot_a_SOURCES = \
	plot/draw.c \
	plot/draw.h \
	plot/figure.c \
	plot/figure.h \
	plot/ticks.c \
	plot/ticks.h
libplot_a_CFLAGS = $(AM_CFLAGS) $(CAIRO_CFLAGS)
plot_libs = libplot.a libdcamp.a $(CAIRO_LIBS) $(JANSSON_LIBS) -lm
dcamp_plot_SOURCES = plot/main.c
dcamp_plot_CFLAGS = $(AM_CFLAGS) $(CAIRO_CFLAGS)
dcamp_plot_LDADD = $(plot_libs)

EXTRA_DIST += \
	plot/README

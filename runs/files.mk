# Runs, and what is said of two of them; a library, for its tests.
libruns_a_SOURCES = \
	runs/compare.c \
	runs/compare.h \
	runs/copy.c \
	runs/copy.h \
	runs/discovery.c \
	runs/discovery.h \
	runs/estimate.c \
	runs/estimate.h \
	runs/file.c \
	runs/file.h \
	runs/folder.c \
	runs/folder.h \
	runs/options.c \
	runs/options.h \
	runs/page.c \
	runs/page.h \
	runs/pairs.c \
	runs/pairs.h \
	runs/picture.c \
	runs/picture.h \
	runs/print.c \
	runs/print.h \
	runs/profile.c \
	runs/profile.h \
	runs/run.c \
	runs/run.h \
	runs/tables.c \
	runs/tables.h \
	runs/wording.c \
	runs/wording.h
libruns_a_CFLAGS = $(AM_CFLAGS) $(CAIRO_CFLAGS)
runs_libs = libruns.a libanalysis.a libplot.a $(publish_libs) $(CAIRO_LIBS)
dcamp_runs_SOURCES = runs/main.c
dcamp_runs_CFLAGS = $(AM_CFLAGS) $(CAIRO_CFLAGS)
dcamp_runs_LDADD = $(runs_libs)

EXTRA_DIST += \
	runs/README

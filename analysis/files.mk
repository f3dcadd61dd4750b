# What is computed from series of values; a library, for programs that link some of it and for its tests.
libanalysis_a_SOURCES = \
	analysis/autocorrelation.c \
	analysis/autocorrelation.h \
	analysis/bootstrap.c \
	analysis/bootstrap.h \
	analysis/capacity.c \
	analysis/capacity.h \
	analysis/distribution.c \
	analysis/distribution.h \
	analysis/fit.c \
	analysis/fit.h \
	analysis/forecast.c \
	analysis/forecast.h \
	analysis/holt_winters.c \
	analysis/holt_winters.h \
	analysis/line.c \
	analysis/line.h \
	analysis/nelder_mead.c \
	analysis/nelder_mead.h \
	analysis/normal.c \
	analysis/normal.h \
	analysis/quantile.c \
	analysis/quantile.h \
	analysis/random.h \
	analysis/review.c \
	analysis/review.h \
	analysis/season.c \
	analysis/season.h
analysis_libs = libanalysis.a $(JANSSON_LIBS) -lm

EXTRA_DIST += \
	analysis/README

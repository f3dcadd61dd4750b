libstatsd_a_SOURCES = \
	statsd/line.c \
	statsd/line.h \
	statsd/options.c \
	statsd/options.h \
	statsd/receive.c \
	statsd/receive.h \
	statsd/router.c \
	statsd/router.h \
	statsd/sensors.c \
	statsd/sensors.h
dcamp_statsd_SOURCES = statsd/main.c
dcamp_statsd_LDADD = libstatsd.a libdcamp.a libdcamp/libdcamp.la -lm

EXTRA_DIST += \
	statsd/README

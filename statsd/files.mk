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
# With what is inside of libdcamp, for the functions that it does not export.
dcamp_statsd_LDADD = libstatsd.a libdcamp/libsensors.la libdcamp.a -lm $(ATOMIC_LIBS)

EXTRA_DIST += \
	statsd/README

# What puts load on others; a library, for its tests.
libload_a_SOURCES = \
	load/action.c \
	load/action.h \
	load/actor.c \
	load/actor.h \
	load/arrivals.c \
	load/arrivals.h \
	load/chance.h \
	load/dcamp-load.h \
	load/data.c \
	load/data.h \
	load/due.c \
	load/due.h \
	load/engine.c \
	load/engine.h \
	load/exchange.h \
	load/failure.h \
	load/line.c \
	load/object.c \
	load/options.c \
	load/options.h \
	load/process.c \
	load/process.h \
	load/program.c \
	load/ramp.c \
	load/ramp.h \
	load/reactor.c \
	load/reactor.h \
	load/report.c \
	load/report.h \
	load/run.c \
	load/run.h \
	load/scenario.c \
	load/scenario.h \
	load/sensors.c \
	load/sensors.h \
	load/snmp.c \
	load/source.c \
	load/source.h \
	load/tally.c \
	load/tally.h \
	load/url.c \
	load/walk.c \
	load/walk.h
dcamp_load_SOURCES = load/main.c
# With what is inside of libdcamp, so that nothing has to be installed beside it.
dcamp_load_LDADD = libload.a libcommand.a libdcamp/libsensors.la libdcamp.a $(CURL_LIBS) $(SNMP_LIBS) $(JANSSON_LIBS) -lm $(ATOMIC_LIBS)

# The process in which a function of a shared object is called: nothing else is in it.
libexec_PROGRAMS += dcamp-load-object
dcamp_load_object_SOURCES = load/object-main.c
dcamp_load_object_LDADD =

EXTRA_DIST += \
	load/README

# The library by which programs publish their own sensors. It includes nothing of the daemon; only the
# borders of the buckets are printed by a program that the daemon's file is linked into.
noinst_PROGRAMS += bucketgen
bucketgen_SOURCES = tools/bucketgen.c subagent/calculate/histogram.c
bucketgen_LDADD = -lm

generated/dcamp_buckets.h: bucketgen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) generated && ./bucketgen$(EXEEXT) > $@.new && mv -f $@.new $@
CLEANFILES += generated/dcamp_buckets.h

# Tests link what is inside, programs what is exported.
noinst_LTLIBRARIES += libdcamp/libsensors.la
libdcamp_libsensors_la_SOURCES = \
	libdcamp/app.c \
	libdcamp/app.h \
	libdcamp/bucket.c \
	libdcamp/bucket.h \
	libdcamp/clock.c \
	libdcamp/clock.h \
	libdcamp/count.c \
	libdcamp/count.h \
	libdcamp/counter.c \
	libdcamp/file.c \
	libdcamp/file.h \
	libdcamp/lock.c \
	libdcamp/lock.h \
	libdcamp/many.h \
	libdcamp/open.c \
	libdcamp/process.c \
	libdcamp/process.h \
	libdcamp/sensor.c \
	libdcamp/sensor.h \
	libdcamp/space_saving.c \
	libdcamp/space_saving.h \
	libdcamp/step.c \
	libdcamp/timer.c \
	libdcamp/top.c \
	libdcamp/top.h \
	libdcamp/words.h
libdcamp_libsensors_la_CPPFLAGS = -I$(srcdir) -I$(builddir)/generated
libdcamp_libsensors_la_CFLAGS = -pthread -fvisibility=hidden $(WARN_CFLAGS) $(SANITIZE_FLAGS)
$(libdcamp_libsensors_la_OBJECTS): generated/dcamp_buckets.h

# It is never unloaded: threads that have counted call it when they end. A function or a struct that
# was published never changes; new ones come into a new version of the map (current and age + 1).
lib_LTLIBRARIES = libdcamp/libdcamp.la
libdcamp_libdcamp_la_SOURCES =
libdcamp_libdcamp_la_LIBADD = libdcamp/libsensors.la $(ATOMIC_LIBS)
libdcamp_libdcamp_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,-z,nodelete \
	-Wl,--version-script=$(srcdir)/libdcamp/libdcamp.map
EXTRA_libdcamp_libdcamp_la_DEPENDENCIES = libdcamp/libdcamp.map

# For Python, which needs nothing else of all this.
dist_python_DATA = libdcamp/python/dcamp.py

include_HEADERS = libdcamp/dcamp.h libdcamp/dcamp.hpp load/dcamp-load.h
segmentincludedir = $(includedir)/dcamp
segmentinclude_HEADERS = libdcamp/segment.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = libdcamp.pc

EXTRA_DIST += \
	libdcamp/README \
	libdcamp/libdcamp.map

# One page for each kind of sensor; the names of its other functions lead there.
dist_man_MANS += \
	doc/man/dcamp.3 \
	doc/man/dcamp_app_open.3 \
	doc/man/dcamp_counter_new.3 \
	doc/man/dcamp_gauge_new.3 \
	doc/man/dcamp_histogram_new.3 \
	doc/man/dcamp_lock_new.3 \
	doc/man/dcamp_step_new.3 \
	doc/man/dcamp_thread_name.3 \
	doc/man/dcamp_timer_new.3 \
	doc/man/dcamp_top_new.3
man_of_functions = \
	generated/dcamp_app_close.3 \
	generated/dcamp_counter_add.3 \
	generated/dcamp_error.3 \
	generated/dcamp_gauge_add.3 \
	generated/dcamp_gauge_set.3 \
	generated/dcamp_histogram_record.3 \
	generated/dcamp_lock.3 \
	generated/dcamp_lock_acquire.3 \
	generated/dcamp_lock_arrive.3 \
	generated/dcamp_lock_fail.3 \
	generated/dcamp_lock_release.3 \
	generated/dcamp_lock_wait.3 \
	generated/dcamp_reason.3 \
	generated/dcamp_step_begin.3 \
	generated/dcamp_step_end.3 \
	generated/dcamp_timer_record.3 \
	generated/dcamp_timer_start.3 \
	generated/dcamp_timer_stop.3 \
	generated/dcamp_top_add.3
nodist_man_MANS = $(man_of_functions)
CLEANFILES += $(man_of_functions)
$(man_of_functions): page = dcamp_$(word 2,$(subst _, ,$(@F)))_new
generated/dcamp_lock.3: page = dcamp_lock_new
generated/dcamp_app_close.3 generated/dcamp_error.3 generated/dcamp_reason.3: page = dcamp_app_open
$(man_of_functions): Makefile
	$(AM_V_GEN)$(MKDIR_P) generated && echo '.so man3/$(page).3' > $@

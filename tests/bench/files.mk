# BENCH chooses some: make bench BENCH=serving. What takes an hour, or ten minutes, is
# run only if it is named: make bench BENCH=growth, make bench-record BENCH="tree research".
bench_tools = \
	tests/bench/bare \
	tests/bench/crowd \
	tests/bench/evaluate \
	tests/bench/floor \
	tests/bench/manager \
	tests/bench/punctual \
	tests/bench/reading \
	tests/bench/relay \
	tests/bench/relaying \
	tests/bench/runmaker \
	tests/bench/storing \
	tests/bench/transactions \
	tests/bench/traps \
	tests/bench/update
# It needs libraries that nothing else does: librrd-dev and libpcp-import1-dev of Debian, which
# ./bootstrap bench installs.
archives = tests/bench/archives$(EXEEXT)
tests_bench_archives_SOURCES = tests/bench/archives.c tests/week/world.c tests/week/world.h
tests_bench_archives_CFLAGS = $(AM_CFLAGS) -Wno-undef -Wno-strict-prototypes
tests_bench_archives_LDADD = -lrrd -lpcp_import -lpcp -lm
EXTRA_PROGRAMS += $(bench_tools) tests/bench/archives
tests_bench_traps_LDADD = libdcamp.a $(SNMP_LIBS)
tests_bench_bare_LDADD = $(AGENTX_LIBS)
tests_bench_crowd_LDADD =
tests_bench_evaluate_LDADD = $(libs)
tests_bench_floor_LDADD = libdcamp.a
tests_bench_manager_LDADD = $(SNMP_LIBS)
tests_bench_punctual_LDADD =
tests_bench_reading_LDADD = libdcamp.a libdcamp/libsensors.la -lm
tests_bench_relay_LDADD =
tests_bench_relaying_LDADD = $(libs)
tests_bench_runmaker_LDADD = $(runs_libs)
tests_bench_storing_LDADD = $(publish_libs)
tests_bench_transactions_LDADD = libdcamp/libdcamp.la -lm
tests_bench_transactions_LDFLAGS = $(AM_LDFLAGS) -static
tests_bench_update_LDADD = libdcamp.a -lm
bench_programs = $(bench_tools) $(archives) tests/bench/slowdisk.so
CLEANFILES += $(bench_programs)

tests/bench/slowdisk.so: tests/bench/slowdisk.c
	$(AM_V_CCLD)$(MKDIR_P) tests/bench && \
	$(CC) $(WARN_CFLAGS) $(CFLAGS) -shared -fPIC -o $@ $(srcdir)/tests/bench/slowdisk.c

# A module of Apache, for the benchmark transparency alone: it needs apache2-dev of Debian, which
# ./bootstrap transparency installs.
CLEANFILES += tests/bench/mod_dcamp.so
tests/bench/mod_dcamp.so: tests/bench/mod_dcamp.c libdcamp/libdcamp.la
	$(AM_V_CCLD)$(MKDIR_P) tests/bench && \
	$(CC) $(WARN_CFLAGS) $(CFLAGS) -isystem "$$(apxs -q INCLUDEDIR)" -isystem "$$(apr-1-config --includedir)" \
		$$(apr-1-config --cppflags) -I$(srcdir)/libdcamp -shared -fPIC -o $@ $(srcdir)/tests/bench/mod_dcamp.c \
		-Llibdcamp/.libs -ldcamp -Wl,-rpath,$(abs_builddir)/libdcamp/.libs

EXTRA_DIST += \
	tests/bench/Updates.java \
	tests/bench/applications \
	tests/bench/children \
	tests/bench/collect \
	tests/bench/collector.sh \
	tests/bench/compare \
	tests/bench/common.sh \
	tests/bench/complete \
	tests/bench/crowd.sh \
	tests/bench/growth \
	tests/bench/history \
	tests/bench/java \
	tests/bench/load \
	tests/bench/machine.sh \
	tests/bench/million \
	tests/bench/mod_dcamp.c \
	tests/bench/page \
	tests/bench/page.py \
	tests/bench/peers.sh \
	tests/bench/plot \
	tests/bench/qos \
	tests/bench/relayed \
	tests/bench/research \
	tests/bench/rounds.h \
	tests/bench/rows \
	tests/bench/run \
	tests/bench/sampling \
	tests/bench/scrape \
	tests/bench/series \
	tests/bench/services.py \
	tests/bench/serving \
	tests/bench/setting \
	tests/bench/slowdisk.c \
	tests/bench/stored \
	tests/bench/thresholds \
	tests/bench/top \
	tests/bench/transparency \
	tests/bench/transparency.py \
	tests/bench/trap \
	tests/bench/tree \
	tests/bench/updates.py

run_benches = DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/bench/run
sim = tests/sim/dcamp-sim$(EXEEXT)
master = tests/master/master$(EXEEXT)
bench_needs = \
	dcamp$(EXEEXT) dcamp-load$(EXEEXT) dcampd$(EXEEXT) dcamp-trap$(EXEEXT) dcamp-publish$(EXEEXT) \
	dcamp-web$(EXEEXT) dcamp-runs$(EXEEXT) publish/openmetrics.la $(bench_programs) \
	tests/web/maker$(EXEEXT) tests/week/week$(EXEEXT) $(java_DATA) $(master) $(sim)
bench: $(bench_needs)
	$(run_benches) $(BENCH)
bench-record: $(bench_needs)
	$(run_benches) --record $(BENCH)

# What collectors cost, beside the simulator of their children, and beside other pollers: two CPUs
# and six minutes.
bench-collect: dcampd$(EXEEXT) tests/bench/relay$(EXEEXT) $(sim)
	$(run_benches) collect

# A web server under load without dCAMP and with it: hours, into doc/transparency.md. MINUTES says how many,
# TRANSPARENCY has options: make transparency MINUTES=120 TRANSPARENCY="--rounds 12 --by wrk".
transparency: dcampd$(EXEEXT) dcamp-load$(EXEEXT) tests/bench/mod_dcamp.so
	DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/bench/transparency --record \
		$${MINUTES:+--minutes "$$MINUTES"} $(TRANSPARENCY)
.PHONY: bench bench-record bench-collect transparency

# BENCH chooses some: make bench BENCH=serving. What takes an hour, or ten minutes, is
# run only if it is named: make bench BENCH=growth, make bench-record BENCH="tree research".
bench_tools = \
	tests/bench/bare \
	tests/bench/crowd \
	tests/bench/evaluate \
	tests/bench/floor \
	tests/bench/manager \
	tests/bench/reading \
	tests/bench/relay \
	tests/bench/transactions \
	tests/bench/traps \
	tests/bench/update
EXTRA_PROGRAMS += $(bench_tools)
tests_bench_traps_LDADD = libdcamp.a $(SNMP_LIBS)
tests_bench_bare_LDADD = $(AGENTX_LIBS)
tests_bench_crowd_LDADD =
tests_bench_evaluate_LDADD = $(libs)
tests_bench_floor_LDADD = libdcamp.a
tests_bench_manager_LDADD = $(SNMP_LIBS)
tests_bench_reading_LDADD = libdcamp.a libdcamp/libsensors.la -lm
tests_bench_relay_LDADD =
tests_bench_transactions_LDADD = libdcamp/libdcamp.la -lm
tests_bench_transactions_LDFLAGS = $(AM_LDFLAGS) -static
tests_bench_update_LDADD = libdcamp.a -lm
bench_programs = $(bench_tools) tests/bench/slowdisk.so
CLEANFILES += $(bench_programs)

tests/bench/slowdisk.so: tests/bench/slowdisk.c
	$(AM_V_CCLD)$(MKDIR_P) tests/bench && \
	$(CC) $(WARN_CFLAGS) $(CFLAGS) -shared -fPIC -o $@ $(srcdir)/tests/bench/slowdisk.c

EXTRA_DIST += \
	tests/bench/Updates.java \
	tests/bench/applications \
	tests/bench/children \
	tests/bench/collect \
	tests/bench/collector.sh \
	tests/bench/common.sh \
	tests/bench/complete \
	tests/bench/crowd.sh \
	tests/bench/growth \
	tests/bench/java \
	tests/bench/million \
	tests/bench/peers.sh \
	tests/bench/plot \
	tests/bench/qos \
	tests/bench/research \
	tests/bench/rounds.h \
	tests/bench/rows \
	tests/bench/run \
	tests/bench/sampling \
	tests/bench/series \
	tests/bench/services.py \
	tests/bench/serving \
	tests/bench/setting \
	tests/bench/slowdisk.c \
	tests/bench/thresholds \
	tests/bench/trap \
	tests/bench/tree \
	tests/bench/updates.py

run_benches = DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/bench/run
sim = tests/sim/dcamp-sim$(EXEEXT)
master = tests/master/master$(EXEEXT)
bench: dcamp$(EXEEXT) dcampd$(EXEEXT) dcamp-trap$(EXEEXT) $(bench_programs) $(java_DATA) $(master) $(sim)
	$(run_benches) $(BENCH)
bench-record: dcamp$(EXEEXT) dcampd$(EXEEXT) dcamp-trap$(EXEEXT) $(bench_programs) $(java_DATA) $(master) $(sim)
	$(run_benches) --record $(BENCH)

# What collectors cost, beside the simulator of their children, and beside other pollers: two CPUs
# and six minutes.
bench-collect: dcampd$(EXEEXT) tests/bench/relay$(EXEEXT) $(sim)
	$(run_benches) collect
.PHONY: bench bench-record bench-collect

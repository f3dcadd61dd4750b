# Scripts that drive the real daemon under a real snmpd by tests/lab/lab. They wait for periods most of
# the time, but compare what happens with the clock: six of them at a time leave two processors room
# for the tests of units beside them, as make -j7 runs them. Each of the six lists below runs in its
# order, and takes about as long as the others: tests/slowest tells. The short forms of those that take
# minutes; run them by hand for the long ones.
node_tests = \
	tests/integration/walk.sh \
	tests/integration/set.sh \
	tests/integration/threshold.sh \
	tests/integration/deviation.sh \
	tests/integration/alarm.sh \
	tests/integration/engine.sh \
	tests/integration/storm.sh \
	tests/integration/reload.sh \
	tests/integration/checktree.sh \
	tests/integration/restart.sh \
	tests/integration/share.sh \
	tests/integration/state.sh \
	tests/integration/told.sh \
	tests/integration/levels.sh \
	tests/integration/scarce.sh \
	tests/integration/crash.sh \
	tests/integration/nomaster.sh \
	tests/integration/sensors.sh \
	tests/integration/computed.sh
collector_tests = \
	tests/integration/poller.sh \
	tests/integration/pollermemory.sh \
	tests/sim/check.sh \
	tests/integration/collect.sh \
	tests/integration/instances.sh \
	tests/integration/childalarm.sh \
	tests/integration/acknowledge.sh \
	tests/integration/belowalarms.sh \
	tests/integration/push.sh \
	tests/integration/fragments.sh \
	tests/integration/hostile-child.sh \
	tests/integration/hostile-receiver.sh
tree_tests = \
	tests/integration/announce.sh \
	tests/integration/etcd.sh \
	tests/integration/tree.sh \
	tests/integration/director.sh \
	tests/integration/config.sh \
	tests/integration/knobs.sh \
	tests/integration/frozen.sh \
	tests/integration/keys.sh \
	tests/integration/rotate.sh \
	tests/integration/rotatelost.sh \
	tests/integration/revoke.sh \
	tests/integration/secrets.sh \
	tests/integration/trap.sh \
	tests/integration/trapdown.sh
other_tests = \
	tests/integration/master.sh \
	tests/integration/device.sh \
	tests/integration/using.sh \
	tests/integration/dcamp.sh \
	tests/integration/ask.sh \
	tests/integration/arguments.sh \
	tests/integration/completions.sh \
	tests/integration/check.sh \
	tests/integration/doctor.sh \
	tests/integration/export.sh \
	tests/integration/init.sh \
	tests/integration/rights.sh \
	tests/integration/readme.sh \
	tests/integration/libdcamp.sh \
	tests/integration/steps.sh
application_tests = \
	tests/integration/applications.sh \
	tests/integration/apptree.sh \
	tests/integration/jvms.sh \
	tests/integration/steptree.sh \
	tests/integration/jvm.sh \
	tests/integration/statsd.sh \
	tests/integration/java.sh \
	tests/integration/agent.sh \
	tests/integration/openmetrics.sh \
	tests/integration/endpoints.sh \
	tests/integration/endpointlogin.sh \
	tests/integration/tops.sh \
	tests/integration/python.py
history_tests = \
	tests/integration/publish.sh \
	tests/integration/filesinks.py \
	tests/integration/logsinks.py \
	tests/integration/top.sh \
	tests/integration/web.sh \
	tests/integration/analyse.sh \
	tests/integration/history.sh \
	tests/integration/compare.sh \
	tests/integration/wordcount.sh \
	tests/integration/load.sh \
	tests/integration/loadnode.sh \
	tests/integration/relay.sh \
	tests/week/week.sh
integration_tests = $(node_tests) $(collector_tests) $(tree_tests) $(application_tests) $(history_tests) $(other_tests)

# What CI runs with sanitizers, beside the tests of units: each program, with what others send to it or leave on
# the disk. Others run so by hand, as "make -C build/sanitized check TESTS=tests/integration/trap.sh".
sanitized_tests = $(filter $(addprefix tests/integration/,$(addsuffix .sh, \
	walk set reload restart state scarce \
	poller pollermemory push fragments hostile-child hostile-receiver \
	tree config applications endpoints statsd check \
	publish history web load)),$(integration_tests))

# Each waits for the one before it, of those that are to be run.
in_turn = $(foreach test,$(patsubst %.py,%.log,$(patsubst %.sh,%.log,$(filter $(TESTS),$(1)))),$(if $(before),$(eval $(test): $(before)))$(eval before := $(test)))$(eval before :=)
$(call in_turn,$(node_tests))
$(call in_turn,$(collector_tests))
$(call in_turn,$(tree_tests))
$(call in_turn,$(application_tests))
$(call in_turn,$(history_tests))
$(call in_turn,$(other_tests))

check_PROGRAMS += tests/integration/applications-driver tests/integration/hostile-receiver \
	tests/integration/libdcamp-driver tests/integration/poll-driver tests/integration/publish-driver \
	tests/integration/push-driver \
	tests/integration/read-blocks tests/integration/read-jvm tests/integration/read-openmetrics \
	tests/integration/read-segment tests/integration/scarce-agent tests/integration/steps-driver \
	tests/integration/without-network tests/integration/write-history
tests_integration_write_history_SOURCES = tests/integration/write-history.c $(scribe_sources)
tests_integration_write_history_LDADD = $(publish_libs)
tests_integration_hostile_receiver_LDADD =
# Without the wrapper that libtool makes for a shared library: Valgrind is to see the program.
tests_integration_applications_driver_LDADD = libdcamp/libdcamp.la
tests_integration_applications_driver_LDFLAGS = $(AM_LDFLAGS) -static
tests_integration_libdcamp_driver_LDADD = libdcamp/libdcamp.la
tests_integration_libdcamp_driver_LDFLAGS = $(AM_LDFLAGS) -static
tests_integration_steps_driver_LDADD = libdcamp/libdcamp.la -lm
tests_integration_steps_driver_LDFLAGS = $(AM_LDFLAGS) -static
# Modules of sinks find here what they are not linked with, as in dcamp-publish.
tests_integration_publish_driver_LDADD = $(publish_libs) $(LDADD)
tests_integration_publish_driver_LDFLAGS = $(AM_LDFLAGS) -rdynamic
tests_integration_push_driver_LDADD = $(SNMP_LIBS)
# Memory that fails: see tests/unit/files.mk.
tests_integration_scarce_agent_SOURCES = tests/integration/scarce-agent.c tests/unit/scarce_snmp.c
tests_integration_scarce_agent_LDADD = libtest.a $(LDADD)
tests_integration_scarce_agent_LDFLAGS = $(scarce_snmp_flags)
tests_integration_without_network_LDADD =
# What dcamp load --object calls.
CLEANFILES += tests/integration/load-object.so
tests/integration/load-object.so: tests/integration/load-object.c load/dcamp-load.h
	$(AM_V_CCLD)$(MKDIR_P) tests/integration && \
	$(CC) $(WARN_CFLAGS) $(CFLAGS) -I$(srcdir)/load -shared -fPIC -o $@ $(srcdir)/tests/integration/load-object.c

EXTRA_DIST += \
	tests/integration/Counting.java \
	tests/integration/Holding.java \
	tests/integration/Loading.java \
	tests/integration/Orders.java \
	tests/integration/Shop.java \
	tests/integration/assert.sh \
	tests/integration/examples.sh \
	tests/integration/exposer.sh \
	tests/integration/forge-perfdata \
	tests/integration/book.sh \
	tests/integration/churn.sh \
	tests/integration/closed-load \
	tests/integration/common.sh \
	tests/integration/healthy.sh \
	tests/integration/load-object.c \
	tests/integration/load-server \
	tests/integration/http-exposer \
	tests/integration/http-recorder \
	tests/integration/java-common.sh \
	tests/integration/nodes.sh \
	tests/integration/partition.sh \
	tests/integration/probe.c \
	tests/integration/receiver.sh \
	tests/integration/rotation.sh \
	tests/integration/segment.py \
	tests/integration/slowed-server \
	tests/integration/stepping.sh \
	tests/integration/terms.py \
	tests/integration/treechaos.sh \
	tests/integration/trap-common.sh

# dcampd is killed so often, and accounts are settled: tests/integration/crash.sh does it 20 times.
KILLS = 200
crash: all tests/bench/slowdisk.so
	@DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/integration/crash.sh --kills $(KILLS)
.PHONY: crash

# The long forms of tests that take as long as they are told: make hostile-child SECONDS=60.
SECONDS = 600
hostile = DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/integration
hostile-child: all $(sim_programs) tests/unit/test_children_bound
	$(hostile)/hostile-child.sh --seconds $(SECONDS)
	DCAMP_BLOCKS=1000000 tests/unit/test_children_bound
hostile-master: dcampd$(EXEEXT) tests/master/master$(EXEEXT)
	$(hostile)/master.sh --seconds $(SECONDS)
hostile-receiver: all tests/integration/hostile-receiver
	$(hostile)/hostile-receiver.sh --seconds $(SECONDS)
tree-chaos: SECONDS = 300
tree-chaos: all
	$(hostile)/treechaos.sh --seconds $(SECONDS)
tree-partition: SECONDS = 20
tree-partition: COORDINATION = list etcd
tree-partition: all
	for kind in $(COORDINATION); do \
	    $(hostile)/partition.sh --seconds $(SECONDS) --coordination $$kind || exit 1; \
	done
tree-rotation: all
	$(hostile)/rotatelost.sh --every
# Runs of a web server that are equal, and such with a step that is 5 percent slower, ten of each.
compare: ROUNDS = 10
compare: all
	DCAMP_COMPARE_ROUNDS=$(ROUNDS) DCAMP_COMPARE_SLOWER=5 $(hostile)/compare.sh
.PHONY: hostile-child hostile-master hostile-receiver tree-chaos tree-partition tree-rotation compare

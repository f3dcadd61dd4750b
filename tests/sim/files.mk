# The simulator answers as any number of children: what collectors are tested and measured with.
sim_programs = \
	tests/sim/dcamp-sim \
	tests/sim/expect \
	tests/sim/load
check_PROGRAMS += $(sim_programs)
sim_shared = \
	tests/sim/codec.c \
	tests/sim/codec.h \
	tests/sim/usm.c \
	tests/sim/usm.h \
	tests/sim/values.c \
	tests/sim/values.h
tests_sim_dcamp_sim_SOURCES = \
	tests/sim/agent.c \
	tests/sim/agent.h \
	tests/sim/arrivals.c \
	tests/sim/arrivals.h \
	tests/sim/child.c \
	tests/sim/child.h \
	tests/sim/flood.c \
	tests/sim/flood.h \
	tests/sim/garbage.c \
	tests/sim/garbage.h \
	tests/sim/hostile.c \
	tests/sim/hostile.h \
	tests/sim/knobs.c \
	tests/sim/knobs.h \
	tests/sim/main.c \
	tests/sim/objects.c \
	tests/sim/objects.h \
	tests/sim/options.c \
	tests/sim/options.h \
	tests/sim/sim.c \
	tests/sim/sim.h \
	tests/sim/wire.c \
	tests/sim/wire.h \
	$(sim_shared)
tests_sim_dcamp_sim_LDADD = $(libs)
tests_sim_expect_SOURCES = tests/sim/expect.c $(sim_shared)
tests_sim_expect_LDADD = $(libs)
tests_sim_load_SOURCES = tests/sim/load.c $(sim_shared)
tests_sim_load_LDADD = $(libs)

EXTRA_DIST += \
	tests/sim/control.sh

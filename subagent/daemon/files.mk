libdcamp_a_SOURCES += \
	subagent/daemon/audit.c \
	subagent/daemon/audit.h \
	subagent/daemon/costs.c \
	subagent/daemon/costs.h \
	subagent/daemon/dcampd.c \
	subagent/daemon/dcampd.h \
	subagent/daemon/footprint.c \
	subagent/daemon/footprint.h \
	subagent/daemon/inventory.c \
	subagent/daemon/inventory.h \
	subagent/daemon/lock.c \
	subagent/daemon/lock.h \
	subagent/daemon/loop.c \
	subagent/daemon/loop.h \
	subagent/daemon/polling.c \
	subagent/daemon/polling.h \
	subagent/daemon/saver.c \
	subagent/daemon/saver.h \
	subagent/daemon/saving.c \
	subagent/daemon/saving.h \
	subagent/daemon/self.h \
	subagent/daemon/selftest.c \
	subagent/daemon/selftest.h \
	subagent/daemon/steering.c \
	subagent/daemon/steering.h

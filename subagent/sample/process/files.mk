libdcamp_a_SOURCES += \
	subagent/sample/process/events.c \
	subagent/sample/process/events.h \
	subagent/sample/process/exited.c \
	subagent/sample/process/exited.h \
	subagent/sample/process/members.c \
	subagent/sample/process/members.h \
	subagent/sample/process/names.c \
	subagent/sample/process/names.h \
	subagent/sample/process/netlink.c \
	subagent/sample/process/netlink.h \
	subagent/sample/process/process.c \
	subagent/sample/process/process.h \
	subagent/sample/process/processes.c \
	subagent/sample/process/processes.h \
	subagent/sample/process/read.c \
	subagent/sample/process/read.h \
	subagent/sample/process/sums.c \
	subagent/sample/process/sums.h \
	subagent/sample/process/task_exits.c \
	subagent/sample/process/task_exits.h \
	subagent/sample/process/usage.c \
	subagent/sample/process/usage.h \
	subagent/sample/process/values.c \
	subagent/sample/process/values.h

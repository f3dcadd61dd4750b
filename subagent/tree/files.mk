libdcamp_a_SOURCES += \
	subagent/tree/election.c \
	subagent/tree/election.h \
	subagent/tree/lease.c \
	subagent/tree/lease.h \
	subagent/tree/message.h \
	subagent/tree/plan.c \
	subagent/tree/plan.h

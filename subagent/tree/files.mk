libdcamp_a_SOURCES += \
	subagent/tree/election.c \
	subagent/tree/election.h \
	subagent/tree/message.h \
	subagent/tree/plan.c \
	subagent/tree/plan.h

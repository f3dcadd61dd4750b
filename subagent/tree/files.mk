libdcamp_a_SOURCES += \
	subagent/tree/election.h \
	subagent/tree/message.c \
	subagent/tree/message.h \
	subagent/tree/plan.c \
	subagent/tree/plan.h

libdcamp_a_SOURCES += \
	subagent/tree/announcing.c \
	subagent/tree/announcing.h \
	subagent/tree/claim.c \
	subagent/tree/claim.h \
	subagent/tree/directing.c \
	subagent/tree/directing.h \
	subagent/tree/election.c \
	subagent/tree/election.h \
	subagent/tree/lease.c \
	subagent/tree/lease.h \
	subagent/tree/message.c \
	subagent/tree/message.h \
	subagent/tree/plan.c \
	subagent/tree/plan.h \
	subagent/tree/view.c \
	subagent/tree/view.h

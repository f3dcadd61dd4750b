libdcamp_a_SOURCES += \
	subagent/director/inbox.c \
	subagent/director/inbox.h \
	subagent/director/lead.c \
	subagent/director/lead.h \
	subagent/director/members.c \
	subagent/director/members.h \
	subagent/director/packed.c \
	subagent/director/packed.h \
	subagent/director/range.c \
	subagent/director/range.h \
	subagent/director/shares.c \
	subagent/director/shares.h \
	subagent/director/target.c \
	subagent/director/target.h

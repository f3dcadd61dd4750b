libdcamp_a_SOURCES += \
	subagent/director/members.c \
	subagent/director/members.h \
	subagent/director/packed.c \
	subagent/director/packed.h \
	subagent/director/range.c \
	subagent/director/range.h \
	subagent/director/target.c \
	subagent/director/target.h

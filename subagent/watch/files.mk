libdcamp_a_SOURCES += \
	subagent/watch/conditions.c \
	subagent/watch/conditions.h \
	subagent/watch/inhibition.c \
	subagent/watch/inhibition.h \
	subagent/watch/input.c \
	subagent/watch/input.h \
	subagent/watch/learned.c \
	subagent/watch/learned.h \
	subagent/watch/restart.c \
	subagent/watch/restart.h \
	subagent/watch/rule.c \
	subagent/watch/rule.h \
	subagent/watch/saved.c \
	subagent/watch/saved.h \
	subagent/watch/watch.c \
	subagent/watch/watch.h \
	subagent/watch/watches.c \
	subagent/watch/watches.h \
	subagent/watch/wording.c \
	subagent/watch/wording.h

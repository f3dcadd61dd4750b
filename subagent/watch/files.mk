libdcamp_a_SOURCES += \
	subagent/watch/conditions.c \
	subagent/watch/conditions.h \
	subagent/watch/verdicts.c \
	subagent/watch/verdicts.h \
	subagent/watch/watch.h \
	subagent/watch/watch_more.c \
	subagent/watch/watches.c \
	subagent/watch/watches.h \
	subagent/watch/watches_saved.c \
	subagent/watch/watches_sync.c

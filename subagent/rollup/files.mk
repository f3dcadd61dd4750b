libdcamp_a_SOURCES += \
	subagent/rollup/aggregates.c \
	subagent/rollup/aggregates.h \
	subagent/rollup/aggregates_sync.c \
	subagent/rollup/match.c \
	subagent/rollup/match.h

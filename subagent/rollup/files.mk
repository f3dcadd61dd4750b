libdcamp_a_SOURCES += \
	subagent/rollup/aggregates.c \
	subagent/rollup/aggregates.h \
	subagent/rollup/match.c \
	subagent/rollup/match.h \
	subagent/rollup/tops.c \
	subagent/rollup/tops.h \
	subagent/rollup/value.c \
	subagent/rollup/value.h

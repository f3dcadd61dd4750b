libdcamp_a_SOURCES += \
	subagent/filter/filter.c \
	subagent/filter/filter.h \
	subagent/filter/level.c \
	subagent/filter/level.h

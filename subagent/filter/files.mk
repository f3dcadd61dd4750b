libdcamp_a_SOURCES += \
	subagent/filter/filter.c \
	subagent/filter/filter.h

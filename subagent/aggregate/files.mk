libdcamp_a_SOURCES += \
	subagent/aggregate/aggregate.c \
	subagent/aggregate/aggregate.h

libdcamp_a_SOURCES += \
	subagent/series/derive.c \
	subagent/series/derive.h \
	subagent/series/measure.c \
	subagent/series/measure.h

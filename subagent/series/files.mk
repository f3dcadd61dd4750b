libdcamp_a_SOURCES += \
	subagent/series/derive.c \
	subagent/series/derive.h \
	subagent/series/dictionary.c \
	subagent/series/dictionary.h \
	subagent/series/interval.c \
	subagent/series/interval.h \
	subagent/series/measure.c \
	subagent/series/measure.h \
	subagent/series/observer.h \
	subagent/series/publish.c \
	subagent/series/publish.h \
	subagent/series/series.c \
	subagent/series/series.h \
	subagent/series/tell_keys.c \
	subagent/series/tell_keys.h

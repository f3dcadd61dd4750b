libdcamp_a_SOURCES += \
	subagent/director/packed.c \
	subagent/director/packed.h \
	subagent/director/target.c \
	subagent/director/target.h

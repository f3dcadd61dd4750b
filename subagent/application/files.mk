libdcamp_a_SOURCES += \
	subagent/application/jvm.c \
	subagent/application/jvm.h \
	subagent/application/perfdata.c \
	subagent/application/perfdata.h

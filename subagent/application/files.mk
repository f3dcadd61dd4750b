libdcamp_a_SOURCES += \
	subagent/application/buckets.c \
	subagent/application/buckets.h \
	subagent/application/exposition.c \
	subagent/application/exposition.h \
	subagent/application/families.c \
	subagent/application/families.h \
	subagent/application/jvm.c \
	subagent/application/jvm.h \
	subagent/application/openmetrics.c \
	subagent/application/openmetrics.h \
	subagent/application/perfdata.c \
	subagent/application/perfdata.h

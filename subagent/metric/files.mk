libdcamp_a_SOURCES += \
	subagent/metric/field.h \
	subagent/metric/list.c \
	subagent/metric/list.h \
	subagent/metric/metric.h \
	subagent/metric/registry.c \
	subagent/metric/rows_application.h \
	subagent/metric/rows_jvm.h \
	subagent/metric/rows_endpoint.h \
	subagent/metric/rows_machine.h \
	subagent/metric/rows_process.h

libdcamp_a_SOURCES += \
	subagent/alarm/alarm.c \
	subagent/alarm/alarm.h \
	subagent/alarm/history.c \
	subagent/alarm/internal.h \
	subagent/alarm/key.c \
	subagent/alarm/maintenance.c \
	subagent/alarm/maintenance.h \
	subagent/alarm/notice.c \
	subagent/alarm/queue.c \
	subagent/alarm/report.c

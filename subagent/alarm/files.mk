libdcamp_a_SOURCES += \
	subagent/alarm/active.c \
	subagent/alarm/active.h \
	subagent/alarm/alarm.c \
	subagent/alarm/alarm.h \
	subagent/alarm/facts.c \
	subagent/alarm/facts.h \
	subagent/alarm/history.c \
	subagent/alarm/history.h \
	subagent/alarm/key.c \
	subagent/alarm/maintenance.c \
	subagent/alarm/maintenance.h \
	subagent/alarm/notice.c \
	subagent/alarm/notice.h \
	subagent/alarm/queue.c \
	subagent/alarm/queue.h

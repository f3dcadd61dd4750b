libdcamp_a_SOURCES += \
	subagent/report/block.c \
	subagent/report/block.h \
	subagent/report/block_alarm.c \
	subagent/report/block_keys.c \
	subagent/report/block_record.c \
	subagent/report/block_start.c \
	subagent/report/block_window.c \
	subagent/report/feed.c \
	subagent/report/feed.h \
	subagent/report/pace.c \
	subagent/report/pace.h \
	subagent/report/push.c \
	subagent/report/push.h \
	subagent/report/report.c \
	subagent/report/report.h \
	subagent/report/store.c \
	subagent/report/store.h

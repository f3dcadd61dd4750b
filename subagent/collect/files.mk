libdcamp_a_SOURCES += \
	subagent/collect/message.c \
	subagent/collect/message.h \
	subagent/collect/poller_process.c \
	subagent/collect/pollers.c \
	subagent/collect/pollers.h \
	subagent/collect/pollers_internal.h

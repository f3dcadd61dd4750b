libdcamp_a_SOURCES += \
	subagent/collect/load.c \
	subagent/collect/load.h \
	subagent/collect/message.c \
	subagent/collect/message.h \
	subagent/collect/poller_process.c \
	subagent/collect/poller_process.h \
	subagent/collect/pollers.c \
	subagent/collect/pollers.h

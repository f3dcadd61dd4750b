libdcamp_a_SOURCES += \
	subagent/outlet/backlog.c \
	subagent/outlet/backlog.h \
	subagent/outlet/cursors.c \
	subagent/outlet/cursors.h \
	subagent/outlet/listener.c \
	subagent/outlet/listener.h \
	subagent/outlet/message.c \
	subagent/outlet/message.h \
	subagent/outlet/outlet.c \
	subagent/outlet/outlet.h \
	subagent/outlet/publisher.c \
	subagent/outlet/publisher.h \
	subagent/outlet/reader.c \
	subagent/outlet/reader.h

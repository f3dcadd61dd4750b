libdcamp_a_SOURCES += \
	subagent/application/application.c \
	subagent/application/application.h \
	subagent/application/copies.c \
	subagent/application/copies.h \
	subagent/application/directory.c \
	subagent/application/directory.h \
	subagent/application/keys.c \
	subagent/application/keys.h \
	subagent/application/owner.c \
	subagent/application/owner.h \
	subagent/application/program.c \
	subagent/application/program.h \
	subagent/application/segment.c \
	subagent/application/segment.h \
	subagent/application/steps.c \
	subagent/application/steps.h

libdcamp_a_SOURCES += \
	subagent/relay/relayed.c \
	subagent/relay/relayed.h \
	subagent/relay/relays.c \
	subagent/relay/relays.h

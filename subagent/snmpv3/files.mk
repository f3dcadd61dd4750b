libdcamp_a_SOURCES += \
	subagent/snmpv3/authentic.c \
	subagent/snmpv3/authentic.h \
	subagent/snmpv3/credential.c \
	subagent/snmpv3/credential.h \
	subagent/snmpv3/engine_time.c \
	subagent/snmpv3/engine_time.h \
	subagent/snmpv3/envelope.c \
	subagent/snmpv3/envelope.h \
	subagent/snmpv3/keys.c \
	subagent/snmpv3/keys.h \
	subagent/snmpv3/link.c \
	subagent/snmpv3/link.h \
	subagent/snmpv3/secrets.c \
	subagent/snmpv3/secrets.h \
	subagent/snmpv3/session.c \
	subagent/snmpv3/session.h

libdcamp_a_SOURCES += \
	subagent/children/alarms.c \
	subagent/children/alarms.h \
	subagent/children/bound.c \
	subagent/children/child.h \
	subagent/children/children.c \
	subagent/children/children.h \
	subagent/children/contact.c \
	subagent/children/device.c \
	subagent/children/names.c \
	subagent/children/objects.c \
	subagent/children/push.c \
	subagent/children/series.c

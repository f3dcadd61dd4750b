libdcamp_a_SOURCES += \
	subagent/config/attributes.c \
	subagent/config/attributes.h \
	subagent/config/config.c \
	subagent/config/config.h \
	subagent/config/derived.c \
	subagent/config/derived.h \
	subagent/config/fault.c \
	subagent/config/fault.h \
	subagent/config/field.c \
	subagent/config/field.h \
	subagent/config/load.c \
	subagent/config/row.c \
	subagent/config/row.h \
	subagent/config/row_alarm.c \
	subagent/config/row_fields.h \
	subagent/config/row_object.c \
	subagent/config/settings.c \
	subagent/config/settings.h \
	subagent/config/state.c \
	subagent/config/state.h \
	subagent/config/state_fields.c \
	subagent/config/state_fields.h \
	subagent/config/state_format.c \
	subagent/config/state_read.c \
	subagent/config/xml.c \
	subagent/config/xml.h \
	subagent/config/xml_schema.c

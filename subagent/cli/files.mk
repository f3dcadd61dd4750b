libdcamp_a_SOURCES += \
	subagent/cli/address.c \
	subagent/cli/address.h \
	subagent/cli/answer.c \
	subagent/cli/answer.h \
	subagent/cli/cell.c \
	subagent/cli/cell.h \
	subagent/cli/client.c \
	subagent/cli/client.h \
	subagent/cli/login.c \
	subagent/cli/login.h

# Of the command alone.
noinst_LIBRARIES += libcommand.a
libcommand_a_SOURCES = \
	subagent/cli/alarms.c \
	subagent/cli/alarms.h \
	subagent/cli/assign.c \
	subagent/cli/assign.h \
	subagent/cli/check.c \
	subagent/cli/check.h \
	subagent/cli/checkup.c \
	subagent/cli/checkup.h \
	subagent/cli/command.c \
	subagent/cli/command.h \
	subagent/cli/deviations.c \
	subagent/cli/deviations.h \
	subagent/cli/doctor.c \
	subagent/cli/doctor.h \
	subagent/cli/export.c \
	subagent/cli/export.h \
	subagent/cli/findings.c \
	subagent/cli/findings.h \
	subagent/cli/forest.c \
	subagent/cli/forest.h \
	subagent/cli/get.c \
	subagent/cli/get.h \
	subagent/cli/init.c \
	subagent/cli/init.h \
	subagent/cli/machine.c \
	subagent/cli/machine.h \
	subagent/cli/order.c \
	subagent/cli/order.h \
	subagent/cli/packed.c \
	subagent/cli/packed.h \
	subagent/cli/progress.c \
	subagent/cli/progress.h \
	subagent/cli/promote.c \
	subagent/cli/promote.h \
	subagent/cli/question.c \
	subagent/cli/question.h \
	subagent/cli/rollout.c \
	subagent/cli/rollout.h \
	subagent/cli/roster.c \
	subagent/cli/roster.h \
	subagent/cli/serial.c \
	subagent/cli/serial.h \
	subagent/cli/set.c \
	subagent/cli/set.h \
	subagent/cli/sheet.c \
	subagent/cli/sheet.h \
	subagent/cli/show.c \
	subagent/cli/show.h \
	subagent/cli/snmpconf.c \
	subagent/cli/snmpconf.h \
	subagent/cli/snmpd_files.c \
	subagent/cli/snmpd_files.h \
	subagent/cli/span.c \
	subagent/cli/span.h \
	subagent/cli/status.c \
	subagent/cli/status.h \
	subagent/cli/thresholds.c \
	subagent/cli/thresholds.h \
	subagent/cli/tree.c \
	subagent/cli/tree.h \
	subagent/cli/values.c \
	subagent/cli/values.h \
	subagent/cli/watch.c \
	subagent/cli/watch.h
$(libcommand_a_OBJECTS): generated/dcamp_mib.h
dcamp_SOURCES = subagent/cli/dcamp.c
dcamp_LDADD = libcommand.a libdcamp.a $(SNMP_LIBS) $(JANSSON_LIBS) $(MD_LIBS) -lz -lm
$(dcamp_OBJECTS): generated/dcamp_mib.h

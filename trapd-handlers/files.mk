libdcamptrap_a_SOURCES = \
	trapd-handlers/active.c \
	trapd-handlers/active.h \
	trapd-handlers/buffer.c \
	trapd-handlers/buffer.h \
	trapd-handlers/deliver.c \
	trapd-handlers/deliver.h \
	trapd-handlers/follow.c \
	trapd-handlers/format.h \
	trapd-handlers/format_alertmanager.c \
	trapd-handlers/format_common.c \
	trapd-handlers/format_environment.c \
	trapd-handlers/format_icinga.c \
	trapd-handlers/format_mail.c \
	trapd-handlers/format_nagios.c \
	trapd-handlers/format_sender.c \
	trapd-handlers/format_zabbix.c \
	trapd-handlers/http.c \
	trapd-handlers/http.h \
	trapd-handlers/intake.c \
	trapd-handlers/intake.h \
	trapd-handlers/nagios_objects.c \
	trapd-handlers/nagios_objects.h \
	trapd-handlers/objects.c \
	trapd-handlers/objects.h \
	trapd-handlers/once.c \
	trapd-handlers/once.h \
	trapd-handlers/options.c \
	trapd-handlers/options.h \
	trapd-handlers/parse.c \
	trapd-handlers/program.c \
	trapd-handlers/program.h \
	trapd-handlers/record.c \
	trapd-handlers/record.h \
	trapd-handlers/sequence.c \
	trapd-handlers/sequence.h \
	trapd-handlers/service.c \
	trapd-handlers/service.h \
	trapd-handlers/spool.c \
	trapd-handlers/spool.h \
	trapd-handlers/stream.c \
	trapd-handlers/stream.h \
	trapd-handlers/target.c \
	trapd-handlers/target.h \
	trapd-handlers/target_alertmanager.c \
	trapd-handlers/target_exec.c \
	trapd-handlers/target_icinga.c \
	trapd-handlers/target_mail.c \
	trapd-handlers/target_nagios.c \
	trapd-handlers/target_zabbix.c \
	trapd-handlers/template.c \
	trapd-handlers/template.h \
	trapd-handlers/trap.c \
	trapd-handlers/trap.h \
	trapd-handlers/usage.c \
	trapd-handlers/usage.h \
	trapd-handlers/value.c \
	trapd-handlers/value.h \
	trapd-handlers/zabbix_sender.c \
	trapd-handlers/zabbix_sender.h
$(libdcamptrap_a_OBJECTS): generated/dcamp_mib.h
trap_libs = libdcamptrap.a libdcamp.a $(CURL_LIBS) $(JANSSON_LIBS) $(CRYPTO_LIBS) -lm
dcamp_trap_SOURCES = trapd-handlers/main.c
dcamp_trap_LDADD = $(trap_libs)

EXTRA_DIST += \
	trapd-handlers/README

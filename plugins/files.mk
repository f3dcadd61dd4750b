libplugin_a_SOURCES = \
	plugins/judge.h \
	plugins/judge_alarms.c \
	plugins/judge_freshness.c \
	plugins/judge_tree.c \
	plugins/judge_values.c \
	plugins/mode_alarms.c \
	plugins/mode_freshness.c \
	plugins/mode_tree.c \
	plugins/mode_values.c \
	plugins/options.c \
	plugins/options.h \
	plugins/range.c \
	plugins/range.h \
	plugins/result.c \
	plugins/result.h \
	plugins/run.c \
	plugins/run.h
$(libplugin_a_OBJECTS): generated/dcamp_mib.h
check_dcamp_SOURCES = plugins/check_dcamp.c
check_dcamp_LDADD = libplugin.a libdcamp.a $(SNMP_LIBS) -lm
$(check_dcamp_OBJECTS): generated/dcamp_mib.h

EXTRA_DIST += \
	plugins/README

libdcamp_a_SOURCES += \
	subagent/threshold/damper.c \
	subagent/threshold/damper.h \
	subagent/threshold/levels.c \
	subagent/threshold/levels.h \
	subagent/threshold/season.c \
	subagent/threshold/season.h \
	subagent/threshold/season_model.h \
	subagent/threshold/season_pack.c \
	subagent/threshold/season_pack.h \
	subagent/threshold/source.h \
	subagent/threshold/threshold.c \
	subagent/threshold/threshold.h \
	subagent/threshold/trend.c \
	subagent/threshold/trend.h

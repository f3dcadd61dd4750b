libdcamp_a_SOURCES += \
	subagent/calculate/calculate.c \
	subagent/calculate/calculate.h \
	subagent/calculate/expression.c \
	subagent/calculate/expression.h \
	subagent/calculate/expression_cycle.c \
	subagent/calculate/expression_cycle.h \
	subagent/calculate/expression_error.c \
	subagent/calculate/expression_error.h \
	subagent/calculate/expression_evaluate.c \
	subagent/calculate/expression_evaluate.h \
	subagent/calculate/expression_node.h \
	subagent/calculate/expression_token.c \
	subagent/calculate/expression_token.h \
	subagent/calculate/expression_unit.c \
	subagent/calculate/expression_unit.h \
	subagent/calculate/histogram.c \
	subagent/calculate/histogram.h \
	subagent/calculate/histogram_cbor.c \
	subagent/calculate/histogram_cbor.h \
	subagent/calculate/incomplete_gamma.c \
	subagent/calculate/incomplete_gamma.h \
	subagent/calculate/keys.c \
	subagent/calculate/keys.h \
	subagent/calculate/statistics.c \
	subagent/calculate/statistics.h \
	subagent/calculate/unit.c \
	subagent/calculate/unit.h

# What looks for JVMs; a library, for its tests.
libjvm_a_SOURCES = \
	jvm/answer.c \
	jvm/answer.h \
	jvm/candidates.c \
	jvm/candidates.h \
	jvm/file.c \
	jvm/file.h \
	jvm/maps.c \
	jvm/maps.h \
	jvm/rights.c \
	jvm/rights.h
dcamp_jvm_SOURCES = jvm/main.c
dcamp_jvm_LDADD = libjvm.a libdcamp.a -lm

EXTRA_DIST += \
	jvm/README

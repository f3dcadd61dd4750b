# What is published, and what is kept of it; a library, for its tests.
libpublish_a_SOURCES = \
	publish/bits.h \
	publish/cells.c \
	publish/cells.h \
	publish/chronicle.c \
	publish/chronicle.h \
	publish/database.c \
	publish/database.h \
	publish/digest.c \
	publish/digest.h \
	publish/history.c \
	publish/history.h \
	publish/integers.c \
	publish/integers.h \
	publish/points.c \
	publish/points.h \
	publish/tiers.c \
	publish/tiers.h
publish_libs = libpublish.a libdcamp.a $(SQLITE_LIBS) $(CBOR_LIBS) -lm

EXTRA_DIST += \
	publish/README

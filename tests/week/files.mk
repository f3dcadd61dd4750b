# A week of 200 nodes is stored by a simulated clock, and all that is read back is compared with what
# was told: half an hour, and some gigabytes; the figures go into doc/benchmarks.md.
# tests/week/week.sh has a short form, which is a test, and records nothing: make week NODES=20 HOURS=48
# takes another one.
check_PROGRAMS += tests/week/week
tests_week_week_SOURCES = \
	tests/week/asker.c \
	tests/week/asker.h \
	tests/week/checker.c \
	tests/week/checker.h \
	tests/week/week.c \
	tests/week/world.c \
	tests/week/world.h \
	tests/week/writer.c \
	tests/week/writer.h
tests_week_week_LDADD = $(publish_libs)
NODES = 200
HOURS = 168
week: dcamp$(EXEEXT) tests/week/week$(EXEEXT)
	DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/week/week.sh --nodes $(NODES) --hours $(HOURS) --record
.PHONY: week

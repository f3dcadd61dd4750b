# What is published, beside known loads, other tools and exact computation: doc/validity.md.
validity_programs = tests/validity/analysed tests/validity/covered tests/validity/load tests/validity/statistics
EXTRA_PROGRAMS += $(validity_programs)
CLEANFILES += $(validity_programs)
tests_validity_analysed_LDADD = $(analysis_libs)
tests_validity_covered_LDADD = $(analysis_libs)
tests_validity_load_LDADD =
tests_validity_statistics_LDADD = libtest.a $(libs)
run_validity = DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/validity/run
# The first reads each sample of every second, for which it needs the machine alone: no test of check, then.
validity: all $(validity_programs)
	DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/validity/values.sh
	$(run_validity)
validity-record: dcampd$(EXEEXT) $(validity_programs)
	$(run_validity) --record
.PHONY: validity validity-record

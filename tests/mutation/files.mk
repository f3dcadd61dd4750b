# The source changed in one place at a time: which changes does no test notice? Of the pure rooms, or
# of others: make mutation ROOM="series watch" N=200 SEED=3 SCRIPTS=1; AGAIN=1: those that survived.
ROOM = calculate filter aggregate report threshold alarm config
N = 400
SEED = 1
mutation_options = $(if $(AGAIN),--again $(AGAIN)) $(if $(SCRIPTS),--scripts) $(if $(LOCK),--lock $(LOCK))
mutation: export MUTATION_COMPILE = $(COMPILE)
mutation: export MUTATION_LINK = $(CCLD) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS)
# What a changed file calls is in libdcamp.a; libdcamptrap.a has functions of the same name.
mutation: export MUTATION_LIBRARIES = libdcamp.a libtest.a libcommand.a libplugin.a $(LDADD)
mutation: export MUTATION_PROGRAMS = dcampd $(dcampd_OBJECTS) $(dcampd_LDADD); \
	dcamp $(dcamp_OBJECTS) $(dcamp_LDADD); check_dcamp $(check_dcamp_OBJECTS) $(check_dcamp_LDADD)
mutation: export MUTATION_OBJECTS = $(foreach test,$(unit_tests),$(test) \
	$($(subst /,_,$(test))_OBJECTS) $($(subst /,_,$(test))_LDFLAGS);)
mutation: all $(check_PROGRAMS) $(check_DATA)
	@nice -n 19 $(PYTHON3) -B $(srcdir)/tests/mutation/mutation.py --top $(abs_srcdir) \
	  --build $(abs_builddir) --rooms "$(ROOM)" --changes $(N) --seed $(SEED) $(mutation_options)
.PHONY: mutation

EXTRA_DIST += \
	tests/mutation/changes.py \
	tests/mutation/equivalent.txt \
	tests/mutation/mutation.py \
	tests/mutation/sandbox.sh \
	tests/mutation/trial.py

# For Debian: deb/*.deb in the build tree, which lintian has nothing to say against; check-deb
# installs, uses, upgrades and purges them in a clean root that systemd runs. Both by ./bootstrap, as root.
deb: $(BUILT_SOURCES)
	@$(BASH) $(srcdir)/tests/packages/build $(abs_builddir)
check-deb: deb
	@DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/packages/clean-root

# What somebody new does by the README, on three clean machines; ten minutes, most of them for
# debootstrap and downloads.
newcomer: deb
	@DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/packages/newcomer

# The same of its section "A tree": three machines, six commands, and what dcamp doctor says of faults.
# DCAMP_CLEAN may name a directory where the clean Debian is kept for the next time.
newcomer-tree: deb
	@DCAMP_BUILD=$(abs_builddir) $(BASH) $(srcdir)/tests/packages/newcomer-tree
.PHONY: deb check-deb newcomer newcomer-tree

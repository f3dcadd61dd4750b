# mibs/DCAMP-MIB.txt is the source; what is built, installed and compiled in is the copy with
# the arc of --with-enterprise-oid.
mib = generated/mibs/DCAMP-MIB.txt
generated = generated/dcamp_mib.h generated/dcamp_mib.c
BUILT_SOURCES = $(mib) $(generated)
CLEANFILES = $(mib) $(generated)

$(mib): mibs/DCAMP-MIB.txt Makefile
	$(AM_V_GEN)$(MKDIR_P) generated/mibs && \
	$(SED) "s/{ enterprises [^}]* }/{ enterprises $(ENTERPRISE_ARC) }/" $(srcdir)/mibs/DCAMP-MIB.txt > $@.new && \
	mv -f $@.new $@

mibgen_args = $(mib) $(srcdir)/mibs/base dcampMIB \
	SNMPv2-MIB snmpTrapOID SNMPv2-MIB sysUpTime SNMP-COMMUNITY-MIB snmpTrapAddress \
	SNMPv2-SMI iso SNMPv2-SMI enterprises SNMPv2-SMI snmpModules

generated/dcamp_mib.h: $(mib) mibgen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) generated && ./mibgen$(EXEEXT) header $(mibgen_args) > $@.new && mv -f $@.new $@
generated/dcamp_mib.c: $(mib) mibgen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) generated && ./mibgen$(EXEEXT) source $(mibgen_args) > $@.new && mv -f $@.new $@

noinst_PROGRAMS += mibgen
mibgen_SOURCES = subagent/mib/mib.h subagent/mib/mibgen.c
mibgen_LDADD = $(SNMP_LIBS)

libdcamp_a_SOURCES += \
	subagent/mib/mib.h
nodist_libdcamp_a_SOURCES = $(generated)

# A master that is scripted: what AgentX may bring.
check_PROGRAMS += tests/master/master
tests_master_master_SOURCES = \
	tests/master/client.c \
	tests/master/hostile.c \
	tests/master/main.c \
	tests/master/master.h \
	tests/master/packet.c \
	tests/master/packet.h \
	tests/master/rows.c \
	tests/master/sequences.c \
	tests/master/session.c
tests_master_master_LDADD = libdcamp.a

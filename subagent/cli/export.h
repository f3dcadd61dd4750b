/* dcamp export: the tree of a root in the form that a management system takes; doc/nms.md says what
 * to do with it. Nothing is printed before everything has come, so that a file that this makes is
 * whole or empty. With --output it replaces the file itself, if that has changed; with --watch
 * again and again (cli/keep.h). */
#ifndef DCAMP_CLI_EXPORT_H
#define DCAMP_CLI_EXPORT_H

#include "cli/command.h"

/* Objects for Nagios 4 and for Icinga 2, with the templates in conf/nagios and conf/icinga2. */
subcommand_run export_nagios_run;
subcommand_run export_icinga_run;

/* A file for file_sd_configs of Prometheus, whose targets snmp_exporter asks: JSON. A collector and
 * the root are asked for what is below them as well, by the module dcamp_tree. */
subcommand_run export_prometheus_run;

/* Lines of snmptrapd.conf(5). The user dcampTrap has the passphrases of the login, as dcamp init
 * makes it; they become keys for the engine of each node, which is asked for its engine ID.
 * EXIT_CUT: some nodes did not say it; they stay as the file of --output has them, or a comment
 * names them. */
subcommand_run export_snmptrapd_run;

#endif

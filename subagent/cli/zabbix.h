/* dcamp export zabbix: the nodes of a tree as hosts of Zabbix, through its API. */
#ifndef DCAMP_CLI_ZABBIX_H
#define DCAMP_CLI_ZABBIX_H

#include "cli/command.h"

/* A row for each host that was created, changed, disabled or deleted; EXIT_REFUSED: Zabbix has
 * refused some, and the error says which and why. With --check the rows are what would be done, and
 * EXIT_CUT says that there is something. With --watch again and again (cli/keep.h), and a line on
 * errors for each. */
subcommand_run export_zabbix_run;

#endif

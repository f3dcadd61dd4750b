/* dcamp key rotate: the users of a node, or of all nodes of a tree, get other keys over SNMP: the
 * key change of RFC 3414, section 5. It may be interrupted anywhere and run again. */
#ifndef DCAMP_CLI_ROTATE_H
#define DCAMP_CLI_ROTATE_H

#include "cli/command.h"

#define ROTATE_USERS_MAX 8 /* that are named */

subcommand_run key_rotate_run;

#endif

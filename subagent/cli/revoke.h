/* dcamp key revoke: the keys of a node are no longer believed, because its tree document says
 * so. */
#ifndef DCAMP_CLI_REVOKE_H
#define DCAMP_CLI_REVOKE_H

#include <stddef.h>

#include "cli/command.h"

subcommand_run key_revoke_run;

/* The text of a tree document that revokes the keys of an engine as well, malloced. engine:
 * hexadecimal digits. NULL: *why says why not. Pure but for memory. */
char *revoke_in_text(const char *text, const char *engine, const char *node, const char **why);

#endif

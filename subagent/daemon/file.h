/* The configuration file, and what the command line says instead of it. */
#ifndef DCAMP_DAEMON_FILE_H
#define DCAMP_DAEMON_FILE_H

#include "config/config.h"

/* As config_load. For arguments that are NULL, the file counts. */
struct config *file_load(const char *path, const char *agentx_socket, const char *state_dir,
                         const char *apps_dir, char error[CONFIG_ERROR_SIZE]);

#endif

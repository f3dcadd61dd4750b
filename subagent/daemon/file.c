#include "daemon/file.h"

#include "base/text.h"
#include "config/load.h"

struct config *file_load(const char *path, const char *agentx_socket, const char *state_dir,
                         char error[CONFIG_ERROR_SIZE])
{
    struct config *config = config_load(path, error);
    if (!config)
        return NULL;
    if (agentx_socket)
        text_format(config->agentx.socket, sizeof config->agentx.socket, "%s", agentx_socket);
    if (state_dir)
        text_format(config->state_dir, sizeof config->state_dir, "%s", state_dir);
    return config;
}

#include "daemon/file.h"

#include "base/text.h"
#include "config/load.h"

struct config *file_load(const char *path, const char *agentx_socket, const char *state_dir,
                         const char *apps_dir, char error[CONFIG_ERROR_SIZE])
{
    struct config *config = config_load(path, error);
    if (!config)
        return NULL;
    if (agentx_socket)
        text_format(config->agentx.socket, sizeof config->agentx.socket, "%s", agentx_socket);
    if (state_dir)
        text_format(config->state_dir, sizeof config->state_dir, "%s", state_dir);
    if (apps_dir)
        text_format(config->apps_dir, sizeof config->apps_dir, "%s", apps_dir);
    return config;
}

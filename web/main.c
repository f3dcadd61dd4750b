/* dcamp-web: arguments and exit status. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "http/listener.h"
#include "web/api.h"
#include "web/options.h"
#include "web/server.h"
#include "web/site.h"

static void name_hosts(struct access *access, const struct options *options,
                       const struct listener *listener, char own[LISTENER_HOST_SIZE])
{
    listener_name_hosts(listener, access, own);
    for (size_t i = 0; i < options->n_hosts; i++)
        access->hosts[access->n_hosts++] = options->hosts[i];
}

static int serve(const struct options *options, const struct listener *listener,
                 const struct site *site)
{
    char own[LISTENER_HOST_SIZE];
    struct access access = {.token = options->has_token ? options->credentials.token : NULL,
                            .user_header = options->user_header,
                            .host_help = "--host in dcamp-web(8)"};
    struct api *api = api_open(options->directory);
    name_hosts(&access, options, listener, own);
    const struct server_settings settings = {.fd = listener->fd,
                                             .limits_peers =
                                                 !listener->is_local && !options->user_header,
                                             .access = &access,
                                             .site = site,
                                             .api = api};
    memory_keep(); /* each question to the history needs about as much as the one before */
    log_info("web", "%s: the history in %s", listener->address, options->directory);
    int error = api ? server_run(&settings) : ENOMEM;
    if (error)
        log_error("web", "%s", strerror(error));
    api_close(api);
    return error ? WEB_FAILED : WEB_OK;
}

int main(int argc, char **argv)
{
    struct options options;
    struct listener listener;
    char error[512];
    int status = options_parse(argc, argv, &options);
    if (status >= 0)
        return status;
    log_program("dcamp-web");
    log_open(options.to_syslog);
    if (!listener_open(&listener, options.listen, WEB_PORT, error)) {
        log_error("web", "cannot listen on %s", error);
        return WEB_FAILED;
    }
    if (!listener.is_local && !options.has_token && !options.user_header) {
        log_error("web",
                  "%s: other machines can connect there, which needs --token or "
                  "--user-header",
                  options.listen);
        return WEB_USAGE;
    }
    struct site *site = site_open(options.page, error);
    if (!site) {
        log_error("web", "the page: %s", error);
        return WEB_FAILED;
    }
    status = serve(&options, &listener, site);
    site_close(site);
    return status;
}

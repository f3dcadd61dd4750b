/* A module of Apache with sensors of a web server: how long each response takes, how many there
 * are, and how many octets they have. For the benchmark transparency, which compares two virtual
 * hosts of one server, so that both are the same processes with the same memory:
 *
 *     DcampSensors On
 *
 * Without this line of its configuration, a host does not count. */
#include <httpd.h> /* the others need it */

#include <http_config.h>
#include <http_log.h>
#include <http_protocol.h>

#include <dcamp.h>

APLOG_USE_MODULE(dcamp);

/* The settings of a host; its sensors are those of the process. */
struct host {
    int counts;
    struct dcamp_counter *requests, *octets;
    struct dcamp_timer *response;
};

extern module AP_MODULE_DECLARE_DATA dcamp_module;

static void *make_host(apr_pool_t *pool, server_rec *server)
{
    (void)server;
    return apr_pcalloc(pool, sizeof(struct host));
}

static const char *set_counts(cmd_parms *command, void *directory, int counts)
{
    (void)directory;
    struct host *host = ap_get_module_config(command->server->module_config, &dcamp_module);
    host->counts = counts;
    return NULL;
}

/* Each process has a segment of its own. If it cannot publish, its log says why, because what is
 * measured then is a server whose sensors nobody sees. */
static void open_sensors(apr_pool_t *pool, server_rec *servers)
{
    (void)pool;
    for (server_rec *server = servers; server; server = server->next) {
        struct host *host = ap_get_module_config(server->module_config, &dcamp_module);
        if (!host->counts)
            continue;
        struct dcamp_app *app = dcamp_app_open("httpd");
        if (dcamp_error() != 0)
            ap_log_error(APLOG_MARK, APLOG_ERR, 0, server, "sensors: %s", dcamp_reason());
        host->requests = dcamp_counter_new(app, "requests", "", "requests");
        host->octets = dcamp_counter_new(app, "octets", "", "B");
        host->response = dcamp_timer_new(app, "response", "");
    }
}

static int begin(request_rec *request)
{
    struct host *host = ap_get_module_config(request->server->module_config, &dcamp_module);
    if (!host->counts)
        return DECLINED;
    uint64_t *start = apr_palloc(request->pool, sizeof(*start));
    *start = dcamp_timer_start(host->response);
    ap_set_module_config(request->request_config, &dcamp_module, start);
    return DECLINED;
}

static int end(request_rec *request)
{
    struct host *host = ap_get_module_config(request->server->module_config, &dcamp_module);
    uint64_t *start = ap_get_module_config(request->request_config, &dcamp_module);
    if (!start)
        return DECLINED;
    dcamp_timer_stop(host->response, *start);
    dcamp_counter_add(host->requests, 1);
    dcamp_counter_add(host->octets, (uint64_t)request->bytes_sent);
    return DECLINED;
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_child_init(open_sensors, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_post_read_request(begin, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_log_transaction(end, NULL, NULL, APR_HOOK_REALLY_LAST);
}

static const command_rec commands[] = {
    AP_INIT_FLAG("DcampSensors", set_counts, NULL, RSRC_CONF,
                 "whether responses are counted and timed"),
    {.name = NULL},
};

module AP_MODULE_DECLARE_DATA dcamp_module = {
    STANDARD20_MODULE_STUFF, NULL, NULL, make_host, NULL, commands, register_hooks, 0,
};

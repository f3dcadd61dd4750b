/* dcamp-statsd: arguments and exit status. */
#include "base/log.h"
#include "libdcamp/dcamp.h"
#include "statsd/options.h"
#include "statsd/receive.h"
#include "statsd/router.h"
#include "statsd/sensors.h"

static void take(void *context, const char *datagram, size_t size, bool is_cut)
{
    statsd_sensors_take(context, datagram, size, is_cut);
}

static void lose(void *context, uint64_t n)
{
    statsd_sensors_lose(context, n);
}

static void rest(void *context)
{
    (void)context;
}

static int run(struct receiver *receiver, const struct listener *listener)
{
    return receiver_run(receiver, listener) == 0 ? STATSD_OK : STATSD_FAILED;
}

static int run_router(const struct options *options, struct receiver *receiver)
{
    struct router *router = router_open(options);
    if (!router)
        return STATSD_FAILED;
    struct listener listener = router_listener(router);
    int status = run(receiver, &listener);
    router_close(router);
    return status;
}

static int run_application(const struct options *options, struct receiver *receiver)
{
    struct dcamp_app *app = dcamp_app_open(options->name);
    int status = STATSD_FAILED;
    if (dcamp_error()) {
        log_error("statsd", "nothing can be published: %s", dcamp_reason());
    } else {
        struct statsd_sensors *sensors = statsd_sensors_new(app, options->sensors);
        if (sensors)
            status = run(receiver, &(struct listener){take, lose, rest, sensors});
        else
            log_error("statsd", "out of memory");
        statsd_sensors_free(sensors);
    }
    dcamp_app_close(app);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    int status = options_parse(argc, argv, &options);
    if (status >= 0)
        return status;
    log_program("dcamp-statsd");
    log_open(options.to_syslog);
    struct receiver *receiver = receiver_open(&options);
    if (!receiver)
        return STATSD_FAILED;
    status =
        options.by_prefix ? run_router(&options, receiver) : run_application(&options, receiver);
    receiver_close(receiver);
    return status;
}

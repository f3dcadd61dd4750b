/* dcamp-publish: arguments and exit status. */
#include <signal.h>

#include "base/log.h"
#include "publish/manager.h"
#include "publish/worker.h"

int main(int argc, char **argv)
{
    struct options options;
    int status = options_parse(argc, argv, &options);
    if (status >= 0)
        return status;
    signal(SIGPIPE, SIG_IGN); /* a lost server is an error of the call; the workers inherit it */
    log_program("dcamp-publish");
    log_open(options.to_syslog);
    return options.sink ? worker_run(&options) : manager_run(&options);
}

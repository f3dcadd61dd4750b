/* dcamp-jvm: arguments and exit status. It is started by dcampd, or by systemd for dcampd. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "application/jvm_message.h"
#include "base/log.h"
#include "jvm/answer.h"
#include "jvm/rights.h"

enum { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_RUNTIME = 3 };

static void usage(FILE *to)
{
    fputs("usage: dcamp-jvm\n"
          "Looks for Java virtual machines, and tells dcampd what they say of themselves. It is\n"
          "started by systemd, for dcampd, or by dcampd itself, with a socket to it.\n\n"
          "      --version            print the version and exit\n"
          "      --help               print this and exit\n\n"
          "See dcamp-jvm(8).\n",
          to);
}

/* Returns -1 to go on, otherwise the exit status. */
static int parse(int argc, char **argv)
{
    static const struct option options[] = {
        {"version", no_argument, NULL, 'V'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int option = getopt_long(argc, argv, "", options, NULL);
    if (option == 'V') {
        puts("dcamp-jvm " PACKAGE_VERSION);
        return EXIT_OK;
    }
    if (option == 'h') {
        usage(stdout);
        return EXIT_OK;
    }
    if (option < 0 && optind >= argc)
        return -1;
    if (option < 0)
        fprintf(stderr, "dcamp-jvm: unexpected argument '%s'\n", argv[optind]);
    fputs("Try 'dcamp-jvm --help'.\n", stderr);
    return EXIT_USAGE;
}

static bool has_socket(void)
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(JVM_FD, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

static int serve(bool is_privileged)
{
    struct looker looker;
    int error = looker_open(&looker, JVM_FD, is_privileged);
    if (!error) {
        while (!error)
            error = looker_serve(&looker);
        looker_close(&looker);
    }
    if (error == EPIPE)
        return EXIT_OK;
    log_error("jvm", "%s", strerror(error));
    return EXIT_RUNTIME;
}

int main(int argc, char **argv)
{
    bool is_privileged = false;
    int status = parse(argc, argv);
    if (status >= 0)
        return status;
    log_program("dcamp-jvm");
    log_open(false);
    if (!has_socket()) {
        fprintf(stderr, "dcamp-jvm: descriptor %d is no socket of dcampd, which starts this\n",
                JVM_FD);
        return EXIT_USAGE;
    }
    int error = rights_drop(&is_privileged);
    if (error) {
        log_error("jvm", "cannot give up its rights: %s", strerror(error));
        return EXIT_RUNTIME;
    }
    return serve(is_privileged);
}

/* dcamp-trap: arguments and exit status. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "trapd-handlers/once.h"

static int print_status(const struct spool *spool)
{
    const struct spool_counts *counts = &spool->state->intake.counts;
    const struct spool_state *state = spool->state;
    printf("received   %" PRIu64 "\n", counts->received);
    printf("delivered  %" PRIu64 "\n", state->delivery.delivered);
    printf("duplicate  %" PRIu64 "\n", counts->duplicates);
    printf("missing    %" PRIu64 "\n", counts->missing);
    printf("foreign    %" PRIu64 "\n", counts->foreign);
    printf("malformed  %" PRIu64 "\n", counts->bad);
    printf("refused    %" PRIu64 "\n", state->delivery.refused);
    printf("expired    %" PRIu64 "\n", state->delivery.expired);
    printf("dropped    %" PRIu64 "\n", counts->dropped);
    printf("unreadable %" PRIu64 "\n", state->delivery.unreadable);
    printf("lost       %" PRIu64 "\n", counts->lost);
    printf("failures   %" PRIu64 "\n", state->delivery.failures);
    return fflush(stdout) == 0 ? STATUS_OK : STATUS_LOST;
}

static int act(const struct options *options, struct deliverer *deliverer)
{
    switch (options->action) {
    case ACTION_STREAM:
        return follow_run(options, deliverer);
    case ACTION_FLUSH:
        return once_flush(deliverer);
    default:
        return once_run(options, deliverer);
    }
}

static int run(const struct options *options, struct spool *spool, const char *dir)
{
    struct target target = {.kind = options->kind, .options = options};
    struct deliverer deliverer = {.spool = spool, .target = &target, .active_dir = dir};
    if (options->action == ACTION_STATUS)
        return print_status(spool);
    if (options->kind->open && !options->kind->open(&target)) {
        log_error(options->kind->name, "%s", target.why);
        return STATUS_SETUP;
    }
    int status = act(options, &deliverer);
    if (options->kind->close)
        options->kind->close(&target);
    deliver_release(&deliverer);
    buffer_release(&target.text);
    return status;
}

static void remove_directory(const char *path)
{
    char name[PATH_MAX];
    DIR *dir = opendir(path);
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
            unlink(name);
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* A single trap from standard input is delivered even if the spool cannot be used: a temporary
 * spool is made for it and removed afterwards. */
static int run_without_spool(const struct options *options)
{
    char dir[] = "/tmp/dcamp-trap.XXXXXX", error[512];
    struct spool spool;
    if (!mkdtemp(dir))
        return STATUS_SETUP;
    int status = STATUS_SETUP;
    if (spool_open(&spool, dir, options->spool_size, error, sizeof error) == 0) {
        status = run(options, &spool, dir);
        if (status == STATUS_OK && spool_waits(&spool)) {
            log_error("trap", "lost: it could not be delivered");
            status = STATUS_LOST;
        }
        spool_close(&spool);
    }
    remove_directory(dir);
    return status;
}

/* --status and --flush make no spool: if run as root, they would make one that snmptrapd's user
 * cannot use, or write files into that user's spool that the user cannot use. */
static bool may_open(const struct options *options, const char *dir)
{
    struct stat status;
    if (options->action == ACTION_TRAP || options->action == ACTION_STREAM)
        return true;
    if (stat(dir, &status) != 0) {
        log_error("spool", "%s: %s", dir, strerror(errno));
        return false;
    }
    if (options->action == ACTION_STATUS || status.st_uid == geteuid())
        return true;
    log_error("spool", "%s: belongs to user %u: run --flush as that user", dir, status.st_uid);
    return false;
}

int main(int argc, char **argv)
{
    struct options options;
    struct spool spool;
    char error[512], dir[PATH_MAX];
    int status = options_parse(argc, argv, &options);
    if (status >= 0)
        return status;
    log_program("dcamp-trap");
    log_open(options.to_syslog);
    log_debug_tokens(options.debug);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* then write(2) fails at a limit on the size of files */
    snprintf(dir, sizeof dir, "%s%s%s", options.spool ? options.spool : DCAMP_SPOOL_DIR,
             options.spool ? "" : "/", options.spool ? "" : options.kind->name);
    if (!may_open(&options, dir))
        return STATUS_SETUP;
    if (spool_open(&spool, dir, options.spool_size, error, sizeof error) != 0) {
        log_error("spool", "%s", error);
        return options.action == ACTION_TRAP ? run_without_spool(&options) : STATUS_SETUP;
    }
    status = run(&options, &spool, dir);
    spool_close(&spool);
    return status;
}

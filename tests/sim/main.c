/* dcamp-sim: one process that answers as many dCAMP nodes. See --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "child.h"
#include "knobs.h"
#include "options.h"
#include "sim.h"
#include "wire.h"

static bool open_children(struct sim *sim)
{
    const struct sim_options *options = &sim->options;
    struct moment now = clock_now();
    sim->children = calloc(options->children, sizeof *sim->children);
    if (!sim->children) {
        fputs("dcamp-sim: no memory for the children\n", stderr);
        return false;
    }
    for (uint32_t i = 0; i < options->children; i++) {
        int error = child_open(sim, &sim->children[i], i + 1, now);
        if (error) {
            fprintf(stderr, "dcamp-sim: child %u: %s\n", i + 1, strerror(error));
            return false;
        }
    }
    return true;
}

static bool first_commands(struct sim *sim)
{
    bool good = true;
    for (unsigned i = 0; i < sim->options.n_knobs && good; i++) {
        char *line = strdup(sim->options.knobs[i]);
        good = line && knobs_command(sim, line, clock_now());
        free(line);
    }
    fflush(stdout);
    return good;
}

static bool start(struct sim *sim)
{
    const struct sim_options *options = &sim->options;
    if (!usm_open(&sim->usm, options->sha512, options->aes256) ||
        !usm_master(&sim->usm, options->auth_secret, options->priv_secret, &sim->master)) {
        fputs("dcamp-sim: the algorithms are not there\n", stderr);
        return false;
    }
    return open_children(sim) && wire_open(sim) && first_commands(sim);
}

static void stop(struct sim *sim)
{
    wire_close(sim);
    events_release(sim);
    for (uint32_t i = 0; sim->children && i < sim->options.children; i++)
        child_close(sim, &sim->children[i]);
    free(sim->children);
    arrivals_release(sim);
    usm_close(&sim->usm);
}

int main(int argc, char **argv)
{
    struct sim sim = {.random = 1};
    int status = options_parse(&sim.options, argc, argv);
    if (status >= 0)
        return status;
    RB_INIT(&sim.events);
    objects_init(&sim.objects);
    status = 1;
    if (start(&sim)) {
        if (sim.options.ready) {
            printf("ready: %u children\n", sim.options.children);
            fflush(stdout);
        }
        wire_run(&sim);
        status = 0;
    }
    stop(&sim);
    return status;
}

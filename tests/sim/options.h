/* The command line. */
#ifndef DCAMP_SIM_OPTIONS_H
#define DCAMP_SIM_OPTIONS_H

#include "sim.h"

/* Returns the exit status that ends the program now, or -1 to go on. */
int options_parse(struct sim_options *options, int argc, char **argv);

#endif

/* A node of a tree as other programs are told of it: with its address taken apart. Pure. */
#ifndef DCAMP_CLI_STATION_H
#define DCAMP_CLI_STATION_H

#include "cli/address.h"
#include "cli/roster.h"

struct station {
    const struct member *member;
    struct address address;
    bool collects; /* so that there are nodes below it */
};

/* Takes a node for the configuration of another program, into which nothing but a name, a group, a
 * host and a port may be written. False: the node has anything else there. */
bool station_take(struct station *station, const struct member *member);

#endif

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

/* What is written into another program's configuration must not be more than a name, a group, a
 * host and a port. False: it is. */
bool station_take(struct station *station, const struct member *member);

#endif

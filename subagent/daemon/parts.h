/* The tree documents that the node keeps, in parts: rows of dcampKeptTable. Pure but for memory. */
#ifndef DCAMP_DAEMON_PARTS_H
#define DCAMP_DAEMON_PARTS_H

#include "base/index.h"
#include "config/parcel.h"

/* Octets of each part except for the last one, which has the rest: together with what SNMPv3 adds,
 * the message is small enough for every path to carry it as a whole. */
#define PART_SIZE 1024u

/* The numbers are those of the MIB. */
enum parts_document { PARTS_IN_FORCE = 1, PARTS_PREVIOUS = 2 };
#define PARTS_KEPT 2 /* the size of an array whose index is the document less 1 */

struct kept_document {
    struct parcel *parcel; /* NULL: there is none */
    uint32_t serial;       /* 0: it is not known */
};

struct part_row {
    struct index_node node; /* key: which document, the number of the part from 1 on */
    uint32_t key[2];
    const struct kept_document *of;
    const uint8_t *octets;
    uint32_t len;
};

struct parts {
    struct index index;
    struct part_row *rows;
    struct kept_document kept[PARTS_KEPT]; /* the documents that the rows belong to, and whose
                                            * octets they use */
};

void parts_open(struct parts *parts);
void parts_close(struct parts *parts);

/* The parts of these documents. They are made anew if the documents differ from those of the last
 * call; if there is no memory for that, there are none, and the next call tries again. */
const struct index *parts_of(struct parts *parts, const struct kept_document kept[PARTS_KEPT]);

#endif

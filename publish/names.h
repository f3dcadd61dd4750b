/* What the numbers of series in the blocks of one stream mean, as far as it was asked. Pure.
 *
 * A number is wanted when a block has it; then somebody asks for it, and until the answer is there,
 * or NAMES_WAIT_NS are over, the block has to wait. A number that nobody knew for that long is
 * asked for from time to time, but nothing waits for it any more. */
#ifndef DCAMP_PUBLISH_NAMES_H
#define DCAMP_PUBLISH_NAMES_H

#include "outlet/message.h"
#include "publish/sink.h"

/* How many are kept of one stream: those that were not used for longest are removed. It is more
 * than a child has, and relays. */
#define NAMES_MAX 131072
#define NAMES_AGAIN_NS UINT64_C(1000000000) /* after this time it is asked again */
#define NAMES_WAIT_NS UINT64_C(60000000000) /* how long blocks wait for an answer */
#define NAMES_NEVER UINT64_MAX

/* If all octets are zero, there are none. */
struct names {
    struct name *at; /* ascending by number */
    size_t n, room;
    size_t awaited;  /* how many have to be known before the blocks go on */
    uint32_t used;   /* counts blocks */
    uint64_t due_ns; /* if is_due: when one is to be asked for, or given up */
    bool is_due;
};

void names_release(struct names *names);

/* Another block begins: names of earlier ones may be removed. */
void names_begin(struct names *names);

enum names_meaning {
    NAMES_KNOWN = 1,
    NAMES_UNWANTED, /* it is known, but the sink is not to have it */
    NAMES_AWAITED,
    NAMES_NAMELESS /* nobody knows it */
};

/* What is known of a number that a block has. A number that was never seen before is to be asked
 * for from now on. 0 or ENOMEM. */
int names_want(struct names *names, uint32_t number, uint64_t now_ns, enum names_meaning *meaning);

/* Takes an answer, which is ignored if nobody waits for it. sensors: globs, "": all are wanted. 0,
 * or ENOMEM; then the number is asked for again. */
int names_take(struct names *names, const struct outlet_name *name, const char *sensors,
               uint64_t now_ns);

/* The numbers that are to be asked for now, at most so many; from now on they count as asked for.
 * What has waited for too long is given up. */
size_t names_ask(struct names *names, uint64_t now_ns, uint32_t *numbers, size_t most);

/* The one who was asked is gone: all numbers that were not answered are to be asked for again. */
void names_ask_anew(struct names *names, uint64_t now_ns);

/* The words of a number; NULL: it is not known, or not wanted. */
const struct sink_words *names_words(const struct names *names, uint32_t number);

#endif

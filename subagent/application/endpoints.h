/* Programs on this machine that publish metrics over HTTP, in the format of OpenMetrics or
 * Prometheus, as a source of samples: how what they say becomes what sensors of dcampd measure.
 *
 * An endpoint is the instance NAME, a series of it NAME:SERIES or NAME:SERIES:LABEL=VALUE,...: see
 * exposed_name.h. A thread asks them, and reads their answers: reading the source never waits for
 * any of them, and gives what the last answers say. An endpoint that does not answer as it should
 * has no values; the others have theirs.
 *
 * They are asked as long as some sensor is on the source. Only series that a sensor selects are
 * kept. */
#ifndef DCAMP_APPLICATION_ENDPOINTS_H
#define DCAMP_APPLICATION_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "sample/source.h"

struct endpoint_setup {
    char name[NAME_SIZE];
    char url[256];     /* a URL in which local_url_fault() finds no fault */
    char socket[108];  /* a UNIX socket that is used instead of the port; "": none */
    char ca[256];      /* a file of certificates; "": those of the system */
    char secrets[256]; /* a file of credentials (base/credentials.h), read for each question; "":
                        * none */
    uint64_t interval_ns, timeout_ns;
    size_t series;      /* how many are kept at most; each bucket counts as one */
    unsigned tolerance; /* the largest error of a value of a histogram, in percent of the value */
};

/* What somebody wants of the series. */
struct endpoint_wish {
    const char *pattern; /* of instances: text_matches */
    uint32_t fields;     /* bit 1 << field, of enum endpoint_field; 0: nothing of series */
};

struct endpoints;

/* Starts no thread yet. NULL: no memory. */
struct endpoints *endpoints_new(void);

/* Ends the thread, which waits for nobody. NULL is allowed. */
void endpoints_free(struct endpoints *endpoints);

/* Sets all endpoints. An existing one goes on, with the new settings, unless its url, socket or ca
 * differs: then it begins anew. ENOMEM: not all of them are there; try again later. */
int endpoints_set(struct endpoints *endpoints, const struct endpoint_setup *setups, size_t n);

/* Sets what sensors want; without any wish, nobody is asked. The patterns are copied. ENOMEM: the
 * earlier wishes stay. EAGAIN: there is no thread. In both cases try again later. */
int endpoints_wish(struct endpoints *endpoints, const struct endpoint_wish *wishes, size_t n);

/* A pass over what the last answers say: a sampler_reader, whose context is a struct endpoints. */
int endpoints_read(void *endpoints, struct source *source, uint64_t now_ns);

#endif

/* Programs on this machine that publish metrics over HTTP, as OpenMetrics or Prometheus have them,
 * as a source of samples: how what they say becomes what sensors of dcampd measure.
 *
 * An endpoint is the instance NAME, a series of it NAME:SERIES or NAME:SERIES:LABEL=VALUE,...: see
 * exposed_name.h. A thread asks them, and reads what they answer: whoever reads the source never
 * waits for any of them, and has what the last answers say. One that does not answer as it should
 * has no values; the others have theirs.
 *
 * They are asked as long as some sensor is on the source. Only series that one selects are kept. */
#ifndef DCAMP_APPLICATION_ENDPOINTS_H
#define DCAMP_APPLICATION_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "sample/source.h"

struct endpoint_setup {
    char name[NAME_SIZE];
    char url[256];     /* local_url_fault() has none */
    char socket[108];  /* a UNIX socket in the place of the port; "": none */
    char ca[256];      /* certificates; "": those of the system */
    char secrets[256]; /* credentials (base/credentials.h), read at each question; "": none */
    uint64_t interval_ns, timeout_ns;
    size_t series;      /* so many are kept; each bucket is one */
    unsigned tolerance; /* of a value of a histogram, in percent of it */
};

/* What of the series somebody wants. */
struct endpoint_wish {
    const char *pattern; /* of instances: text_matches */
    uint32_t fields;     /* bit 1 << field, of enum endpoint_field; none: of no series */
};

struct endpoints;

/* Starts no thread yet. NULL: no memory. */
struct endpoints *endpoints_new(void);

/* Ends the thread, which waits for nobody. NULL is allowed. */
void endpoints_free(struct endpoints *endpoints);

/* These are all endpoints from now on. One that was there goes on, with the new settings, unless
 * its url, socket or ca is another one: then it begins anew. ENOMEM: not all of them are there;
 * again later. */
int endpoints_set(struct endpoints *endpoints, const struct endpoint_setup *setups, size_t n);

/* What sensors want from now on; without any, nobody is asked. The patterns are copied. ENOMEM:
 * what was wanted before is. EAGAIN: there is no thread. Again later. */
int endpoints_wish(struct endpoints *endpoints, const struct endpoint_wish *wishes, size_t n);

/* A pass over what their last answers say: a sampler_reader, whose context is a struct endpoints.
 */
int endpoints_read(void *endpoints, struct source *source, uint64_t now_ns);

#endif

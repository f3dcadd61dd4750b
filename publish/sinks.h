/* The kinds of sinks that are linked into dcamp-publish; the others are modules. */
#ifndef DCAMP_PUBLISH_SINKS_H
#define DCAMP_PUBLISH_SINKS_H

#include "publish/sink.h"

/* The linked kind of that name; NULL: there is none. */
const struct sink_type *sinks_find(const char *kind);

#endif

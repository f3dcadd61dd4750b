/* Kinds of sinks that are modules: DIRECTORY/KIND.so, which is loaded, and stays. */
#ifndef DCAMP_PUBLISH_MODULES_H
#define DCAMP_PUBLISH_MODULES_H

#include "publish/sink.h"

/* NULL: error says why there is none of that kind. */
const struct sink_type *modules_find(const char *kind, const char *directory,
                                     char error[SINK_ERROR_SIZE]);

#endif

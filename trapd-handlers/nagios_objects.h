/* Which services Nagios has, according to the file into which it writes all its objects at its
 * start (object_cache_file). A result for a service that it does not know would be lost, with a
 * line in its log. */
#ifndef DCAMP_TRAP_NAGIOS_OBJECTS_H
#define DCAMP_TRAP_NAGIOS_OBJECTS_H

#include <stdbool.h>

struct nagios_objects;

/* Returns NULL if memory runs out. Nothing is read yet. */
struct nagios_objects *nagios_objects_new(const char *path);
void nagios_objects_free(struct nagios_objects *objects);

/* Reads the file if it has changed. Returns 0, or an errno, and then no service is known. */
int nagios_objects_refresh(struct nagios_objects *objects);

/* According to the last refresh. */
bool nagios_objects_have(const struct nagios_objects *objects, const char *host,
                         const char *service);

#endif

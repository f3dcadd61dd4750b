/* Which services Nagios has, by the file that it writes of all its objects (object_cache_file) when
 * it starts: a result for a service that it does not know is lost, with a line in its log. */
#ifndef DCAMP_TRAP_NAGIOS_OBJECTS_H
#define DCAMP_TRAP_NAGIOS_OBJECTS_H

#include <stdbool.h>

struct nagios_objects;

/* NULL: no memory. Nothing is read yet. */
struct nagios_objects *nagios_objects_new(const char *path);
void nagios_objects_free(struct nagios_objects *objects);

/* Reads the file if it is another one than before. 0 or an errno; then it knows no service. */
int nagios_objects_refresh(struct nagios_objects *objects);

/* As of the last refresh. */
bool nagios_objects_have(const struct nagios_objects *objects, const char *host,
                         const char *service);

#endif

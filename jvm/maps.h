/* Finds the line of /proc/PID/maps (proc(5)) that a JVM has for its performance data: the JVM keeps
 * them in a file for others to read, and maps that file in order to write to it. Pure. */
#ifndef DCAMP_JVM_MAPS_H
#define DCAMP_JVM_MAPS_H

#include <stdbool.h>
#include <stddef.h>

struct maps_file {
    const char *path; /* points into the line; as the process sees it, from its own root on */
    size_t len;
    size_t base;     /* where in the path "hsperfdata_USER/NUMBER" begins */
    unsigned number; /* the file's name: the pid of the JVM, as the JVM sees it */
};

/* Whether a line, without its end, is that of a file of such a name that is mapped for writing:
 * programs that read the data of another JVM map its file, too. */
bool maps_find(const char *line, size_t len, struct maps_file *file);

#endif

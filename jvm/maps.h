/* The line of /proc/PID/maps (proc(5)) that a JVM has for its performance data: it maps the file
 * that it keeps there for others to read, to write it. Pure. */
#ifndef DCAMP_JVM_MAPS_H
#define DCAMP_JVM_MAPS_H

#include <stdbool.h>
#include <stddef.h>

struct maps_file {
    const char *path; /* in the line, as the process sees it, from its own root on */
    size_t len;
    size_t base;     /* where in the path "hsperfdata_USER/NUMBER" begins */
    unsigned number; /* its name: the pid of the JVM, as the JVM sees it */
};

/* Whether a line, without its end, is one of a file of that name that is mapped to be written:
 * those who read the data of another JVM map its file, too. */
bool maps_find(const char *line, size_t len, struct maps_file *file);

#endif

/* The files of the page, read once. They hold nothing of what was measured. */
#ifndef DCAMP_WEB_SITE_H
#define DCAMP_WEB_SITE_H

#include <stdbool.h>
#include <stddef.h>

struct site_file {
    const char *path, *name, *type; /* in URLs; in the directory; of the content */
    char *text;
    size_t len;
};

struct site;

/* NULL: error is one line that names the file. */
struct site *site_open(const char *directory, char error[512]);
void site_close(struct site *site);

/* NULL: there is none at that path. */
const struct site_file *site_find(const struct site *site, const char *path);

#endif

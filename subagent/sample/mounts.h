/* What is mounted: /proc/self/mountinfo, proc(5). Not for other stages. */
#ifndef DCAMP_SAMPLE_MOUNTS_H
#define DCAMP_SAMPLE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/procfile.h"

struct mounts {
    struct procfile file;
    bool polls; /* polling the file tells whether it has changed */
};

/* A text as it stands in the file: blanks and similar characters are written as \ooo, and there is
 * no NUL at the end. */
struct mount_text {
    const char *text;
    size_t len;
};

struct mount {
    uint64_t major;
    uint64_t minor;
    struct mount_text point;
    struct mount_text type;
};

int mounts_init(struct mounts *mounts, const char *root);
void mounts_release(struct mounts *mounts);

/* Reads the file unless it is known not to have changed. 0 or an errno. */
int mounts_read(struct mounts *mounts, bool *changed);

/* Finds the first line from *at on that is a mount, and moves *at behind it. False: there is none.
 * *at is NULL in the beginning. The text stays until the next mounts_read. */
bool mounts_next(const struct mounts *mounts, const char **at, struct mount *mount);

/* Writes the text without escapes and with a NUL; text has room for len + 1 octets. Returns its
 * length. */
size_t mounts_unescape(const struct mount_text *escaped, char *text);

#endif

#include "sample/mounts.h"

#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/vfs.h>

#include "sample/scan.h"

int mounts_init(struct mounts *mounts, const char *root)
{
    mounts->polls = false;
    return procfile_init(&mounts->file, root, "/proc/self/mountinfo");
}

void mounts_release(struct mounts *mounts)
{
    procfile_release(&mounts->file);
}

/* The kernel's own file reports an exceptional condition when a mount came or went since the last
 * look (fs/namespace.c mounts_poll, proc_mounts(5)); a copy of it never does. */
static bool unchanged(const struct mounts *mounts)
{
    struct pollfd poll_fd = {.fd = mounts->file.fd, .events = POLLPRI};
    return mounts->polls && mounts->file.fd >= 0 && poll(&poll_fd, 1, 0) == 0;
}

int mounts_read(struct mounts *mounts, bool *changed)
{
    *changed = false;
    if (unchanged(mounts))
        return 0;
    mounts->polls = false;
    int error = procfile_read(&mounts->file);
    if (error)
        return error;
    struct statfs file_system;
    mounts->polls =
        fstatfs(mounts->file.fd, &file_system) == 0 && file_system.f_type == PROC_SUPER_MAGIC;
    *changed = true;
    return 0;
}

static struct mount_text word_at(const char **p)
{
    const char *begin = scan_blanks(*p);
    *p = scan_word(begin);
    return (struct mount_text){begin, (size_t)(*p - begin)};
}

/* The line is "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw"; the optional
 * fields end with a "-". */
static bool parse(const struct line *line, struct mount *mount)
{
    const char *p = scan_word(scan_blanks(line->begin));
    p = scan_blanks(scan_word(scan_blanks(p)));
    if (!scan_digits(&p, &mount->major) || *p++ != ':' || !scan_digits(&p, &mount->minor))
        return false;
    word_at(&p);
    mount->point = word_at(&p);
    struct mount_text word = word_at(&p);
    while (word.len > 0 && !(word.len == 1 && *word.text == '-'))
        word = word_at(&p);
    mount->type = word_at(&p);
    return mount->type.len > 0 && *mount->point.text == '/';
}

bool mounts_next(const struct mounts *mounts, const char **at, struct mount *mount)
{
    const char *end = mounts->file.text + mounts->file.length;
    const char *begin = *at ? *at : mounts->file.text;
    const char *newline;
    while ((newline = memchr(begin, '\n', (size_t)(end - begin)))) {
        struct line line = {begin, newline};
        begin = newline + 1;
        if (!parse(&line, mount))
            continue;
        *at = begin;
        return true;
    }
    return false;
}

static bool is_octal(const char *p)
{
    return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' && p[2] <= '7';
}

size_t mounts_unescape(const struct mount_text *escaped, char *text)
{
    size_t n = 0;
    const char *end = escaped->text + escaped->len;
    for (const char *p = escaped->text; p < end; p++) {
        char c = *p;
        if (c == '\\' && end - p >= 4 && is_octal(p + 1)) {
            c = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
            p += 3;
        }
        text[n++] = c;
    }
    text[n] = '\0';
    return n;
}

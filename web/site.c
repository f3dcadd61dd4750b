#include "web/site.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define FILE_MAX ((size_t)4 << 20)

static const struct site_file kinds[] = {
    {.path = "/", .name = "index.html", .type = "text/html; charset=utf-8"},
    {.path = "/dcamp.css", .name = "dcamp.css", .type = "text/css; charset=utf-8"},
    {.path = "/dcamp.js", .name = "dcamp.js", .type = "text/javascript; charset=utf-8"},
    {.path = "/uPlot.min.css", .name = "uPlot.min.css", .type = "text/css; charset=utf-8"},
    {.path = "/uPlot.js", .name = "uPlot.iife.js", .type = "text/javascript; charset=utf-8"},
    {.path = "/icon.svg", .name = "icon.svg", .type = "image/svg+xml"},
    {.path = "/api/v1/openapi.json", .name = "openapi.json", .type = "application/json"},
};
#define FILES (sizeof kinds / sizeof *kinds)

struct site {
    struct site_file files[FILES];
};

/* 0 or an errno. */
static int read_all(int fd, struct site_file *file)
{
    struct stat about;
    if (fstat(fd, &about) < 0)
        return errno;
    if (!S_ISREG(about.st_mode) || (uintmax_t)about.st_size > FILE_MAX)
        return EINVAL;
    size_t size = (size_t)about.st_size;
    file->text = malloc(size + 1);
    if (!file->text)
        return ENOMEM;
    while (file->len < size) {
        ssize_t n = read(fd, file->text + file->len, size - file->len);
        if (n <= 0)
            return n < 0 ? errno : EINVAL;
        file->len += (size_t)n;
    }
    return 0;
}

static int read_file(const char *directory, struct site_file *file)
{
    int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = at < 0 ? -1 : openat(at, file->name, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : read_all(fd, file);
    if (fd >= 0)
        close(fd);
    if (at >= 0)
        close(at);
    return error;
}

struct site *site_open(const char *directory, char error[512])
{
    struct site *site = calloc(1, sizeof *site);
    if (!site) {
        text_format(error, 512, "%s", strerror(ENOMEM));
        return NULL;
    }
    memcpy(site->files, kinds, sizeof kinds);
    for (size_t i = 0; i < FILES; i++) {
        int why = read_file(directory, &site->files[i]);
        if (why) {
            text_format(error, 512, "%s/%s: %s", directory, site->files[i].name, strerror(why));
            site_close(site);
            return NULL;
        }
    }
    return site;
}

void site_close(struct site *site)
{
    for (size_t i = 0; site && i < FILES; i++)
        free(site->files[i].text);
    free(site);
}

const struct site_file *site_find(const struct site *site, const char *path)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(site->files[i].path, path) == 0)
            return &site->files[i];
    return NULL;
}

#include "publish/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

void outdir_day(char day[OUTDIR_DAY_SIZE], int64_t now_ms)
{
    struct tm tm;
    time_t seconds = (time_t)(now_ms / 1000);
    /* If the clock is so wrong, its files have a day of their own. */
    if (now_ms < 0 || !gmtime_r(&seconds, &tm) || tm.tm_year > 9999 - 1900)
        strcpy(day, "0000-00-00");
    else
        strftime(day, OUTDIR_DAY_SIZE, "%Y-%m-%d", &tm);
}

static bool is_like(const char *text, const char *form)
{
    for (; *form; text++, form++)
        if (*form == '0' ? *text < '0' || *text > '9' : *text != *form)
            return false;
    return true;
}

/* Where the day begins in the name of a file of this sink; NULL: it is not such a name. */
static const char *day_in(const char *sink, const char *suffix, const char *name)
{
    static const char form[] = "-0000-00-00-0000.";
    size_t len = strlen(sink);
    if (strncmp(name, sink, len) != 0 || !is_like(name + len, form) ||
        strcmp(name + len + strlen(form), suffix) != 0)
        return NULL;
    return name + len + 1;
}

bool outdir_day_of(const char *sink, const char *suffix, const char *name,
                   char day[OUTDIR_DAY_SIZE])
{
    const char *at = day_in(sink, suffix, name);
    if (at)
        text_format(day, OUTDIR_DAY_SIZE, "%.10s", at);
    return at != NULL;
}

typedef void file_fn(void *context, int dir, const char *name);

static int each_file(int dir, const char *sink, const char *suffix, file_fn *each, void *context)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = fd < 0 ? NULL : fdopendir(fd);
    if (!all) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return error;
    }
    struct dirent *one;
    errno = 0;
    for (; (one = readdir(all)); errno = 0)
        if (day_in(sink, suffix, one->d_name))
            each(context, dir, one->d_name);
    int error = errno;
    closedir(all);
    return error;
}

struct newest {
    const char *sink, *suffix, *day;
    int number;
};

static void take_newest(void *context, int dir, const char *name)
{
    struct newest *newest = context;
    const char *at = day_in(newest->sink, newest->suffix, name);
    int number = (int)strtol(at + strlen("2026-11-26-"), NULL, 10);
    (void)dir;
    if (strncmp(at, newest->day, strlen(newest->day)) == 0 && number > newest->number)
        newest->number = number;
}

int outdir_next(int dir, const char *sink, const char *suffix, const char *day,
                char name[OUTDIR_NAME_SIZE])
{
    struct newest newest = {.sink = sink, .suffix = suffix, .day = day};
    int error = each_file(dir, sink, suffix, take_newest, &newest);
    if (!error && newest.number >= OUTDIR_FILES_MAX)
        error = ENFILE;
    if (!error)
        text_format(name, OUTDIR_NAME_SIZE, "%s-%s-%04d.%s", sink, day, newest.number + 1, suffix);
    return error;
}

struct sum {
    const char *but;
    uint64_t octets;
    char oldest[OUTDIR_NAME_SIZE]; /* "": there is none */
    uint64_t oldest_octets;
};

static void add_size(void *context, int dir, const char *name)
{
    struct sum *sum = context;
    struct stat status;
    if (strcmp(name, sum->but) == 0 || strlen(name) >= sizeof sum->oldest ||
        fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
        return;
    sum->octets += (uint64_t)status.st_size;
    if (sum->oldest[0] && strcmp(name, sum->oldest) > 0)
        return;
    strcpy(sum->oldest, name);
    sum->oldest_octets = (uint64_t)status.st_size;
}

int outdir_size(int dir, const char *sink, const char *suffix, const char *but, uint64_t *octets)
{
    struct sum sum = {.but = but};
    int error = each_file(dir, sink, suffix, add_size, &sum);
    if (!error)
        *octets = sum.octets;
    return error;
}

int outdir_trim(const char *path, int dir, const char *sink, const char *suffix, const char *but,
                uint64_t most, uint64_t *octets)
{
    for (;;) {
        struct sum sum = {.but = but};
        int error = each_file(dir, sink, suffix, add_size, &sum);
        if (error)
            return error;
        *octets = sum.octets;
        if (sum.octets <= most || !sum.oldest[0])
            return 0;
        if (unlinkat(dir, sum.oldest, 0) < 0)
            return errno;
        log_info("publish",
                 "%s/%s, of %" PRIu64 " octets, was removed: the files are at their limit", path,
                 sum.oldest, sum.oldest_octets);
    }
}

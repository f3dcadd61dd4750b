#include "sample/cgroup_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "metric/field.h"
#include "sample/scan.h"

static uint32_t scan_number(const char *text, enum cgroup_field field, uint64_t *number)
{
    const char *p = text;
    bool ok = scan_digits(&p, &number[field]) && *p == '\n' && number[field] <= INT64_MAX;
    return (uint32_t)ok << field;
}

static uint32_t scan_lines(const char *text, const struct scan_key *keys, size_t n, uint64_t *field)
{
    const struct procfile file = {.text = (char *)text, .length = strlen(text)};
    return scan_keyed_file(&file, keys, n, field);
}

static uint32_t scan_cpu(const char *text, uint64_t *field)
{
    static const struct scan_key keys[] = {
        SCAN_KEY("usage_usec", CGROUP_CPU),
        SCAN_KEY("user_usec", CGROUP_CPU_USER),
        SCAN_KEY("system_usec", CGROUP_CPU_SYSTEM),
        SCAN_KEY("nr_throttled", CGROUP_THROTTLED_PERIODS),
        SCAN_KEY("throttled_usec", CGROUP_THROTTLED_TIME),
    };
    return scan_lines(text, keys, SCAN_KEYS(keys), field);
}

static uint32_t scan_events(const char *text, uint64_t *field)
{
    static const struct scan_key keys[] = {SCAN_KEY("oom_kill", CGROUP_OOM_KILLS)};
    return scan_lines(text, keys, SCAN_KEYS(keys), field);
}

static uint32_t scan_memory(const char *text, uint64_t *field)
{
    return scan_number(text, CGROUP_MEMORY, field);
}

/* "max" means that there is no limit; it gives no value. */
static uint32_t scan_limit(const char *text, uint64_t *field)
{
    return scan_number(text, CGROUP_MEMORY_LIMIT, field);
}

static uint32_t scan_swap(const char *text, uint64_t *field)
{
    return scan_number(text, CGROUP_SWAP, field);
}

static uint32_t scan_pids(const char *text, uint64_t *field)
{
    return scan_number(text, CGROUP_PIDS, field);
}

#define IO_STAT_FIELDS                                                                             \
    (1u << CGROUP_READ_BYTES | 1u << CGROUP_WRITE_BYTES | 1u << CGROUP_READS | 1u << CGROUP_WRITES)

static const struct scan_key io_keys[] = {
    SCAN_KEY("rbytes", CGROUP_READ_BYTES),
    SCAN_KEY("wbytes", CGROUP_WRITE_BYTES),
    SCAN_KEY("rios", CGROUP_READS),
    SCAN_KEY("wios", CGROUP_WRITES),
};

/* Adds the number of a word such as "rbytes=1" to the sum of its key. Returns the key's bit if the
 * number cannot be read, because then the sum is not known. */
static uint32_t add_word(const char *word, const char *end, uint64_t *field)
{
    const char *equals = memchr(word, '=', (size_t)(end - word));
    const struct scan_key *key =
        equals ? scan_key_find(io_keys, SCAN_KEYS(io_keys), word, (size_t)(equals - word)) : NULL;
    const char *p = equals ? equals + 1 : word;
    uint64_t number;
    if (!key)
        return 0;
    if (!scan_digits(&p, &number) || p != end)
        return 1u << key->field;
    field[key->field] += number;
    return 0;
}

/* There is a line "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0" for each device that was
 * used. */
static uint32_t scan_io(const char *text, uint64_t *field)
{
    const struct procfile file = {.text = (char *)text, .length = strlen(text)};
    uint32_t spoilt =
        file.length == CGROUP_TEXT_SIZE - 1 ? IO_STAT_FIELDS : 0; /* there may be more */
    struct line line;
    for (bool more = line_first(&file, &line); more; more = line_next(&file, &line))
        for (const char *p = scan_word(line.begin); *p != '\n'; p = scan_word(p)) {
            p = scan_blanks(p);
            spoilt |= add_word(p, scan_word(p), field);
        }
    return IO_STAT_FIELDS & ~spoilt;
}

#define CPU_STAT_FIELDS                                                                            \
    (1u << CGROUP_CPU | 1u << CGROUP_CPU_USER | 1u << CGROUP_CPU_SYSTEM |                          \
     1u << CGROUP_THROTTLED_TIME | 1u << CGROUP_THROTTLED_PERIODS)

static const struct {
    const char *name;
    uint32_t fields;
    uint32_t (*scan)(const char *text, uint64_t *field);
} files[] = {
    {"cpu.stat", CPU_STAT_FIELDS, scan_cpu},
    {"memory.current", 1u << CGROUP_MEMORY, scan_memory},
    {"memory.max", 1u << CGROUP_MEMORY_LIMIT, scan_limit},
    {"memory.events", 1u << CGROUP_OOM_KILLS, scan_events},
    {"memory.swap.current", 1u << CGROUP_SWAP, scan_swap},
    {"pids.current", 1u << CGROUP_PIDS, scan_pids},
    {"io.stat", IO_STAT_FIELDS, scan_io},
};
static_assert(sizeof files / sizeof *files == CGROUP_FILES, "a handle for each file");

/* One read gives the whole file: the kernel makes these files in one piece (fs/kernfs/file.c). */
static int read_handle(int fd, char *text)
{
    ssize_t got;
    do
        got = pread(fd, text, CGROUP_TEXT_SIZE - 1, 0);
    while (got < 0 && errno == EINTR);
    text[got > 0 ? got : 0] = '\0';
    return got < 0 ? errno : 0;
}

void cgroup_close_file(struct cgroups *own, struct cgroup *group, unsigned file)
{
    if (group->fd[file] < 0)
        return;
    close(group->fd[file]);
    group->fd[file] = -1;
    own->n_open--;
}

/* Reading through a handle that was kept costs a tenth of opening the file, but only so many
 * handles can be kept. The handle of a group that has gone gives ENODEV, even if a group of that
 * name has come again. */
static int read_file(struct cgroups *own, struct cgroup *group, unsigned file)
{
    char path[PATH_MAX];
    if (group->fd[file] >= 0 && read_handle(group->fd[file], own->text) == 0)
        return 0;
    cgroup_close_file(own, group, file);
    text_format(path, sizeof path, "%s/%s", group->path, files[file].name);
    int fd = procfile_open(own->folder, path);
    if (fd < 0)
        return errno;
    group->fd[file] = fd;
    own->n_open++;
    int error = read_handle(fd, own->text);
    if (error || own->n_open > own->max_open)
        cgroup_close_file(own, group, file);
    return error;
}

/* For a group that has none of the wanted files, looks whether it has any of the other files: a
 * group whose controllers are off has some. */
static void look_for_others(const struct cgroups *own, struct cgroup *group)
{
    char path[PATH_MAX];
    for (unsigned i = 0; i < CGROUP_FILES; i++) {
        if (group->absent >> i & 1)
            continue;
        text_format(path, sizeof path, "%s/%s", group->path, files[i].name);
        if (faccessat(own->folder, path, F_OK, 0) == 0)
            return;
        group->absent |= 1u << i;
    }
}

uint32_t cgroup_read_files(struct cgroups *own, struct cgroup *group, uint32_t wanted,
                           uint64_t *field)
{
    uint32_t valid = 0;
    bool any = false;
    for (unsigned i = 0; i < CGROUP_FILES; i++) {
        if (!(files[i].fields & wanted))
            cgroup_close_file(own, group, i);
        if (!(files[i].fields & wanted) || group->absent >> i & 1)
            continue;
        int error = read_file(own, group, i);
        if (error == ENOENT || error == ENODEV)
            group->absent |= 1u << i;
        else
            any = true;
        if (!error)
            valid |= files[i].scan(own->text, field);
    }
    if (!any)
        look_for_others(own, group);
    return valid;
}

#include <errno.h>
#include <string.h>

#include "sample/scan.h"
#include "sample/select.h"
#include "sample/slot.h"
#include "sample/sources.h"

enum { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, PRESSURE_FILES };

static const char *const paths[PRESSURE_FILES] = {"/proc/pressure/cpu", "/proc/pressure/memory",
                                                  "/proc/pressure/io"};
static const char *const names[PRESSURE_FILES] = {"cpu", "memory", "io"};

/* The fields of a line, counted from its first one. */
static const struct scan_key keys[] = {
    SCAN_KEY("avg10", PRESSURE_SOME_10),
    SCAN_KEY("avg60", PRESSURE_SOME_60),
    SCAN_KEY("avg300", PRESSURE_SOME_300),
    SCAN_KEY("total", PRESSURE_SOME_TIME),
};

static bool scan_value(const char *p, const struct scan_key *key, uint64_t *number)
{
    if (key->field != PRESSURE_SOME_TIME)
        return scan_hundredths(p, number);
    return scan_digits(&p, number) && p == scan_word(p);
}

/* Scans "avg10=4.44 avg60=8.50 avg300=7.93 total=208898584". */
static uint32_t scan_line(const char *p, uint64_t *field)
{
    uint32_t valid = 0;
    for (p = scan_blanks(p); *p != '\n'; p = scan_blanks(p)) {
        const char *end = scan_word(p);
        const char *equals = memchr(p, '=', (size_t)(end - p));
        const struct scan_key *key =
            equals ? scan_key_find(keys, SCAN_KEYS(keys), p, (size_t)(equals - p)) : NULL;
        uint64_t number;
        if (key && scan_value(equals + 1, key, &number)) {
            field[key->field] = number;
            valid |= 1u << key->field;
        }
        p = end;
    }
    return valid;
}

/* There is no line "full" for the CPU before Linux 5.13. */
static uint32_t scan_file(const struct procfile *file, uint64_t *field)
{
    struct line line;
    uint32_t valid = 0;
    for (bool more = line_first(file, &line); more; more = line_next(file, &line)) {
        if (strncmp(line.begin, "some ", strlen("some ")) == 0)
            valid |= scan_line(line.begin + strlen("some "), field);
        else if (strncmp(line.begin, "full ", strlen("full ")) == 0)
            valid |= scan_line(line.begin + strlen("full "), field + PRESSURE_FULL_10)
                     << PRESSURE_FULL_10;
    }
    return valid;
}

int pressure_open(struct source *source)
{
    return files_open(source, paths, PRESSURE_FILES);
}

/* The selected files, as bits 1 << file. When the caches are cold, matching the patterns takes as
 * long as reading a file, so the result is kept until the patterns change. */
static uint32_t selected_files(const struct source *source)
{
    struct files *files = source->own;
    if (source->n_patterns == 0)
        return (1u << PRESSURE_FILES) - 1;
    if (files->patterns_changed == source->patterns_changed)
        return files->selected;
    files->selected = 0;
    for (unsigned i = 0; i < PRESSURE_FILES; i++)
        if (patterns_select(source->id, source->patterns, source->n_patterns, names[i]))
            files->selected |= 1u << i;
    files->patterns_changed = source->patterns_changed;
    return files->selected;
}

/* A kernel that was booted with psi=0 does not have the files, or gives EOPNOTSUPP: then no file
 * can be read, and that is the error of the source. */
int pressure_read(struct source *source, uint64_t now_ns)
{
    (void)now_ns;
    const struct procfile *file = ((struct files *)source->own)->file;
    uint32_t selected = selected_files(source);
    uint32_t has[PRESSURE_FILES];
    int error[PRESSURE_FILES];
    for (unsigned i = 0; i < PRESSURE_FILES; i++)
        has[i] = selected >> i & 1 ? SAMPLE_ALL_FIELDS : 0;
    int unreadable = files_read(source, has, error);
    if (unreadable)
        return unreadable;
    for (unsigned i = 0; i < PRESSURE_FILES; i++) {
        uint64_t field[PRESSURE_FIELDS] = {0};
        if (!error[i])
            source_fill_node(source, names[i], scan_file(&file[i], field), field, PRESSURE_FIELDS);
    }
    return source->place > 0 || !selected ? 0 : EBADMSG;
}

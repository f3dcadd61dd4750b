#include <string.h>

#include "sample/source.h"

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

/* "avg10=4.44 avg60=8.50 avg300=7.93 total=208898584". */
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

/* A kernel booted with psi=0 has the files not at all, or answers EOPNOTSUPP: no file can be
 * read, and that is then the error of the source. */
int pressure_read(struct source *source, uint64_t now_ns)
{
    (void)now_ns;
    struct procfile *file = ((struct files *)source->own)->file;
    int first_error = 0;
    unsigned readable = 0;
    for (unsigned i = 0; i < PRESSURE_FILES; i++) {
        uint64_t field[PRESSURE_FIELDS] = {0};
        int error = procfile_read(&file[i]);
        if (error) {
            first_error = first_error ? first_error : error;
            continue;
        }
        readable++;
        source_fill_node(source, names[i], scan_file(&file[i], field), field, PRESSURE_FIELDS);
    }
    return readable ? 0 : first_error;
}

#include <string.h>

#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

/* Scans "running/all". */
static bool scan_tasks(const char *p, uint64_t *field)
{
    return scan_digits(&p, &field[LOAD_RUNNING]) && *p++ == '/' &&
           scan_digits(&p, &field[LOAD_TASKS]) && p == scan_word(p);
}

/* The averages are printed as "%lu.%02lu" (fs/proc/loadavg.c). */
static uint32_t scan_load(const char *p, uint64_t *field)
{
    uint32_t valid = 0;
    for (unsigned i = LOAD_1; i <= LOAD_15; i++) {
        p = scan_blanks(p);
        if (scan_hundredths(p, &field[i]))
            valid |= 1u << i;
        p = scan_word(p);
    }
    if (scan_tasks(scan_blanks(p), field))
        valid |= 1u << LOAD_RUNNING | 1u << LOAD_TASKS;
    return valid;
}

void load_parse(struct source *source)
{
    struct line line;
    uint64_t field[LOAD_FIELDS];
    if (!line_first(&source->file, &line))
        return;
    uint32_t valid = scan_load(line.begin, field);
    if (!valid)
        return;
    struct sample_slot *slot =
        source_slot(source, METRIC_NODE_INSTANCE, strlen(METRIC_NODE_INSTANCE));
    if (!slot)
        return;
    slot->class = RESOURCE_NODE;
    slot->valid = valid;
    for (unsigned i = 0; i < LOAD_FIELDS; i++)
        slot->field[i] = valid >> i & 1 ? field[i] : 0;
}

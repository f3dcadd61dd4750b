#include <string.h>

#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

#define CPU_COLUMNS (CPU_STEAL + 1u)

/* Columns that an old kernel does not have (before 2.6.11: steal; before 2.6: iowait, irq, softirq)
 * count no time, and the sums are those of the others. If one of the columns is not a number, there
 * is no sum. */
static uint32_t sum_up(const struct columns *columns, uint64_t *field)
{
    uint32_t all = (1u << columns->count) - 1;
    if (columns->count <= CPU_IDLE || columns->valid != all)
        return 0;
    field[CPU_BUSY] = 0;
    for (unsigned i = 0; i < columns->count; i++)
        if (i != CPU_IDLE && i != CPU_IOWAIT)
            field[CPU_BUSY] += field[i];
    field[CPU_TOTAL] = field[CPU_BUSY] + field[CPU_IDLE] + field[CPU_IOWAIT];
    return 1u << CPU_BUSY | 1u << CPU_TOTAL;
}

/* guest and guest_nice, behind steal, are left out: the kernel counted them in user and nice
 * (kernel/sched/cputime.c account_guest_time). */
static void fill_cpu(struct sample_slot *slot, const struct columns *columns)
{
    static const uint8_t map[CPU_COLUMNS] = {0, 1, 2, 3, 4, 5, 6, 7};
    memset(slot->field, 0, CPU_FIELDS * sizeof *slot->field);
    slot->valid = columns_pick(columns, map, CPU_COLUMNS, slot->field);
    slot->valid |= sum_up(columns, slot->field);
}

/* The line "cpu  1 2 3" is the sum of the lines such as "cpu0 1 2 3". */
static struct sample_slot *parse_cpu(struct source *source, const char *name)
{
    uint64_t number;
    const char *end = name;
    bool whole = *name == ' ';
    if (!whole && (!scan_digits(&end, &number) || *end != ' '))
        return NULL;
    struct sample_slot *slot = whole ? NULL : source_unwanted(source, name, (size_t)(end - name));
    if (slot)
        return slot;
    struct columns columns;
    scan_columns(end, CPU_COLUMNS, &columns);
    if (columns.valid == 0)
        return NULL;
    slot = whole ? source_slot(source, METRIC_NODE_INSTANCE, strlen(METRIC_NODE_INSTANCE))
                 : source_slot(source, name, (size_t)(end - name));
    if (!slot)
        return NULL;
    slot->class = whole ? RESOURCE_NODE : RESOURCE_CPU;
    fill_cpu(slot, &columns);
    return slot;
}

/* The lines of the machine as a whole. In intr and softirq, the first number is the sum of the
 * others. */
static const struct scan_key keys[] = {
    SCAN_KEY("intr", CPU_INTERRUPTS),  SCAN_KEY("ctxt", CPU_SWITCHES),
    SCAN_KEY("processes", CPU_FORKS),  SCAN_KEY("procs_blocked", CPU_BLOCKED),
    SCAN_KEY("softirq", CPU_SOFTIRQS),
};

/* The lines of the machine follow those of the CPUs, which may move the slots, so the slot of the
 * sum is remembered by its index. */
void cpu_parse(struct source *source)
{
    struct line line;
    size_t total = SIZE_MAX;
    uint64_t cpus = 0;
    for (bool more = line_first(&source->file, &line); more;
         more = line_next(&source->file, &line)) {
        if (strncmp(line.begin, "cpu", strlen("cpu")) == 0) {
            struct sample_slot *slot = parse_cpu(source, line.begin + strlen("cpu"));
            if (slot && slot->class == RESOURCE_NODE)
                total = (size_t)(slot - source->set.slots);
            cpus += slot && slot->class == RESOURCE_CPU;
        } else if (total != SIZE_MAX) {
            struct sample_slot *slot = &source->set.slots[total];
            slot->valid = scan_keyed(&line, keys, SCAN_KEYS(keys), slot->valid, slot->field);
        }
    }
    if (total != SIZE_MAX && cpus > 0) {
        source->set.slots[total].field[CPU_COUNT] = cpus;
        source->set.slots[total].valid |= 1u << CPU_COUNT;
    }
}

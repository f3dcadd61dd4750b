#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

enum { UPTIME, VMSTAT, KERNEL_FILES };

static const char *const paths[KERNEL_FILES] = {"/proc/uptime", "/proc/vmstat"};

/* The keys are in the order of vmstat_text in mm/vmstat.c. */
static const struct scan_key keys[] = {
    SCAN_KEY("pgpgin", KERNEL_PAGED_IN),    SCAN_KEY("pgpgout", KERNEL_PAGED_OUT),
    SCAN_KEY("pswpin", KERNEL_SWAP_IN),     SCAN_KEY("pswpout", KERNEL_SWAP_OUT),
    SCAN_KEY("pgfault", KERNEL_FAULTS),     SCAN_KEY("pgmajfault", KERNEL_MAJOR_FAULTS),
    SCAN_KEY("oom_kill", KERNEL_OOM_KILLS),
};

/* In "4414.15 6879.42", the first number is the time since boot, the second the idle time of all
 * CPUs. */
static uint32_t scan_uptime(const struct procfile *file, uint64_t *field)
{
    struct line line;
    bool ok = line_first(file, &line) && scan_hundredths(line.begin, &field[KERNEL_UPTIME]);
    return (uint32_t)ok << KERNEL_UPTIME;
}

int kernel_open(struct source *source)
{
    return files_open(source, paths, KERNEL_FILES);
}

int kernel_read(struct source *source, uint64_t now_ns)
{
    (void)now_ns;
    struct procfile *file = ((struct files *)source->own)->file;
    uint64_t field[KERNEL_FIELDS] = {0};
    const uint32_t has[KERNEL_FILES] = {
        [UPTIME] = 1u << KERNEL_UPTIME,
        [VMSTAT] = scan_keys_fields(keys, SCAN_KEYS(keys)),
    };
    int error[KERNEL_FILES];
    int unreadable = files_read(source, has, error);
    if (unreadable)
        return unreadable;
    uint32_t valid = error[UPTIME] ? 0 : scan_uptime(&file[UPTIME], field);
    if (!error[VMSTAT])
        valid |= scan_keyed_file(&file[VMSTAT], keys, SCAN_KEYS(keys), field);
    source_fill_node(source, METRIC_NODE_INSTANCE, valid, field, KERNEL_FIELDS);
    return 0;
}

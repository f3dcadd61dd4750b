#include "metric/metric.h"

#include <limits.h>
#include <string.h>

#include "metric/field.h"

/* The kernel's user interface counts in USER_HZ, which is 100 whatever HZ is
 * (include/asm-generic/param.h). */
#define SECONDS_PER_TICK 0.01
#define OCTETS_PER_SECTOR 512.0 /* SECTOR_SIZE of include/linux/blk_types.h */
#define OCTETS_PER_KIB 1024.0

#define BITS_UINT (CHAR_BIT * sizeof(unsigned))
#define BITS_ULONG (CHAR_BIT * sizeof(unsigned long))

/* The kernel functions that print the sources. */
#define STAT "/proc/stat (fs/proc/stat.c show_stat), "
#define LOADAVG "/proc/loadavg (fs/proc/loadavg.c loadavg_proc_show), "
#define MEMINFO "/proc/meminfo (fs/proc/meminfo.c meminfo_proc_show), "
#define NETDEV "/proc/net/dev (net/core/net-procfs.c dev_seq_printf_stats), "
#define DISKSTATS "/proc/diskstats (block/genhd.c diskstats_show), "

/* clang-format off */
#define CPU_COUNTER(place)                                                                         \
    .unit = "s", .kind = METRIC_COUNTER, .source = SOURCE_CPU,                                     \
    .classes = 1u << RESOURCE_NODE | 1u << RESOURCE_CPU, .field = (place),                         \
    .width = 64, .scale = SECONDS_PER_TICK, .base = BASE_FIELD,                                    \
    .base_field = CPU_TOTAL, .base_scale = SECONDS_PER_TICK

#define LOAD_GAUGE(place, scale_)                                                                  \
    .unit = "tasks", .kind = METRIC_GAUGE, .source = SOURCE_LOAD,                                  \
    .classes = 1u << RESOURCE_NODE, .field = (place), .scale = (scale_)

#define MEMORY_GAUGE(place, whole)                                                                 \
    .unit = "B", .kind = METRIC_GAUGE, .source = SOURCE_MEMORY,                                    \
    .classes = 1u << RESOURCE_NODE, .field = (place), .scale = OCTETS_PER_KIB,                     \
    .base = BASE_FIELD, .base_field = (whole), .base_scale = OCTETS_PER_KIB

#define NETWORK_COUNTER(place, unit_)                                                              \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_NETWORK,                             \
    .classes = 1u << RESOURCE_INTERFACE, .field = (place), .width = 64, .scale = 1

#define DISK_CLASSES (1u << RESOURCE_DISK | 1u << RESOURCE_PARTITION)

#define DISK_COUNTER(place, unit_, width_, scale_)                                                 \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_DISK,                                \
    .classes = DISK_CLASSES, .field = (place), .width = (width_), .scale = (scale_)
/* clang-format on */

/* A row of the files that are included in the table: rows_*.h. */
#define ROW(name_, what_, origin_, meaning_)                                                       \
    {.name = (name_), what_, .origin = (origin_), .meaning = (meaning_)},

const struct metric metric_registry[] = {
    {.name = "cpu.busy",
     CPU_COUNTER(CPU_BUSY),
     .origin = STAT "all columns of time but idle and iowait",
     .meaning = "Time the CPU was not idle and not waiting for I/O"},
    {.name = "cpu.user",
     CPU_COUNTER(CPU_USER),
     .origin = STAT "user; the kernel counts guest time here, too",
     .meaning = "Time in user mode, including guests of this machine"},
    {.name = "cpu.nice",
     CPU_COUNTER(CPU_NICE),
     .origin = STAT "nice; the kernel counts guest_nice time here, too",
     .meaning = "Time in user mode at low priority, including guests"},
    {.name = "cpu.system",
     CPU_COUNTER(CPU_SYSTEM),
     .origin = STAT "system",
     .meaning = "Time in kernel mode, without interrupts"},
    {.name = "cpu.iowait",
     CPU_COUNTER(CPU_IOWAIT),
     .origin = STAT "iowait; may go back, see proc(5)",
     .meaning = "Time idle while I/O was outstanding"},
    {.name = "cpu.idle",
     CPU_COUNTER(CPU_IDLE),
     .origin = STAT "idle",
     .meaning = "Time idle with no I/O outstanding"},
    {.name = "cpu.irq",
     CPU_COUNTER(CPU_IRQ),
     .origin = STAT "irq",
     .meaning = "Time in hardware interrupts"},
    {.name = "cpu.softirq",
     CPU_COUNTER(CPU_SOFTIRQ),
     .origin = STAT "softirq",
     .meaning = "Time in software interrupts"},
    {.name = "cpu.steal",
     CPU_COUNTER(CPU_STEAL),
     .origin = STAT "steal",
     .meaning = "Time the hypervisor gave to others"},
    {.name = "cpu.count",
     .unit = "CPUs",
     .kind = METRIC_GAUGE,
     .source = SOURCE_CPU,
     .classes = 1u << RESOURCE_NODE,
     .field = CPU_COUNT,
     .scale = 1,
     .origin = STAT "the number of lines of a CPU: those that are online",
     .meaning = "CPUs that are online"},

    {.name = "load.1",
     LOAD_GAUGE(LOAD_1, 0.01),
     .origin = LOADAVG "field 1",
     .meaning = "Tasks running or in uninterruptible sleep, average of 1 minute"},
    {.name = "load.5",
     LOAD_GAUGE(LOAD_5, 0.01),
     .origin = LOADAVG "field 2",
     .meaning = "Tasks running or in uninterruptible sleep, average of 5 minutes"},
    {.name = "load.15",
     LOAD_GAUGE(LOAD_15, 0.01),
     .origin = LOADAVG "field 3",
     .meaning = "Tasks running or in uninterruptible sleep, average of 15 minutes"},
    {.name = "load.running",
     LOAD_GAUGE(LOAD_RUNNING, 1),
     .origin = LOADAVG "field 4, before the slash",
     .meaning = "Tasks that are running or could run"},
    {.name = "load.tasks",
     LOAD_GAUGE(LOAD_TASKS, 1),
     .origin = LOADAVG "field 4, after the slash",
     .meaning = "Tasks (processes and threads) that exist"},

    {.name = "mem.total",
     MEMORY_GAUGE(MEMORY_TOTAL, MEMORY_TOTAL),
     .origin = MEMINFO "MemTotal",
     .meaning = "Memory that the kernel can use"},
    {.name = "mem.free",
     MEMORY_GAUGE(MEMORY_FREE, MEMORY_TOTAL),
     .origin = MEMINFO "MemFree",
     .meaning = "Memory used for nothing at all"},
    {.name = "mem.available",
     MEMORY_GAUGE(MEMORY_AVAILABLE, MEMORY_TOTAL),
     .origin = MEMINFO "MemAvailable, since Linux 3.14",
     .meaning = "Memory that programs could get without swapping"},
    {.name = "mem.used",
     MEMORY_GAUGE(MEMORY_USED, MEMORY_TOTAL),
     .origin = MEMINFO "MemTotal - MemAvailable",
     .meaning = "Memory that programs could not get without swapping"},
    {.name = "mem.cached",
     MEMORY_GAUGE(MEMORY_CACHED, MEMORY_TOTAL),
     .origin = MEMINFO "Cached",
     .meaning = "Page cache and shared memory, without the swap cache"},
    {.name = "mem.buffers",
     MEMORY_GAUGE(MEMORY_BUFFERS, MEMORY_TOTAL),
     .origin = MEMINFO "Buffers",
     .meaning = "Page cache of block devices"},
    {.name = "mem.dirty",
     MEMORY_GAUGE(MEMORY_DIRTY, MEMORY_TOTAL),
     .origin = MEMINFO "Dirty",
     .meaning = "Memory waiting to be written to disk"},
    {.name = "swap.total",
     MEMORY_GAUGE(MEMORY_SWAP_TOTAL, MEMORY_SWAP_TOTAL),
     .origin = MEMINFO "SwapTotal",
     .meaning = "Swap space"},
    {.name = "swap.free",
     MEMORY_GAUGE(MEMORY_SWAP_FREE, MEMORY_SWAP_TOTAL),
     .origin = MEMINFO "SwapFree",
     .meaning = "Swap space that is free"},
    {.name = "swap.used",
     MEMORY_GAUGE(MEMORY_SWAP_USED, MEMORY_SWAP_TOTAL),
     .origin = MEMINFO "SwapTotal - SwapFree",
     .meaning = "Swap space in use"},

    {.name = "net.rx.bytes",
     NETWORK_COUNTER(NETWORK_RX_BYTES, "B"),
     .origin = NETDEV "receive bytes",
     .meaning = "Octets received"},
    {.name = "net.rx.packets",
     NETWORK_COUNTER(NETWORK_RX_PACKETS, "packets"),
     .origin = NETDEV "receive packets",
     .meaning = "Packets received"},
    {.name = "net.rx.errors",
     NETWORK_COUNTER(NETWORK_RX_ERRORS, "packets"),
     .origin = NETDEV "receive errs",
     .meaning = "Bad packets received"},
    {.name = "net.rx.drops",
     NETWORK_COUNTER(NETWORK_RX_DROPS, "packets"),
     .origin = NETDEV "receive drop: rx_dropped + rx_missed_errors",
     .meaning = "Packets received and dropped"},
    {.name = "net.tx.bytes",
     NETWORK_COUNTER(NETWORK_TX_BYTES, "B"),
     .origin = NETDEV "transmit bytes",
     .meaning = "Octets sent"},
    {.name = "net.tx.packets",
     NETWORK_COUNTER(NETWORK_TX_PACKETS, "packets"),
     .origin = NETDEV "transmit packets",
     .meaning = "Packets sent"},
    {.name = "net.tx.errors",
     NETWORK_COUNTER(NETWORK_TX_ERRORS, "packets"),
     .origin = NETDEV "transmit errs",
     .meaning = "Packets that could not be sent"},
    {.name = "net.tx.drops",
     NETWORK_COUNTER(NETWORK_TX_DROPS, "packets"),
     .origin = NETDEV "transmit drop",
     .meaning = "Packets dropped before they were sent"},

    {.name = "disk.reads",
     DISK_COUNTER(DISK_READS, "operations", BITS_ULONG, 1),
     .origin = DISKSTATS "field 1, unsigned long",
     .meaning = "Reads completed"},
    {.name = "disk.writes",
     DISK_COUNTER(DISK_WRITES, "operations", BITS_ULONG, 1),
     .origin = DISKSTATS "field 5, unsigned long",
     .meaning = "Writes completed"},
    {.name = "disk.read.bytes",
     DISK_COUNTER(DISK_READ_SECTORS, "B", BITS_ULONG, OCTETS_PER_SECTOR),
     .origin = DISKSTATS "field 3, sectors, unsigned long",
     .meaning = "Octets read"},
    {.name = "disk.write.bytes",
     DISK_COUNTER(DISK_WRITE_SECTORS, "B", BITS_ULONG, OCTETS_PER_SECTOR),
     .origin = DISKSTATS "field 7, sectors, unsigned long",
     .meaning = "Octets written"},
    {.name = "disk.read.time",
     DISK_COUNTER(DISK_READ_TIME, "ms", BITS_UINT, 1),
     .base = BASE_FIELD,
     .base_field = DISK_READS,
     .base_scale = 1,
     .origin = DISKSTATS "field 4, unsigned int",
     .meaning = "Time of all reads together; average: time of one read"},
    {.name = "disk.write.time",
     DISK_COUNTER(DISK_WRITE_TIME, "ms", BITS_UINT, 1),
     .base = BASE_FIELD,
     .base_field = DISK_WRITES,
     .base_scale = 1,
     .origin = DISKSTATS "field 8, unsigned int",
     .meaning = "Time of all writes together; average: time of one write"},
    {.name = "disk.busy",
     DISK_COUNTER(DISK_BUSY, "ms", BITS_UINT, 1),
     .base = BASE_TIME,
     .base_scale = 1,
     .origin = DISKSTATS "field 10 (io_ticks), unsigned int",
     .meaning = "Time with I/O in flight; percent: busy percent"},
    {.name = "disk.queue",
     .unit = "operations",
     .kind = METRIC_GAUGE,
     .source = SOURCE_DISK,
     .classes = DISK_CLASSES,
     .field = DISK_IN_FLIGHT,
     .scale = 1,
     .origin = DISKSTATS "field 9",
     .meaning = "Operations in flight"},
    {.name = "disk.queue.time",
     DISK_COUNTER(DISK_QUEUE_TIME, "ms", BITS_UINT, 1),
     .base = BASE_TIME,
     .base_scale = 1,
     .origin = DISKSTATS "field 11, unsigned int",
     .meaning = "Time of all operations together; average: mean length of the queue"},

#include "metric/rows_machine.h"
#include "metric/rows_process.h"
#include "metric/rows_application.h"
#include "metric/rows_jvm.h"
#include "metric/rows_endpoint.h"
};

const size_t metric_count = sizeof metric_registry / sizeof *metric_registry;

const struct metric *metric_find(const char *name)
{
    for (size_t i = 0; i < metric_count; i++)
        if (strcmp(metric_registry[i].name, name) == 0)
            return &metric_registry[i];
    return NULL;
}

/* Where the raw values of each source stand in a sample: the samplers fill these places and
 * the registry names them. Raw means as the kernel counts, before the metric's scale. */
#ifndef DCAMP_METRIC_FIELD_H
#define DCAMP_METRIC_FIELD_H

/* In ticks of USER_HZ. The first eight are in the order of the columns of /proc/stat. */
enum cpu_field {
    CPU_USER,
    CPU_NICE,
    CPU_SYSTEM,
    CPU_IDLE,
    CPU_IOWAIT,
    CPU_IRQ,
    CPU_SOFTIRQ,
    CPU_STEAL,
    CPU_TOTAL, /* the sum of the columns above that the kernel has */
    CPU_BUSY,  /* the total without idle and iowait */
    CPU_FIELDS
};

enum load_field {
    LOAD_1, /* in hundredths, like the next two */
    LOAD_5,
    LOAD_15,
    LOAD_RUNNING,
    LOAD_TASKS,
    LOAD_FIELDS
};

/* In units of 1024 octets. */
enum memory_field {
    MEMORY_TOTAL,
    MEMORY_FREE,
    MEMORY_AVAILABLE,
    MEMORY_BUFFERS,
    MEMORY_CACHED,
    MEMORY_SWAP_TOTAL,
    MEMORY_SWAP_FREE,
    MEMORY_DIRTY,
    MEMORY_USED,
    MEMORY_SWAP_USED,
    MEMORY_FIELDS
};

enum network_field {
    NETWORK_RX_BYTES,
    NETWORK_RX_PACKETS,
    NETWORK_RX_ERRORS,
    NETWORK_RX_DROPS,
    NETWORK_TX_BYTES,
    NETWORK_TX_PACKETS,
    NETWORK_TX_ERRORS,
    NETWORK_TX_DROPS,
    NETWORK_FIELDS
};

/* Times in milliseconds. */
enum disk_field {
    DISK_READS,
    DISK_READ_SECTORS, /* of 512 octets, whatever the device has */
    DISK_READ_TIME,
    DISK_WRITES,
    DISK_WRITE_SECTORS,
    DISK_WRITE_TIME,
    DISK_IN_FLIGHT,
    DISK_BUSY,
    DISK_QUEUE_TIME,
    DISK_FIELDS
};

#endif

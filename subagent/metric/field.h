/* Where the raw values of each source stand in a sample: the samplers fill these places and the
 * registry names them. Raw means as the kernel counts, before the metric's scale is applied. */
#ifndef DCAMP_METRIC_FIELD_H
#define DCAMP_METRIC_FIELD_H

/* The units are ticks of USER_HZ. The first eight are in the order of the columns of /proc/stat. */
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
    /* The following are of the machine as a whole, from further lines of /proc/stat. */
    CPU_INTERRUPTS,
    CPU_SWITCHES,
    CPU_FORKS,
    CPU_BLOCKED,
    CPU_SOFTIRQS,
    CPU_COUNT,
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

/* The units are 1024 octets. */
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

/* Times are in milliseconds. */
enum disk_field {
    DISK_READS,
    DISK_READ_SECTORS, /* of 512 octets, whatever sector size the device has */
    DISK_READ_TIME,
    DISK_WRITES,
    DISK_WRITE_SECTORS,
    DISK_WRITE_TIME,
    DISK_IN_FLIGHT,
    DISK_BUSY,
    DISK_QUEUE_TIME,
    DISK_FIELDS
};

enum kernel_field {
    KERNEL_UPTIME, /* in hundredths of a second */
    KERNEL_FAULTS,
    KERNEL_MAJOR_FAULTS,
    KERNEL_SWAP_IN,
    KERNEL_SWAP_OUT,
    KERNEL_PAGED_IN, /* in units of 1024 octets, like the next one */
    KERNEL_PAGED_OUT,
    KERNEL_OOM_KILLS,
    KERNEL_FIELDS
};

/* The units are octets, inodes, or 0 and 1. */
enum filesystem_field {
    FILESYSTEM_SIZE,
    FILESYSTEM_USED,
    FILESYSTEM_FREE,
    FILESYSTEM_AVAILABLE,
    FILESYSTEM_USABLE, /* used and available; what is free for root only counts as neither */
    FILESYSTEM_INODES,
    FILESYSTEM_INODES_USED,
    FILESYSTEM_INODES_FREE,
    FILESYSTEM_READ_ONLY,
    FILESYSTEM_FIELDS
};

enum pressure_field {
    PRESSURE_SOME_10, /* in hundredths of a percent, like the next two */
    PRESSURE_SOME_60,
    PRESSURE_SOME_300,
    PRESSURE_SOME_TIME, /* in microseconds */
    PRESSURE_FULL_10,
    PRESSURE_FULL_60,
    PRESSURE_FULL_300,
    PRESSURE_FULL_TIME,
    PRESSURE_FIELDS
};

/* These are of IPv4 and IPv6 together. */
enum protocol_field {
    TCP_SEGMENTS_IN,
    TCP_SEGMENTS_OUT,
    TCP_RETRANSMITS,
    TCP_OPENS_ACTIVE,
    TCP_OPENS_PASSIVE,
    TCP_OPENS_FAILED,
    TCP_RESETS,
    TCP_RESETS_SENT,
    TCP_ERRORS,
    TCP_ESTABLISHED,
    TCP_SOCKETS,
    TCP_TIME_WAIT,
    TCP_ORPHANS,
    TCP_LISTEN_OVERFLOWS,
    TCP_LISTEN_DROPS,
    TCP_TIMEOUTS,
    UDP_DATAGRAMS_IN,
    UDP_DATAGRAMS_OUT,
    UDP_ERRORS,
    UDP_RECEIVE_BUFFER_ERRORS,
    UDP_SEND_BUFFER_ERRORS,
    UDP_NO_PORTS,
    UDP_SOCKETS,
    IP_PACKETS_IN,
    IP_PACKETS_OUT,
    IP_FORWARDED,
    IP_DISCARDS_IN,
    IP_DISCARDS_OUT,
    IP_NO_ROUTES,
    PROTOCOL_FIELDS
};

/* The fields are signed: temperatures, voltages and currents may be below 0. */
enum hardware_field {
    HARDWARE_TEMPERATURE, /* in thousandths of a degree Celsius */
    HARDWARE_FAN,         /* in revolutions per minute */
    HARDWARE_VOLTAGE,     /* in millivolts */
    HARDWARE_CURRENT,     /* in milliamperes */
    HARDWARE_POWER,       /* in microwatts */
    HARDWARE_FIELDS
};

/* Times are in microseconds. */
enum cgroup_field {
    CGROUP_CPU,
    CGROUP_CPU_USER,
    CGROUP_CPU_SYSTEM,
    CGROUP_THROTTLED_TIME,
    CGROUP_THROTTLED_PERIODS,
    CGROUP_MEMORY,
    CGROUP_MEMORY_LIMIT,
    CGROUP_SWAP,
    CGROUP_PIDS,
    CGROUP_OOM_KILLS,
    CGROUP_READ_BYTES,
    CGROUP_WRITE_BYTES,
    CGROUP_READS,
    CGROUP_WRITES,
    CGROUP_FIELDS
};

/* Times are in microseconds, memory in octets. The counters come first: in a sum, they still
 * include what processes that have exited had used. */
enum process_field {
    PROCESS_CPU,
    PROCESS_CPU_USER,
    PROCESS_CPU_SYSTEM,
    PROCESS_FAULTS,
    PROCESS_FAULTS_MAJOR,
    PROCESS_FAULTS_MINOR,
    PROCESS_IO_READ,
    PROCESS_IO_WRITE,
    PROCESS_STARTED, /* of sums only */
    PROCESS_RSS,
    PROCESS_VSIZE,
    PROCESS_THREADS,
    PROCESS_FILES,
    PROCESS_COUNT,
    PROCESS_FIELDS
};

/* The first fields are of applications, the others of their sensors, beginning with
 * APPLICATION_COUNT. */
enum application_field {
    APPLICATION_PROCESSES,
    APPLICATION_STARTED,
    APPLICATION_REFUSED,
    APPLICATION_LOST,
    APPLICATION_UNREPORTED,
    APPLICATION_SEQUENCES,
    APPLICATION_SEQUENCE_TIME, /* a double, in seconds */
    APPLICATION_SEQUENCE_FAILED,
    APPLICATION_SEQUENCE_LOST,
    APPLICATION_SEQUENCE_LEFT,
    APPLICATION_SEQUENCE_NEGATIVE,
    APPLICATION_COUNT,
    APPLICATION_VALUE, /* a double */
    APPLICATION_TIME,  /* in nanoseconds */
    APPLICATION_SUM,   /* a double */
    APPLICATION_BEGUN,
    APPLICATION_FAILED,
    APPLICATION_RECORDS,
    APPLICATION_LATENCIES,
    APPLICATION_LATENCY, /* a double, in seconds */
    APPLICATION_LATENCY_NEGATIVE,
    /* Fields that are computed of all that came in an interval (metric.is_computed). Of steps: */
    APPLICATION_RUNTIME,
    APPLICATION_THROUGHPUT,
    APPLICATION_LOAD,
    /* Of timers and histograms: */
    APPLICATION_CV2,
    APPLICATION_DISTANCE,
    APPLICATION_POISSON,
    /* Of locks: */
    APPLICATION_CONTENTION,
    APPLICATION_CONTENDED,
    APPLICATION_HELD,
    APPLICATION_FIELDS
};

/* Locks have these fields instead of those of other sensors; what is computed of locks is computed
 * of them. */
enum application_lock_field {
    APPLICATION_LOCK_ARRIVALS = APPLICATION_COUNT,
    APPLICATION_LOCK_WAITS,
    APPLICATION_LOCK_FAILURES,
    APPLICATION_LOCK_HOLDS,
    APPLICATION_LOCK_HELD, /* in nanoseconds */
};

/* Times are in nanoseconds, those of the CPU in microseconds; memory is in octets. The first fields
 * are what a JVM says of itself (application/jvm.h), the last two are of each of its collectors. */
enum jvm_field {
    JVM_HEAP_USED,
    JVM_HEAP_MAX,           /* up to which it may grow: -Xmx */
    JVM_METASPACE_USED,     /* at the last collection, or at the start of the JVM */
    JVM_METASPACE_CAPACITY, /* likewise; what the JVM has taken from the system for it */
    JVM_THREADS,            /* that exist now, including daemon threads */
    JVM_THREADS_DAEMON,
    JVM_THREADS_PEAK,    /* the most that existed at one time */
    JVM_THREADS_STARTED, /* counter */
    JVM_CLASSES,         /* that are loaded now */
    JVM_JIT_TIME,        /* counter, of all compiler threads together */
    JVM_SAFEPOINT_TIME,  /* counter: time in which all threads of the program stood still */
    JVM_SAFEPOINTS,      /* counter */
    JVM_VALUES,
    JVM_CPU = JVM_VALUES, /* counter, like the next two: of the process, from the kernel */
    JVM_CPU_USER,
    JVM_CPU_SYSTEM,
    JVM_GC_COUNT, /* counter, like the next one */
    JVM_GC_TIME,
    JVM_FIELDS
};

/* The first fields are of endpoints, the others of their series, beginning with ENDPOINT_COUNT. */
enum endpoint_field {
    ENDPOINT_UP,
    ENDPOINT_TIME, /* in nanoseconds */
    ENDPOINT_OCTETS,
    ENDPOINT_ANSWERS,
    ENDPOINT_FAILURES,
    ENDPOINT_FAULTS,
    ENDPOINT_KEPT,
    ENDPOINT_LEFT_OUT,
    ENDPOINT_BEYOND,
    ENDPOINT_COUNT, /* a double, like the next two */
    ENDPOINT_VALUE,
    ENDPOINT_SUM,
    ENDPOINT_EVENTS, /* of series that have a sum: the count again, as an integer */
    ENDPOINT_FIELDS
};

#endif

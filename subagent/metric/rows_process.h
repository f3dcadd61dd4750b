/* Rows of the registry, to be included in its table: processes, and their sums by program, owner
 * and control group. */

#define PROCESS_SUMS (1u << RESOURCE_PROGRAM)
#define PROCESS_ALL (1u << RESOURCE_PROCESS | PROCESS_SUMS)

#define PID_STAT "/proc/PID/stat (fs/proc/array.c do_task_stat), "
#define PID_IO "/proc/PID/io (fs/proc/base.c do_io_accounting), "
#define TASKSTATS "; of the dead, taskstats "

/* Percentages are of one CPU. */
#define PROCESS_TIME(place)                                                                        \
    .unit = "s", .kind = METRIC_COUNTER, .source = SOURCE_PROCESS, .classes = PROCESS_ALL,         \
    .field = (place), .width = 64, .scale = 1e-6, .base = BASE_TIME, .base_scale = 1e-3
#define PROCESS_COUNTER(classes_, place, unit_)                                                    \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_PROCESS, .classes = (classes_),      \
    .field = (place), .width = 64, .scale = 1
#define PROCESS_GAUGE(place, unit_)                                                                \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_PROCESS, .classes = PROCESS_ALL,       \
    .field = (place), .scale = 1

ROW("proc.cpu", PROCESS_TIME(PROCESS_CPU),
    PID_STAT "utime + stime" TASKSTATS "cpu_run_virtual_total", "CPU time; percent: of one CPU")
ROW("proc.cpu.user", PROCESS_TIME(PROCESS_CPU_USER), PID_STAT "utime" TASKSTATS "ac_utime",
    "CPU time in user mode; percent: of one CPU")
ROW("proc.cpu.system", PROCESS_TIME(PROCESS_CPU_SYSTEM), PID_STAT "stime" TASKSTATS "ac_stime",
    "CPU time in kernel mode; percent: of one CPU")
ROW("proc.faults", PROCESS_COUNTER(PROCESS_ALL, PROCESS_FAULTS, "faults"),
    PID_STAT "minflt + majflt" TASKSTATS "ac_minflt + ac_majflt", "Page faults")
ROW("proc.faults.major", PROCESS_COUNTER(PROCESS_ALL, PROCESS_FAULTS_MAJOR, "faults"),
    PID_STAT "majflt" TASKSTATS "ac_majflt", "Page faults that needed a read from storage")
ROW("proc.faults.minor", PROCESS_COUNTER(PROCESS_ALL, PROCESS_FAULTS_MINOR, "faults"),
    PID_STAT "minflt" TASKSTATS "ac_minflt", "Page faults that needed no read from storage")
ROW("proc.io.read.bytes", PROCESS_COUNTER(PROCESS_ALL, PROCESS_IO_READ, "B"),
    PID_IO "read_bytes" TASKSTATS "read_bytes", "Octets read from storage")
ROW("proc.io.write.bytes", PROCESS_COUNTER(PROCESS_ALL, PROCESS_IO_WRITE, "B"),
    PID_IO "write_bytes" TASKSTATS "write_bytes", "Octets that were or will be written to storage")
ROW("proc.started", PROCESS_COUNTER(PROCESS_SUMS, PROCESS_STARTED, "processes"),
    "/proc/PID, proc connector and taskstats: processes that came to the sum",
    "Processes that have started, those found at the beginning among them")
ROW("proc.rss", PROCESS_GAUGE(PROCESS_RSS, "B"), PID_STAT "rss, in pages",
    "Memory in use: the working set")
ROW("proc.vsize", PROCESS_GAUGE(PROCESS_VSIZE, "B"), PID_STAT "vsize", "Address space")
ROW("proc.threads", PROCESS_GAUGE(PROCESS_THREADS, "threads"), PID_STAT "num_threads", "Threads")
ROW("proc.files", PROCESS_GAUGE(PROCESS_FILES, "files"),
    "/proc/PID/fd (fs/proc/fd.c proc_fd_getattr): its size, or its entries before Linux 6.2",
    "Open files")
ROW("proc.count", PROCESS_GAUGE(PROCESS_COUNT, "processes"), "/proc/PID: 1 for each process",
    "Processes that run; 0: none")

#undef PROCESS_SUMS
#undef PROCESS_ALL
#undef PID_STAT
#undef PID_IO
#undef TASKSTATS
#undef PROCESS_TIME
#undef PROCESS_COUNTER
#undef PROCESS_GAUGE

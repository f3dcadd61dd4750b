/* Rows of the registry, to be included in its table: kernel, file systems, pressure, protocols,
 * hardware and control groups. */

#define NODE (1u << RESOURCE_NODE)

/* -- The kernel ------------------------------------------------------------------------------ */

#define VMSTAT "/proc/vmstat (mm/vmstat.c vmstat_show), "

#define STAT_COUNTER(place, unit_, width_)                                                         \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_CPU, .classes = NODE,                \
    .field = (place), .width = (width_), .scale = 1
#define VM_COUNTER(place, unit_, scale_)                                                           \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_KERNEL, .classes = NODE,             \
    .field = (place), .width = BITS_ULONG, .scale = (scale_)
#define KERNEL_GAUGE(source_, place, unit_, scale_)                                                \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = (source_), .classes = NODE, .field = (place), \
    .scale = (scale_)

ROW("kernel.switches", STAT_COUNTER(CPU_SWITCHES, "switches", 64), STAT "ctxt",
    "Context switches of all CPUs")
ROW("kernel.interrupts", STAT_COUNTER(CPU_INTERRUPTS, "interrupts", 64),
    STAT "intr, first number; a sum of 32-bit counters, so that a wrap of one is a gap",
    "Interrupts serviced by all CPUs")
ROW("kernel.softirqs", STAT_COUNTER(CPU_SOFTIRQS, "interrupts", 64),
    STAT "softirq, first number; a sum of 32-bit counters, so that a wrap of one is a gap",
    "Software interrupts serviced by all CPUs")
ROW("kernel.forks", STAT_COUNTER(CPU_FORKS, "tasks", BITS_ULONG), STAT "processes, unsigned long",
    "Processes and threads created")
ROW("kernel.blocked", KERNEL_GAUGE(SOURCE_CPU, CPU_BLOCKED, "tasks", 1), STAT "procs_blocked",
    "Tasks waiting for I/O")
ROW("kernel.uptime", KERNEL_GAUGE(SOURCE_KERNEL, KERNEL_UPTIME, "s", 0.01),
    "/proc/uptime (fs/proc/uptime.c uptime_proc_show), field 1", "Time since boot")
ROW("vm.faults", VM_COUNTER(KERNEL_FAULTS, "faults", 1), VMSTAT "pgfault",
    "Page faults, minor and major")
ROW("vm.faults.major", VM_COUNTER(KERNEL_MAJOR_FAULTS, "faults", 1), VMSTAT "pgmajfault",
    "Page faults that had to wait for I/O")
ROW("vm.swap.in", VM_COUNTER(KERNEL_SWAP_IN, "pages", 1), VMSTAT "pswpin", "Pages read from swap")
ROW("vm.swap.out", VM_COUNTER(KERNEL_SWAP_OUT, "pages", 1), VMSTAT "pswpout",
    "Pages written to swap")
ROW("vm.paged.in", VM_COUNTER(KERNEL_PAGED_IN, "B", OCTETS_PER_KIB), VMSTAT "pgpgin",
    "Octets read from block devices")
ROW("vm.paged.out", VM_COUNTER(KERNEL_PAGED_OUT, "B", OCTETS_PER_KIB), VMSTAT "pgpgout",
    "Octets written to block devices")
ROW("vm.oom.kills", VM_COUNTER(KERNEL_OOM_KILLS, "processes", 1),
    VMSTAT "oom_kill, since Linux 4.13", "Processes killed for want of memory")

#undef VMSTAT
#undef STAT_COUNTER
#undef VM_COUNTER
#undef KERNEL_GAUGE

/* -- File systems ---------------------------------------------------------------------------- */

#define STATVFS "/proc/self/mountinfo and statvfs(3), "

#define FILESYSTEM_GAUGE(place, unit_)                                                             \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_FILESYSTEM,                            \
    .classes = 1u << RESOURCE_FILESYSTEM, .field = (place), .scale = 1
#define FILESYSTEM_SHARE(place, unit_, whole)                                                      \
    FILESYSTEM_GAUGE(place, unit_), .base = BASE_FIELD, .base_field = (whole), .base_scale = 1

ROW("fs.size", FILESYSTEM_SHARE(FILESYSTEM_SIZE, "B", FILESYSTEM_SIZE), STATVFS "f_blocks",
    "Size of the file system")
ROW("fs.used", FILESYSTEM_SHARE(FILESYSTEM_USED, "B", FILESYSTEM_USABLE),
    STATVFS "f_blocks - f_bfree",
    "Space in use; percent: of the space in use or available, as df(1) has it")
ROW("fs.free", FILESYSTEM_SHARE(FILESYSTEM_FREE, "B", FILESYSTEM_SIZE), STATVFS "f_bfree",
    "Space that is free, some of it perhaps for root only")
ROW("fs.available", FILESYSTEM_SHARE(FILESYSTEM_AVAILABLE, "B", FILESYSTEM_SIZE),
    STATVFS "f_bavail", "Space that is free for everybody")
ROW("fs.inodes", FILESYSTEM_SHARE(FILESYSTEM_INODES, "inodes", FILESYSTEM_INODES),
    STATVFS "f_files, unless 0", "Inodes, where the file system has a fixed number of them")
ROW("fs.inodes.used", FILESYSTEM_SHARE(FILESYSTEM_INODES_USED, "inodes", FILESYSTEM_INODES),
    STATVFS "f_files - f_ffree", "Inodes in use")
ROW("fs.inodes.free", FILESYSTEM_SHARE(FILESYSTEM_INODES_FREE, "inodes", FILESYSTEM_INODES),
    STATVFS "f_ffree", "Inodes that are free")
ROW("fs.readonly", FILESYSTEM_GAUGE(FILESYSTEM_READ_ONLY, "flag"), STATVFS "f_flag, ST_RDONLY",
    "1: the file system is mounted, or has become, read-only; else 0")

#undef STATVFS
#undef FILESYSTEM_GAUGE
#undef FILESYSTEM_SHARE

/* -- Pressure -------------------------------------------------------------------------------- */

#define PSI "/proc/pressure/ (kernel/sched/psi.c psi_show), "

#define PRESSURE_GAUGE(place)                                                                      \
    .unit = "%", .kind = METRIC_GAUGE, .source = SOURCE_PRESSURE, .classes = NODE,                 \
    .field = (place), .scale = 0.01
#define PRESSURE_COUNTER(place)                                                                    \
    .unit = "us", .kind = METRIC_COUNTER, .source = SOURCE_PRESSURE, .classes = NODE,              \
    .field = (place), .width = 64, .scale = 1, .base = BASE_TIME, .base_scale = 1000

ROW("pressure.some.avg10", PRESSURE_GAUGE(PRESSURE_SOME_10), PSI "some avg10",
    "Share of the last 10 s in which some task waited for the resource")
ROW("pressure.some.avg60", PRESSURE_GAUGE(PRESSURE_SOME_60), PSI "some avg60",
    "Share of the last minute in which some task waited for the resource")
ROW("pressure.some.avg300", PRESSURE_GAUGE(PRESSURE_SOME_300), PSI "some avg300",
    "Share of the last 5 minutes in which some task waited for the resource")
ROW("pressure.some.time", PRESSURE_COUNTER(PRESSURE_SOME_TIME), PSI "some total",
    "Time in which some task waited for the resource; percent: share of the time")
ROW("pressure.full.avg10", PRESSURE_GAUGE(PRESSURE_FULL_10), PSI "full avg10",
    "Share of the last 10 s in which all tasks waited for the resource")
ROW("pressure.full.avg60", PRESSURE_GAUGE(PRESSURE_FULL_60), PSI "full avg60",
    "Share of the last minute in which all tasks waited for the resource")
ROW("pressure.full.avg300", PRESSURE_GAUGE(PRESSURE_FULL_300), PSI "full avg300",
    "Share of the last 5 minutes in which all tasks waited for the resource")
ROW("pressure.full.time", PRESSURE_COUNTER(PRESSURE_FULL_TIME), PSI "full total",
    "Time in which all tasks waited for the resource; percent: share of the time")

#undef PSI
#undef PRESSURE_GAUGE
#undef PRESSURE_COUNTER

/* -- Protocols ------------------------------------------------------------------------------- */

/* net/ipv4/proc.c prints the first three files, net/ipv6/proc.c the others. The kernel counts TCP
 * for IPv4 and IPv6 together. */
#define SNMP "/proc/net/snmp, "
#define NETSTAT "/proc/net/netstat, "
#define SOCKSTAT "/proc/net/sockstat, "
#define AND_6 ", and /proc/net/snmp6, "

#define PROTOCOL_COUNTER(place, unit_, width_)                                                     \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_PROTOCOL, .classes = NODE,           \
    .field = (place), .width = (width_), .scale = 1
#define PROTOCOL_GAUGE(place)                                                                      \
    .unit = "sockets", .kind = METRIC_GAUGE, .source = SOURCE_PROTOCOL, .classes = NODE,           \
    .field = (place), .scale = 1
#define SEGMENTS(place) PROTOCOL_COUNTER(place, "segments", BITS_ULONG)
#define CONNECTIONS(place) PROTOCOL_COUNTER(place, "connections", BITS_ULONG)
#define DATAGRAMS(place) PROTOCOL_COUNTER(place, "datagrams", BITS_ULONG)
#define PACKETS(place) PROTOCOL_COUNTER(place, "packets", 64)
#define RETRANSMITS                                                                                \
    SEGMENTS(TCP_RETRANSMITS), .base = BASE_FIELD, .base_field = TCP_SEGMENTS_OUT, .base_scale = 1

ROW("tcp.segments.in", SEGMENTS(TCP_SEGMENTS_IN), SNMP "Tcp InSegs", "TCP segments received")
ROW("tcp.segments.out", SEGMENTS(TCP_SEGMENTS_OUT), SNMP "Tcp OutSegs",
    "TCP segments sent, without those sent again")
ROW("tcp.retransmits", RETRANSMITS, SNMP "Tcp RetransSegs",
    "TCP segments sent again; percent: of those sent")
ROW("tcp.opens.active", CONNECTIONS(TCP_OPENS_ACTIVE), SNMP "Tcp ActiveOpens",
    "TCP connections opened from here")
ROW("tcp.opens.passive", CONNECTIONS(TCP_OPENS_PASSIVE), SNMP "Tcp PassiveOpens",
    "TCP connections opened from elsewhere")
ROW("tcp.opens.failed", CONNECTIONS(TCP_OPENS_FAILED), SNMP "Tcp AttemptFails",
    "TCP connections that failed while being opened")
ROW("tcp.resets", CONNECTIONS(TCP_RESETS), SNMP "Tcp EstabResets",
    "Established TCP connections that were reset")
ROW("tcp.resets.sent", SEGMENTS(TCP_RESETS_SENT), SNMP "Tcp OutRsts",
    "TCP segments sent with the flag RST")
ROW("tcp.errors", SEGMENTS(TCP_ERRORS), SNMP "Tcp InErrs", "Bad TCP segments received")
ROW("tcp.established", PROTOCOL_GAUGE(TCP_ESTABLISHED), SNMP "Tcp CurrEstab",
    "TCP connections in ESTABLISHED or CLOSE-WAIT")
ROW("tcp.sockets", PROTOCOL_GAUGE(TCP_SOCKETS),
    SOCKSTAT "TCP inuse, and /proc/net/sockstat6, TCP6 inuse",
    "TCP sockets in use, listening ones, too")
ROW("tcp.timewait", PROTOCOL_GAUGE(TCP_TIME_WAIT), SOCKSTAT "TCP tw",
    "TCP connections in TIME-WAIT")
ROW("tcp.orphans", PROTOCOL_GAUGE(TCP_ORPHANS), SOCKSTAT "TCP orphan",
    "TCP connections that no process has open any more")
ROW("tcp.listen.overflows", CONNECTIONS(TCP_LISTEN_OVERFLOWS), NETSTAT "TcpExt ListenOverflows",
    "TCP connections refused for a full listen queue")
ROW("tcp.listen.drops", CONNECTIONS(TCP_LISTEN_DROPS), NETSTAT "TcpExt ListenDrops",
    "TCP connections refused by a listening socket for any reason")
ROW("tcp.timeouts", PROTOCOL_COUNTER(TCP_TIMEOUTS, "timeouts", BITS_ULONG),
    NETSTAT "TcpExt TCPTimeouts", "TCP retransmission timers that ran out")
ROW("udp.datagrams.in", DATAGRAMS(UDP_DATAGRAMS_IN), SNMP "Udp InDatagrams" AND_6 "Udp6InDatagrams",
    "UDP datagrams received")
ROW("udp.datagrams.out", DATAGRAMS(UDP_DATAGRAMS_OUT),
    SNMP "Udp OutDatagrams" AND_6 "Udp6OutDatagrams", "UDP datagrams sent")
ROW("udp.errors", DATAGRAMS(UDP_ERRORS), SNMP "Udp InErrors" AND_6 "Udp6InErrors",
    "UDP datagrams received that could not be delivered, but for want of a port")
ROW("udp.receive.buffer.errors", DATAGRAMS(UDP_RECEIVE_BUFFER_ERRORS),
    SNMP "Udp RcvbufErrors" AND_6 "Udp6RcvbufErrors",
    "UDP datagrams dropped for a full receive buffer")
ROW("udp.send.buffer.errors", DATAGRAMS(UDP_SEND_BUFFER_ERRORS),
    SNMP "Udp SndbufErrors" AND_6 "Udp6SndbufErrors", "UDP datagrams not sent for want of memory")
ROW("udp.noports", DATAGRAMS(UDP_NO_PORTS), SNMP "Udp NoPorts" AND_6 "Udp6NoPorts",
    "UDP datagrams received for a port that nobody listens on")
ROW("udp.sockets", PROTOCOL_GAUGE(UDP_SOCKETS),
    SOCKSTAT "UDP inuse, and /proc/net/sockstat6, UDP6 inuse", "UDP sockets in use")
ROW("ip.packets.in", PACKETS(IP_PACKETS_IN), SNMP "Ip InReceives" AND_6 "Ip6InReceives",
    "IP packets received")
ROW("ip.packets.out", PACKETS(IP_PACKETS_OUT), SNMP "Ip OutRequests" AND_6 "Ip6OutRequests",
    "IP packets that this machine wanted to send, without those forwarded")
ROW("ip.forwarded", PACKETS(IP_FORWARDED), SNMP "Ip ForwDatagrams" AND_6 "Ip6OutForwDatagrams",
    "IP packets forwarded")
ROW("ip.discards.in", PACKETS(IP_DISCARDS_IN), SNMP "Ip InDiscards" AND_6 "Ip6InDiscards",
    "Good IP packets received and discarded")
ROW("ip.discards.out", PACKETS(IP_DISCARDS_OUT), SNMP "Ip OutDiscards" AND_6 "Ip6OutDiscards",
    "Good IP packets discarded instead of being sent")
ROW("ip.noroutes", PACKETS(IP_NO_ROUTES), SNMP "Ip OutNoRoutes" AND_6 "Ip6OutNoRoutes",
    "IP packets discarded for want of a route")

#undef SNMP
#undef NETSTAT
#undef SOCKSTAT
#undef AND_6
#undef PROTOCOL_COUNTER
#undef PROTOCOL_GAUGE
#undef SEGMENTS
#undef CONNECTIONS
#undef DATAGRAMS
#undef PACKETS
#undef RETRANSMITS

/* -- Hardware -------------------------------------------------------------------------------- */

#define HWMON "/sys/class/hwmon (Documentation/hwmon/sysfs-interface.rst), "

#define HARDWARE_GAUGE(place, unit_, scale_)                                                       \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_HARDWARE,                              \
    .classes = 1u << RESOURCE_HARDWARE, .field = (place), .scale = (scale_)

ROW("hw.temperature", HARDWARE_GAUGE(HARDWARE_TEMPERATURE, "C", 0.001), HWMON "temp*_input",
    "Temperature in degrees Celsius")
ROW("hw.fan", HARDWARE_GAUGE(HARDWARE_FAN, "1/min", 1), HWMON "fan*_input", "Speed of a fan")
ROW("hw.voltage", HARDWARE_GAUGE(HARDWARE_VOLTAGE, "V", 0.001), HWMON "in*_input", "Voltage")
ROW("hw.current", HARDWARE_GAUGE(HARDWARE_CURRENT, "A", 0.001), HWMON "curr*_input", "Current")
ROW("hw.power", HARDWARE_GAUGE(HARDWARE_POWER, "W", 0.000001),
    HWMON "power*_input, or power*_average where there is none", "Power drawn")

#undef HWMON
#undef HARDWARE_GAUGE

/* -- Control groups -------------------------------------------------------------------------- */

#define CGROUP "/sys/fs/cgroup (Documentation/admin-guide/cgroup-v2.rst), "

#define CGROUP_COUNTER(place, unit_, scale_)                                                       \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_CGROUP,                              \
    .classes = 1u << RESOURCE_CGROUP, .field = (place), .width = 64, .scale = (scale_)
#define CGROUP_TIME(place)                                                                         \
    CGROUP_COUNTER(place, "s", 0.000001), .base = BASE_TIME, .base_scale = 0.001
#define CGROUP_GAUGE(place, unit_)                                                                 \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_CGROUP,                                \
    .classes = 1u << RESOURCE_CGROUP, .field = (place), .scale = 1
#define CGROUP_MEMORY_GAUGE(place)                                                                 \
    CGROUP_GAUGE(place, "B"), .base = BASE_FIELD, .base_field = CGROUP_MEMORY_LIMIT, .base_scale = 1

ROW("cg.cpu", CGROUP_TIME(CGROUP_CPU), CGROUP "cpu.stat usage_usec",
    "CPU time; percent: of one CPU")
ROW("cg.cpu.user", CGROUP_TIME(CGROUP_CPU_USER), CGROUP "cpu.stat user_usec",
    "CPU time in user mode")
ROW("cg.cpu.system", CGROUP_TIME(CGROUP_CPU_SYSTEM), CGROUP "cpu.stat system_usec",
    "CPU time in kernel mode")
ROW("cg.cpu.throttled", CGROUP_TIME(CGROUP_THROTTLED_TIME), CGROUP "cpu.stat throttled_usec",
    "Time that the group was held back by its CPU limit")
ROW("cg.cpu.throttles", CGROUP_COUNTER(CGROUP_THROTTLED_PERIODS, "periods", 1),
    CGROUP "cpu.stat nr_throttled", "Periods in which the group was held back by its CPU limit")
ROW("cg.memory", CGROUP_MEMORY_GAUGE(CGROUP_MEMORY), CGROUP "memory.current",
    "Memory in use, page cache included; percent: of the limit")
ROW("cg.memory.limit", CGROUP_MEMORY_GAUGE(CGROUP_MEMORY_LIMIT), CGROUP "memory.max, unless max",
    "Limit of the memory, where the group itself has one")
ROW("cg.swap", CGROUP_GAUGE(CGROUP_SWAP, "B"), CGROUP "memory.swap.current", "Swap space in use")
ROW("cg.pids", CGROUP_GAUGE(CGROUP_PIDS, "tasks"), CGROUP "pids.current", "Processes and threads")
ROW("cg.oom.kills", CGROUP_COUNTER(CGROUP_OOM_KILLS, "processes", 1),
    CGROUP "memory.events oom_kill", "Processes killed for want of memory")
ROW("cg.io.read.bytes", CGROUP_COUNTER(CGROUP_READ_BYTES, "B", 1),
    CGROUP "io.stat rbytes of all devices", "Octets read from block devices")
ROW("cg.io.write.bytes", CGROUP_COUNTER(CGROUP_WRITE_BYTES, "B", 1),
    CGROUP "io.stat wbytes of all devices", "Octets written to block devices")
ROW("cg.io.reads", CGROUP_COUNTER(CGROUP_READS, "operations", 1),
    CGROUP "io.stat rios of all devices", "Reads from block devices")
ROW("cg.io.writes", CGROUP_COUNTER(CGROUP_WRITES, "operations", 1),
    CGROUP "io.stat wios of all devices", "Writes to block devices")

#undef CGROUP
#undef CGROUP_COUNTER
#undef CGROUP_TIME
#undef CGROUP_GAUGE
#undef CGROUP_MEMORY_GAUGE

#undef NODE

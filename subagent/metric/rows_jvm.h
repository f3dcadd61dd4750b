/* Rows of the registry, to be included in its table: what JVMs say of themselves, unasked. */

#define PERFDATA "hsperfdata (perfMemory.hpp), "

#define JVM_LEVEL(place, unit_)                                                                    \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_JVM, .classes = 1u << RESOURCE_JVM,    \
    .field = (place), .scale = 1
#define JVM_SHARE(place, whole)                                                                    \
    JVM_LEVEL(place, "B"), .base = BASE_FIELD, .base_field = (whole), .base_scale = 1
#define JVM_GROWING(class, place, unit_, scale_)                                                   \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_JVM, .classes = 1u << (class),       \
    .field = (place), .width = 64, .scale = (scale_)
/* Percentages are of one CPU. */
#define JVM_CPU_TIME(place, scale_)                                                                \
    JVM_GROWING(RESOURCE_JVM, place, "s", scale_), .base = BASE_TIME, .base_scale = 1e-3
/* An average is the time for one of what the field "of" counts. */
#define JVM_TIME_OF(class, place, of)                                                              \
    JVM_GROWING(class, place, "s", 1e-9), .base = BASE_FIELD, .base_field = (of), .base_scale = 1

ROW("jvm.cpu", JVM_CPU_TIME(JVM_CPU, 1e-6), "/proc/PID/stat (fs/proc/array.c), utime + stime",
    "CPU time of the process; percent: of one CPU. That of the machine is cpu.busy")
ROW("jvm.cpu.user", JVM_CPU_TIME(JVM_CPU_USER, 1e-6), "/proc/PID/stat (fs/proc/array.c), utime",
    "CPU time in user mode; percent: of one CPU")
ROW("jvm.cpu.system", JVM_CPU_TIME(JVM_CPU_SYSTEM, 1e-6), "/proc/PID/stat (fs/proc/array.c), stime",
    "CPU time in kernel mode; percent: of one CPU")
ROW("jvm.heap.used", JVM_SHARE(JVM_HEAP_USED, JVM_HEAP_MAX),
    PERFDATA "the sum of sun.gc.generation.0 and 1.space.N.used",
    "Heap in use, with what is garbage already; percent: of its largest size")
ROW("jvm.heap.max", JVM_LEVEL(JVM_HEAP_MAX, "B"),
    PERFDATA "sun.gc.generation.0 and 1.maxCapacity, by the collector", "What the heap may grow to")
ROW("jvm.metaspace.used", JVM_SHARE(JVM_METASPACE_USED, JVM_METASPACE_CAPACITY),
    PERFDATA "sun.gc.metaspace.used",
    "Memory of classes in use, when there was a collection last; percent: of what is taken")
ROW("jvm.metaspace.capacity", JVM_LEVEL(JVM_METASPACE_CAPACITY, "B"),
    PERFDATA "sun.gc.metaspace.capacity",
    "Memory that is taken for classes, when there was a collection last")
ROW("jvm.threads", JVM_LEVEL(JVM_THREADS, "threads"), PERFDATA "java.threads.live",
    "Threads of the program")
ROW("jvm.threads.daemon", JVM_LEVEL(JVM_THREADS_DAEMON, "threads"), PERFDATA "java.threads.daemon",
    "Threads that do not keep the program alive")
ROW("jvm.threads.peak", JVM_LEVEL(JVM_THREADS_PEAK, "threads"), PERFDATA "java.threads.livePeak",
    "The most threads that there have been at a time")
ROW("jvm.threads.started", JVM_GROWING(RESOURCE_JVM, JVM_THREADS_STARTED, "threads", 1),
    PERFDATA "java.threads.started", "Threads that have been started")
ROW("jvm.classes", JVM_LEVEL(JVM_CLASSES, "classes"),
    PERFDATA "java.cls.loadedClasses + sharedLoadedClasses - those unloaded",
    "Classes that are loaded")
ROW("jvm.compile.time", JVM_CPU_TIME(JVM_JIT_TIME, 1e-9), PERFDATA "java.ci.totalTime",
    "Time of all compiler threads together; percent: of one thread")
ROW("jvm.safepoint.time", JVM_TIME_OF(RESOURCE_JVM, JVM_SAFEPOINT_TIME, JVM_SAFEPOINTS),
    PERFDATA "sun.rt.safepointTime",
    "Time in which all threads of the program stood still; average: of one safepoint")
ROW("jvm.safepoint.count", JVM_GROWING(RESOURCE_JVM, JVM_SAFEPOINTS, "safepoints", 1),
    PERFDATA "sun.rt.safepoints", "Times that all threads of the program stood still")
ROW("jvm.gc.count", JVM_GROWING(RESOURCE_JVM_COLLECTOR, JVM_GC_COUNT, "collections", 1),
    PERFDATA "sun.gc.collector.N.invocations", "Collections by the collector, or its pauses")
ROW("jvm.gc.time", JVM_TIME_OF(RESOURCE_JVM_COLLECTOR, JVM_GC_TIME, JVM_GC_COUNT),
    PERFDATA "sun.gc.collector.N.time", "Time that those took; average: of one")

#undef PERFDATA
#undef JVM_LEVEL
#undef JVM_SHARE
#undef JVM_GROWING
#undef JVM_CPU_TIME
#undef JVM_TIME_OF

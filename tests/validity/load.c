/* A load that is known: does what it is told and prints what it did.
 *
 *   load COMMAND [NUMBER or NAME]...    does that and ends
 *   load                                reads such lines, and answers each with one
 *
 * The answer begins with the name of the command. Times are in microseconds and by the clocks of
 * the kernel for the CPU time of the process (clock_gettime(2), getrusage(2)), not by the ticks
 * that /proc shows. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 8
#define ALIGNMENT 4096 /* what O_DIRECT asks for, at most */
#define DISCARD_PORT 9
#define ZEROS (1 << 20)

struct words {
    int n;
    const char *word[WORDS_MAX];
};

static void die(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t number(const struct words *words, int i)
{
    char *end = NULL;
    uint64_t value = i < words->n ? strtoull(words->word[i], &end, 10) : 0;
    if (!end || end == words->word[i] || *end) {
        fprintf(stderr, "load: %s: argument %d: expected a number\n", words->word[0], i);
        exit(2);
    }
    return value;
}

static const char *name(const struct words *words, int i)
{
    if (i < words->n)
        return words->word[i];
    fprintf(stderr, "load: %s: argument %d is missing\n", words->word[0], i);
    exit(2);
}

/* -- CPU time -------------------------------------------------------------------------------- */

static uint64_t clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t cpu_us(void)
{
    return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t wall_us(void)
{
    return clock_us(CLOCK_MONOTONIC);
}

static void pause_us(long us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

/* Some microseconds of user time without a system call. */
static void compute(unsigned rounds)
{
    volatile uint32_t x = 1;
    for (unsigned i = 0; i < rounds; i++)
        x = x * 1664525 + 1013904223;
}

/* The clock is a system call: it is asked about once a millisecond. */
static void burn_user(uint64_t until_us)
{
    while (cpu_us() < until_us)
        compute(300000);
}

static int open_zeros(void)
{
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        die("/dev/zero");
    return fd;
}

/* The kernel writes the zeros. */
static void burn_system(int fd, uint64_t until_us)
{
    static char zeros[ZEROS];
    while (cpu_us() < until_us)
        if (read(fd, zeros, sizeof zeros) != (ssize_t)sizeof zeros)
            die("/dev/zero");
}

/* cpu PERCENT SECONDS: of one CPU. Prints the CPU time and the time. */
static void do_cpu(const struct words *words)
{
    uint64_t percent = number(words, 1);
    uint64_t length = number(words, 2) * 1000000;
    uint64_t cpu = cpu_us();
    uint64_t start = wall_us();
    uint64_t elapsed;
    while ((elapsed = wall_us() - start) < length) {
        while (cpu_us() - cpu < elapsed * percent / 100)
            compute(10000);
        pause_us(5000);
    }
    printf("cpu %" PRIu64 " %" PRIu64 "\n", cpu_us() - cpu, wall_us() - start);
}

static uint64_t time_us(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

static uint64_t used_us(const struct rusage *usage)
{
    return time_us(&usage->ru_utime) + time_us(&usage->ru_stime);
}

/* split USER SYSTEM: milliseconds in user mode, then in the kernel. Prints both, and into what the
 * kernel divided them: it looks at each tick what a CPU does. */
static void do_split(const struct words *words)
{
    struct rusage before, after;
    int fd = open_zeros();
    getrusage(RUSAGE_SELF, &before);
    uint64_t start = cpu_us();
    burn_user(start + number(words, 1) * 1000);
    uint64_t middle = cpu_us();
    burn_system(fd, middle + number(words, 2) * 1000);
    uint64_t end = cpu_us();
    getrusage(RUSAGE_SELF, &after);
    close(fd);
    printf("split %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", middle - start, end - middle,
           time_us(&after.ru_utime) - time_us(&before.ru_utime),
           time_us(&after.ru_stime) - time_us(&before.ru_stime));
}

/* A child that executes the program anew, or one that is the same. */
static void be_child(uint64_t us, bool again)
{
    char milliseconds[24];
    snprintf(milliseconds, sizeof milliseconds, "%" PRIu64, us / 1000);
    if (again)
        execl("/proc/self/exe", "load", "burn", milliseconds, (char *)NULL);
    else
        burn_user(us);
    _exit(again);
}

/* What the children of do_children have used. */
struct used {
    uint64_t cpu, faults;
};

static void collect(pid_t pid, struct used *used)
{
    struct rusage usage;
    int status;
    if (wait4(pid, &status, 0, &usage) != pid || status != 0)
        die("child");
    used->cpu += used_us(&usage);
    used->faults += (uint64_t)usage.ru_minflt;
}

/* One after the other. later: the dead stay as zombies for two seconds. */
static void have_children(uint64_t count, uint64_t us, bool again, bool later, struct used *used)
{
    pid_t *pids = calloc((size_t)count, sizeof *pids);
    siginfo_t info;
    for (uint64_t i = 0; pids && i < count; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            be_child(us, again);
        if (pids[i] < 0 || waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOWAIT) != 0)
            die("child");
        if (!later)
            collect(pids[i], used);
    }
    if (later)
        pause_us(2000000);
    for (uint64_t i = 0; pids && later && i < count; i++)
        collect(pids[i], used);
    free(pids);
}

/* children NUMBER MILLISECONDS [exec or later]: each burning so much. Prints their number, their
 * CPU time, that of this process meanwhile, and the page faults of all together. */
static void do_children(const struct words *words)
{
    uint64_t count = number(words, 1);
    const char *how = words->n > 3 ? words->word[3] : "";
    struct used used = {.cpu = 0};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    have_children(count, number(words, 2) * 1000, strcmp(how, "exec") == 0,
                  strcmp(how, "later") == 0, &used);
    getrusage(RUSAGE_SELF, &after);
    used.faults += (uint64_t)(after.ru_minflt - before.ru_minflt);
    printf("children %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count, used.cpu,
           used_us(&after) - used_us(&before), used.faults);
}

/* burn MILLISECONDS: since the program began, so that its start is part of it. */
static void do_burn(const struct words *words)
{
    burn_user(number(words, 1) * 1000);
}

/* -- Memory, threads, files ------------------------------------------------------------------ */

static char *map(size_t size)
{
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("mmap");
    madvise(memory, size, MADV_NOHUGEPAGE); /* EINVAL: the kernel has none */
    return memory;
}

static void touch(char *memory, size_t size, size_t page)
{
    for (size_t at = 0; at < size; at += page)
        ((volatile char *)memory)[at] = 1;
}

/* Page faults: pages that were never there, a thousand at a time. */
static void fault(uint64_t count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (uint64_t left = count; left > 0;) {
        size_t now = left < 1000 ? (size_t)left : 1000;
        char *memory = map(now * page);
        touch(memory, now * page, page);
        munmap(memory, now * page);
        left -= now;
    }
}

static void do_faults(const struct words *words)
{
    fault(number(words, 1));
    printf("faults %" PRIu64 "\n", number(words, 1));
}

/* memory OCTETS: stays. */
static void do_memory(const struct words *words)
{
    size_t size = (size_t)number(words, 1);
    touch(map(size), size, (size_t)sysconf(_SC_PAGESIZE));
    printf("memory %zu\n", size);
}

static void *idle(void *unused)
{
    (void)unused;
    while (true)
        pause();
    return NULL;
}

/* threads NUMBER: besides the first; they stay. */
static void do_threads(const struct words *words)
{
    uint64_t count = number(words, 1);
    pthread_t thread;
    for (uint64_t i = 0; i < count; i++)
        if ((errno = pthread_create(&thread, NULL, idle, NULL)) != 0)
            die("thread");
    printf("threads %" PRIu64 "\n", count);
}

/* files NUMBER: they stay open. */
static void do_files(const struct words *words)
{
    uint64_t count = number(words, 1);
    for (uint64_t i = 0; i < count; i++)
        if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
            die("/dev/null");
    printf("files %" PRIu64 "\n", count);
}

/* -- Disks and networks ---------------------------------------------------------------------- */

static char *aligned(size_t size)
{
    void *memory;
    if ((errno = posix_memalign(&memory, ALIGNMENT, size)) != 0)
        die("memory");
    memset(memory, 0x5a, size);
    return memory;
}

static int open_direct(const char *path, int flags)
{
    int fd = open(path, flags | O_DIRECT | O_CLOEXEC, 0600);
    if (fd < 0)
        die(path);
    return fd;
}

/* write PATH NUMBER SIZE, read PATH NUMBER SIZE: past the page cache. */
static void do_disk(const struct words *words)
{
    bool writing = strcmp(words->word[0], "write") == 0;
    const char *path = name(words, 1);
    uint64_t count = number(words, 2);
    size_t size = (size_t)number(words, 3);
    char *buffer = aligned(size);
    int fd = open_direct(path, writing ? O_WRONLY | O_CREAT : O_RDONLY);
    for (uint64_t i = 0; i < count; i++) {
        ssize_t done = writing ? write(fd, buffer, size) : read(fd, buffer, size);
        if (done != (ssize_t)size)
            die(path);
    }
    close(fd);
    free(buffer);
    printf("%s %" PRIu64 " %" PRIu64 "\n", words->word[0], count, count * size);
}

/* Where the address is one of this machine, somebody must be there, or each datagram is answered
 * by an ICMP message that nobody counts. */
static int connect_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(DISCARD_PORT)};
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t length = sizeof here;
    int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (inet_pton(AF_INET, address, &to.sin_addr) != 1 || receiver < 0 || sender < 0)
        die(address);
    here.sin_addr = to.sin_addr;
    if (bind(receiver, (struct sockaddr *)&here, sizeof here) == 0 &&
        getsockname(receiver, (struct sockaddr *)&here, &length) == 0)
        to.sin_port = here.sin_port; /* it stays open */
    else
        close(receiver);
    if (connect(sender, (struct sockaddr *)&to, sizeof to) != 0)
        die(address);
    return sender;
}

/* send ADDRESS NUMBER SIZE: UDP datagrams of that many octets of data. */
static void do_send(const struct words *words)
{
    static const char data[65507];
    uint64_t count = number(words, 2);
    size_t size = (size_t)number(words, 3);
    int sender = connect_to(name(words, 1));
    for (uint64_t i = 0; i < count; i++)
        if (size > sizeof data || send(sender, data, size, 0) != (ssize_t)size)
            die(words->word[1]);
    close(sender);
    printf("send %" PRIu64 " %zu\n", count, size);
}

static void send_some(int sender, int count)
{
    static const char data[1000];
    for (int i = 0; i < count; i++)
        if (send(sender, data, sizeof data, 0) < 0)
            die("send");
}

/* mix SECONDS PATH ADDRESS ADDRESS: a bit of all, 50 times a second. */
static void do_mix(const struct words *words)
{
    uint64_t end = wall_us() + number(words, 1) * 1000000;
    int fd = open_direct(name(words, 2), O_RDWR);
    int sender = connect_to(name(words, 3));
    int other = connect_to(name(words, 4));
    int zeros = open_zeros();
    char *buffer = aligned(1 << 16);
    while (wall_us() < end) {
        burn_user(cpu_us() + 4000);
        burn_system(zeros, cpu_us() + 2000);
        fault(50);
        send_some(sender, 20);
        send_some(other, 10);
        if (pread(fd, buffer, 1 << 16, 0) < 0 || pwrite(fd, buffer, 1 << 16, 0) < 0)
            die(words->word[2]);
        pause_us(12000);
    }
    close(fd);
    close(sender);
    close(other);
    close(zeros);
    free(buffer);
    printf("mix\n");
}

/* -- Commands -------------------------------------------------------------------------------- */

static const struct command {
    const char *name;
    void (*run)(const struct words *words);
} commands[] = {
    {"burn", do_burn},   {"children", do_children}, {"cpu", do_cpu},         {"faults", do_faults},
    {"files", do_files}, {"memory", do_memory},     {"mix", do_mix},         {"read", do_disk},
    {"send", do_send},   {"split", do_split},       {"threads", do_threads}, {"write", do_disk},
};

static void run(const struct words *words)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (words->n > 0 && strcmp(words->word[0], commands[i].name) == 0) {
            commands[i].run(words);
            fflush(stdout);
            return;
        }
    fprintf(stderr, "load: no such command\n");
    exit(2);
}

int main(int argc, char **argv)
{
    char line[512];
    struct words words = {.n = 0};
    for (int i = 1; i < argc && words.n < WORDS_MAX; i++)
        words.word[words.n++] = argv[i];
    if (argc > 1) {
        run(&words);
        return 0;
    }
    while (fgets(line, sizeof line, stdin)) {
        words.n = 0;
        for (char *word = strtok(line, " \n"); word && words.n < WORDS_MAX;
             word = strtok(NULL, " \n"))
            words.word[words.n++] = word;
        run(&words);
    }
    return 0;
}

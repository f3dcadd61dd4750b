#include <errno.h>
#include <string.h>

#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

enum { SNMP, NETSTAT, SOCKSTAT, SNMP6, SOCKSTAT6, PROTOCOL_FILES };

static const char *const paths[PROTOCOL_FILES] = {"/proc/net/snmp", "/proc/net/netstat",
                                                  "/proc/net/sockstat", "/proc/net/snmp6",
                                                  "/proc/net/sockstat6"};

/* What is wanted from the lines that begin with a prefix. */
struct group {
    const char *prefix;
    const struct scan_key *keys;
    size_t n;
};

#define GROUP(prefix_, keys_)                                                                      \
    {                                                                                              \
        (prefix_), (keys_), SCAN_KEYS(keys_)                                                       \
    }

static const struct scan_key ip_keys[] = {
    SCAN_KEY("ForwDatagrams", IP_FORWARDED),  SCAN_KEY("InReceives", IP_PACKETS_IN),
    SCAN_KEY("InDiscards", IP_DISCARDS_IN),   SCAN_KEY("OutRequests", IP_PACKETS_OUT),
    SCAN_KEY("OutDiscards", IP_DISCARDS_OUT), SCAN_KEY("OutNoRoutes", IP_NO_ROUTES),
};

static const struct scan_key tcp_keys[] = {
    SCAN_KEY("ActiveOpens", TCP_OPENS_ACTIVE),
    SCAN_KEY("PassiveOpens", TCP_OPENS_PASSIVE),
    SCAN_KEY("AttemptFails", TCP_OPENS_FAILED),
    SCAN_KEY("EstabResets", TCP_RESETS),
    SCAN_KEY("CurrEstab", TCP_ESTABLISHED),
    SCAN_KEY("InSegs", TCP_SEGMENTS_IN),
    SCAN_KEY("OutSegs", TCP_SEGMENTS_OUT),
    SCAN_KEY("RetransSegs", TCP_RETRANSMITS),
    SCAN_KEY("InErrs", TCP_ERRORS),
    SCAN_KEY("OutRsts", TCP_RESETS_SENT),
};

static const struct scan_key udp_keys[] = {
    SCAN_KEY("InDatagrams", UDP_DATAGRAMS_IN),
    SCAN_KEY("NoPorts", UDP_NO_PORTS),
    SCAN_KEY("InErrors", UDP_ERRORS),
    SCAN_KEY("OutDatagrams", UDP_DATAGRAMS_OUT),
    SCAN_KEY("RcvbufErrors", UDP_RECEIVE_BUFFER_ERRORS),
    SCAN_KEY("SndbufErrors", UDP_SEND_BUFFER_ERRORS),
};

static const struct scan_key tcp_ext_keys[] = {
    SCAN_KEY("ListenOverflows", TCP_LISTEN_OVERFLOWS),
    SCAN_KEY("ListenDrops", TCP_LISTEN_DROPS),
    SCAN_KEY("TCPTimeouts", TCP_TIMEOUTS),
};

static const struct scan_key tcp_socket_keys[] = {
    SCAN_KEY("inuse", TCP_SOCKETS),
    SCAN_KEY("orphan", TCP_ORPHANS),
    SCAN_KEY("tw", TCP_TIME_WAIT),
};

static const struct scan_key udp_socket_keys[] = {SCAN_KEY("inuse", UDP_SOCKETS)};
static const struct scan_key tcp6_socket_keys[] = {SCAN_KEY("inuse", TCP_SOCKETS)};

/* The words are those that net/ipv4/proc.c and net/ipv6/proc.c print. */
static const struct group snmp_groups[] = {GROUP("Ip:", ip_keys), GROUP("Tcp:", tcp_keys),
                                           GROUP("Udp:", udp_keys)};
static const struct group netstat_groups[] = {GROUP("TcpExt:", tcp_ext_keys)};
static const struct group sockstat_groups[] = {GROUP("TCP:", tcp_socket_keys),
                                               GROUP("UDP:", udp_socket_keys)};
static const struct group sockstat6_groups[] = {GROUP("TCP6:", tcp6_socket_keys),
                                                GROUP("UDP6:", udp_socket_keys)};

static const struct scan_key snmp6_keys[] = {
    SCAN_KEY("Ip6InReceives", IP_PACKETS_IN),
    SCAN_KEY("Ip6InDiscards", IP_DISCARDS_IN),
    SCAN_KEY("Ip6OutForwDatagrams", IP_FORWARDED),
    SCAN_KEY("Ip6OutRequests", IP_PACKETS_OUT),
    SCAN_KEY("Ip6OutDiscards", IP_DISCARDS_OUT),
    SCAN_KEY("Ip6OutNoRoutes", IP_NO_ROUTES),
    SCAN_KEY("Udp6InDatagrams", UDP_DATAGRAMS_IN),
    SCAN_KEY("Udp6NoPorts", UDP_NO_PORTS),
    SCAN_KEY("Udp6InErrors", UDP_ERRORS),
    SCAN_KEY("Udp6OutDatagrams", UDP_DATAGRAMS_OUT),
    SCAN_KEY("Udp6RcvbufErrors", UDP_RECEIVE_BUFFER_ERRORS),
    SCAN_KEY("Udp6SndbufErrors", UDP_SEND_BUFFER_ERRORS),
};
static const struct group snmp6_groups[] = {GROUP("", snmp6_keys)};

/* What the files have given. */
struct counts {
    uint32_t valid;
    uint64_t field[PROTOCOL_FIELDS];
};

/* How a file is scanned, and what is wanted from it. */
struct content {
    void (*scan)(const struct procfile *file, const struct content *content, uint32_t wanted,
                 struct counts *counts);
    const struct group *groups;
    size_t n;
};

static uint32_t fields_of(const struct content *content)
{
    uint32_t fields = 0;
    for (size_t i = 0; i < content->n; i++)
        fields |= scan_keys_fields(content->groups[i].keys, content->groups[i].n);
    return fields;
}

static const struct group *find_group(const struct content *content, const char *begin)
{
    for (size_t i = 0; i < content->n; i++)
        if (strncmp(begin, content->groups[i].prefix, strlen(content->groups[i].prefix)) == 0)
            return &content->groups[i];
    return NULL;
}

static void take_count(const struct group *group, const char *name, size_t len, const char *p,
                       struct counts *counts)
{
    const struct scan_key *key = scan_key_find(group->keys, group->n, name, len);
    uint64_t number;
    if (!key || counts->valid >> key->field & 1 || !scan_digits(&p, &number) || p != scan_word(p))
        return;
    counts->field[key->field] = number;
    counts->valid |= 1u << key->field;
}

/* The names are in one line, "Tcp: InSegs OutSegs", and the numbers in the next, "Tcp: 3356 2590":
 * kernels differ in which columns they have, and where. TcpExt has more than a hundred columns;
 * those behind the last wanted one are not scanned. */
static void scan_pair(const struct group *group, const char *names, const char *numbers,
                      uint32_t wanted, struct counts *counts)
{
    wanted &= scan_keys_fields(group->keys, group->n);
    const char *p = scan_blanks(names + strlen(group->prefix));
    const char *q = scan_blanks(numbers + strlen(group->prefix));
    while (*p != '\n' && *q != '\n' && wanted & ~counts->valid) {
        const char *end = scan_word(p);
        take_count(group, p, (size_t)(end - p), q, counts);
        p = scan_blanks(end);
        q = scan_blanks(scan_word(q));
    }
}

static void scan_pairs(const struct procfile *file, const struct content *content, uint32_t wanted,
                       struct counts *counts)
{
    struct line names;
    struct line numbers;
    for (bool more = line_first(file, &names); more; more = line_next(file, &names)) {
        const struct group *group = find_group(content, names.begin);
        numbers = names;
        if (!group || !line_next(file, &numbers) ||
            strncmp(numbers.begin, group->prefix, strlen(group->prefix)) != 0)
            continue;
        scan_pair(group, names.begin, numbers.begin, wanted, counts);
        names = numbers;
    }
}

/* Scans lines such as "TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 221". */
static void scan_sockets(const struct procfile *file, const struct content *content,
                         uint32_t wanted, struct counts *counts)
{
    (void)wanted;
    struct line line;
    for (bool more = line_first(file, &line); more; more = line_next(file, &line)) {
        const struct group *group = find_group(content, line.begin);
        if (!group)
            continue;
        const char *p = scan_blanks(line.begin + strlen(group->prefix));
        while (*p != '\n') {
            const char *end = scan_word(p);
            const char *number = scan_blanks(end);
            take_count(group, p, (size_t)(end - p), number, counts);
            p = scan_blanks(scan_word(number));
        }
    }
}

/* Scans lines such as "Ip6InReceives 1000", one for each counter. */
static void scan_lines(const struct procfile *file, const struct content *content, uint32_t wanted,
                       struct counts *counts)
{
    (void)wanted;
    counts->valid |=
        scan_keyed_file(file, content->groups->keys, content->groups->n, counts->field);
}

#define CONTENT(scan_, groups_)                                                                    \
    {                                                                                              \
        (scan_), (groups_), SCAN_KEYS(groups_)                                                     \
    }

static const struct content contents[PROTOCOL_FILES] = {
    [SNMP] = CONTENT(scan_pairs, snmp_groups),
    [NETSTAT] = CONTENT(scan_pairs, netstat_groups),
    [SOCKSTAT] = CONTENT(scan_sockets, sockstat_groups),
    [SNMP6] = CONTENT(scan_lines, snmp6_groups),
    [SOCKSTAT6] = CONTENT(scan_sockets, sockstat6_groups),
};

/* Adds the counts of IPv6 to those of IPv4. A kernel without IPv6 does not have the file; if the
 * file is there but cannot be read, the sums are not known. The counters of UDP are unsigned long,
 * and their sum wraps as they do. */
static void add_counts(struct counts *counts, const struct counts *more, uint32_t all, int error)
{
    if (error > 0 && error != ENOENT)
        counts->valid &= ~all;
    for (unsigned i = 0; !error && i < PROTOCOL_FIELDS; i++)
        if ((counts->valid & more->valid) >> i & 1) {
            uint64_t sum = counts->field[i] + more->field[i];
            counts->field[i] = i < IP_PACKETS_IN ? (unsigned long)sum : sum;
        }
}

int protocol_open(struct source *source)
{
    return files_open(source, paths, PROTOCOL_FILES);
}

/* Counting the sockets in each state of TCP would need a look at every socket; the counters and
 * sockstat have the states that matter: established, time-wait, orphaned. */
int protocol_read(struct source *source, uint64_t now_ns)
{
    (void)now_ns;
    const struct procfile *file = ((struct files *)source->own)->file;
    struct counts counts = {0};
    uint32_t has[PROTOCOL_FILES];
    int error[PROTOCOL_FILES];
    for (unsigned i = 0; i < PROTOCOL_FILES; i++)
        has[i] = fields_of(&contents[i]);
    int unreadable = files_read(source, has, error);
    if (unreadable)
        return unreadable;
    for (unsigned i = SNMP; i <= SOCKSTAT; i++)
        if (!error[i])
            contents[i].scan(&file[i], &contents[i], source->fields, &counts);
    for (unsigned i = SNMP6; i <= SOCKSTAT6; i++) {
        struct counts six = {0};
        if (!error[i])
            contents[i].scan(&file[i], &contents[i], source->fields, &six);
        add_counts(&counts, &six, has[i], error[i]);
    }
    source_fill_node(source, METRIC_NODE_INSTANCE, counts.valid, counts.field, PROTOCOL_FIELDS);
    return 0;
}

/* All children of a large collector become known at once: its pollers and its receiver are told of
 * each, once, and what waits for them takes little memory meanwhile. The program starts itself as
 * its own pollers and receiver, as the daemon does. */
#include "daemon/polling.h"

#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collect/pollers.h"

#include "polled.h"

#define CHILDREN 100000
#define QUIET_MS 50
#define QUIET_MOST 2400

/* Portions of 25 pollers and the receiver, as queues have them and while they are made, and a text
 * for each child; all at once, there were 49 MB of messages to the pollers alone. */
#define MEMORY_MOST (10u << 20)

/* -- The other processes ---------------------------------------------------------------------- */

#define PUT(packet, used, message)                                                                 \
    if (!message_put(packet, &(used), &(message).head))                                            \
    _exit(7)

/* A poller says of each child that it is told of that it is silent. */
static void say_silent(void *packet, size_t *used, const struct message_child *child)
{
    struct message_silent silent = {.head = {.kind = MESSAGE_SILENT, .length = sizeof silent},
                                    .id = child->id,
                                    .failure = POLL_TIMEOUT,
                                    .in_a_row = 1};
    PUT(packet, *used, silent);
}

/* The receiver says of how many it knows that they may push, as packets of nobody; and how often it
 * was told of one that it knew, as packets that were refused. */
static void say_senders(void *packet, size_t *used, const struct message *message)
{
    static uint8_t known[2 * CHILDREN];
    struct message_dropped dropped = {.head = {.kind = MESSAGE_DROPPED, .length = sizeof dropped}};
    uint32_t id = ((const struct message_sender *)(const void *)message)->id;
    if (id >= sizeof known)
        _exit(6);
    dropped.refused = known[id];
    dropped.unknown = !known[id];
    known[id] = 1;
    PUT(packet, *used, dropped);
}

/* Of each packet, what there is to say of its messages, in one. */
static int say_what_is_told(bool receives)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8], answer[MESSAGE_PACKET_MAX / 8];
    ssize_t n;
    while ((n = recv(3, packet, sizeof packet, 0)) > 0) {
        const struct message *message;
        size_t at = 0, used = 0;
        while ((message = message_next(packet, (size_t)n, &at))) {
            if (receives && message->kind == MESSAGE_SENDER)
                say_senders(answer, &used, message);
            else if (!receives && message->kind == MESSAGE_CHILD)
                say_silent(answer, &used, (const struct message_child *)(const void *)message);
            else if (message->kind != MESSAGE_CREDENTIAL)
                _exit(5);
        }
        if (used > 0 && send(3, answer, used, 0) != (ssize_t)used)
            _exit(4);
    }
    return 0;
}

/* -- The collector ---------------------------------------------------------------------------- */

struct collector {
    struct polled *polled;
    struct polling polling;
    pthread_mutex_t lock;
};

/* What the heap has had at most: nothing of it goes back, see main. 0: something else is in the
 * place of malloc(3), valgrind or a sanitizer. */
static size_t heap_most(void)
{
    return mallinfo2().arena;
}

static void add_rows(struct polled *polled, unsigned from, unsigned to)
{
    char name[NAME_SIZE];
    for (unsigned i = from; i < to; i++) {
        snprintf(name, sizeof name, "node%06u", i);
        polled_row(polled, name);
    }
}

static struct collector *collector_begin(void)
{
    struct collector *collector = calloc(1, sizeof *collector);
    assert_non_null(collector);
    struct polled *polled = collector->polled = polled_new();
    pthread_mutex_init(&collector->lock, NULL);
    snprintf(polled->config->collect.listen, sizeof polled->config->collect.listen, "here");
    assert_int_equal(polling_begin(&collector->polling, &polled->children, &collector->lock,
                                   polled->config, NULL),
                     0);
    return collector;
}

static void collector_end(struct collector *collector)
{
    polling_end(&collector->polling);
    polled_free(collector->polled);
    pthread_mutex_destroy(&collector->lock);
    free(collector);
}

/* Steps as the loop of the daemon does, when something comes or is due. True: for a moment, nothing
 * was. */
static bool collector_step(struct collector *collector)
{
    struct polled *polled = collector->polled;
    struct pollfd fd = {.fd = polling_fd(&collector->polling), .events = POLLIN};
    uint64_t due = polling_step(&collector->polling, polled->config, polled->now);
    return due > polled->now.mono_ns && poll(&fd, 1, QUIET_MS) == 0;
}

static size_t count_told(const struct collector *collector)
{
    size_t n = 0;
    for (struct index_node *node = index_first(&collector->polled->children.index); node;
         node = index_next(node))
        n += ((const struct child *)node)->contact.missed == 1;
    return n;
}

/* Until the receiver and the pollers have been told of so many, of each once. */
static void wait_told(struct collector *collector, size_t n)
{
    const struct child_pushes *pushes = &collector->polled->children.pushes;
    bool done = false;
    for (int quiet = 0; quiet < QUIET_MOST && !done;)
        if (collector_step(collector)) {
            quiet++;
            done = pushes->unknown >= n && count_told(collector) == n;
        }
    assert_int_equal(count_told(collector), n);
    assert_int_equal(pushes->unknown, n);
    assert_int_equal(pushes->refused, 0);
}

/* -- Tests ------------------------------------------------------------------------------------ */

/* While the receiver runs, and no poller: those begin, and are told all that they have. */
static void all_at_once(void **state)
{
    (void)state;
    struct collector *collector = collector_begin();
    while (!collector_step(collector))
        ;
    add_rows(collector->polled, 0, CHILDREN);
    polled_sync(collector->polled);
    size_t before = heap_most();
    wait_told(collector, CHILDREN);
    print_message("while all are told: %zu octets more of the heap\n", heap_most() - before);
    assert_in_range(heap_most() - before, before ? 1 : 0, MEMORY_MOST);
    collector_end(collector);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0)
        return say_what_is_told(strcmp(argv[1], "--receiver") == 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

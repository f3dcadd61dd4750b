/* Memory that fails wherever a director asks for it: shares, documents, nodes and plans are as they
 * were, or are made at the next occasion. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "director/direct.h"
#include "documents.h"
#include "scarce.h"

#include "unit.h"

#define NOW (1000 * NS_PER_S)

/* What a director asks its nodes is of no interest here. */
void __wrap_node_run(struct node *node, uint64_t now);

void __wrap_node_run(struct node *node, uint64_t now)
{
    node->now = now;
}

static char secrets[] = "/tmp/dcamp-memory.XXXXXX";

static int make_secrets(void **state)
{
    int fd = mkstemp(secrets);
    if (fd < 0 || dprintf(fd, "auth maplesyrup\npriv maplesyrup\n") < 0 || close(fd) != 0)
        return 1;
    session_start_library();
    return set_schema_dir(state);
}

static int remove_secrets(void **state)
{
    (void)state;
    return unlink(secrets);
}

struct world {
    struct director director;
    int core;
};

static void open_world(struct world *world)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
    world->core = fds[0];
    direct_open(&world->director, fds[1], -1);
}

static void close_world(struct world *world)
{
    close(world->core);
    close(world->director.outbox.fd);
    direct_close(&world->director);
}

static bool tell_document(struct world *world, uint32_t epoch)
{
    static union {
        struct tree_message_document message;
        char room[8192];
    } told;
    memset(&told, 0, sizeof told);
    struct tree_message_document *message = &told.message;
    size_t len = (size_t)snprintf(message->text, sizeof told - sizeof *message,
                                  "<tree version=\"1\"><access secrets=\"%s\"/>"
                                  "<candidates><candidate node=\"a\"/></candidates><nodes>"
                                  "<node name=\"a\" address=\"udp:192.0.2.1:161\"/>"
                                  "<node name=\"b\" address=\"udp:192.0.2.2:161\"/>"
                                  "<node name=\"c\" address=\"udp:192.0.2.3:161\"/>"
                                  "<range network=\"198.51.100.0/30\"/></nodes></tree>",
                                  secrets);
    message->head = (struct message){TREE_MESSAGE_DOCUMENT, (uint32_t)(sizeof *message + len)};
    strcpy(message->self, "a");
    strcpy(message->root, "a");
    message->term = 1;
    message->epoch = epoch;
    message->digest[0] = (uint8_t)epoch;
    message->length = message->n = (uint32_t)len;
    return direct_take(&world->director, &message->head, NOW);
}

/* All nodes answer once. */
static void answer(struct world *world, uint64_t now)
{
    struct director *director = &world->director;
    struct node *node;
    uint8_t engine = 1;
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        struct target_look look = {.boot = 1};
        strcpy(look.name, node->member.name);
        memcpy(node->member.engine_id, "\x80\x00\x00\x00\x01", 5);
        node->member.engine_id[5] = engine++;
        node->member.engine_len = 6;
        target_stop(&node->target);
        target_looked(&node->target, &look, NS_PER_MS, now);
        director->roster.nodes.told(director, node, NODE_MET, now);
        director->roster.nodes.told(director, node, NODE_LOOKED, now);
    }
}

static size_t shares(const struct world *world)
{
    const struct node *node;
    size_t n = 0;
    TAILQ_FOREACH(node, &world->director.roster.all, all)
    n += node->share.packed != NULL && node->target.wanted[TARGET_SHARE].is_wanted;
    return n;
}

static void run(struct world *world, uint64_t *now, uint64_t span)
{
    for (uint64_t end = *now + span; *now < end; *now += 100 * NS_PER_MS) {
        direct_tick(&world->director, *now);
        direct_step(&world->director, *now);
        outbox_hurry(&world->director.outbox);
        outbox_flush(&world->director.outbox, *now);
        uint8_t packet[MESSAGE_PACKET_MAX];
        while (recv(world->core, packet, sizeof packet, MSG_DONTWAIT) > 0)
            ;
    }
}

/* Wherever it fails while the document is told: either the director ends, and begins anew, or it
 * does what it can, and all of it when it is told again. */
static void a_document(void **state)
{
    (void)state;
    static struct world world;
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        uint64_t now = NOW;
        open_world(&world);
        scarce_fail(nth);
        bool taken = tell_document(&world, 1);
        failed = scarce_stop();
        if (taken)
            run(&world, &now, NS_PER_S);
        assert_true(tell_document(&world, 2));
        now += NS_PER_S;
        assert_int_equal(world.director.roster.n, 3);
        answer(&world, now);
        run(&world, &now, 6 * NS_PER_S);
        assert_int_equal(shares(&world), 3);
        close_world(&world);
        assert_true(nth < 5000);
    }
}

/* Wherever it fails while a plan is made: it is made again. */
static void a_plan(void **state)
{
    (void)state;
    static struct world world;
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        uint64_t now = NOW;
        open_world(&world);
        assert_true(tell_document(&world, 1));
        run(&world, &now, NS_PER_S / 2);
        answer(&world, now);
        scarce_fail(nth);
        run(&world, &now, NS_PER_S / 2);
        failed = scarce_stop();
        run(&world, &now, 25 * NS_PER_S);
        if (!world.director.outbox.lost)
            assert_int_equal(shares(&world), 3);
        close_world(&world);
        assert_true(nth < 5000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document),
        cmocka_unit_test(a_plan),
    };
    return cmocka_run_group_tests(tests, make_secrets, remove_secrets);
}

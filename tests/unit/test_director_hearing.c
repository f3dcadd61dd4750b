/* Where nodes announce themselves: what is believed of packets that anybody may send. */
#include <arpa/inet.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dcamp_mib.h"
#include "director/direct.h"
#include "director/hearing.h"

#include "documents.h"
#include "engines.h"
#include "unit.h"

#define NOW (1000 * NS_PER_S)

struct scene {
    struct director director;
    int core, epoll;
    struct engine_peer engine;
    char said[4096]; /* by the director, a line each */
    uint64_t now;
};

/* -- The director ---------------------------------------------------------------------------- */

static int free_port(void)
{
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof self;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&self, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&self, &len), 0);
    close(fd);
    return ntohs(self.sin_port);
}

static struct tree_config *tree_of(const char *listen, const char *networks, const char *more)
{
    static char text[4096];
    char error[CONFIG_ERROR_SIZE];
    snprintf(text, sizeof text,
             TREE_OF(TREE_NODE, "<announcements listen=\"%s\" networks=\"%s\"/>%s"), listen,
             networks, more);
    struct tree_config *tree = load_tree(text, error);
    if (!tree)
        fail_msg("%s", error);
    return tree;
}

static void set_user(struct director *director, const char *name, const char *auth,
                     const char *priv)
{
    struct usm_credential told = {.user = ENGINE_USER, .auth = AUTH_SHA256, .priv = PRIV_AES128};
    strcpy(told.name, name);
    strcpy(told.auth_secret, auth);
    strcpy(told.priv_secret, priv);
    assert_non_null(keys_set(&director->credentials, &told));
}

/* Where it listens, the engine sends to. */
static void set_tree(struct scene *scene, const char *networks, const char *more)
{
    char listen[64];
    int port = free_port();
    snprintf(listen, sizeof listen, "udp:127.0.0.1:%d", port);
    tree_config_free(scene->director.tree);
    scene->director.tree = tree_of(listen, networks, more);
    scene->engine.from = (struct sockaddr_in){.sin_family = AF_INET,
                                              .sin_port = htons((uint16_t)port),
                                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(hearing_step(&scene->director, scene->now), UINT64_MAX);
    assert_true(scene->director.hearing.is_open);
}

static int begin(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    int fds[2];
    assert_non_null(scene);
    session_start_library();
    scene->now = NOW;
    scene->epoll = epoll_create1(EPOLL_CLOEXEC);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
    scene->core = fds[0];
    direct_open(&scene->director, fds[1], scene->epoll);
    set_user(&scene->director, "poll", ENGINE_AUTH, ENGINE_PRIV);
    engine_begin(&scene->engine);
    scene->engine.user = ENGINE_USER;
    set_tree(scene, "127.0.0.0/8", "");
    *state = scene;
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    int fd = scene->director.outbox.fd;
    engine_end(&scene->engine);
    direct_close(&scene->director);
    close(fd);
    close(scene->core);
    close(scene->epoll);
    free(scene);
    session_stop_library();
    return 0;
}

static const char *said(struct scene *scene)
{
    static _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
    const struct message *message;
    ssize_t n;
    size_t used = 0;
    outbox_hurry(&scene->director.outbox);
    assert_true(outbox_flush(&scene->director.outbox, scene->now));
    scene->said[0] = '\0';
    while ((n = recv(scene->core, packet, sizeof packet, MSG_DONTWAIT)) > 0)
        for (size_t at = 0; (message = tree_message_next(packet, (size_t)n, &at));)
            if (message->kind == TREE_MESSAGE_LOG)
                used += (size_t)snprintf(
                    scene->said + used, sizeof scene->said - used, "%s\n",
                    ((const struct tree_message_log *)(const void *)message)->text);
    return scene->said;
}

static void hears(struct scene *scene)
{
    hearing_read(&scene->director, scene->now);
}

static const struct announced_place *heard(struct scene *scene)
{
    return announced_next(&scene->director.announced, scene->now);
}

static void assert_dropped(struct scene *scene, const char *why)
{
    uint64_t dropped = scene->director.hearing.dropped;
    hears(scene);
    assert_int_equal(scene->director.hearing.dropped, dropped + 1);
    assert_null(heard(scene));
    if (!strstr(said(scene), why))
        fail_msg("said: %s", scene->said);
    scene->now += 61 * NS_PER_S; /* each is told of */
}

/* -- Announcements --------------------------------------------------------------------------- */

static size_t oid_of(enum mib_object object, oid name[MAX_OID_LEN])
{
    const struct mib_info *info = &mib_objects[object];
    for (size_t i = 0; i < info->oid_len; i++)
        name[i] = info->oid[i];
    return info->oid_len;
}

static void put_name(struct codec_out *out, enum mib_object object, size_t from)
{
    oid name[MAX_OID_LEN];
    size_t len = oid_of(object, name);
    name[len++] = 0;
    codec_put_oid(out, name, len);
    codec_wrap(out, CODEC_SEQUENCE, from);
}

static void put_text(struct codec_out *out, enum mib_object object, const char *text)
{
    size_t from = out->used;
    codec_put_octets(out, (const uint8_t *)text, strlen(text));
    put_name(out, object, from);
}

/* From the last binding to the first one. */
static void put_announcement(struct codec_out *out, const char *group, unsigned port)
{
    static const oid up_time[] = {1, 3, 6, 1, 2, 1, 1, 3, 0},
                     trap_oid[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    oid name[MAX_OID_LEN];
    size_t from = out->used;
    codec_put_unsigned(out, ASN_UNSIGNED, port);
    put_name(out, MIB_dcampNodeAnnouncePort, from);
    put_text(out, MIB_dcampNodeGroup, group);
    put_text(out, MIB_dcampNodeName, "web1");
    from = out->used;
    codec_put_oid(out, name, oid_of(MIB_dcampNodeAnnounced, name));
    codec_put_oid(out, trap_oid, OID_LENGTH(trap_oid));
    codec_wrap(out, CODEC_SEQUENCE, from);
    from = out->used;
    codec_put_unsigned(out, ASN_TIMETICKS, 5);
    codec_put_oid(out, up_time, OID_LENGTH(up_time));
    codec_wrap(out, CODEC_SEQUENCE, from);
}

static void announce(struct scene *scene, const char *group, unsigned port, uint8_t level)
{
    uint8_t octets[2048];
    struct codec_out out = {.bytes = octets, .size = sizeof octets};
    put_announcement(&out, group, port);
    engine_notifies(&scene->engine, &out, level);
}

static void one_is_heard(void **state)
{
    struct scene *scene = *state;
    announce(scene, "web", 1161, LEVEL_PRIV);
    hears(scene);
    const struct announced_place *place = heard(scene);
    assert_non_null(place);
    assert_string_equal(place->address, "udp:127.0.0.1:1161");
    assert_string_equal(place->group, "web");
    assert_int_equal(scene->director.hearing.dropped, 0);
    /* The default group is no wish. */
    announce(scene, "default", 1162, LEVEL_PRIV);
    hears(scene);
    place = heard(scene);
    assert_string_equal(place->address, "udp:127.0.0.1:1162");
    assert_string_equal(place->group, "");
}

/* A copy of one makes the root ask once more, where the copy comes from. */
static void a_replay(void **state)
{
    struct scene *scene = *state;
    for (int i = 0; i < 15; i++)
        announce(scene, "", 161, LEVEL_PRIV);
    hears(scene);
    assert_non_null(heard(scene));
    assert_null(heard(scene));
    assert_int_equal(scene->director.announced.n, 1);
}

/* One of the list is known, and one that was lost is asked at once. */
static void one_that_is_known(void **state)
{
    struct scene *scene = *state;
    struct node *node = roster_add(&scene->director.roster, "udp:127.0.0.1:161");
    assert_non_null(node);
    scene->director.roster.rules.missed = 3;
    node->member.is_listed = true;
    announce(scene, "", 161, LEVEL_PRIV);
    hears(scene);
    assert_null(heard(scene));
    assert_false(node->is_hurried);
    node->target.looked = node->target.met = true;
    node->target.failures = 3;
    announce(scene, "", 161, LEVEL_PRIV);
    hears(scene);
    assert_null(heard(scene));
    assert_true(node->is_hurried && scene->director.hurried);
    assert_int_equal(scene->director.hearing.dropped, 0);
}

/* -- What is not believed -------------------------------------------------------------------- */

static void other_keys(void **state)
{
    struct scene *scene = *state;
    set_user(&scene->director, "poll", "the digest of a site", "the secret of a site");
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "it is not authentic, or not encrypted by the user that polls");
    /* While keys are changed, there are two. */
    set_user(&scene->director, "next poll", ENGINE_AUTH, ENGINE_PRIV);
    announce(scene, "", 161, LEVEL_PRIV);
    hears(scene);
    assert_non_null(heard(scene));
}

static void no_keys(void **state)
{
    struct scene *scene = *state;
    keys_free(&scene->director.credentials);
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "it is not authentic");
}

static void other_levels_and_users(void **state)
{
    struct scene *scene = *state;
    announce(scene, "", 161, LEVEL_AUTH);
    assert_dropped(scene, "it is not authentic, or not encrypted");
    announce(scene, "", 161, LEVEL_NONE);
    assert_dropped(scene, "it is not authentic, or not encrypted");
    scene->engine.user = "somebody";
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "it is not authentic, or not encrypted by the user that polls");
}

/* An engine whose keys would be good, and which says that it is another one. */
static void another_engine(void **state)
{
    struct scene *scene = *state;
    scene->engine.id[7] ^= 1;
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "it is not authentic");
    scene->engine.id_len = 4;
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "it is no SNMPv3 message");
    scene->engine.id_len = 33;
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "it is no SNMPv3 message");
}

static void other_notifications(void **state)
{
    struct scene *scene = *state;
    engine_says(&scene->engine, SNMP_MSG_TRAP2, LEVEL_PRIV);
    assert_dropped(scene, "not an announcement");
    engine_says(&scene->engine, SNMP_MSG_GET, LEVEL_PRIV);
    assert_dropped(scene, "not an announcement");
    announce(scene, "", 0, LEVEL_PRIV);
    assert_dropped(scene, "not the number of a port");
    announce(scene, "a b", 161, LEVEL_PRIV);
    assert_dropped(scene, "not a value that a node has");
}

static void other_networks(void **state)
{
    struct scene *scene = *state;
    set_tree(scene, "10.0.0.0/8 2001:db8::/32", "");
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "it is in none of the networks that <announcements> has");
    set_tree(scene, "10.0.0.0/8 127.0.0.1/32", "");
    announce(scene, "", 161, LEVEL_PRIV);
    hears(scene);
    assert_non_null(heard(scene));
}

static void revoked_keys(void **state)
{
    struct scene *scene = *state;
    set_tree(scene, "127.0.0.0/8",
             "<revoked><keys engine=\"80001f88046f6e65\" node=\"web1\"/></revoked>");
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "its keys are revoked by the tree document");
}

static void send_octets(struct scene *scene, const void *octets, size_t len)
{
    assert_int_equal(sendto(scene->engine.fd, octets, len, 0,
                            (struct sockaddr *)&scene->engine.from, sizeof scene->engine.from),
                     len);
}

/* Whatever somebody sends, and whatever becomes of a good one on its way. */
static void garbage(void **state)
{
    struct scene *scene = *state;
    static uint8_t large[60000];
    uint8_t good[2048];
    send_octets(scene, "x", 1);
    assert_dropped(scene, "it is no SNMPv3 message");
    send_octets(scene, large, sizeof large);
    assert_dropped(scene, "it is no SNMPv3 message");
    /* What the engine sends comes here first. */
    struct sockaddr_in to = scene->engine.from, self;
    socklen_t len = sizeof self;
    assert_int_equal(getsockname(scene->engine.fd, (struct sockaddr *)&self, &len), 0);
    scene->engine.from = self;
    announce(scene, "web", 161, LEVEL_PRIV);
    ssize_t n = recv(scene->engine.fd, good, sizeof good, 0);
    assert_true(n > 0);
    scene->engine.from = to;
    for (size_t i = 0; i < (size_t)n; i++) {
        uint8_t bad[2048];
        memcpy(bad, good, (size_t)n);
        bad[i] ^= (uint8_t)(1 << i % 8);
        scene->now += NS_PER_S;
        send_octets(scene, bad, (size_t)n);
        send_octets(scene, good, i);
        hears(scene);
        if (heard(scene))
            fail_msg("octet %zu may be another one", i);
    }
    send_octets(scene, good, (size_t)n);
    scene->now += NS_PER_S;
    hears(scene);
    assert_non_null(heard(scene));
}

/* A flood of packets that cannot be told from good ones before keys are made: the work has a bound,
 * memory does not grow, one line is said, and after it the next good one is heard. */
static void a_flood(void **state)
{
    struct scene *scene = *state;
    set_user(&scene->director, "poll", "the digest of a site", "the secret of a site");
    uint32_t opened = scene->director.roster.nodes.discoveries;
    size_t before = 0;
    for (int i = 0; i < 3000; i++) {
        announce(scene, "", 161, LEVEL_PRIV);
        hears(scene);
        if (i == 100)
            before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= before + 4096);
    assert_int_equal(scene->director.hearing.dropped, 3000);
    assert_int_equal(scene->director.roster.nodes.discoveries - opened, ANNOUNCED_SOURCE_BURST);
    assert_null(heard(scene));
    said(scene);
    const char *first = strchr(scene->said, '\n');
    first = first ? strchr(first + 1, '\n') : NULL;
    assert_true(first == NULL || first[1] == '\0');
    scene->now += 61 * NS_PER_S;
    announce(scene, "", 161, LEVEL_PRIV);
    assert_dropped(scene, "(3001 so far;");
    set_user(&scene->director, "poll", ENGINE_AUTH, ENGINE_PRIV);
    announce(scene, "", 161, LEVEL_PRIV);
    hears(scene);
    assert_non_null(heard(scene));
}

/* -- The socket ------------------------------------------------------------------------------ */

static void a_port_that_is_taken(void **state)
{
    struct scene *scene = *state;
    struct director *director = &scene->director;
    struct sockaddr_in self;
    char listen[64];
    socklen_t len = sizeof self;
    said(scene);
    assert_int_equal(getsockname(scene->engine.fd, (struct sockaddr *)&self, &len), 0);
    snprintf(listen, sizeof listen, "udp:127.0.0.1:%d", ntohs(self.sin_port));
    tree_config_free(director->tree);
    director->tree = tree_of(listen, "127.0.0.0/8", "");
    uint64_t due = hearing_step(director, scene->now);
    assert_int_equal(due, scene->now + 5 * NS_PER_S);
    assert_false(director->hearing.is_open);
    assert_non_null(strstr(said(scene), "cannot be heard there: Address already in use"));
    assert_int_equal(hearing_step(director, due - 1), due);
    assert_int_equal(hearing_step(director, due), due + 5 * NS_PER_S);
    assert_string_equal(said(scene), ""); /* once is enough */
    close(scene->engine.fd);
    scene->engine.fd = -1;
    scene->now = due += 5 * NS_PER_S;
    assert_int_equal(hearing_step(director, due), UINT64_MAX);
    assert_non_null(strstr(said(scene), "nodes may announce themselves there"));
    /* Without the element, nobody listens. */
    char error[CONFIG_ERROR_SIZE];
    tree_config_free(director->tree);
    director->tree = load_tree(TREE(""), error);
    assert_non_null(director->tree);
    assert_int_equal(hearing_step(director, due), UINT64_MAX);
    assert_false(director->hearing.is_open);
}

static void ipv6(void **state)
{
    struct scene *scene = *state;
    char listen[64];
    uint8_t octets[2048];
    int port = free_port(), fd = socket(AF_INET6, SOCK_DGRAM, 0);
    struct sockaddr_in self;
    socklen_t len = sizeof self;
    struct sockaddr_in6 to = {.sin6_family = AF_INET6,
                              .sin6_port = htons((uint16_t)port),
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    snprintf(listen, sizeof listen, "udp6:[::1]:%d", port);
    tree_config_free(scene->director.tree);
    scene->director.tree = tree_of(listen, "127.0.0.0/8 ::1/128", "");
    hearing_step(&scene->director, scene->now);
    if (fd < 0 || !scene->director.hearing.is_open)
        skip(); /* this machine has no IPv6 */
    assert_int_equal(getsockname(scene->engine.fd, (struct sockaddr *)&self, &len), 0);
    scene->engine.from = self;
    announce(scene, "", 1161, LEVEL_PRIV);
    ssize_t n = recv(scene->engine.fd, octets, sizeof octets, 0);
    assert_int_equal(sendto(fd, octets, (size_t)n, 0, (struct sockaddr *)&to, sizeof to), n);
    close(fd);
    hears(scene);
    const struct announced_place *place = heard(scene);
    assert_non_null(place);
    assert_string_equal(place->address, "udp6:[::1]:1161");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(one_is_heard),         TEST(a_replay),       TEST(one_that_is_known),
        TEST(other_keys),           TEST(no_keys),        TEST(other_levels_and_users),
        TEST(another_engine),       TEST(other_networks), TEST(other_notifications),
        TEST(revoked_keys),         TEST(garbage),        TEST(a_flood),
        TEST(a_port_that_is_taken), TEST(ipv6),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}

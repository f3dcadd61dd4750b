/* Directors and a site of nodes, all simulated but for the directors themselves: what they order,
 * in which term, and what becomes of the nodes when some of them, or a director, are gone. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "director/direct.h"
#include "documents.h"

#include "unit.h"

#define SECOND NS_PER_S
#define STEP (50 * NS_PER_MS)
#define FAKES_MAX 60

/* -- Nodes ----------------------------------------------------------------------------------- */

struct fake {
    char name[NAME_SIZE], address[PEER_ADDRESS_SIZE];
    uint8_t engine; /* the last octet of its engine ID */
    bool alive;
    bool is_unable; /* it cannot work by the share of a collector */
    struct target_look look;
    const char *unreached; /* children that it does not reach; NULL: none */
    struct parcel *tree;   /* the tree document that it works by */
    uint32_t told_term, told_epoch;
    uint32_t refused; /* orders */
    /* Its director, if it has one, and what that said. */
    struct director *director;
    bool frozen; /* it and its director */
    int core;
    bool done;
    struct tree_message_role role;
    struct tree_message_row rows[FAKES_MAX];
    size_t n_rows;
};

struct site {
    struct fake fakes[FAKES_MAX];
    size_t n;
    uint64_t now;
};

static struct fake *fake_at(struct site *site, const char *address)
{
    for (size_t i = 0; i < site->n; i++)
        if (strcmp(site->fakes[i].address, address) == 0)
            return &site->fakes[i];
    return NULL;
}

static struct fake *fake(struct site *site, const char *name)
{
    for (size_t i = 0; i < site->n; i++)
        if (strcmp(site->fakes[i].name, name) == 0)
            return &site->fakes[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static char *unpacked(const struct parcel *parcel)
{
    char error[FAULT_SIZE];
    size_t len;
    char *text = parcel_unpack(parcel->octets, parcel->len, &len, error);
    assert_non_null(text);
    return text;
}

/* What the share says that it is. */
static void work_by(struct fake *fake, const struct parcel *share)
{
    char error[CONFIG_ERROR_SIZE];
    struct assignment assignment;
    char *text = unpacked(share);
    struct config *config = share_load("share", text, strlen(text), &assignment, error);
    if (!config)
        fail_msg("%s", error);
    config_free(config);
    free(text);
    struct target_document *document = &fake->look.documents[TARGET_SHARE];
    if (fake->is_unable && assignment.role == SHARE_COLLECTOR) {
        document->state = TARGET_REFUSED;
        strcpy(document->error, "line 1: no");
        return;
    }
    fake->look.role = assignment.role;
    fake->look.level = assignment.level;
    fake->look.serial = assignment.serial;
    strcpy(fake->look.parent, assignment.parent);
    strcpy(fake->look.digest, assignment.digest);
}

static void take_whole(struct fake *fake, const struct target_order *order)
{
    struct target_document *document = &fake->look.documents[order->kind];
    document->state = TARGET_IN_FORCE;
    if (order->kind == TARGET_SHARE)
        work_by(fake, order->packed);
    if (document->state == TARGET_REFUSED)
        return;
    document->works = true;
    memcpy(document->in_force, order->packed->digest, CONFIG_DIGEST);
    if (order->kind == TARGET_TREE) {
        parcel_drop(fake->tree);
        fake->tree = parcel_use(order->packed);
    }
}

static void take_none(struct fake *fake, enum target_kind kind)
{
    struct target_document *document = &fake->look.documents[kind];
    document->works = false;
    document->state = TARGET_NONE;
    document->offset = 0;
    if (kind == TARGET_SHARE)
        fake->look.role = 0;
    if (kind == TARGET_SHARE)
        fake->look.parent[0] = '\0';
    if (kind == TARGET_TREE) {
        parcel_drop(fake->tree);
        fake->tree = NULL;
    }
}

/* The rule of dcampDocumentTable. False: inconsistentValue. */
static bool obey(struct fake *fake, const struct target_order *order, const char *root)
{
    struct target_document *document = &fake->look.documents[order->kind];
    const struct parcel *packed = order->packed;
    bool same = document->has_digest == (packed != NULL) &&
                (!packed || memcmp(document->digest, packed->digest, CONFIG_DIGEST) == 0);
    bool newer = order->term > document->term ||
                 (order->term == document->term && strcmp(document->root, root) == 0 &&
                  (order->epoch > document->epoch || (order->epoch == document->epoch && same)));
    if (!newer || order->offset > (same ? document->offset : 0)) {
        fake->refused++;
        return false;
    }
    document->term = order->term;
    document->epoch = order->epoch;
    snprintf(document->root, sizeof document->root, "%s", root);
    document->has_digest = packed != NULL;
    if (!packed) {
        take_none(fake, order->kind);
        return true;
    }
    memcpy(document->digest, packed->digest, CONFIG_DIGEST);
    document->length = packed->len;
    document->offset = order->offset + order->n;
    document->state = TARGET_PARTIAL;
    if (document->works && memcmp(document->in_force, packed->digest, CONFIG_DIGEST) == 0)
        document->state = TARGET_IN_FORCE;
    else if (document->offset == packed->len)
        take_whole(fake, order);
    return true;
}

/* -- Between directors and nodes ------------------------------------------------------------- */

/* A node that is asked has a time here. */
void __wrap_node_run(struct node *node, uint64_t now);
void __wrap_node_restart(struct node *node);

void __wrap_node_run(struct node *node, uint64_t now)
{
    node->now = now;
}

void __wrap_node_restart(struct node *node)
{
    node->now = 0;
    node->target.met = node->target.explain = false;
    target_stop(&node->target);
}

static void meet(struct director *director, struct node *node, const struct fake *fake,
                 uint64_t now)
{
    const uint8_t engine[] = {0x80, 0, 0, 0, 1, fake->engine};
    target_discovered(&node->target, now);
    if (node->member.engine_len == sizeof engine &&
        memcmp(node->member.engine_id, engine, sizeof engine) == 0)
        return;
    memcpy(node->member.engine_id, engine, sizeof engine);
    node->member.engine_len = sizeof engine;
    director->roster.nodes.told(director, node, NODE_MET, now);
}

/* False: nothing more is asked of it now. */
static bool ask(struct site *site, struct director *director, struct node *node)
{
    struct target_step step = target_next(&node->target, site->now);
    struct fake *fake = fake_at(site, node->member.address);
    enum node_news news = NODE_MOVED;
    if (step.ask == TARGET_WAIT)
        return false;
    if (!fake || !fake->alive || fake->frozen) {
        bool looks = step.ask == TARGET_LOOK || step.ask == TARGET_DISCOVER;
        target_failed(&node->target, "no answer", node->target.met, site->now);
        director->roster.nodes.told(director, node, looks ? NODE_MISSED : NODE_MOVED, site->now);
        return false;
    }
    if (step.ask == TARGET_DISCOVER) {
        meet(director, node, fake, site->now);
        return true;
    }
    if (step.ask == TARGET_LOOK) {
        target_looked(&node->target, &fake->look, NS_PER_MS, site->now);
        snprintf(director->roster.nodes.unreached, sizeof director->roster.nodes.unreached, "%s",
                 fake->unreached ? fake->unreached : "");
        news = NODE_LOOKED;
    } else if (step.ask == TARGET_EXPLAIN) {
        target_explained(&node->target, "an old order", site->now);
    } else if (obey(fake, &step.order, node->target.rules->root)) {
        target_ordered(&node->target, site->now);
    } else {
        target_refused(&node->target, "inconsistentValue", site->now);
    }
    director->roster.nodes.told(director, node, news, site->now);
    return true;
}

/* -- Directors ------------------------------------------------------------------------------- */

static void begin_director(struct fake *fake)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
    fake->director = malloc(sizeof *fake->director);
    assert_non_null(fake->director);
    fake->core = fds[0];
    direct_open(fake->director, fds[1], -1);
    fake->told_term = fake->told_epoch = 0;
    fake->n_rows = 0;
}

static void end_director(struct fake *fake)
{
    if (!fake->director)
        return;
    close(fake->core);
    close(fake->director->outbox.fd);
    direct_close(fake->director);
    free(fake->director);
    fake->director = NULL;
}

/* What the core of a node does: it has a director while there is a tree document, and tells that.
 */
static void play_core(struct site *site, struct fake *fake)
{
    const struct target_document *order = &fake->look.documents[TARGET_TREE];
    if (!fake->tree) {
        end_director(fake);
        return;
    }
    if (!fake->director)
        begin_director(fake);
    if (order->state != TARGET_IN_FORCE ||
        (fake->told_term == order->term && fake->told_epoch == order->epoch))
        return;
    char *text = unpacked(fake->tree);
    size_t len = strlen(text);
    struct tree_message_document *message = calloc(1, sizeof *message + len);
    assert_non_null(message);
    message->head = (struct message){TREE_MESSAGE_DOCUMENT, (uint32_t)(sizeof *message + len)};
    memcpy(message->self, fake->name, sizeof message->self);
    memcpy(message->root, order->root, sizeof message->root);
    memcpy(message->digest, order->digest, sizeof message->digest);
    message->term = order->term;
    message->epoch = order->epoch;
    message->length = message->n = (uint32_t)len;
    memcpy(message->text, text, len);
    assert_true(direct_take(fake->director, &message->head, site->now));
    free(message);
    free(text);
    fake->told_term = order->term;
    fake->told_epoch = order->epoch;
}

static void hear_row(struct fake *fake, const struct tree_message_row *row)
{
    size_t i = 0;
    while (i < fake->n_rows && strcmp(fake->rows[i].name, row->name) != 0)
        i++;
    assert_true(i < FAKES_MAX);
    fake->rows[i] = *row;
    if (i == fake->n_rows)
        fake->n_rows++;
}

static void hear_gone(struct fake *fake, const char *name)
{
    for (size_t i = 0; i < fake->n_rows; i++)
        if (strcmp(fake->rows[i].name, name) == 0)
            fake->rows[i] = fake->rows[--fake->n_rows];
}

static void hear_director(struct fake *fake)
{
    static _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
    const struct message *message;
    ssize_t n;
    while ((n = recv(fake->core, packet, sizeof packet, MSG_DONTWAIT)) > 0)
        for (size_t at = 0; (message = tree_message_next(packet, (size_t)n, &at));) {
            const void *content = message;
            if (message->kind == TREE_MESSAGE_ROW)
                hear_row(fake, content);
            if (message->kind == TREE_MESSAGE_GONE)
                hear_gone(fake, ((const struct tree_message_gone *)content)->name);
            if (message->kind == TREE_MESSAGE_ROLE)
                fake->role = *(const struct tree_message_role *)content;
            if (message->kind == TREE_MESSAGE_ROLE && !fake->role.is_root)
                fake->n_rows = 0;
            fake->done |= message->kind == TREE_MESSAGE_DONE;
        }
}

static void play_director(struct site *site, struct fake *fake)
{
    struct director *director = fake->director;
    struct node *node;
    direct_tick(director, site->now);
    TAILQ_FOREACH(node, &director->roster.all, all)
    for (int i = 0; i < 30 && node->now && ask(site, director, node); i++)
        direct_tick(director, site->now);
    for (size_t i = 0; i < DIRECTOR_PROBES; i++)
        for (int j = 0; director->sweep.probes[i] && !director->sweep.probes[i]->is_spent && j < 3;
             j++)
            ask(site, director, director->sweep.probes[i]);
    assert_true(direct_step(director, site->now) > 0);
    outbox_hurry(&director->outbox);
    assert_true(outbox_flush(&director->outbox, site->now));
    assert_false(director->outbox.lost);
    hear_director(fake);
}

static void run_site(struct site *site, uint64_t span)
{
    for (uint64_t end = site->now + span; site->now < end; site->now += STEP)
        for (size_t i = 0; i < site->n; i++) {
            struct fake *fake = &site->fakes[i];
            if (!fake->alive) {
                end_director(fake);
                continue;
            }
            if (fake->frozen)
                continue;
            play_core(site, fake);
            if (fake->director)
                play_director(site, fake);
        }
}

/* -- The document ---------------------------------------------------------------------------- */

static char secrets[] = "/tmp/dcamp-direct.XXXXXX";

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

/* Nodes n0 to n(n-1), of which the first are candidates. */
static struct parcel *document_with(size_t n, size_t n_candidates, uint32_t fanout,
                                    const char *more, const char *rest)
{
    static char text[65536];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "<tree version=\"1\"><rules fanout=\"%u\" heartbeat=\"1s\" leaf-heartbeat=\"5s\"/>"
        "<access secrets=\"%s\"/><candidates>",
        fanout, secrets);
    for (size_t i = 0; i < n_candidates; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "<candidate node=\"n%zu\"/>", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "</candidates><nodes>");
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "<node name=\"n%zu\" address=\"udp:192.0.2.%zu:161\"/>", i, i + 1);
    snprintf(text + at, sizeof text - at, "%s</nodes>%s</tree>", more, rest);
    struct parcel *parcel = parcel_make(text, strlen(text));
    assert_non_null(parcel);
    return parcel;
}

static struct parcel *document(size_t n, size_t n_candidates, uint32_t fanout, const char *more)
{
    return document_with(n, n_candidates, fanout, more, "");
}

static struct fake *add_fake(struct site *site)
{
    struct fake *fake = &site->fakes[site->n];
    *fake = (struct fake){.alive = true, .engine = (uint8_t)site->n, .core = -1};
    snprintf(fake->name, sizeof fake->name, "n%zu", site->n);
    snprintf(fake->address, sizeof fake->address, "udp:192.0.2.%zu:161", ++site->n);
    memcpy(fake->look.name, fake->name, sizeof fake->look.name);
    fake->look.boot = 1;
    for (int i = 0; i < TARGET_KINDS; i++)
        fake->look.documents[i].state = TARGET_NONE;
    return fake;
}

static struct site *new_site(size_t n)
{
    struct site *site = calloc(1, sizeof *site);
    assert_non_null(site);
    site->now = 1000 * SECOND;
    while (site->n < n)
        add_fake(site);
    return site;
}

static void free_site(struct site *site)
{
    for (size_t i = 0; i < site->n; i++) {
        end_director(&site->fakes[i]);
        parcel_drop(site->fakes[i].tree);
    }
    free(site);
}

/* As dcamp promote does: it gives the node the document, in a term of its own. */
static void promote(struct site *site, const char *name, uint32_t term, uint32_t epoch,
                    struct parcel *parcel)
{
    struct target_order order = {
        .kind = TARGET_TREE, .term = term, .epoch = epoch, .packed = parcel, .n = parcel->len};
    assert_true(obey(fake(site, name), &order, name));
    parcel_drop(parcel);
}

static struct site *formed(size_t n, size_t n_candidates, uint32_t fanout)
{
    struct site *site = new_site(n);
    promote(site, "n0", 1, 1, document(n, n_candidates, fanout, ""));
    run_site(site, 2 * SECOND);
    return site;
}

static uint32_t state(struct site *site, const char *root, const char *name)
{
    const struct fake *of = fake(site, root);
    for (size_t i = 0; i < of->n_rows; i++)
        if (strcmp(of->rows[i].name, name) == 0)
            return of->rows[i].state;
    return 0;
}

static const char *error(struct site *site, const char *root, const char *name)
{
    const struct fake *of = fake(site, root);
    for (size_t i = 0; i < of->n_rows; i++)
        if (strcmp(of->rows[i].name, name) == 0)
            return of->rows[i].error;
    return "";
}

/* How many living nodes work by a share of this term, each below a living parent that collects. */
static size_t placed(struct site *site, uint32_t term)
{
    size_t n = 0;
    for (size_t i = 0; i < site->n; i++) {
        const struct fake *one = &site->fakes[i];
        if (!one->alive || one->look.role == 0 || one->look.documents[TARGET_SHARE].term != term)
            continue;
        const struct fake *parent = one->look.parent[0] ? fake(site, one->look.parent) : NULL;
        bool is_root = one->look.role == SHARE_ROOT;
        n += is_root ? parent == NULL
                     : parent && parent->alive && parent->look.role >= SHARE_COLLECTOR;
    }
    return n;
}

static size_t refusals(const struct site *site)
{
    size_t n = 0;
    for (size_t i = 0; i < site->n; i++)
        n += site->fakes[i].refused;
    return n;
}

/* -- Tests ----------------------------------------------------------------------------------- */

static void a_tree_forms(void **state_)
{
    (void)state_;
    struct site *site = formed(40, 3, 8);
    assert_int_equal(placed(site, 1), 40);
    assert_int_equal(fake(site, "n0")->look.role, SHARE_ROOT);
    assert_true(fake(site, "n0")->role.is_root);
    assert_int_equal(fake(site, "n0")->role.serial, 1);
    for (size_t i = 0; i < site->n; i++) {
        assert_int_equal(state(site, "n0", site->fakes[i].name), TREE_UP);
        assert_int_equal(site->fakes[i].tree != NULL, i < 3);
        assert_int_equal(site->fakes[i].look.serial, 1);
    }
    assert_false(fake(site, "n1")->role.is_root);
    assert_string_equal(fake(site, "n1")->role.root, "n0");
    assert_int_equal(fake(site, "n1")->n_rows, 0);
    assert_int_equal(refusals(site), 0);
    /* and then nothing happens */
    uint32_t epochs = 0, after = 0;
    for (size_t i = 0; i < site->n; i++)
        epochs += site->fakes[i].look.documents[TARGET_SHARE].epoch;
    run_site(site, 60 * SECOND);
    for (size_t i = 0; i < site->n; i++)
        after += site->fakes[i].look.documents[TARGET_SHARE].epoch;
    assert_int_equal(after, epochs);
    free_site(site);
}

static void a_collector_is_lost(void **state_)
{
    (void)state_;
    struct site *site = formed(30, 2, 6);
    struct fake *gone = NULL;
    for (size_t i = 2; i < site->n; i++)
        if (site->fakes[i].look.role == SHARE_COLLECTOR)
            gone = &site->fakes[i];
    assert_non_null(gone);
    gone->alive = false;
    run_site(site, 4 * SECOND);
    assert_int_equal(placed(site, 1), 29);
    assert_int_equal(state(site, "n0", gone->name), TREE_LOST);
    gone->alive = true;
    run_site(site, 8 * SECOND);
    assert_int_equal(placed(site, 1), 30);
    assert_int_equal(state(site, "n0", gone->name), TREE_UP);
    free_site(site);
}

static struct fake *some_leaf(struct site *site)
{
    size_t i = 1;
    while (i < site->n && site->fakes[i].look.role != SHARE_METRIC)
        i++;
    assert_true(i < site->n);
    return &site->fakes[i];
}

/* The root reaches a leaf that its parent does not reach: it gets another parent, and does not come
 * back to that one. */
static void a_link_is_cut(void **state_)
{
    (void)state_;
    struct site *site = formed(20, 1, 6);
    struct fake *leaf = some_leaf(site);
    char parent[NAME_SIZE];
    strcpy(parent, leaf->look.parent);
    run_site(site, 40 * SECOND);
    fake(site, parent)->unreached = leaf->name;
    run_site(site, 2 * SECOND);
    assert_string_equal(leaf->look.parent, parent); /* that may have been chance */
    run_site(site, 8 * SECOND);
    assert_string_not_equal(leaf->look.parent, parent);
    assert_int_equal(placed(site, 1), 20);
    run_site(site, 120 * SECOND);
    assert_string_not_equal(leaf->look.parent, parent);
    assert_int_equal(placed(site, 1), 20);
    free_site(site);
}

/* Who is silent for the root as well keeps its place; so does who has just come back, whom its
 * parent asks for seldom; and a collector has no say in what becomes of the children of others. */
static void no_link_is_cut(void **state_)
{
    (void)state_;
    struct site *site = formed(20, 1, 6);
    struct fake *leaf = some_leaf(site), *other = NULL;
    char parent[NAME_SIZE];
    strcpy(parent, leaf->look.parent);
    leaf->alive = false;
    fake(site, parent)->unreached = leaf->name;
    run_site(site, 60 * SECOND);
    assert_int_equal(state(site, "n0", leaf->name), TREE_LOST);
    leaf->alive = true;
    run_site(site, 25 * SECOND);
    assert_int_equal(state(site, "n0", leaf->name), TREE_UP);
    fake(site, parent)->unreached = NULL;
    run_site(site, 60 * SECOND);
    assert_string_equal(leaf->look.parent, parent);
    for (size_t i = 1; i < site->n; i++)
        if (site->fakes[i].look.role == SHARE_COLLECTOR && strcmp(site->fakes[i].name, parent) != 0)
            other = &site->fakes[i];
    assert_non_null(other);
    other->unreached = leaf->name;
    run_site(site, 60 * SECOND);
    assert_string_equal(leaf->look.parent, parent);
    free_site(site);
}

/* Its parent goes on asking for it, and it has the same place when it is back. */
static void a_leaf_is_lost(void **state_)
{
    (void)state_;
    struct site *site = formed(20, 1, 6);
    struct fake *leaf = NULL;
    for (size_t i = 1; i < site->n; i++)
        if (site->fakes[i].look.role == SHARE_METRIC)
            leaf = &site->fakes[i];
    char parent[NAME_SIZE];
    strcpy(parent, leaf->look.parent);
    uint32_t epoch = fake(site, parent)->look.documents[TARGET_SHARE].epoch;
    leaf->alive = false;
    run_site(site, 12 * SECOND);
    assert_int_equal(state(site, "n0", leaf->name), TREE_LOST);
    assert_int_equal(fake(site, parent)->look.documents[TARGET_SHARE].epoch, epoch);
    leaf->alive = true;
    run_site(site, 12 * SECOND);
    assert_int_equal(state(site, "n0", leaf->name), TREE_UP);
    assert_string_equal(leaf->look.parent, parent);
    free_site(site);
}

static void the_root_is_lost(void **state_)
{
    (void)state_;
    struct site *site = formed(20, 3, 6);
    fake(site, "n0")->alive = false;
    run_site(site, 10 * SECOND);
    struct fake *root = fake(site, "n1");
    assert_true(root->role.is_root);
    assert_true(root->role.term > 1);
    assert_int_equal(placed(site, root->role.term), 19);
    assert_int_equal(root->role.serial, 1); /* of the same document */
    assert_int_equal(refusals(site), 0);
    /* the old one comes back, and with it its director */
    fake(site, "n0")->alive = true;
    run_site(site, 10 * SECOND);
    assert_false(fake(site, "n0")->role.is_root);
    assert_string_equal(fake(site, "n0")->role.root, "n1");
    assert_true(root->role.is_root);
    assert_int_equal(placed(site, root->role.term), 20);
    assert_int_equal(refusals(site), 0);
    free_site(site);
}

/* It goes on in the middle of what it did, and orders nothing by what it knew. */
static void the_root_is_frozen(void **state_)
{
    (void)state_;
    for (uint64_t at = 0; at < 20; at++) {
        struct site *site = formed(10, 2, 6);
        run_site(site, at * STEP);
        fake(site, "n0")->frozen = true;
        fake(site, "n9")->alive = at % 2; /* something to do */
        run_site(site, 10 * SECOND);
        uint32_t term = fake(site, "n1")->role.term;
        assert_true(fake(site, "n1")->role.is_root && term > 1);
        fake(site, "n0")->frozen = false;
        fake(site, "n9")->alive = true;
        run_site(site, 10 * SECOND);
        assert_false(fake(site, "n0")->role.is_root);
        assert_int_equal(placed(site, term), 10);
        assert_int_equal(refusals(site), 0);
        free_site(site);
    }
}

/* It may not order any more, or does not know it yet: what it has sent is not sent again. */
static void an_order_is_called_off(void **state_)
{
    (void)state_;
    struct site *site = formed(4, 2, 6);
    struct director *director = fake(site, "n0")->director;
    struct parcel *other = document(4, 2, 7, "");
    struct node *node = TAILQ_LAST(&director->roster.all, node_list);
    target_want(&node->target, TARGET_SHARE, other);
    node->target.due_ns = UINT64_MAX;
    assert_int_equal(target_next(&node->target, site->now).ask, TARGET_ORDER);
    direct_tick(director, site->now);
    assert_true(director->verdict.may_order);
    assert_int_equal(node->target.step.ask, TARGET_ORDER);
    site->now += 10 * SECOND;
    direct_tick(director, site->now);
    assert_false(director->verdict.may_order);
    assert_int_equal(node->target.step.ask, TARGET_WAIT);
    parcel_drop(other);
    free_site(site);
}

/* A document of before that is ordered again is a new one to all who count, also where a candidate
 * that was away meanwhile, or etcd, has it by its old serial. */
static void a_document_of_before_comes_again(void **state_)
{
    (void)state_;
    struct site *site = formed(6, 3, 6);
    run_site(site, SECOND);
    assert_int_equal(fake(site, "n5")->look.serial, 1);
    fake(site, "n2")->alive = false;
    promote(site, "n0", 1, 2, document(6, 3, 7, ""));
    run_site(site, 8 * SECOND);
    assert_int_equal(fake(site, "n5")->look.serial, 2);
    assert_int_equal(fake(site, "n2")->look.serial, 1);
    promote(site, "n0", 1, 3, document(6, 3, 6, ""));
    run_site(site, 8 * SECOND);
    assert_int_equal(fake(site, "n5")->look.serial, 3);
    assert_int_equal(fake(site, "n0")->role.serial, 3);
    struct archive *archive = &fake(site, "n0")->director->archive;
    archive->known_serial = 2;
    struct parcel *two = document(6, 3, 7, "");
    memcpy(archive->known_digest, two->digest, CONFIG_DIGEST);
    promote(site, "n0", 1, 4, two);
    fake(site, "n2")->alive = true;
    run_site(site, 12 * SECOND);
    assert_int_equal(fake(site, "n5")->look.serial, 4);
    assert_int_equal(fake(site, "n2")->look.serial, 4);
    free_site(site);
}

static void the_document_changes(void **state_)
{
    (void)state_;
    struct site *site = formed(12, 2, 6);
    /* n10 and n11 are in it no more */
    promote(site, "n0", 1, 2, document(10, 2, 6, ""));
    run_site(site, 6 * SECOND);
    assert_int_equal(placed(site, 1), 10);
    assert_int_equal(fake(site, "n10")->look.role, 0);
    assert_false(fake(site, "n11")->look.documents[TARGET_SHARE].works);
    assert_int_equal(state(site, "n0", "n11"), 0);
    assert_int_equal(fake(site, "n5")->look.serial, 2);
    assert_int_equal(fake(site, "n0")->role.serial, 2);
    /* one that cannot be used changes nothing */
    struct parcel *bad = parcel_make("<tree/>", 7);
    promote(site, "n0", 1, 3, bad);
    run_site(site, SECOND);
    struct target_document *share = &fake(site, "n5")->look.documents[TARGET_SHARE];
    share->works = false;
    run_site(site, 6 * SECOND);
    assert_false(share->works); /* nobody is ordered anything */
    share->works = true;
    assert_int_equal(placed(site, 1), 10);
    assert_non_null(strstr(fake(site, "n0")->role.reason, "tree document:"));
    promote(site, "n0", 1, 4, document(12, 2, 6, ""));
    run_site(site, 6 * SECOND);
    assert_int_equal(placed(site, 1), 12);
    free_site(site);
}

static void a_late_node(void **state_)
{
    (void)state_;
    struct site *site = new_site(6);
    fake(site, "n5")->alive = false;
    promote(site, "n0", 1, 1, document(6, 1, 10, ""));
    run_site(site, 5 * SECOND);
    assert_int_equal(placed(site, 1), 5);
    assert_int_equal(state(site, "n0", "n5"), TREE_UNREACHABLE);
    assert_string_equal(error(site, "n0", "n5"), "no answer");
    fake(site, "n5")->alive = true;
    run_site(site, 6 * SECOND);
    assert_int_equal(placed(site, 1), 6);
    free_site(site);
}

static void a_range(void **state_)
{
    (void)state_;
    struct site *site = new_site(6);
    promote(site, "n0", 1, 1,
            document(3, 1, 10, "<range network=\"192.0.2.0/28\" group=\"found\"/>"));
    run_site(site, 5 * SECOND);
    assert_int_equal(placed(site, 1), 6);
    assert_int_equal(state(site, "n0", "n4"), TREE_UP);
    /* one of the same name, and one that has come late */
    strcpy(add_fake(site)->look.name, "n4");
    add_fake(site);
    run_site(site, 70 * SECOND);
    assert_int_equal(placed(site, 1), 7);
    assert_int_equal(state(site, "n0", "192.0.2.7-161"), TREE_CLONE);
    assert_int_equal(state(site, "n0", "n7"), TREE_UP);
    free_site(site);
}

#define ANNOUNCEMENTS(networks)                                                                    \
    "<announcements listen=\"udp:127.0.0.1:16210\" networks=\"" networks "\" group=\"late\"/>"

static uint32_t found(struct site *site, const char *root, const char *name)
{
    const struct fake *fake_root = fake(site, root);
    for (size_t i = 0; i < fake_root->n_rows; i++)
        if (strcmp(fake_root->rows[i].name, name) == 0)
            return fake_root->rows[i].found;
    return 0;
}

static const char *group(struct site *site, const char *root, const char *name)
{
    const struct fake *fake_root = fake(site, root);
    for (size_t i = 0; i < fake_root->n_rows; i++)
        if (strcmp(fake_root->rows[i].name, name) == 0)
            return fake_root->rows[i].group;
    return "";
}

static void announce(struct site *site, const char *to, const char *name, const char *wish)
{
    struct director *director = fake(site, to)->director;
    assert_true(announced_hear(&director->announced, fake(site, name)->address, wish, site->now));
}

/* Three nodes of the list, of which two may be root; n3 to n5 are found when they say so. */
static struct site *announcing_site(void)
{
    struct site *site = new_site(6);
    promote(site, "n0", 1, 1, document_with(3, 2, 10, "", ANNOUNCEMENTS("192.0.2.0/24")));
    run_site(site, 5 * SECOND);
    assert_int_equal(placed(site, 1), 3);
    announce(site, "n0", "n3", "");
    announce(site, "n0", "n4", "web");
    run_site(site, 5 * SECOND);
    assert_int_equal(placed(site, 1), 5);
    return site;
}

static void nodes_that_announce_themselves(void **state_)
{
    (void)state_;
    struct site *site = announcing_site();
    assert_int_equal(state(site, "n0", "n3"), TREE_UP);
    assert_int_equal(found(site, "n0", "n3"), TREE_ANNOUNCED);
    assert_int_equal(found(site, "n0", "n2"), TREE_LISTED);
    assert_string_equal(group(site, "n0", "n3"), "late");
    assert_string_equal(group(site, "n0", "n4"), "web");
    assert_int_equal(fake(site, "n0")->director->announced.n, 0);
    /* One that is not there is forgotten; one of the name of another is told apart. */
    fake(site, "n5")->alive = false;
    announce(site, "n0", "n5", "");
    strcpy(add_fake(site)->look.name, "n4");
    announce(site, "n0", "n6", "");
    run_site(site, 30 * SECOND);
    assert_int_equal(placed(site, 1), 5);
    assert_int_equal(state(site, "n0", "192.0.2.7-161"), TREE_CLONE);
    assert_int_equal(fake(site, "n0")->director->announced.n, 0);
    /* Until it says so again, and is. */
    fake(site, "n5")->alive = true;
    run_site(site, 60 * SECOND);
    assert_int_equal(placed(site, 1), 5);
    announce(site, "n0", "n5", "");
    run_site(site, 5 * SECOND);
    assert_int_equal(placed(site, 1), 6);
    free_site(site);
}

/* Whoever was heard by a standby is there when that becomes root. */
static void a_standby_remembers(void **state_)
{
    (void)state_;
    struct site *site = announcing_site();
    announce(site, "n1", "n3", "");
    announce(site, "n1", "n4", "web");
    run_site(site, 30 * SECOND);
    assert_int_equal(fake(site, "n1")->director->announced.n, 2); /* it asks nobody */
    fake(site, "n0")->alive = false;
    run_site(site, 15 * SECOND);
    assert_true(fake(site, "n1")->role.is_root);
    assert_int_equal(placed(site, fake(site, "n1")->role.term), 4);
    assert_int_equal(found(site, "n1", "n4"), TREE_ANNOUNCED);
    assert_string_equal(group(site, "n1", "n4"), "web");
    free_site(site);
}

/* The core tells it to the director that begins in its place; of one without a wish the document
 * goes on to say the group. */
static void the_director_before_knew(void **state_)
{
    (void)state_;
    struct site *site = announcing_site();
    static const char *const known[][2] = {{"n3", "late"}, {"n4", "web"}};
    end_director(fake(site, "n0"));
    run_site(site, STEP);
    for (size_t i = 0; i < N_OF(known); i++) {
        struct tree_message_known message = {
            .head = {.kind = TREE_MESSAGE_KNOWN, .length = sizeof message}};
        strcpy(message.address, fake(site, known[i][0])->address);
        strcpy(message.group, known[i][1]);
        assert_true(direct_take(fake(site, "n0")->director, &message.head, site->now));
    }
    run_site(site, 5 * SECOND);
    assert_int_equal(found(site, "n0", "n3"), TREE_ANNOUNCED);
    assert_int_equal(state(site, "n0", "n4"), TREE_UP);
    const struct node *node = roster_named(&fake(site, "n0")->director->roster, "n3");
    assert_string_equal(node->member.wish, "");
    node = roster_named(&fake(site, "n0")->director->roster, "n4");
    assert_string_equal(node->member.wish, "web");
    free_site(site);
}

/* One that gets another address says so, and is there again once it is lost at the old one. */
static void one_that_moves(void **state_)
{
    (void)state_;
    struct site *site = announcing_site();
    strcpy(fake(site, "n3")->address, "udp:192.0.2.103:161");
    announce(site, "n0", "n3", "");
    run_site(site, SECOND / 5);
    assert_int_equal(state(site, "n0", "n3"), TREE_UP); /* for all that is known */
    run_site(site, 30 * SECOND);
    assert_int_equal(state(site, "n0", "n3"), TREE_LOST);
    announce(site, "n0", "n3", "");
    run_site(site, 5 * SECOND);
    assert_int_equal(state(site, "n0", "n3"), TREE_UP);
    assert_int_equal(fake(site, "n0")->n_rows, 5);
    const struct node *node = roster_named(&fake(site, "n0")->director->roster, "n3");
    assert_string_equal(node->member.address, "udp:192.0.2.103:161");
    free_site(site);
}

/* They stay with another document, if that lets them. */
static void other_networks(void **state_)
{
    (void)state_;
    struct site *site = announcing_site();
    promote(site, "n0", 1, 2,
            document_with(3, 2, 10, "", ANNOUNCEMENTS("192.0.2.4/32 10.0.0.0/8")));
    run_site(site, 10 * SECOND);
    assert_int_equal(state(site, "n0", "n3"), TREE_UP);
    assert_int_equal(found(site, "n0", "n4"), 0); /* it is at 192.0.2.5 */
    assert_int_equal(fake(site, "n4")->look.role, 0);
    announce(site, "n0", "n5", ""); /* which was heard before the document was there */
    run_site(site, 10 * SECOND);
    assert_int_equal(found(site, "n0", "n5"), 0);
    promote(site, "n0", 1, 3, document(3, 2, 10, ""));
    run_site(site, 10 * SECOND);
    assert_int_equal(found(site, "n0", "n3"), 0);
    assert_int_equal(fake(site, "n3")->look.role, 0);
    free_site(site);
}

static void clones(void **state_)
{
    (void)state_;
    struct site *site = new_site(5);
    fake(site, "n3")->engine = fake(site, "n2")->engine;
    promote(site, "n0", 1, 1, document(5, 2, 10, ""));
    strcpy(fake(site, "n1")->look.name, "other");
    run_site(site, 6 * SECOND);
    assert_int_equal(placed(site, 1), 3);
    assert_int_equal(state(site, "n0", "n2"), TREE_UP);
    assert_int_equal(state(site, "n0", "n3"), TREE_CLONE);
    assert_non_null(strstr(error(site, "n0", "n3"), "\"n2\" at udp:192.0.2.3:161"));
    assert_int_equal(state(site, "n0", "n1"), TREE_REFUSED);
    assert_non_null(strstr(error(site, "n0", "n1"), "\"other\""));
    fake(site, "n3")->engine = 77;
    strcpy(fake(site, "n1")->look.name, "n1");
    run_site(site, 12 * SECOND);
    assert_int_equal(placed(site, 1), 5);
    free_site(site);
}

/* Who cannot work as a collector is none; somebody else is. */
static void an_unfit_collector(void **state_)
{
    (void)state_;
    struct site *site = new_site(12);
    for (size_t i = 1; i < 6; i++)
        site->fakes[i].is_unable = true;
    promote(site, "n0", 1, 1, document(12, 1, 4, ""));
    run_site(site, 20 * SECOND);
    assert_int_equal(placed(site, 1), 12);
    for (size_t i = 1; i < 6; i++)
        assert_int_equal(site->fakes[i].look.role, SHARE_METRIC);
    free_site(site);
}

/* It says that it obeys another root, in ever higher terms: it is left out, and that is all. */
static void a_node_that_lies(void **state_)
{
    (void)state_;
    static const struct {
        uint32_t term;
        const char *root;
    } lies[] = {{UINT32_MAX, "n1"}, {1000000, "n1"}, {5, "somebody"}, {UINT32_MAX, "n0"}};
    for (size_t i = 0; i < N_OF(lies); i++) {
        struct site *site = formed(8, 2, 10);
        struct target_document *document = &fake(site, "n7")->look.documents[TARGET_SHARE];
        document->term = lies[i].term;
        strcpy(document->root, lies[i].root);
        run_site(site, 30 * SECOND);
        assert_true(fake(site, "n0")->role.is_root);
        assert_int_equal(fake(site, "n0")->role.term, 1);
        assert_int_equal(placed(site, 1), 7);
        assert_int_equal(state(site, "n0", "n7"), TREE_REFUSED);
        free_site(site);
    }
    struct site *site = formed(8, 2, 10);
    struct target_document *document = &fake(site, "n7")->look.documents[TARGET_SHARE];
    for (uint32_t i = 0; i < 20; i++) {
        document->term = fake(site, "n0")->role.term + 1;
        strcpy(document->root, "n0");
        run_site(site, 6 * SECOND);
    }
    assert_true(fake(site, "n0")->role.is_root);
    assert_true(fake(site, "n0")->role.term <= 5); /* it was believed once */
    free_site(site);
}

/* The nodes know higher terms of this node's own past, or of trees that have ended. */
static void a_root_of_the_past(void **state_)
{
    (void)state_;
    struct site *site = new_site(6);
    for (size_t i = 2; i < 6; i++) {
        site->fakes[i].look.documents[TARGET_SHARE].term = 9;
        strcpy(site->fakes[i].look.documents[TARGET_SHARE].root, i % 2 ? "n0" : "old");
    }
    promote(site, "n0", 1, 1, document(6, 2, 10, ""));
    run_site(site, 15 * SECOND);
    assert_true(fake(site, "n0")->role.is_root);
    assert_true(fake(site, "n0")->role.term > 9);
    assert_int_equal(placed(site, fake(site, "n0")->role.term), 6);
    free_site(site);
}

static void dissolve(struct site *site, struct fake *root)
{
    const struct message message = {TREE_MESSAGE_DISSOLVE, sizeof message};
    assert_true(direct_take(root->director, &message, site->now));
    for (int i = 0; i < 1200 && !root->done; i++)
        run_site(site, STEP);
}

static void the_tree_ends(void **state_)
{
    (void)state_;
    struct site *site = formed(30, 2, 6);
    dissolve(site, fake(site, "n0"));
    assert_true(fake(site, "n0")->done);
    for (size_t i = 0; i < site->n; i++) {
        assert_int_equal(site->fakes[i].look.role, 0);
        assert_false(site->fakes[i].look.documents[TARGET_SHARE].works);
        assert_int_equal(site->fakes[i].tree != NULL, i == 0);
    }
    assert_null(fake(site, "n1")->director);
    free_site(site);
}

/* Who does not answer is left. A director that has just begun ends it as well. */
static void the_tree_ends_without_some(void **state_)
{
    (void)state_;
    struct site *site = formed(30, 2, 6);
    fake(site, "n29")->alive = fake(site, "n28")->alive = false;
    end_director(fake(site, "n0"));
    run_site(site, STEP);
    uint64_t begun = site->now;
    dissolve(site, fake(site, "n0"));
    assert_true(fake(site, "n0")->done);
    assert_true(site->now < begun + 10 * SECOND);
    for (size_t i = 0; i < 28; i++)
        assert_int_equal(site->fakes[i].look.role, 0);
    free_site(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_forms),
        cmocka_unit_test(a_collector_is_lost),
        cmocka_unit_test(a_leaf_is_lost),
        cmocka_unit_test(a_link_is_cut),
        cmocka_unit_test(no_link_is_cut),
        cmocka_unit_test(the_root_is_lost),
        cmocka_unit_test(the_root_is_frozen),
        cmocka_unit_test(an_order_is_called_off),
        cmocka_unit_test(a_document_of_before_comes_again),
        cmocka_unit_test(the_document_changes),
        cmocka_unit_test(a_late_node),
        cmocka_unit_test(a_range),
        cmocka_unit_test(nodes_that_announce_themselves),
        cmocka_unit_test(a_standby_remembers),
        cmocka_unit_test(the_director_before_knew),
        cmocka_unit_test(one_that_moves),
        cmocka_unit_test(other_networks),
        cmocka_unit_test(clones),
        cmocka_unit_test(an_unfit_collector),
        cmocka_unit_test(a_node_that_lies),
        cmocka_unit_test(a_root_of_the_past),
        cmocka_unit_test(the_tree_ends),
        cmocka_unit_test(the_tree_ends_without_some),
    };
    return cmocka_run_group_tests(tests, make_secrets, remove_secrets);
}

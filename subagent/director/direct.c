#include "director/direct.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/text.h"
#include "director/archive.h"
#include "director/hearing.h"
#include "director/planning.h"
#include "director/rows.h"
#include "director/sweep.h"
#include "snmpv3/secrets.h"

/* How long messages to the core wait for others. */
#define DELAY (20 * NS_PER_MS)

/* When something that cannot be read, or obtained, is tried again. */
#define AGAIN (5 * NS_PER_S)

/* A node that was found in a range and is silent for so long is forgotten; the sweep will find it
 * again. */
#define FORGOTTEN (3600 * NS_PER_S)

/* See may_say_term(). */
#define TERMS_AT_ONCE 1000
#define NEW_TERM_PAUSE (600 * NS_PER_S)

/* -- Who is asked ---------------------------------------------------------------------------- */

/* A standby only watches the other candidates. */
static bool is_asked(const struct director *director, const struct node *node)
{
    return director->tree && (director->verdict.is_root || node->member.is_candidate);
}

static void run(struct director *director, struct node *node, uint64_t now)
{
    planning_want(director, node);
    node->is_changed = true;
    if (is_asked(director, node))
        node_run(node, now);
    else
        node_restart(node);
}

static void run_all(struct director *director, uint64_t now)
{
    struct node *node;
    TAILQ_FOREACH(node, &director->roster.all, all)
    run(director, node, now);
}

/* -- What nodes answer ----------------------------------------------------------------------- */

/* Terms grow by a few. A node that states a much higher one is ignored, and so is one that states
 * another one again and again: no node must be able to make all the others obey a new term at will.
 * Candidates may. */
static bool may_say_term(const struct director *director, struct node *node, uint32_t term,
                         uint64_t now)
{
    if (node->member.is_candidate || term == node->heard_term)
        return true;
    if (term > director->coordination.lead.term &&
        term - director->coordination.lead.term > TERMS_AT_ONCE)
        return false;
    if (node->heard_term_ns && now < node->heard_term_ns + NEW_TERM_PAUSE)
        return false;
    node->heard_term = term;
    node->heard_term_ns = now;
    return true;
}

/* Takes note of other roots that the documents of a node mention. */
static void hear_of_roots(struct director *director, struct node *node, uint64_t now)
{
    for (int kind = 0; kind < TARGET_KINDS; kind++) {
        const struct target_document *document = &node->target.look.documents[kind];
        if (kind == TARGET_TREE && director_is_self(director, node))
            continue; /* this is told by the core */
        bool is_own = document->term == director->coordination.lead.term &&
                      strcmp(document->root, director->coordination.lead.root) == 0;
        if (document->term > 0 && document->term >= director->coordination.lead.term && !is_own &&
            may_say_term(director, node, document->term, now))
            lead_fence(&director->coordination.lead, document->term, document->root,
                       document->works, now);
    }
}

static void hear_candidate(struct director *director, const struct node *node, uint64_t now)
{
    const struct target_document *document = &node->target.look.documents[TARGET_TREE];
    if (node->member.is_candidate && node->member.verdict == MEMBER_GOOD)
        lead_hear(&director->coordination.lead, node->member.name, document->has_digest,
                  document->term, document->root, node->target.seen_ns, now);
}

static bool has_failed_to_collect(const struct node *node)
{
    return node->role == PLAN_COLLECTOR && !node->is_unfit &&
           target_is_unable(&node->target, TARGET_SHARE);
}

/* The node does not reach one of its children. */
static void hear_unreached(struct director *director, const struct node *parent, struct node *child,
                           uint64_t now)
{
    const struct reach_rules rules = {.heartbeat_ns = director->roster.rules.heartbeat_ns,
                                      .period_ns = director->tree->rules.period_ms * NS_PER_MS};
    switch (reach_told(&child->reach, parent->member.name, child->target.seen_ns, &rules, now)) {
    case REACH_LOOK:
        target_hurry(&child->target);
        child->is_hurried = director->hurried = true;
        break;
    case REACH_MOVE:
        director_log(director, LOG_LEVEL_WARNING, now,
                     "\"%s\" at %s is not reached by its parent, \"%s\", but from here: it gets "
                     "another parent",
                     child->member.name, child->member.address, parent->member.name);
        planning_now(director, now);
        break;
    default:
        break;
    }
}

/* A node is believed only about its own children: it has no say in what becomes of those of
 * others. */
static bool is_child_of(const struct node *child, const struct node *parent)
{
    return child->has_place && strcmp(child->parent, parent->member.name) == 0 &&
           !target_is_lost(&child->target);
}

static void hear_all_unreached(struct director *director, const struct node *parent, uint64_t now)
{
    char names[MESSAGE_SIZE], *rest = names;
    const char *name;
    if (!director->verdict.may_order || !parent->has_place || parent->role != PLAN_COLLECTOR)
        return;
    text_format(names, sizeof names, "%s", director->roster.nodes.unreached);
    while ((name = strsep(&rest, " "))) {
        struct node *child = roster_member(&director->roster, name);
        if (child && is_child_of(child, parent))
            hear_unreached(director, parent, child, now);
    }
}

static void looked(struct director *director, struct node *node, uint64_t now)
{
    const struct target_look *look = &node->target.look;
    if (strcmp(node->member.said, look->name) != 0) {
        memcpy(node->member.said, look->name, sizeof node->member.said);
        director->judge = true;
    }
    hear_candidate(director, node, now);
    hear_of_roots(director, node, now);
    hear_all_unreached(director, node, now);
    reach_answered(&node->reach, now);
    if (has_failed_to_collect(node)) {
        node->is_unfit = true;
        planning_now(director, now);
    } else if (node->was_lost ||
               (!node->has_place && !node->is_leaving && node->member.verdict == MEMBER_GOOD)) {
        planning_soon(director, now);
    }
    node->was_lost = false;
}

static void missed(struct director *director, struct node *node, uint64_t now)
{
    reach_missed(&node->reach);
    if (node->member.is_candidate)
        lead_miss(&director->coordination.lead, node->member.name, node->target.asked_ns);
    if (!target_is_lost(&node->target) || node->was_lost)
        return;
    node->was_lost = true;
    if (node->has_place && node->role == PLAN_COLLECTOR)
        planning_now(director, now);
    else if (node->target.looked)
        planning_soon(director, now);
}

/* See struct nodes. The consequences for other nodes are left to direct_step. */
static void told(void *context, struct node *node, enum node_news news, uint64_t now)
{
    struct director *director = context;
    node->is_changed = true;
    if (node->is_probe) {
        if (news == NODE_LOOKED)
            memcpy(node->member.said, node->target.look.name, sizeof node->member.said);
        node->is_spent |= news == NODE_LOOKED || news == NODE_MISSED;
        return;
    }
    if (news == NODE_MET) {
        director->judge = true;
        planning_soon(director, now);
    } else if (news == NODE_LOOKED) {
        looked(director, node, now);
    } else if (news == NODE_MISSED) {
        missed(director, node, now);
    }
}

void direct_open(struct director *director, int fd, int epoll)
{
    *director = (struct director){.secrets_ns = UINT64_MAX,
                                  .next_ns = UINT64_MAX,
                                  .plan = {.due_ns = UINT64_MAX, .calm_ns = UINT64_MAX}};
    outbox_init(&director->outbox, fd, DELAY);
    announced_open(&director->announced, clock_mono_ns());
    roster_open(&director->roster, epoll);
    director->roster.nodes.told = told;
    director->roster.nodes.context = director;
}

void direct_close(struct director *director)
{
    sweep_stop(director);
    hearing_stop(director);
    announced_close(&director->announced);
    roster_close(&director->roster);
    parcel_drop(director->document);
    tree_config_free(director->tree);
    inbox_release(&director->inbox);
    archive_close(director);
    etcd_free(director->etcd);
    keys_free(&director->credentials);
    outbox_free(&director->outbox);
}

/* -- The document ---------------------------------------------------------------------------- */

/* False: no memory. */
static bool read_secrets(struct director *director, const char *name, const char *user,
                         const char *path, char error[512])
{
    const struct tree_config *tree = director->tree;
    struct usm_credential told = {.auth = (enum auth_protocol)tree->access.auth,
                                  .priv = (enum priv_protocol)tree->access.priv};
    text_format(told.name, sizeof told.name, "%s", name);
    text_format(told.user, sizeof told.user, "%s", user);
    if (!secrets_read(path, &told, error))
        text_format(told.fault, sizeof told.fault, "the secrets cannot be read");
    bool set = keys_set(&director->credentials, &told) != NULL;
    explicit_bzero(&told, sizeof told);
    if (!set)
        text_format(error, 512, "no memory for the keys of \"%s\"", user);
    return set;
}

/* The existing keys are of another user, or of other passphrases. */
static void forget_keys(struct director *director)
{
    struct node *node;
    sweep_stop(director);
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        node_restart(node);
        share_forget_keys(&node->share);
    }
    director->roster.nodes.credential = director->roster.nodes.next = NULL;
    keys_free(&director->credentials);
}

static bool read_next_secrets(struct director *director, char error[512])
{
    const struct tree_config *tree = director->tree;
    const char *path = tree->access.next_secrets;
    return read_secrets(director, "next admin", tree->access.admin, path, error) && !error[0] &&
           (tree->access.poll_secrets[0] ||
            (read_secrets(director, "next poll", tree->access.poll, path, error) && !error[0]));
}

/* Reads the passphrases that will replace the present ones, node by node: until the last node has
 * their keys, all nodes are asked by both, and parents get both. While they cannot be read, all go
 * on without them. */
static void take_next_secrets(struct director *director, uint64_t now)
{
    struct node *node;
    char error[512] = "";
    director->next_ns = UINT64_MAX;
    if (!director->tree->access.next_secrets[0])
        return;
    if (read_next_secrets(director, error)) {
        director->roster.nodes.next = keys_find(director->credentials, "next admin");
        TAILQ_FOREACH(node, &director->roster.all, all)
        share_forget_keys(&node->share);
        planning_soon(director, now);
    } else {
        director->next_ns = now + AGAIN;
    }
    if (error[0] && strcmp(error, director->next_fault) != 0)
        director_log(director, LOG_LEVEL_ERROR, now, "the next secrets of the tree: %s", error);
    text_format(director->next_fault, sizeof director->next_fault, "%s", error);
}

static void take_secrets(struct director *director, uint64_t now)
{
    const struct tree_config *tree = director->tree;
    const char *poll =
        tree->access.poll_secrets[0] ? tree->access.poll_secrets : tree->access.secrets;
    char error[512] = "";
    forget_keys(director);
    bool read = read_secrets(director, "admin", tree->access.admin, tree->access.secrets, error);
    read &= !error[0] && read_secrets(director, "poll", tree->access.poll, poll, error);
    director->roster.nodes.credential = keys_find(director->credentials, "admin");
    director->secrets_ns = read && !error[0] ? UINT64_MAX : now + AGAIN;
    director->sweep.cursor = (struct range_cursor){0}; /* nodes not asked so far may be there */
    director->sweep.due_ns = 0;
    if (error[0] && strcmp(error, director->secrets_fault) != 0)
        director_log(director, LOG_LEVEL_ERROR, now, "the secrets of the tree: %s", error);
    text_format(director->secrets_fault, sizeof director->secrets_fault, "%s", error);
    take_next_secrets(director, now);
    planning_soon(director, now);
}

/* -- The lease ------------------------------------------------------------------------------- */

static void stop_claim(struct director *director)
{
    etcd_free(director->etcd);
    director->etcd = NULL;
    director->etcd_ns = 0;
    archive_close(director);
    director->coordination.is_reading = false;
    memset(&director->coordination.claim, 0, sizeof director->coordination.claim);
}

/* A lease of other servers, or of another prefix, says nothing about these. */
static void set_coordination(struct director *director)
{
    const struct tree_coordination *coordination = &director->tree->coordination;
    director->coordination.by_lease = coordination->kind == TREE_COORDINATION_ETCD;
    if (memcmp(coordination, &director->asked, sizeof director->asked) == 0)
        return;
    stop_claim(director);
    director->asked = *coordination;
}

static void open_etcd(struct director *director, uint64_t now)
{
    char error[512];
    director->etcd = etcd_new(&director->tree->coordination, director->order.self,
                              director->roster.nodes.epoll, error);
    director->etcd_ns = director->etcd ? now : now + AGAIN;
    if (error[0] && strcmp(error, director->etcd_fault) != 0)
        director_log(director, LOG_LEVEL_ERROR, now, "%s", error);
    memcpy(director->etcd_fault, error, sizeof director->etcd_fault);
    if (error[0])
        text_format(director->coordination.claim.fault, sizeof director->coordination.claim.fault,
                    "%s", error);
}

/* Goes on with asking etcd, if etcd decides; returns when to go on again. */
static uint64_t claim_step(struct director *director, uint64_t now)
{
    if (!director->tree || director->coordination.claim.setup.ttl_ns == 0)
        return UINT64_MAX;
    if (!director->etcd && now >= director->etcd_ns)
        open_etcd(director, now);
    if (!director->etcd)
        return director->etcd_ns;
    uint64_t boot_ns = clock_boot_us() * NS_PER_US;
    uint64_t due_ns = etcd_step(director->etcd, &director->coordination.claim,
                                &director->archive.errand, boot_ns);
    if (archive_step(director, now))
        return now;
    if (due_ns == UINT64_MAX)
        return due_ns;
    return now + (due_ns > boot_ns ? due_ns - boot_ns : 0);
}

/* -- What the document says ------------------------------------------------------------------ */

static void set_rules(struct director *director)
{
    const struct tree_config *tree = director->tree;
    struct target_rules *rules = &director->roster.rules;
    rules->heartbeat_ns = tree->rules.heartbeat_ms * NS_PER_MS;
    rules->leaf_heartbeat_ns = tree->rules.leaf_heartbeat_ms * NS_PER_MS;
    rules->missed = tree->rules.missed;
    memcpy(rules->root, director->order.self, sizeof rules->root);
}

/* The node that is root already claims the lease at once, the others in the order of their list. */
static void begin_claim(struct director *director)
{
    const struct tree_coordination *setup = &director->tree->coordination;
    const struct election *election = &director->coordination.lead.election;
    struct claim_setup claim = {.ttl_ns = setup->ttl_ms * NS_PER_MS, .logs_in = setup->user[0]};
    if (!director->coordination.by_lease || election->n == 0) {
        stop_claim(director);
        return;
    }
    if (strcmp(director->order.root, director->order.self) != 0)
        claim.delay_ns = (election->self + 1) * director->roster.rules.heartbeat_ns;
    memcpy(claim.self, director->order.self, sizeof claim.self);
    claim_begin(&director->coordination.claim, &claim);
}

static void begin_lead(struct director *director, uint64_t now)
{
    const struct tree_config *tree = director->tree;
    struct lead_setup setup = {.candidates = (const char(*)[NAME_SIZE])tree->candidates,
                               .n = tree->n_candidates,
                               .rules = {.heartbeat_ns = director->roster.rules.heartbeat_ns,
                                         .missed = director->roster.rules.missed},
                               .term = director->order.term};
    memcpy(setup.self, director->order.self, sizeof setup.self);
    memcpy(setup.root, director->order.root, sizeof setup.root);
    lead_begin(&director->coordination.lead, &setup, now);
    begin_claim(director);
}

/* Loads another document than before. False: it cannot be used, and then nothing is done. */
static bool load(struct director *director, const struct inbox *inbox, uint64_t now)
{
    tree_config_free(director->tree);
    parcel_drop(director->document);
    director->document = NULL;
    director->tree = tree_config_load("tree document", inbox->text, inbox->length, director->fault);
    if (!director->tree) {
        director_log(director, LOG_LEVEL_ERROR, now, "%s", director->fault);
        return false;
    }
    director->fault[0] = '\0';
    director->document = parcel_make(inbox->text, inbox->length);
    if (!director->document)
        director_log(director, LOG_LEVEL_ERROR, now,
                     "no memory for the tree document: the standbys do not get it");
    set_rules(director);
    if (!roster_follow(&director->roster, director->tree))
        director_log(director, LOG_LEVEL_ERROR, now,
                     "no memory for all nodes of the tree document: some are left out");
    director->plan.serial = 0;
    director->judge = true;
    set_coordination(director);
    take_secrets(director, now);
    return true;
}

/* The whole document and its order have come. */
static void take_document(struct director *director, uint64_t now)
{
    struct inbox *inbox = &director->inbox, *order = &director->order;
    bool is_same = director->tree && strcmp(inbox->self, order->self) == 0 &&
                   memcmp(inbox->digest, order->digest, sizeof inbox->digest) == 0;
    bool is_usable = true;
    *order = *inbox;
    order->text = NULL;
    hex_from_octets(director->digest, order->digest, sizeof order->digest, HEX_LOWER);
    director->dissolve.is_wanted = director->dissolve.is_done = false;
    if (!is_same)
        is_usable = load(director, inbox, now);
    inbox_release(inbox);
    archive_ordered(director);
    if (is_usable)
        begin_lead(director, now);
    planning_soon(director, now);
    director->orders_anew = true;
}

static void dissolve(struct director *director, uint64_t now)
{
    struct node *node;
    director->dissolve.is_wanted = true;
    director->dissolve.since_ns = now;
    director->dissolve.level = UINT32_MAX;
    TAILQ_FOREACH(node, &director->roster.all, all)
    node->is_given_up = false;
    director->orders_anew = true;
}

bool direct_take(struct director *director, const struct message *message, uint64_t now)
{
    const void *content = message;
    if (message->kind == TREE_MESSAGE_DISSOLVE) {
        dissolve(director, now);
        return true;
    }
    if (message->kind == TREE_MESSAGE_KNOWN) {
        const struct tree_message_known *known = content;
        announced_known(&director->announced, known->address, known->group, now);
        return true;
    }
    if (message->kind != TREE_MESSAGE_DOCUMENT)
        return false;
    enum inbox_result result = inbox_take(&director->inbox, content);
    if (result == INBOX_WHOLE)
        take_document(director, now);
    return result != INBOX_BAD;
}

/* -- Root or standby ------------------------------------------------------------------------- */

/* The new root may have ordered this node before the election knew of it. */
static void log_stepping_down(struct director *director, uint64_t now)
{
    const char *why = director->fault[0] ? director->fault : director->verdict.reason;
    char ordered[MESSAGE_SIZE];
    text_format(ordered, sizeof ordered, "it was ordered by \"%s\", in term %u",
                director->order.root, (unsigned)director->order.term);
    director_log(director, LOG_LEVEL_WARNING, now, "this node is not the root any more: %s",
                 why[0] ? why : ordered);
}

static void log_verdict(struct director *director, const struct lead_verdict *before, uint64_t now)
{
    const struct lead_verdict *verdict = &director->verdict;
    if (verdict->is_root && !before->is_root)
        director_log(director, LOG_LEVEL_INFO, now, "this node is the root, in term %u",
                     (unsigned)verdict->term);
    else if (!verdict->is_root && before->is_root)
        log_stepping_down(director, now);
    if (verdict->is_halted && !before->is_halted)
        director_log(director, LOG_LEVEL_WARNING, now, "this root orders nothing: %s",
                     verdict->reason);
    else if (before->is_halted && verdict->may_order)
        director_log(director, LOG_LEVEL_INFO, now, "this root gives orders, in term %u",
                     (unsigned)verdict->term);
    if (verdict->promote && verdict->promote != before->promote)
        director_log(director, LOG_LEVEL_WARNING, now,
                     "this node is to become the root in term %u: %s", (unsigned)verdict->promote,
                     verdict->reason);
}

/* The core forgets the rows of a director that is not root any more. */
static void forget_rows(struct director *director)
{
    struct node *node;
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        memset(&node->row, 0, sizeof node->row);
        node->has_place = false;
    }
}

static void hurry_candidates(struct director *director)
{
    struct node *node;
    TAILQ_FOREACH(node, &director->roster.all, all)
    if (node->member.is_candidate)
        target_hurry(&node->target);
}

/* An order that was not answered yet would be sent once more, by a root that may have been stopped
 * meanwhile and is not root any more. */
static void call_off_orders(struct director *director)
{
    struct node *node;
    TAILQ_FOREACH(node, &director->roster.all, all)
    if (node->target.step.ask == TARGET_ORDER)
        node_restart(node);
}

/* Without a usable document, nobody is asked anything. */
static void find_verdict(struct director *director, uint64_t now)
{
    struct lead_verdict *verdict = &director->verdict;
    if (director->tree) {
        lead_tick(&director->coordination.lead, now);
        coordination_decide(&director->coordination, now, clock_boot_us() * NS_PER_US, verdict);
        return;
    }
    *verdict = (struct lead_verdict){.term = director->order.term, .again_ns = UINT64_MAX};
    memcpy(verdict->root, director->order.root, sizeof verdict->root);
}

static bool is_same_verdict(const struct lead_verdict *a, const struct lead_verdict *b)
{
    return a->is_root == b->is_root && a->may_order == b->may_order && a->promote == b->promote &&
           a->is_halted == b->is_halted;
}

void direct_tick(struct director *director, uint64_t now)
{
    const struct lead_verdict before = director->verdict, *verdict = &director->verdict;
    find_verdict(director, now);
    log_verdict(director, &before, now);
    if (before.may_order && !verdict->may_order)
        call_off_orders(director);
    if (verdict->promote && verdict->promote != before.promote)
        director->rows_ns = 0; /* the core is told the reason before its node has the role */
    if (director->fresh_ns != director->coordination.lead.fresh_ns)
        hurry_candidates(director);
    director->fresh_ns = director->coordination.lead.fresh_ns;
    if (before.is_root && !verdict->is_root) {
        forget_rows(director);
        sweep_stop(director);
    }
    if (!before.may_order && verdict->may_order)
        announced_hurry(&director->announced, now);
    if (before.is_root != verdict->is_root)
        planning_soon(director, now);
    if (!is_same_verdict(&before, verdict) || director->orders_anew)
        run_all(director, now);
    director->orders_anew = false;
}

/* -- The end of the tree --------------------------------------------------------------------- */

/* Whether the node has no document any more, except for the tree document of this node, which is
 * the core's. */
static bool is_ended(const struct director *director, const struct node *node)
{
    const struct target_document *documents = node->target.look.documents;
    bool is_own = director_is_self(director, node);
    return node->target.looked && !documents[TARGET_SHARE].works &&
           !documents[TARGET_SHARE].has_digest &&
           (is_own || (!documents[TARGET_TREE].works && !documents[TARGET_TREE].has_digest));
}

/* A node that does not answer is left as it is. */
static bool is_out_of_reach(const struct director *director, const struct node *node, uint64_t now)
{
    const struct target *target = &node->target;
    uint64_t patience = director->roster.rules.heartbeat_ns * director->roster.rules.missed;
    bool refuses =
        target->refusals > 1 || target_fence(target) != NULL || node->member.verdict != MEMBER_GOOD;
    return refuses || ((target->failures > 0 || !target->looked) &&
                       now > director->dissolve.since_ns + patience);
}

static void give_up(struct director *director, struct node *node, uint64_t now)
{
    node->is_given_up = true;
    director_log(director, LOG_LEVEL_WARNING, now,
                 "\"%s\" at %s could not be told that the tree has ended, and goes on by its share",
                 node->member.name, node->member.address);
}

/* Takes the shares away, from the leaves to the root. */
static void dissolve_step(struct director *director, uint64_t now)
{
    struct node *node;
    uint32_t level = 0;
    bool all = true;
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        if (!node->is_given_up && !is_ended(director, node) && is_out_of_reach(director, node, now))
            give_up(director, node, now);
        bool is_pending = !node->is_given_up && !is_ended(director, node);
        all &= !is_pending;
        if (is_pending && node->has_place && node->level > level)
            level = node->level;
    }
    if (level != director->dissolve.level) {
        director->dissolve.level = level;
        run_all(director, now);
        return;
    }
    const struct message done = {.kind = TREE_MESSAGE_DONE, .length = sizeof done};
    if (all && archive_is_removed(director) && outbox_put(&director->outbox, &done, now)) {
        outbox_hurry(&director->outbox);
        director->dissolve.is_done = true;
    }
}

/* -- What follows ---------------------------------------------------------------------------- */

/* Nodes that are not in the document any more are let go when they are base nodes, or do not
 * answer. */
static void let_go(struct director *director, uint64_t now)
{
    struct node *node, *next;
    for (node = TAILQ_FIRST(&director->roster.all); node; node = next) {
        next = TAILQ_NEXT(node, all);
        const struct target *target = &node->target;
        bool gone =
            node->is_leaving && (is_ended(director, node) || target_is_lost(target) ||
                                 target_fence(target) || target->refusals > 1 || target->term == 0);
        bool forgotten = !node->member.is_listed && !node->is_leaving && target_is_lost(target) &&
                         now > target->heard_ns + FORGOTTEN;
        if (!gone && !forgotten)
            continue;
        rows_drop(director, node, now);
        roster_remove(&director->roster, node);
        planning_soon(director, now);
    }
}

static void judge(struct director *director, uint64_t now)
{
    if (!director->judge || !roster_judge(&director->roster, director->tree))
        return;
    struct node *node;
    director->judge = false;
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        if (node->judged == node->member.verdict)
            continue;
        node->judged = node->member.verdict;
        run(director, node, now);
        planning_soon(director, now);
    }
}

static void run_hurried(struct director *director, uint64_t now)
{
    struct node *node;
    if (!director->hurried)
        return;
    director->hurried = false;
    TAILQ_FOREACH(node, &director->roster.all, all)
    {
        if (node->is_hurried)
            run(director, node, now);
        node->is_hurried = false;
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t root_step(struct director *director, uint64_t now)
{
    if (director->dissolve.is_wanted && !director->dissolve.is_done)
        dissolve_step(director, now);
    if (director->dissolve.is_wanted)
        return now + AGAIN;
    if (archive_is_kept(director)) /* otherwise nobody was told to go */
        let_go(director, now);
    uint64_t due = sweep_step(director, now);
    if (planning_step(director, now))
        run_all(director, now);
    return earlier(due, planning_due(director));
}

uint64_t direct_step(struct director *director, uint64_t now)
{
    uint64_t due = hearing_step(director, now);
    if (director->tree && now >= director->secrets_ns) {
        take_secrets(director, now);
        run_all(director, now);
    }
    if (director->tree && now >= director->next_ns)
        take_next_secrets(director, now);
    uint64_t claims = claim_step(director, now);
    direct_tick(director, now); /* uses what has just been heard */
    judge(director, now);
    run_hurried(director, now);
    if (director->tree && director->verdict.may_order)
        due = earlier(due, root_step(director, now));
    nodes_go_on(&director->roster.nodes, now);
    due = earlier(due, rows_tell(director, now));
    if (director->tree) /* the time must be known at least once in a heartbeat */
        due = earlier(due, now + director->roster.rules.heartbeat_ns / 2);
    if (director->verdict.again_ns > now)
        due = earlier(due, director->verdict.again_ns);
    if (director->etcd && archive_step(director, now))
        due = now;
    return earlier(earlier(due, claims), earlier(director->secrets_ns, director->next_ns));
}

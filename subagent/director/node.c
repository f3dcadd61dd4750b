#include "director/node.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/text.h"

/* How many questions may be under way to all nodes together: so many these and this machine have to
 * handle at once. */
#define ASKING_MAX 64

/* A socket that is not needed for at least so long is closed. */
#define LONG_REST (5 * NS_PER_S)

/* The initial room in the set by which the library reads; it grows beyond that. */
#define DESCRIPTORS 4096

void nodes_open(struct nodes *nodes, int epoll)
{
    RB_INIT(&nodes->timers);
    TAILQ_INIT(&nodes->waiting);
    nodes->epoll = epoll;
    netsnmp_large_fd_set_init(&nodes->readable, DESCRIPTORS);
}

void nodes_close(struct nodes *nodes)
{
    netsnmp_large_fd_set_cleanup(&nodes->readable);
}

/* -- Answers --------------------------------------------------------------------------------- */

static void take_answer(void *context, const netsnmp_pdu *pdu)
{
    struct node *node = context;
    switch (node->target.step.ask) {
    case TARGET_LOOK:
        node->error = look_read(pdu, &node->nodes->look, node->nodes->unreached);
        break;
    case TARGET_ORDER:
        node->error = look_read_order(pdu);
        break;
    case TARGET_EXPLAIN:
        look_read_explanation(pdu, node->explanation);
        break;
    default:
        break;
    }
}

void node_open(struct node *node, struct nodes *nodes, const struct target_rules *rules)
{
    *node = (struct node){.nodes = nodes, .timer.id = ++nodes->last_id};
    target_init(&node->target, rules);
    session_init(&node->session, take_answer, node);
}

static void end_question(struct node *node)
{
    node->nodes->asking -= node->asks;
    node->asks = false;
}

static void stop(struct node *node)
{
    end_question(node);
    if (node->is_waiting)
        TAILQ_REMOVE(&node->nodes->waiting, node, waits);
    node->is_waiting = false;
    timer_clear(&node->nodes->timers, &node->timer);
    session_close(&node->session);
}

static void forget_engine(struct node *node)
{
    session_forget_keys(&node->session);
    node->session.engine = (struct snmp_engine){0};
}

void node_close(struct node *node)
{
    stop(node);
    session_forget_keys(&node->session);
    target_release(&node->target);
    share_release(&node->share);
}

void node_restart(struct node *node)
{
    stop(node);
    forget_engine(node);
    node->by_next = node->turned = false;
    node->target.met = node->target.explain = false;
    target_stop(&node->target);
}

/* -- What became of a question --------------------------------------------------------------- */

static void tell(struct node *node, enum node_news news)
{
    node->nodes->told(node->nodes->context, node, news, node->now);
}

/* Whether it is still known who is there. */
static bool keep_engine(struct node *node, enum poll_failure failure)
{
    if (failure == POLL_NOT_IN_WINDOW) {
        session_forget_time(&node->session);
        node->session.engine.boots = 0;
        return true;
    }
    if (failure != POLL_NEW_ENGINE && node->session.proven && node->target.met)
        return true;
    forget_engine(node);
    return false;
}

static void fail(struct node *node, enum poll_failure failure, const char *why)
{
    char text[MESSAGE_SIZE];
    enum target_ask asked = node->target.step.ask;
    text_format(text, sizeof text, "%s", why);
    end_question(node);
    node->turned = false;
    bool met = keep_engine(node, failure);
    session_close(&node->session);
    target_failed(&node->target, text, met, node->now);
    tell(node, asked == TARGET_LOOK || asked == TARGET_DISCOVER ? NODE_MISSED : NODE_MOVED);
}

static void discovered(struct node *node)
{
    const struct snmp_engine *engine = &node->session.engine;
    struct member *member = &node->member;
    end_question(node);
    node->nodes->discoveries++;
    target_discovered(&node->target, node->now);
    if (member->engine_len == engine->len &&
        memcmp(member->engine_id, engine->id, engine->len) == 0)
        return;
    memcpy(member->engine_id, engine->id, engine->len);
    member->engine_len = engine->len;
    tell(node, NODE_MET);
}

static void answered(struct node *node)
{
    enum target_ask asked = node->target.step.ask;
    if (node->error.failure && !(asked == TARGET_ORDER && node->error.failure == POLL_REFUSED)) {
        fail(node, node->error.failure, node->error.text);
        return;
    }
    end_question(node);
    node->turned = false;
    if (asked == TARGET_LOOK)
        target_looked(&node->target, &node->nodes->look, node->session.round_trip, node->now);
    else if (asked == TARGET_EXPLAIN)
        target_explained(&node->target, node->explanation, node->now);
    else if (node->error.failure)
        target_refused(&node->target, node->error.text, node->now);
    else
        target_ordered(&node->target, node->now);
    tell(node, asked == TARGET_LOOK ? NODE_LOOKED : NODE_MOVED);
}

static bool ask(struct node *node, const struct target_step *step);

/* While keys are changed, a node has either the old or the new ones: the question is repeated at
 * once with the keys that were not tried. */
static bool has_other_keys(const struct node *node)
{
    return node->session.failure == POLL_WRONG_KEY && node->nodes->next && !node->turned;
}

static bool ask_by_other_keys(struct node *node)
{
    const struct target_step step = node->target.step;
    end_question(node);
    session_rest(&node->session);
    session_forget_keys(&node->session);
    node->turned = true;
    node->by_next = !node->by_next;
    return ask(node, &step);
}

/* Acts on the outcome of the session. False: an answer is still to come. */
static bool settle(struct node *node)
{
    switch (node->session.outcome) {
    case SESSION_WAITING:
        timer_set(&node->nodes->timers, &node->timer, node->session.deadline);
        return false;
    case SESSION_DISCOVERED:
        discovered(node);
        return true;
    case SESSION_ANSWERED:
        answered(node);
        return true;
    case SESSION_FAILED:
        if (has_other_keys(node))
            return ask_by_other_keys(node);
        fail(node, node->session.failure, node->session.text);
        return true;
    default:
        return true;
    }
}

/* -- Questions ------------------------------------------------------------------------------- */

static bool watch_socket(struct node *node)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = node};
    return epoll_ctl(node->nodes->epoll, EPOLL_CTL_ADD, session_fd(&node->session), &event) == 0;
}

/* False: that failed, and was told. */
static bool open_session(struct node *node)
{
    const struct nodes *nodes = node->nodes;
    const struct credential *credential =
        node->by_next && nodes->next ? nodes->next : nodes->credential;
    if (!credential || credential->invalid) {
        fail(node, POLL_NO_CREDENTIAL, credential ? credential->invalid : "there are no keys");
        return false;
    }
    bool new_socket = session_fd(&node->session) < 0;
    if (!session_open(&node->session, node->member.address, credential)) {
        fail(node, node->session.failure, node->session.text);
        return false;
    }
    if (new_socket && !watch_socket(node)) {
        fail(node, POLL_REFUSED, "its socket cannot be watched");
        return false;
    }
    return true;
}

static netsnmp_pdu *make_pdu(const struct node *node, const struct target_step *step)
{
    switch (step->ask) {
    case TARGET_LOOK:
        return look_pdu();
    case TARGET_ORDER:
        return look_order_pdu(&step->order, node->target.rules->root);
    default:
        return look_explain_pdu();
    }
}

/* False: an answer is still to come. */
static bool ask(struct node *node, const struct target_step *step)
{
    uint64_t timeout = target_timeout(&node->target);
    node->asks = true;
    node->nodes->asking++;
    node->error = (struct look_error){0};
    node->explanation[0] = '\0';
    if (step->ask == TARGET_DISCOVER) {
        session_close(&node->session);
        forget_engine(node);
    }
    if (!open_session(node))
        return true;
    if (step->ask == TARGET_DISCOVER)
        session_discover(&node->session, node->now, timeout);
    else
        session_ask(&node->session, make_pdu(node, step), node->now, timeout);
    return settle(node);
}

static void rest(struct node *node, uint64_t until)
{
    if (until > node->now + LONG_REST)
        session_close(&node->session);
    else
        session_rest(&node->session);
    if (until != UINT64_MAX)
        timer_set(&node->nodes->timers, &node->timer, until);
}

/* A question that fails at once is followed by the next one, or by a pause. */
static void go_on(struct node *node)
{
    struct target_step step;
    timer_clear(&node->nodes->timers, &node->timer);
    do {
        step = target_next(&node->target, node->now);
        if (step.ask == TARGET_WAIT)
            return rest(node, step.until_ns);
    } while (ask(node, &step));
}

void node_run(struct node *node, uint64_t now)
{
    node->now = now;
    if (node->asks || node->is_waiting)
        return;
    if (node->nodes->asking < ASKING_MAX) {
        go_on(node);
        return;
    }
    timer_clear(&node->nodes->timers, &node->timer);
    TAILQ_INSERT_TAIL(&node->nodes->waiting, node, waits);
    node->is_waiting = true;
}

void nodes_go_on(struct nodes *nodes, uint64_t now)
{
    struct node *node;
    while (nodes->asking < ASKING_MAX && (node = TAILQ_FIRST(&nodes->waiting))) {
        TAILQ_REMOVE(&nodes->waiting, node, waits);
        node->is_waiting = false;
        node_run(node, now);
    }
}

void node_read(struct node *node, uint64_t now)
{
    node->now = now;
    bool waiting = node->session.outcome == SESSION_WAITING;
    session_read(&node->session, &node->nodes->readable, now);
    if (waiting && settle(node))
        go_on(node);
}

void node_timer(struct timer *timer, uint64_t now)
{
    struct node *node = (struct node *)(void *)((char *)timer - offsetof(struct node, timer));
    node->now = now;
    timer_clear(&node->nodes->timers, timer);
    if (!node->asks) {
        node_run(node, now);
        return;
    }
    session_expire(&node->session, now);
    if (settle(node))
        go_on(node);
}

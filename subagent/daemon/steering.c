#include "daemon/steering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "daemon/lock.h"

/* How many packets are heard in one step, so that sensors do not wait for the director. */
#define PACKETS_MAX 64

/* How often it is logged that the view does not have all nodes. */
#define COMPLAIN_NS (60 * NS_PER_S)

int steering_begin(struct steering *steering, const struct tree_in_force *tree, const char *self,
                   struct tree_view *view, struct role *role, pthread_mutex_t *lock,
                   const char *const *options)
{
    *steering = (struct steering){.tree = tree, .view = view, .role = role, .lock = lock};
    text_format(steering->self, sizeof steering->self, "%s", self);
    int code = directing_open(&steering->directing, options);
    steering->packet = malloc(MESSAGE_PACKET_MAX);
    return code || steering->packet ? code : ENOMEM;
}

void steering_end(struct steering *steering)
{
    if (!steering->lock)
        return;
    directing_close(&steering->directing);
    free(steering->packet);
    *steering = (struct steering){.lock = NULL};
}

int steering_fd(const struct steering *steering)
{
    return steering->lock ? directing_fd(&steering->directing) : -1;
}

/* -- What the director says ------------------------------------------------------------------ */

static void put_row(struct steering *steering, const struct tree_message_row *row, uint64_t now_ns)
{
    int code = tree_view_put(steering->view, row);
    if (!code || !log_due(steering->complain_ns, now_ns, COMPLAIN_NS))
        return;
    steering->complain_ns = now_ns;
    if (code == E2BIG)
        log_error("tree", "dcampTreeTable shows no more than %d nodes", TREE_ROWS_MAX);
    else
        log_error("tree", "no memory for a row of dcampTreeTable: it comes with what the node "
                          "answers next");
}

static void take_line(const struct tree_message_log *line)
{
    char text[sizeof line->text];
    memcpy(text, line->text, sizeof text);
    text_clean(text, sizeof text, '?');
    if (line->level != LOG_LEVEL_DEBUG || log_debugging("tree"))
        log_write((enum log_level)line->level, "tree", "%s", text);
}

/* False: a director does not send that. */
static bool take_message(struct steering *steering, const struct message *message, uint64_t now_ns)
{
    const void *content = message;
    switch (message->kind) {
    case MESSAGE_ALIVE: /* it has no content beyond the fact that it came */
        return true;
    case TREE_MESSAGE_ROW:
        put_row(steering, content, now_ns);
        return true;
    case TREE_MESSAGE_GONE:
        tree_view_drop(steering->view, ((const struct tree_message_gone *)content)->name);
        return true;
    case TREE_MESSAGE_ROLE:
        steering->became_root |=
            ((const struct tree_message_role *)content)->is_root && !steering->view->is_root;
        tree_view_role(steering->view, content);
        role_heard(steering->role, content);
        return true;
    case TREE_MESSAGE_LOG:
        take_line(content);
        return true;
    case TREE_MESSAGE_DONE:
        directing_done(&steering->directing);
        return true;
    default:
        return false;
    }
}

static void take_packet(struct steering *steering, size_t used, uint64_t now_ns)
{
    const struct message *message;
    size_t at = 0;
    bool good = true;
    lock_take(steering->lock);
    while (good && (message = tree_message_next(steering->packet, used, &at)))
        good = take_message(steering, message, now_ns);
    lock_release(steering->lock);
    if (!good || at != used)
        directing_blame(&steering->directing);
}

/* False: there may be more. */
static bool hear_director(struct steering *steering, uint64_t now_ns)
{
    size_t used;
    for (int i = 0; i < PACKETS_MAX; i++) {
        if (!directing_receive(&steering->directing, steering->packet, &used, now_ns))
            return true;
        take_packet(steering, used, now_ns);
    }
    return false;
}

/* -- What it is told ------------------------------------------------------------------------- */

#define AGAIN_NS NS_PER_S

static int begin_directing(struct steering *steering)
{
    const struct tree_in_force *tree = steering->tree;
    struct directing_order order = {.term = tree->order.term, .epoch = tree->order.epoch};
    memcpy(order.self, steering->self, sizeof order.self);
    memcpy(order.root, tree->order.root, sizeof order.root);
    memcpy(order.digest, tree->order.digest, sizeof order.digest);
    return directing_begin(&steering->directing, &order, tree->text, tree->len);
}

/* Returns when to try again. */
static uint64_t follow_document(struct steering *steering, uint64_t now_ns)
{
    const struct tree_in_force *tree = steering->tree;
    if (tree->changes == steering->changes)
        return UINT64_MAX;
    int code = 0;
    if (tree->text && !(tree->ends && steering->directing.text))
        code = begin_directing(steering);
    if (!code && (tree->ends || !tree->text))
        directing_end(&steering->directing, tree->order.root, now_ns);
    if (code && !steering->starved)
        log_error("tree", "the director cannot be told of the tree document: %s", strerror(code));
    steering->starved = code;
    if (!code)
        steering->changes = tree->changes;
    return code ? now_ns + AGAIN_NS : UINT64_MAX;
}

/* A director that replaces another one finds the nodes of list and ranges by itself, but not those
 * that have announced themselves only to the earlier one. */
static void tell_known(struct steering *steering)
{
    struct index_node *node;
    size_t n = 0;
    lock_take(steering->lock);
    for (node = index_first(&steering->view->rows); node && n < TREE_KNOWN_MAX;
         node = index_next(node)) {
        const struct tree_row *row = (const struct tree_row *)node;
        if (row->found != TREE_ANNOUNCED)
            continue;
        directing_known(&steering->directing, row->address, row->group);
        n++;
    }
    lock_release(steering->lock);
}

bool steering_has_become_root(struct steering *steering)
{
    bool became_root = steering->became_root;
    steering->became_root = false;
    return became_root;
}

void steering_know_children(struct steering *steering, const struct config *config, uint64_t now_ns)
{
    struct index_node *node;
    size_t n = 0;
    lock_take(steering->lock);
    for (node = index_first(&config->rows[ROW_CHILD]); node && n < TREE_KNOWN_MAX;
         node = index_next(node)) {
        const struct child_row *child = (const struct child_row *)node;
        if (child->kind != CHILD_OF_DCAMP)
            continue;
        directing_known(&steering->directing, child->address, child->group);
        n++;
    }
    lock_release(steering->lock);
    directing_step(&steering->directing, now_ns);
}

static void clear_view(struct steering *steering)
{
    lock_take(steering->lock);
    tree_view_clear(steering->view);
    lock_release(steering->lock);
}

/* What a director has said can still be read while another one is started in its place, which tells
 * everything anew. True: it has begun. */
static bool follow_process(struct steering *steering)
{
    bool ended = directing_has_ended(&steering->directing);
    bool begun = directing_has_begun(&steering->directing);
    if (begun)
        tell_known(steering);
    if (begun || (ended && !steering->directing.text))
        clear_view(steering);
    return begun;
}

uint64_t steering_step(struct steering *steering, struct moment now)
{
    if (!steering->packet)
        return UINT64_MAX;
    bool heard_all = hear_director(steering, now.mono_ns);
    uint64_t again = follow_document(steering, now.mono_ns);
    uint64_t due = directing_step(&steering->directing, now.mono_ns);
    if (follow_process(steering))
        due = directing_step(&steering->directing, now.mono_ns);
    due = again < due ? again : due;
    return heard_all ? due : now.mono_ns;
}

bool steering_has_ended(const struct steering *steering)
{
    const struct tree_in_force *tree = steering->tree;
    return steering->packet && tree->ends && steering->changes == tree->changes &&
           !steering->directing.text;
}

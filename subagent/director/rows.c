#include "director/rows.h"

#include <string.h>

#include "base/text.h"

/* How long rows wait for others: each packet wakes the core. */
#define DELAY (50 * NS_PER_MS)

/* -- What a node is -------------------------------------------------------------------------- */

/* Why the node does not do what it is told; false: it does. */
static bool is_refusing(const struct node *node, char error[MESSAGE_SIZE])
{
    const struct target *target = &node->target;
    const struct target_document *fence = target_fence(target);
    if (fence)
        text_format(error, MESSAGE_SIZE, "it obeys \"%s\" in term %u", fence->root,
                    (unsigned)fence->term);
    else if (target_is_unable(target, TARGET_SHARE))
        memcpy(error, target->look.documents[TARGET_SHARE].error, MESSAGE_SIZE);
    else if (target_is_unable(target, TARGET_TREE))
        memcpy(error, target->look.documents[TARGET_TREE].error, MESSAGE_SIZE);
    else if (target->refusal[0])
        memcpy(error, target->refusal, MESSAGE_SIZE);
    else
        return false;
    return true;
}

static enum tree_state state_of_living(const struct director *director, const struct node *node,
                                       char error[MESSAGE_SIZE])
{
    if (is_refusing(node, error))
        return TREE_REFUSED;
    if (director->dissolve.is_wanted || node->is_leaving)
        return TREE_STOPPING;
    bool is_up = node->has_place && node->target.term != 0 && target_is_done(&node->target);
    return is_up ? TREE_UP : TREE_JOINING;
}

static enum tree_state state_of(const struct director *director, const struct node *node,
                                char error[MESSAGE_SIZE])
{
    const struct target *target = &node->target;
    memcpy(error, target->silence, MESSAGE_SIZE);
    if (node->member.verdict != MEMBER_GOOD) {
        memcpy(error, node->member.fault, MESSAGE_SIZE);
        return node->member.verdict == MEMBER_CLONE ? TREE_CLONE : TREE_REFUSED;
    }
    if (!target->looked)
        return target->failures ? TREE_UNREACHABLE : TREE_UNKNOWN;
    if (target_is_lost(target))
        return TREE_LOST;
    return state_of_living(director, node, error);
}

static void fill_row(const struct director *director, const struct node *node,
                     struct tree_message_row *row)
{
    const struct target_look *look = &node->target.look;
    const struct target_document *share = &look->documents[TARGET_SHARE];
    memset(row, 0, sizeof *row); /* every octet is compared, including padding */
    row->head = (struct message){.kind = TREE_MESSAGE_ROW, .length = sizeof *row};
    roster_name(node, row->name);
    text_format(row->address, sizeof row->address, "%s", node->member.address);
    text_format(row->group, sizeof row->group, "%s", node->member.group);
    row->found = node->member.is_listed      ? TREE_LISTED
                 : node->member.is_announced ? TREE_ANNOUNCED
                                             : TREE_IN_RANGE;
    row->state = state_of(director, node, row->error);
    row->heard_ns = node->target.heard_ns;
    if (!node->target.looked)
        return;
    row->role = look->role;
    row->level = look->level;
    text_format(row->parent, sizeof row->parent, "%s", look->parent);
    row->term = share->term;
    row->epoch = share->epoch;
    row->serial = look->serial;
    text_format(row->digest, sizeof row->digest, "%s", look->digest);
    row->deviations = look->deviations;
    text_format(row->version, sizeof row->version, "%s", look->version);
}

/* -- Telling --------------------------------------------------------------------------------- */

static bool is_trouble(uint32_t state)
{
    return state == TREE_LOST || state == TREE_REFUSED || state == TREE_CLONE ||
           state == TREE_UNREACHABLE;
}

static void log_change(struct director *director, const struct tree_message_row *before,
                       const struct tree_message_row *row, uint64_t now)
{
    static const char *const words[] = {
        [TREE_LOST] = "is lost",
        [TREE_REFUSED] = "does not do what it is told",
        [TREE_CLONE] = "is left out",
        [TREE_UNREACHABLE] = "does not answer",
    };
    if (row->state == before->state)
        return;
    if (is_trouble(row->state))
        director_log(director, LOG_LEVEL_WARNING, now, "\"%s\" at %s %s: %s", row->name,
                     row->address, words[row->state], row->error);
    else if (is_trouble(before->state))
        director_log(director, LOG_LEVEL_INFO, now, "\"%s\" at %s is well", row->name,
                     row->address);
}

void rows_drop(struct director *director, struct node *node, uint64_t now)
{
    struct tree_message_gone message = {
        .head = {.kind = TREE_MESSAGE_GONE, .length = sizeof message}};
    if (node->row.state == 0)
        return;
    memcpy(message.name, node->row.name, sizeof message.name);
    outbox_put_once(&director->outbox, &message.head, now);
    node->row.state = 0;
}

/* If another node has its name now, one that is leaving no longer appears. */
static bool is_shown(const struct director *director, const struct node *node)
{
    return !node->is_leaving || !roster_named(&director->roster, node->member.name);
}

static void tell_node(struct director *director, struct node *node, uint64_t now)
{
    struct tree_message_row row;
    node->is_changed = false;
    if (!is_shown(director, node)) {
        rows_drop(director, node, now);
        return;
    }
    fill_row(director, node, &row);
    if (memcmp(&row, &node->row, sizeof row) == 0)
        return;
    if (node->row.state && strcmp(row.name, node->row.name) != 0)
        rows_drop(director, node, now);
    if (!outbox_put(&director->outbox, &row.head, now)) {
        node->is_changed = true;
        return;
    }
    log_change(director, &node->row, &row, now);
    memcpy(&node->row, &row, sizeof row);
}

static void tell_role(struct director *director, uint64_t now)
{
    const struct lead_verdict *verdict = &director->verdict;
    struct tree_message_role role;
    memset(&role, 0, sizeof role);
    role.head = (struct message){.kind = TREE_MESSAGE_ROLE, .length = sizeof role};
    role.is_root = verdict->is_root;
    role.term = verdict->term;
    role.serial = director->plan.serial;
    text_format(role.root, sizeof role.root, "%s", verdict->root);
    text_format(role.reason, sizeof role.reason, "%s",
                director->fault[0] ? director->fault : verdict->reason);
    if (memcmp(&role, &director->role, sizeof role) == 0 ||
        !outbox_put(&director->outbox, &role.head, now))
        return;
    memcpy(&director->role, &role, sizeof role);
    outbox_hurry(&director->outbox); /* the reason is to be known before the share is there */
}

uint64_t rows_tell(struct director *director, uint64_t now)
{
    struct node *node;
    if (now < director->rows_ns)
        return director->rows_ns;
    tell_role(director, now);
    TAILQ_FOREACH(node, &director->roster.all, all)
    if (director->verdict.is_root && node->is_changed && !outbox_is_full(&director->outbox))
        tell_node(director, node, now);
    director->rows_ns = now + DELAY;
    return UINT64_MAX;
}

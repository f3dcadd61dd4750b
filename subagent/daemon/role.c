#include "daemon/role.h"

#include <inttypes.h>
#include <string.h>

#include "alarm/alarm.h"
#include "base/log.h"
#include "base/own_rule.h"
#include "base/text.h"
#include "tree/message.h"

const char *role_word(enum node_role role)
{
    static const char *const words[] = {[ROLE_BASE] = "base",
                                        [ROLE_METRIC] = "metric",
                                        [ROLE_COLLECTOR] = "collector",
                                        [ROLE_ROOT] = "root"};
    return words[role];
}

enum node_role role_of(const struct role_basis *basis)
{
    static const enum node_role of_share[] = {
        [SHARE_METRIC] = ROLE_METRIC, [SHARE_COLLECTOR] = ROLE_COLLECTOR, [SHARE_ROOT] = ROLE_ROOT};
    if (basis->assignment->role)
        return of_share[basis->assignment->role];
    if (basis->children > 0)
        return basis->level == 0 ? ROLE_ROOT : ROLE_COLLECTOR;
    return basis->sensors > 0 ? ROLE_METRIC : ROLE_BASE;
}

void role_ordered(struct role *role, const struct order *order)
{
    role->order = *order;
}

void role_heard(struct role *role, const struct tree_message_role *message)
{
    if (message->is_root || !message->reason[0])
        return;
    text_format(role->promotion, sizeof role->promotion, "%.*s", (int)sizeof message->reason - 1,
                message->reason);
}

/* -- Why ------------------------------------------------------------------------------------- */

static void say_without_share(const struct role *role, char *reason)
{
    const struct order *order = &role->order;
    if (order->term > 0 && order->is_empty && role->was.role)
        text_format(reason, MESSAGE_SIZE,
                    "\"%s\" has ended the share in term %" PRIu32
                    ", the node works by its configuration file",
                    order->root, order->term);
    else if (role->is)
        text_format(reason, MESSAGE_SIZE, "its configuration was changed");
    else
        text_format(reason, MESSAGE_SIZE, "no share, the node works by its configuration file");
}

/* A root that steps down was told of a higher term; one that takes over follows an earlier root. */
static void say_why(const struct role *role, const struct assignment *share, char *reason)
{
    const struct order *order = &role->order;
    bool falls = role->was.role == SHARE_ROOT && share->role != SHARE_ROOT;
    bool rises = role->was.role && role->was.role != SHARE_ROOT && share->role == SHARE_ROOT;
    if (falls && order->term > role->term)
        text_format(reason, MESSAGE_SIZE,
                    "a higher term was seen: %" PRIu32 " of \"%s\", after its own term %" PRIu32,
                    order->term, order->root, role->term);
    else if (rises && strcmp(role->was.root, share->root) != 0)
        text_format(reason, MESSAGE_SIZE, "it takes over from \"%s\" in term %" PRIu32 "%s%.150s",
                    role->was.root, order->term, role->promotion[0] ? ": " : "", role->promotion);
    else
        text_format(reason, MESSAGE_SIZE, "%s, ordered by \"%s\" in term %" PRIu32, share->reason,
                    order->root, order->term);
}

static void find_reason(const struct role *role, const struct assignment *share, char *reason)
{
    if (share->role)
        say_why(role, share, reason);
    else
        say_without_share(role, reason);
}

/* -- Changes --------------------------------------------------------------------------------- */

/* False: no memory. */
static bool announce(const struct role *role, enum node_role new, const char *reason,
                     struct alarms *alarms, const char *node, struct moment now)
{
    struct alarm_facts facts = {.kind = ALARM_OF_ROLE, .severity = SEVERITY_CLEAR};
    text_format(facts.node, sizeof facts.node, "%s", node);
    text_format(facts.threshold, sizeof facts.threshold, OWN_RULE_NODE_ROLE);
    text_format(facts.instance, sizeof facts.instance, "%s", role_word(new));
    alarm_key(facts.key, facts.node, OWN_RULE_NODE_ROLE, "");
    text_format(facts.message, sizeof facts.message, "%s is %s, was %s: %s", node, role_word(new),
                role_word(role->is), reason);
    if (!alarm_announce(alarms, &facts, now))
        return false;
    log_info("tree", "role %s, was %s: %s", role_word(new), role_word(role->is), reason);
    return true;
}

void role_step(struct role *role, const struct role_basis *basis, struct alarms *alarms,
               const char *node, struct moment now)
{
    char reason[MESSAGE_SIZE];
    enum node_role new = role_of(basis);
    if (new != role->is) {
        find_reason(role, basis->assignment, reason);
        if (role->is && !announce(role, new, reason, alarms, node, now))
            return; /* this is done in the next cycle instead */
        role->is = new;
        memcpy(role->reason, reason, sizeof role->reason);
        role->promotion[0] = '\0';
    }
    role->was = *basis->assignment;
    role->term = role->order.term;
}

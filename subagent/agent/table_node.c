/* The scalars of dcampNode. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "daemon/documents.h"
#include "daemon/role.h"
#include "series/measure.h"
#include "tree/announcing.h"
#include "children/children.h"

static bool name(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_text(value, view->config->node.name);
}

static bool version(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    (void)row;
    return give_text(value, PACKAGE_VERSION);
}

/* What its share says of it; NULL: no share is in force. */
static const struct assignment *assignment(const struct view *view)
{
    const struct assignment *told = &view->documents->assignment;
    return told->role ? told : NULL;
}

static bool role(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    const struct role_basis basis = {.assignment = &view->documents->assignment,
                                     .level = view->config->node.level,
                                     .children = view->children->index.count,
                                     .sensors = view->measure->sensors.count};
    return give_integer(value, role_of(&basis));
}

static bool role_reason(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_text(value, view->role->reason);
}

/* The node cannot know who polls it, for that is anybody who has a user; it knows only what its
 * share or its configuration says. */
static bool level(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    const struct assignment *told = assignment(view);
    uint32_t steps = told ? told->level : view->config->node.level;
    return steps != COUNT_NOT_GIVEN && give_number(value, steps);
}

static bool parent(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    const struct assignment *told = assignment(view);
    return give_text(value, told ? told->parent : view->config->node.parent);
}

static bool group(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    const struct assignment *told = assignment(view);
    return give_text(value, told ? told->group : view->config->node.group);
}

static bool boot(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->boot);
}

static bool up_time(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_stamp(view, value, view->now.mono_ns);
}

static bool serial(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->config->serial);
}

static bool digest(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    config_digest(view->config, (uint8_t *)value->room);
    return give_octets(value, value->room, CONFIG_DIGEST);
}

static bool announce_port(const struct view *view, const void *row, struct mib_value *value)
{
    uint32_t port = view->config->announce.port;
    (void)row;
    return give_number(value, port == COUNT_NOT_GIVEN ? 0 : port);
}

static bool announcements(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->announcing->sent);
}

static bool unasked(const struct view *view, const void *row, struct mib_value *value)
{
    uint64_t now_ns = view->now.mono_ns, looked_ns = view->announcing->looked_ns;
    (void)row;
    return give_number(value, now_ns > looked_ns ? (now_ns - looked_ns) / (NS_PER_S / 100) : 0);
}

static const struct column columns[] = {
    {MIB_dcampNodeName, name, NULL},
    {MIB_dcampNodeVersion, version, NULL},
    {MIB_dcampNodeRole, role, NULL},
    {MIB_dcampNodeLevel, level, NULL},
    {MIB_dcampNodeParent, parent, NULL},
    {MIB_dcampNodeGroup, group, NULL},
    {MIB_dcampNodeBoot, boot, NULL},
    {MIB_dcampNodeUpTime, up_time, NULL},
    {MIB_dcampNodeConfigSerial, serial, NULL},
    {MIB_dcampNodeConfigDigest, digest, NULL},
    {MIB_dcampNodeRoleReason, role_reason, NULL},
    {MIB_dcampNodeAnnouncePort, announce_port, NULL},
    {MIB_dcampNodeAnnouncements, announcements, NULL},
    {MIB_dcampNodeUnasked, unasked, NULL},
};

const struct table table_node = {
    .object = MIB_dcampNode,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};

/* The scalars of dcampNode. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "series/measure.h"
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

/* A node without sensors and children has nothing to do but wait. */
static bool role(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    if (view->children->index.count > 0)
        return give_integer(value, view->config->node.level == 0 ? dcampNodeRole_root
                                                                 : dcampNodeRole_collector);
    return give_integer(value, view->measure->sensors.count > 0 ? dcampNodeRole_metric
                                                                : dcampNodeRole_base);
}

/* A node is polled by whoever has a user for it, and is not told who that is nor what is above: it
 * knows what its configuration says. */
static bool level(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    uint32_t steps = view->config->node.level;
    return steps != COUNT_NOT_GIVEN && give_number(value, steps);
}

static bool parent(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_text(value, view->config->node.parent);
}

static bool group(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_text(value, view->config->node.group);
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

static const struct column columns[] = {
    {MIB_dcampNodeName, name, NULL},           {MIB_dcampNodeVersion, version, NULL},
    {MIB_dcampNodeRole, role, NULL},           {MIB_dcampNodeLevel, level, NULL},
    {MIB_dcampNodeParent, parent, NULL},       {MIB_dcampNodeGroup, group, NULL},
    {MIB_dcampNodeBoot, boot, NULL},           {MIB_dcampNodeUpTime, up_time, NULL},
    {MIB_dcampNodeConfigSerial, serial, NULL}, {MIB_dcampNodeConfigDigest, digest, NULL},
};

const struct table table_node = {
    .object = MIB_dcampNode,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};

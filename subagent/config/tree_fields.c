#include "config/tree_fields.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define AT(type, member)                                                                           \
    .offset = offsetof(struct type, member), .size = sizeof((struct type *)0)->member

#define A_NAME "a name of 1 to 32 of A-Z a-z 0-9 . _ -"
#define A_DURATION(from, to)                                                                       \
    "a duration from " from " to " to "; write for example \"500ms\", \"10s\" or \"5m\""
#define HOUR_MS 3600000

static const char *const coordinations[] = {NULL, "list", "etcd"};
static const char *const collects[] = {NULL, "auto", "yes", "no"};
static const char *const backs[] = {NULL, "no", "yes"};

/* -- The tree document ------------------------------------------------------------------------ */

static const struct field fields_of_rules[] = {
    {.name = "fanout",
     .type = FIELD_COUNT,
     AT(tree_config, rules.fanout),
     .min = 2,
     .max = 10000,
     .initial = "100",
     .expect = "a number of children from 2 to 10000"},
    {.name = "heartbeat",
     .type = FIELD_MILLIS,
     AT(tree_config, rules.heartbeat_ms),
     .min = 500,
     .max = HOUR_MS,
     .initial = "1s",
     .expect = A_DURATION("500ms", "1h")},
    {.name = "leaf-heartbeat",
     .type = FIELD_MILLIS,
     AT(tree_config, rules.leaf_heartbeat_ms),
     .min = 500,
     .max = HOUR_MS,
     .initial = "30s",
     .expect = A_DURATION("500ms", "1h")},
    {.name = "missed",
     .type = FIELD_COUNT,
     AT(tree_config, rules.missed),
     .min = 2,
     .max = 10,
     .initial = "3",
     .expect = "a number of looks from 2 to 10"},
    {.name = "period",
     .type = FIELD_MILLIS,
     AT(tree_config, rules.period_ms),
     .min = 100,
     .max = HOUR_MS,
     .initial = "1s",
     .expect = A_DURATION("100ms", "1h")},
};

static const struct field fields_of_access[] = {
    {.name = "secrets",
     .type = FIELD_PATH,
     AT(tree_config, access.secrets),
     .expect = "the absolute path of a file"},
    {.name = "admin",
     .type = FIELD_NAME,
     AT(tree_config, access.admin),
     .initial = "dcampAdmin",
     .expect = A_NAME},
    {.name = "poll",
     .type = FIELD_NAME,
     AT(tree_config, access.poll),
     .initial = "dcampPoll",
     .expect = A_NAME},
    {.name = "poll-secrets",
     .type = FIELD_PATH,
     AT(tree_config, access.poll_secrets),
     .initial = "",
     .expect = "the absolute path of a file"},
    {.name = "next-secrets",
     .type = FIELD_PATH,
     AT(tree_config, access.next_secrets),
     .initial = "",
     .expect = "the absolute path of a file"},
};

static const struct field fields_of_coordination[] = {
    {.name = "kind",
     .type = FIELD_ENUM,
     AT(tree_coordination, kind),
     .labels = coordinations,
     .n_labels = N(coordinations),
     .initial = "list",
     .expect = "one of list, etcd"},
    {.name = "endpoints",
     .type = FIELD_TEXT,
     AT(tree_coordination, endpoints),
     .initial = "",
     .expect = "the URLs of the servers; write for example \"https://192.0.2.1:2379\""},
    {.name = "prefix",
     .type = FIELD_NAME,
     AT(tree_coordination, prefix),
     .initial = "dcamp",
     .expect = A_NAME},
    {.name = "ttl",
     .type = FIELD_MILLIS,
     AT(tree_coordination, ttl_ms),
     .min = 3000,
     .max = HOUR_MS,
     .initial = "9s",
     .expect = A_DURATION("3s", "1h")},
    {.name = "user",
     .type = FIELD_NAME,
     AT(tree_coordination, user),
     .initial = "",
     .expect = A_NAME},
    {.name = "secrets",
     .type = FIELD_PATH,
     AT(tree_coordination, secrets),
     .initial = "",
     .expect = "the absolute path of a file"},
    {.name = "ca",
     .type = FIELD_PATH,
     AT(tree_coordination, ca),
     .initial = "",
     .expect = "the absolute path of a file"},
};

static const struct field fields_of_candidate[] = {
    {.name = "node", .type = FIELD_NAME, AT(tree_candidate, node), .expect = A_NAME},
};

static const struct field fields_of_node[] = {
    {.name = "name", .type = FIELD_NAME, AT(tree_node, name), .expect = A_NAME},
    {.name = "address",
     .type = FIELD_PEER,
     AT(tree_node, address),
     .expect = "a numeric address; write for example \"udp:192.0.2.7:161\" or "
               "\"udp6:[2001:db8::7]:161\""},
    {.name = "group",
     .type = FIELD_NAME,
     AT(tree_node, group),
     .initial = "default",
     .expect = A_NAME},
    {.name = "collect",
     .type = FIELD_ENUM,
     AT(tree_node, collect),
     .labels = collects,
     .n_labels = N(collects),
     .initial = "auto",
     .expect = "one of auto, yes, no"},
};

static const struct field fields_of_range[] = {
    {.name = "network",
     .type = FIELD_TEXT,
     AT(tree_range_text, network),
     .expect = "a network; write for example \"192.0.2.0/24\" or \"2001:db8::/120\""},
    {.name = "port",
     .type = FIELD_COUNT,
     AT(tree_range_text, range.port),
     .min = 1,
     .max = UINT16_MAX,
     .initial = "161",
     .expect = "a number of a port from 1 to 65535"},
    {.name = "group",
     .type = FIELD_NAME,
     AT(tree_range_text, range.group),
     .initial = "default",
     .expect = A_NAME},
    {.name = "collect",
     .type = FIELD_ENUM,
     AT(tree_range_text, range.collect),
     .labels = collects,
     .n_labels = N(collects),
     .initial = "auto",
     .expect = "one of auto, yes, no"},
};

static const struct field fields_of_announcements[] = {
    {.name = "listen",
     .type = FIELD_PEER,
     AT(tree_announcements, listen),
     .expect = "a numeric address; write for example \"udp:0.0.0.0:1621\" or \"udp6:[::]:1621\""},
    {.name = "networks",
     .type = FIELD_TEXT,
     AT(tree_announcements, networks),
     .expect = "networks with blanks between; write for example \"192.0.2.0/24 2001:db8::/64\""},
    {.name = "group",
     .type = FIELD_NAME,
     AT(tree_announcements, group),
     .initial = "default",
     .expect = A_NAME},
    {.name = "collect",
     .type = FIELD_ENUM,
     AT(tree_announcements, collect),
     .labels = collects,
     .n_labels = N(collects),
     .initial = "auto",
     .expect = "one of auto, yes, no"},
};

static const struct field fields_of_group[] = {
    {.name = "name", .type = FIELD_NAME, AT(tree_group, name), .expect = A_NAME},
};

static const struct field fields_of_revoked[] = {
    {.name = "engine",
     .type = FIELD_HEX,
     AT(tree_revoked, engine),
     .expect = "an engine ID: an even number of hexadecimal digits, 10 to 64"},
    {.name = "node", .type = FIELD_NAME, AT(tree_revoked, node), .initial = "", .expect = A_NAME},
    {.name = "back",
     .type = FIELD_ENUM,
     AT(tree_revoked, back),
     .labels = backs,
     .n_labels = N(backs),
     .initial = "no",
     .expect = "one of no, yes"},
};

/* -- Shares ---------------------------------------------------------------------------------- */

static const char *const roles[] = {NULL, "metric", "collector", "root"};

static const struct field fields_of_assignment[] = {
    {.name = "role",
     .type = FIELD_ENUM,
     AT(assignment, role),
     .labels = roles,
     .n_labels = N(roles),
     .expect = "one of metric, collector, root"},
    {.name = "parent", .type = FIELD_NAME, AT(assignment, parent), .initial = "", .expect = A_NAME},
    {.name = "level",
     .type = FIELD_COUNT,
     AT(assignment, level),
     .max = 255,
     .expect = "a number of steps from the root, from 0 to 255"},
    {.name = "group", .type = FIELD_NAME, AT(assignment, group), .expect = A_NAME},
    {.name = "root", .type = FIELD_NAME, AT(assignment, root), .expect = A_NAME},
    {.name = "serial",
     .type = FIELD_COUNT,
     AT(assignment, serial),
     .max = UINT32_MAX,
     .expect = "a number from 0 to 4294967295"},
    {.name = "tree",
     .type = FIELD_TEXT,
     AT(assignment, digest),
     .expect = "a SHA-256: 64 hexadecimal digits"},
    {.name = "reason",
     .type = FIELD_TEXT,
     AT(assignment, reason),
     .initial = "",
     .expect = "up to 127 octets of printable text without ; and |"},
};

#define FIELDS(name)                                                                               \
    {                                                                                              \
        fields_of_##name, N(fields_of_##name)                                                      \
    }

const struct fields tree_rules_fields = FIELDS(rules);
const struct fields tree_access_fields = FIELDS(access);
const struct fields tree_coordination_fields = FIELDS(coordination);
const struct fields tree_candidate_fields = FIELDS(candidate);
const struct fields tree_node_fields = FIELDS(node);
const struct fields tree_range_fields = FIELDS(range);
const struct fields tree_announcements_fields = FIELDS(announcements);
const struct fields tree_group_fields = FIELDS(group);
const struct fields tree_revoked_fields = FIELDS(revoked);
const struct fields assignment_fields = FIELDS(assignment);

#include "config/settings.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "config/field.h"
#include "libdcamp/segment.h"
#include "report/report.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define AT(member)                                                                                 \
    .offset = offsetof(struct config, member), .size = sizeof((struct config *)0)->member

static const struct field node_fields[] = {
    {.name = "name",
     .type = FIELD_NAME,
     AT(node.name),
     .initial = "",
     .expect = "a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {.name = "group",
     .type = FIELD_NAME,
     AT(node.group),
     .initial = "default",
     .expect = "a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {.name = "address",
     .type = FIELD_ADDRESS,
     AT(node.address),
     .initial = "",
     .expect = "an IPv4 address; write for example \"192.0.2.1\""},
    {.name = "parent",
     .type = FIELD_NAME,
     AT(node.parent),
     .initial = "",
     .expect = "a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {.name = "level",
     .type = FIELD_COUNT,
     AT(node.level),
     .max = 255,
     .initial = "",
     .expect = "a number of steps from the root, from 0 to 255"},
};

static const struct field announce_fields[] = {
    {.name = "port",
     .type = FIELD_COUNT,
     AT(announce.port),
     .min = 1,
     .max = UINT16_MAX,
     .initial = "",
     .expect = "a number of a port from 1 to 65535"},
    {.name = "after",
     .type = FIELD_MILLIS,
     AT(announce.after_ms),
     .min = 5000,
     .max = 3600000,
     .initial = "1m",
     .expect = "a duration from 5s to 1h; write for example \"30s\" or \"1m\""},
};

static const struct field agentx_fields[] = {
    {.name = "socket",
     .type = FIELD_TEXT,
     AT(agentx.socket),
     .initial = "unix:/run/agentx/master",
     .expect = "an address of the master agent, up to 107 octets; write for example "
               "\"unix:/run/agentx/master\" or \"tcp:localhost:705\""},
    {.name = "ping",
     .type = FIELD_MILLIS,
     AT(agentx.ping_ms),
     .min = 100,
     .max = 3600000,
     .initial = "15s",
     .expect = "a duration from 100ms to 1h; write for example \"500ms\", \"3s\" or \"1m\""},
    {.name = "timeout",
     .type = FIELD_MILLIS,
     AT(agentx.timeout_ms),
     .min = 100,
     .max = 60000,
     .initial = "5s",
     .expect = "a duration from 100ms to 1m; write for example \"500ms\", \"5s\" or \"1m\""},
};

static const struct field state_fields[] = {
    {.name = "directory",
     .type = FIELD_PATH,
     AT(state_dir),
     .initial = "/var/lib/dcamp",
     .expect = "an absolute path, up to 255 octets; write for example \"/var/lib/dcamp\""},
};

static const struct field applications_fields[] = {
    {.name = "directory",
     .type = FIELD_PATH,
     AT(apps_dir),
     .initial = SEGMENT_DIRECTORY,
     .expect = "an absolute path, up to 255 octets; write for example \"" SEGMENT_DIRECTORY "\""},
    {.name = "settle",
     .type = FIELD_MILLIS,
     AT(settle_ms),
     .min = 1000,
     .max = 3600000,
     .initial = "30s",
     .expect = "a duration from 1s to 1h; write for example \"10s\" or \"2m\""},
};

_Static_assert(REPORT_BLOCK_MIN == 256 && REPORT_BLOCK_MAX == 4096, "as the text below says");

static const struct field report_fields[] = {
    {.name = "keep",
     .type = FIELD_COUNT,
     AT(report.keep),
     .min = 16,
     .max = 65536,
     .initial = "600",
     .expect = "a number of blocks from 16 to 65536"},
    {.name = "block-bytes",
     .type = FIELD_COUNT,
     AT(report.block_bytes),
     .min = REPORT_BLOCK_MIN,
     .max = REPORT_BLOCK_MAX,
     .initial = "1200",
     .expect = "a number of octets from 256 to 4096"},
    {.name = "push",
     .type = FIELD_COUNT,
     AT(report.push),
     .max = 1000,
     .initial = "0",
     .expect = "a number of blocks a second from 0 to 1000"},
};

static const struct field collect_fields[] = {
    {.name = "listen",
     .type = FIELD_PEER,
     AT(collect.listen),
     .initial = "",
     .expect = "a numeric address; write for example \"udp:0.0.0.0:1620\" or \"udp6:[::]:1620\""},
    {.name = "child-kb",
     .type = FIELD_COUNT,
     AT(collect.child_kb),
     .min = 256,
     .max = 4194304,
     .initial = "16384",
     .expect = "a number of KiB from 256 to 4194304"},
};

static const struct field alarm_fields[] = {
    {.name = "log",
     .type = FIELD_COUNT,
     AT(alarm.log_size),
     .min = 10,
     .max = 10000,
     .initial = "1000",
     .expect = "a number of log entries from 10 to 10000"},
    {.name = "rate",
     .type = FIELD_COUNT,
     AT(alarm.rate),
     .min = 1,
     .max = 1000,
     .initial = "10",
     .expect = "a number of notifications from 1 to 1000"},
    {.name = "per",
     .type = FIELD_MILLIS,
     AT(alarm.period_ms),
     .min = 1000,
     .max = 3600000,
     .initial = "10s",
     .expect = "a duration from 1s to 1h; write for example \"10s\" or \"1m\""},
    {.name = "queue",
     .type = FIELD_COUNT,
     AT(alarm.queue),
     .min = 1,
     .max = 1000,
     .initial = "500",
     .expect = "a number of notifications from 1 to 1000"},
    {.name = "file",
     .type = FIELD_PATH,
     AT(alarm_file),
     .initial = "",
     .expect = "an absolute path, up to 255 octets; write for example "
               "\"/var/log/dcamp/alarms.log\""},
    {.name = "file-kb",
     .type = FIELD_COUNT,
     AT(alarm_file_kb),
     .min = 64,
     .max = 4194304,
     .initial = "10240",
     .expect = "a number of KiB from 64 to 4194304"},
};

static const struct settings all_settings[] = {
    {"node", node_fields, N(node_fields)},
    {"agentx", agentx_fields, N(agentx_fields)},
    {"state", state_fields, N(state_fields)},
    {"applications", applications_fields, N(applications_fields)},
    {"report", report_fields, N(report_fields)},
    {"alarms", alarm_fields, N(alarm_fields)},
    {"collect", collect_fields, N(collect_fields)},
    {"announce", announce_fields, N(announce_fields)},
};

const struct settings *settings_get(size_t i)
{
    return i < N(all_settings) ? &all_settings[i] : NULL;
}

const struct settings *settings_find(const char *element)
{
    for (size_t i = 0; i < N(all_settings); i++)
        if (strcmp(all_settings[i].element, element) == 0)
            return &all_settings[i];
    return NULL;
}

void settings_reset(struct config *config)
{
    for (size_t i = 0; i < N(all_settings); i++)
        fields_reset(config, all_settings[i].fields, all_settings[i].n_fields);
    settings_host_name(config->node.name);
}

const char *settings_fault(const struct config *config)
{
    const struct node_settings *node = &config->node;
    if (node->parent[0] && strcmp(node->parent, node->name) == 0)
        return "a node is not its own parent";
    if (node->parent[0] && node->level == 0)
        return "level 0 is that of the root, which has no parent: give one of the two";
    return NULL;
}

void settings_host_name(char name[NAME_SIZE])
{
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    size_t len = strcspn(host, ".");
    if (len >= NAME_SIZE)
        len = NAME_SIZE - 1;
    for (size_t i = 0; i < len; i++)
        name[i] = text_is_name(&host[i], 1) ? host[i] : '-';
    name[len] = '\0';
    if (len == 0)
        memcpy(name, "node", sizeof "node");
}

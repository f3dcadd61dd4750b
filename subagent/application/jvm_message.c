#include "application/jvm_message.h"

#include <string.h>

#include "base/text.h"

#define PROTOCOL 2u /* the version of everything below */

struct head {
    uint32_t version, kind, pass;
};

struct process {
    uint64_t started;
    uint32_t pid, unused;
};

struct ask {
    struct head head;
    uint32_t n;
    struct process shunned[JVM_SHUNNED_MAX];
};

struct look {
    struct head head;
    uint32_t unused;
    struct process process;
};

struct collector {
    uint64_t count, time_ns;
    uint8_t has_count, has_time;
    char name[INSTANCE_SIZE];
};

struct found {
    struct head head;
    uint32_t pid, owner, known, n_collectors, overflow, is_of_last_collection;
    uint64_t started, cpu_us, cpu_user_us, cpu_system_us;
    uint64_t value[JVM_VALUES];
    struct collector collector[JVM_COLLECTORS];
    char name[INSTANCE_SIZE];
};

struct trouble {
    struct head head;
    uint32_t owner, problem;
    char why[MESSAGE_SIZE];
};

struct end {
    struct head head;
    uint32_t is_privileged, unseen;
};

_Static_assert(sizeof(struct found) <= JVM_PACKET_MAX && sizeof(struct trouble) <= JVM_PACKET_MAX,
               "each fits into a packet");

/* -- To packets -------------------------------------------------------------------------------- */

static void put_profile(struct found *found, const struct jvm_profile *profile)
{
    found->known = profile->known;
    found->n_collectors = profile->n_collectors;
    found->overflow = profile->overflow;
    found->is_of_last_collection = profile->heap_is_of_last_collection;
    memcpy(found->value, profile->value, sizeof found->value);
    memcpy(found->name, profile->name, sizeof found->name);
    for (unsigned i = 0; i < profile->n_collectors; i++) {
        const struct jvm_collector *from = &profile->collector[i];
        struct collector *to = &found->collector[i];
        to->count = from->count;
        to->time_ns = from->time_ns;
        to->has_count = from->has_count;
        to->has_time = from->has_time;
        memcpy(to->name, from->name, sizeof to->name);
    }
}

static size_t put_found(uint8_t *packet, const struct head *head, const struct jvm *jvm)
{
    struct found found;
    memset(&found, 0, sizeof found); /* including padding between the members */
    found.head = *head;
    found.pid = (uint32_t)jvm->pid;
    found.owner = jvm->owner;
    found.started = jvm->started;
    found.cpu_us = jvm->cpu_us;
    found.cpu_user_us = jvm->cpu_user_us;
    found.cpu_system_us = jvm->cpu_system_us;
    put_profile(&found, &jvm->profile);
    memcpy(packet, &found, sizeof found);
    return sizeof found;
}

static size_t put_trouble(uint8_t *packet, const struct head *head, const struct jvm_trouble *is)
{
    struct trouble trouble = {.head = *head, .owner = is->owner, .problem = is->problem};
    memcpy(trouble.why, is->why, sizeof trouble.why);
    memcpy(packet, &trouble, sizeof trouble);
    return sizeof trouble;
}

static struct process put_process(const struct jvm_process *is)
{
    return (struct process){.started = is->started, .pid = (uint32_t)is->pid};
}

static size_t put_ask(uint8_t *packet, const struct head *head, const struct jvm_ask *is)
{
    struct ask ask = {.head = *head, .n = is->n};
    for (uint32_t i = 0; i < is->n && i < JVM_SHUNNED_MAX; i++)
        ask.shunned[i] = put_process(&is->shunned[i]);
    memcpy(packet, &ask, sizeof ask);
    return sizeof ask;
}

static size_t put_look(uint8_t *packet, const struct head *head, const struct jvm_process *is)
{
    const struct look look = {.head = *head, .process = put_process(is)};
    memcpy(packet, &look, sizeof look);
    return sizeof look;
}

static size_t put_end(uint8_t *packet, const struct head *head, const struct jvm_end *is)
{
    const struct end end = {
        .head = *head, .is_privileged = is->is_privileged, .unseen = is->unseen};
    memcpy(packet, &end, sizeof end);
    return sizeof end;
}

size_t jvm_message_put(uint8_t packet[JVM_PACKET_MAX], const struct jvm_message *message)
{
    const struct head head = {PROTOCOL, message->kind, message->pass};
    switch (message->kind) {
    case JVM_ASK:
        return put_ask(packet, &head, &message->ask);
    case JVM_LOOK:
        return put_look(packet, &head, &message->look);
    case JVM_FOUND:
        return put_found(packet, &head, &message->found);
    case JVM_TROUBLE:
        return put_trouble(packet, &head, &message->trouble);
    case JVM_END:
        return put_end(packet, &head, &message->end);
    default:
        return 0;
    }
}

/* -- From packets ------------------------------------------------------------------------------ */

static bool has_end(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static bool take_name(char name[INSTANCE_SIZE], const char from[INSTANCE_SIZE])
{
    size_t len = strnlen(from, INSTANCE_SIZE);
    if (len == INSTANCE_SIZE)
        return false;
    text_instance(name, from, len);
    text_clean(name, INSTANCE_SIZE, '?');
    return name[0] != '\0';
}

/* A number that is too large for a value is not known: what one process says must not end the
 * process that has read it, which has others to read. */
static void take_values(const struct found *found, struct jvm_profile *profile)
{
    profile->known = found->known;
    for (unsigned i = 0; i < JVM_VALUES; i++) {
        bool may_be = found->value[i] <= INT64_MAX;
        profile->value[i] = may_be ? found->value[i] : 0;
        if (!may_be)
            profile->known &= ~(UINT32_C(1) << i);
    }
}

static bool take_profile(const struct found *found, struct jvm_profile *profile)
{
    if (found->known >> JVM_VALUES || found->n_collectors > JVM_COLLECTORS ||
        !take_name(profile->name, found->name))
        return false;
    take_values(found, profile);
    profile->n_collectors = found->n_collectors;
    profile->overflow = found->overflow;
    profile->heap_is_of_last_collection = found->is_of_last_collection != 0;
    for (unsigned i = 0; i < found->n_collectors; i++) {
        const struct collector *from = &found->collector[i];
        struct jvm_collector *to = &profile->collector[i];
        if (!take_name(to->name, from->name))
            return false;
        to->has_count = from->has_count != 0;
        to->has_time = from->has_time != 0;
        to->count = from->count;
        to->time_ns = from->time_ns;
    }
    return true;
}

static bool take_found(const uint8_t *packet, size_t size, struct jvm *jvm)
{
    struct found found;
    if (size != sizeof found)
        return false;
    memcpy(&found, packet, sizeof found);
    *jvm = (struct jvm){.pid = (pid_t)found.pid,
                        .owner = found.owner,
                        .started = found.started,
                        .cpu_us = found.cpu_us,
                        .cpu_user_us = found.cpu_user_us,
                        .cpu_system_us = found.cpu_system_us};
    return jvm->pid > 0 && take_profile(&found, &jvm->profile);
}

static bool take_trouble(const uint8_t *packet, size_t size, struct jvm_trouble *is)
{
    struct trouble trouble;
    if (size != sizeof trouble)
        return false;
    memcpy(&trouble, packet, sizeof trouble);
    if (trouble.problem >= OWNER_PROBLEMS || !has_end(trouble.why, sizeof trouble.why))
        return false;
    is->owner = trouble.owner;
    is->problem = trouble.problem;
    memcpy(is->why, trouble.why, sizeof is->why);
    text_clean(is->why, sizeof is->why, '?');
    return true;
}

/* pid 0 means no process. */
static bool take_process(const struct process *from, struct jvm_process *is)
{
    *is = (struct jvm_process){.pid = (pid_t)from->pid, .started = from->started};
    return is->pid >= 0;
}

static bool take_ask(const uint8_t *packet, size_t size, struct jvm_ask *is)
{
    struct ask ask;
    if (size != sizeof ask)
        return false;
    memcpy(&ask, packet, sizeof ask);
    bool good = ask.n <= JVM_SHUNNED_MAX;
    *is = (struct jvm_ask){.n = good ? ask.n : 0};
    for (uint32_t i = 0; i < is->n; i++)
        good &= take_process(&ask.shunned[i], &is->shunned[i]);
    return good;
}

static bool take_look(const uint8_t *packet, size_t size, struct jvm_process *is)
{
    struct look look;
    if (size != sizeof look)
        return false;
    memcpy(&look, packet, sizeof look);
    return take_process(&look.process, is);
}

static bool take_end(const uint8_t *packet, size_t size, struct jvm_end *is)
{
    struct end end;
    if (size != sizeof end)
        return false;
    memcpy(&end, packet, sizeof end);
    is->is_privileged = end.is_privileged != 0;
    is->unseen = end.unseen;
    return true;
}

bool jvm_message_take(const uint8_t *packet, size_t size, struct jvm_message *message)
{
    struct head head;
    if (size < sizeof head)
        return false;
    memcpy(&head, packet, sizeof head);
    if (head.version != PROTOCOL)
        return false;
    message->pass = head.pass;
    message->kind = head.kind;
    switch (head.kind) {
    case JVM_ASK:
        return take_ask(packet, size, &message->ask);
    case JVM_LOOK:
        return take_look(packet, size, &message->look);
    case JVM_FOUND:
        return take_found(packet, size, &message->found);
    case JVM_TROUBLE:
        return take_trouble(packet, size, &message->trouble);
    case JVM_END:
        return take_end(packet, size, &message->end);
    default:
        return false;
    }
}

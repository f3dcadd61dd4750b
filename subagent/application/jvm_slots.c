#include "application/jvm_slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "metric/field.h"
#include "sample/slot.h"

#define BIT(field) (UINT32_C(1) << (field))
#define OF_COLLECTORS (BIT(JVM_GC_COUNT) | BIT(JVM_GC_TIME))

void jvm_slots_open(struct jvm_slots *slots, const char *path)
{
    *slots = (struct jvm_slots){.n = 0};
    jvm_helper_open(&slots->helper, path);
}

void jvm_slots_close(struct jvm_slots *slots)
{
    jvm_helper_close(&slots->helper);
    owners_release(&slots->names);
    while (slots->owners)
        owner_free(&slots->owners, slots->owners);
    free(slots->found);
}

void jvm_slots_rest(struct jvm_slots *slots, uint64_t now_ns)
{
    jvm_helper_rest(&slots->helper, now_ns);
}

/* -- Slots ------------------------------------------------------------------------------------- */

/* The slot of an instance, given to it anew if another one had it: origin is when it began. NULL:
 * nobody wants it, or there is no free slot. */
static struct sample_slot *slot_of(struct source *source, const char *name,
                                   enum resource_class class, uint64_t origin)
{
    size_t len = strlen(name);
    if (source_unwanted(source, name, len))
        return NULL;
    struct sample_slot *slot = source_slot(source, name, len);
    if (!slot)
        return NULL;
    if (slot->origin != 0 && (slot->origin != origin || slot->class != class))
        source_replace(source, slot);
    slot->origin = origin;
    slot->class = class;
    return slot;
}

/* Identifies the process: its pid is not enough, because others may have had it. */
static uint64_t origin_of(const struct jvm *jvm)
{
    return jvm->started << 22 ^ (uint64_t)jvm->pid;
}

static void fill_collector(struct sample_slot *slot, const struct jvm_collector *collector,
                           uint32_t wanted)
{
    slot->field[JVM_GC_COUNT] = collector->count;
    slot->field[JVM_GC_TIME] = collector->time_ns;
    slot->valid = ((collector->has_count ? BIT(JVM_GC_COUNT) : 0) |
                   (collector->has_time ? BIT(JVM_GC_TIME) : 0)) &
                  wanted;
    slot->lacks = ~OF_COLLECTORS;
}

static void fill_jvm(struct sample_slot *slot, const struct jvm *jvm, uint32_t wanted)
{
    memcpy(slot->field, jvm->profile.value, sizeof jvm->profile.value);
    slot->field[JVM_CPU] = jvm->cpu_us;
    slot->field[JVM_CPU_USER] = jvm->cpu_user_us;
    slot->field[JVM_CPU_SYSTEM] = jvm->cpu_system_us;
    slot->valid =
        (jvm->profile.known | BIT(JVM_CPU) | BIT(JVM_CPU_USER) | BIT(JVM_CPU_SYSTEM)) & wanted;
    slot->lacks = OF_COLLECTORS;
}

static void show(struct source *source, const struct jvm_named *is)
{
    char name[INSTANCE_SIZE];
    uint64_t origin = origin_of(&is->jvm);
    struct sample_slot *slot = slot_of(source, is->name, RESOURCE_JVM, origin);
    if (slot)
        fill_jvm(slot, &is->jvm, source->fields);
    for (unsigned i = 0; i < is->jvm.profile.n_collectors; i++) {
        const struct jvm_collector *collector = &is->jvm.profile.collector[i];
        jvm_collector_name(name, is, collector);
        slot = slot_of(source, name, RESOURCE_JVM_COLLECTOR, origin);
        if (slot)
            fill_collector(slot, collector, source->fields);
    }
}

/* -- What is wrong ----------------------------------------------------------------------------- */

static const char *text_of(enum owner_problem problem)
{
    switch (problem) {
    case OWNER_UNSUITABLE:
        return "performance data of a JVM in what is no file for that";
    case OWNER_NEWER:
        return "performance data of a JVM in a version that is not known";
    case OWNER_DAMAGED:
        return "performance data of a JVM that is damaged";
    case OWNER_MANY_FILES:
        return "more JVMs than are read";
    default:
        return "performance data of a JVM that cannot be read";
    }
}

static void tell(struct jvm_slots *slots, struct owner *owner, enum owner_problem problem,
                 uint64_t now_ns)
{
    const char *why = owner->problem[problem].why;
    const char *user = owners_name(&slots->names, owner->uid);
    switch (owner_news(owner, problem, now_ns)) {
    case OWNER_BEGINS:
        log_warning("jvm", "user %s: %s; more of the like is not told", user ? user : "_",
                    why ? why : text_of(problem));
        break;
    case OWNER_IS_OVER:
        log_info("jvm", "user %s has no %s any more", user ? user : "_", text_of(problem));
        break;
    case OWNER_NOTHING:
        break;
    }
}

static void tell_all(struct jvm_slots *slots, uint64_t now_ns)
{
    struct owner *owner, *next;
    HASH_ITER(hh, slots->owners, owner, next)
    {
        for (unsigned problem = 0; problem < OWNER_PROBLEMS; problem++)
            tell(slots, owner, problem, now_ns);
        if (owner_is_idle(owner))
            owner_free(&slots->owners, owner);
    }
}

/* Logged only once, because it does not change while the daemon runs. */
static void tell_unseen(struct jvm_slots *slots, const struct jvm_end *end)
{
    if (slots->told_unseen || end->is_privileged || end->unseen == 0)
        return;
    slots->told_unseen = true;
    log_info("jvm", "JVMs of other users are not seen: dcamp-jvm has not the capabilities "
                    "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, which dcamp-jvm.socket gives it");
}

/* -- A pass ------------------------------------------------------------------------------------ */

void jvm_slots_begin(struct jvm_slots *slots)
{
    struct owner *owner, *next;
    slots->n = 0;
    slots->no_memory = false;
    HASH_ITER(hh, slots->owners, owner, next)
    owner_begin(owner);
}

static void take_jvm(struct jvm_slots *slots, const struct jvm *jvm)
{
    const char *user = owners_name(&slots->names, jvm->owner);
    if (slots->n == slots->room && user) {
        size_t room = slots->room ? 2 * slots->room : 8;
        struct jvm_named *grown = realloc(slots->found, room * sizeof *grown);
        slots->found = grown ? grown : slots->found;
        slots->room = grown ? room : slots->room;
    }
    if (!user || slots->n == slots->room) {
        slots->no_memory = true;
        return;
    }
    slots->found[slots->n].jvm = *jvm;
    jvm_name(&slots->found[slots->n++], user);
}

static void take_trouble(struct jvm_slots *slots, const struct jvm_trouble *trouble)
{
    struct owner *owner = owner_get(&slots->owners, trouble->owner);
    if (owner)
        owner_count(owner, trouble->problem, trouble->why);
}

void jvm_slots_take(void *context, const struct jvm_message *message)
{
    struct jvm_slots *slots = context;
    if (message->kind == JVM_FOUND)
        take_jvm(slots, &message->found);
    else if (message->kind == JVM_TROUBLE)
        take_trouble(slots, &message->trouble);
    else
        tell_unseen(slots, &message->end);
}

int jvm_slots_fill(struct jvm_slots *slots, struct source *source, uint64_t now_ns)
{
    tell_all(slots, now_ns);
    if (slots->no_memory)
        return ENOMEM;
    jvm_names_resolve(slots->found, slots->n);
    for (size_t i = 0; i < slots->n; i++)
        show(source, &slots->found[i]);
    return 0;
}

int jvm_slots_read(void *context, struct source *source, uint64_t now_ns)
{
    struct jvm_slots *slots = context;
    if (!jvm_helper_goes_on(&slots->helper, now_ns))
        jvm_slots_begin(slots);
    int error = jvm_helper_ask(&slots->helper, now_ns, jvm_slots_take, slots);
    return error ? error : jvm_slots_fill(slots, source, now_ns);
}

#include "daemon/listed.h"

#include <string.h>

#include "base/text.h"

void listed_open(struct listed *listed)
{
    memset(listed, 0, sizeof *listed);
    for (int kind = 0; kind < LISTINGS; kind++)
        index_init(&listed->listing[kind].index);
    listed->top_size = LISTING_TOP_SIZE_INITIAL;
}

void listed_close(struct listed *listed)
{
    for (int kind = 0; kind < LISTINGS; kind++)
        listing_release(&listed->listing[kind]);
}

bool listed_ask(struct listed *listed, enum listing_kind kind)
{
    unsigned bit = 1u << kind;
    return !(atomic_fetch_or(&listed->asked, bit) & bit);
}

static uint64_t kind_due(const struct listed *listed, int kind)
{
    if (listed->asked >> kind & 1)
        return listed->made_ns[kind] > 0 ? listed->made_ns[kind] + LISTED_EVERY_NS : 0;
    return listed->made_ns[kind] > 0 ? listed->asked_ns[kind] + LISTED_KEPT_NS : UINT64_MAX;
}

uint64_t listed_due(const struct listed *listed)
{
    uint64_t due_ns = UINT64_MAX;
    for (int kind = 0; kind < LISTINGS; kind++) {
        uint64_t one_ns = kind_due(listed, kind);
        due_ns = one_ns < due_ns ? one_ns : due_ns;
    }
    return due_ns;
}

unsigned listed_begin(struct listed *listed, uint64_t now_ns)
{
    unsigned kinds = 0;
    for (int kind = 0; kind < LISTINGS; kind++) {
        if (kind_due(listed, kind) > now_ns)
            continue;
        kinds |= 1u << kind;
        if (atomic_fetch_and(&listed->asked, ~(1u << kind)) >> kind & 1)
            listed->asked_ns[kind] = now_ns;
    }
    return kinds;
}

unsigned listed_wanted(unsigned kinds)
{
    return (kinds >> LISTING_TOPS & 1 ? PROGRAM_TOPS : 0) |
           (kinds >> LISTING_THREADS & 1 ? PROGRAM_THREADS : 0);
}

static bool is_given_up(const struct listed *listed, int kind, uint64_t now_ns)
{
    return now_ns - listed->asked_ns[kind] >= LISTED_KEPT_NS;
}

/* The earlier rows are freed without the lock. */
static void replace(struct listed *listed, int kind, struct listing *fresh, uint64_t made_ns,
                    pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    struct listing before = listed->listing[kind];
    listed->listing[kind] = *fresh;
    listed->made_ns[kind] = made_ns;
    pthread_mutex_unlock(lock);
    listing_release(&before);
}

static void make(struct listed *listed, int kind, const struct applications *applications,
                 struct owners *names, pthread_mutex_t *lock, struct moment now)
{
    struct listing fresh = {.left_out = 0};
    bool gives_up = is_given_up(listed, kind, now.mono_ns);
    index_init(&fresh.index);
    if (gives_up ||
        listing_make(&fresh, (enum listing_kind)kind, applications, names, listed->top_size) == 0)
        replace(listed, kind, &fresh, gives_up ? 0 : now.mono_ns, lock);
}

static void complain(struct listed *listed, const struct directory *directory, struct owners *names,
                     int error, pthread_mutex_t *lock)
{
    char text[MESSAGE_SIZE];
    listing_complaints(text, directory_owners(directory), names);
    if (error)
        text_format(text, sizeof text, "the directory cannot be read: %s", strerror(error));
    pthread_mutex_lock(lock);
    memcpy(listed->complaints, text, sizeof text);
    pthread_mutex_unlock(lock);
}

void listed_update(struct listed *listed, unsigned kinds, const struct directory *directory,
                   struct owners *names, int error, pthread_mutex_t *lock, struct moment now)
{
    for (int kind = 0; kind < LISTINGS; kind++)
        if (kinds >> kind & 1)
            make(listed, kind, directory_applications(directory), names, lock, now);
    if (kinds)
        complain(listed, directory, names, error, lock);
}

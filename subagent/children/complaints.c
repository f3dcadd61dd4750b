#include "children/complaints.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/table.h"
#include "children/child.h"

#define COMPLAIN_NS (60 * NS_PER_S)
#define COMPLAINTS_MAX 8

struct complaint {
    uint32_t hash;      /* of the kind */
    uint64_t logged_ns; /* monotonic; 0: never */
};

/* The place in which to note a complaint that is to be logged now; NULL: it is not to be logged. */
static struct complaint *complaint_due(struct complaint *complaints, uint32_t hash, uint64_t now_ns)
{
    struct complaint *due = NULL;
    for (size_t i = 0; i < COMPLAINTS_MAX; i++) {
        struct complaint *complaint = &complaints[i];
        bool is_old = log_due(complaint->logged_ns, now_ns, COMPLAIN_NS);
        if (complaint->hash == hash && !is_old)
            return NULL;
        if (is_old)
            due = complaint;
    }
    return due;
}

bool child_may_log(struct child *child, const char *kind, struct moment now)
{
    uint32_t hash;
    if (!child->complaints)
        child->complaints = calloc(COMPLAINTS_MAX, sizeof *child->complaints);
    if (!child->complaints)
        return false;
    HASH_VALUE(kind, strlen(kind), hash);
    struct complaint *due = complaint_due(child->complaints, hash, now.mono_ns);
    if (due)
        *due = (struct complaint){hash, now.mono_ns};
    return due != NULL;
}

void child_complain(struct child *child, const char *kind, const char *text, struct moment now)
{
    if (child_may_log(child, kind, now))
        log_warning("collect", "child %s: %s", child->name, text);
}

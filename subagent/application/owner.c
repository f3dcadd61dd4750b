#include "application/owner.h"

#include <stdlib.h>
#include <string.h>

struct owner *owner_get(struct owner **owners, uid_t uid)
{
    struct owner *owner;
    HASH_FIND(hh, *owners, &uid, sizeof uid, owner);
    if (owner)
        return owner;
    owner = calloc(1, sizeof *owner);
    if (!owner)
        return NULL;
    owner->uid = uid;
    HASH_ADD(hh, *owners, uid, sizeof owner->uid, owner);
    if (table_has(hh, owner))
        return owner;
    free(owner);
    return NULL;
}

void owner_free(struct owner **owners, struct owner *owner)
{
    HASH_DEL(*owners, owner);
    for (unsigned i = 0; i < OWNER_PROBLEMS; i++)
        free(owner->problem[i].why);
    free(owner);
}

void owner_begin(struct owner *owner)
{
    owner->octets = 0;
    owner->records = (struct pace_user){.admitted = 0};
    for (unsigned i = 0; i < OWNER_PROBLEMS; i++) {
        owner->problem[i].count = 0;
        free(owner->problem[i].why);
        owner->problem[i].why = NULL;
    }
}

void owner_count(struct owner *owner, enum owner_problem problem, const char *why)
{
    owner->problem[problem].count++;
    if (why && !owner->problem[problem].why && !owner->problem[problem].told)
        owner->problem[problem].why = strdup(why);
}

enum owner_news owner_news(struct owner *owner, enum owner_problem problem, uint64_t now_ns)
{
    bool is_there = owner->problem[problem].count > 0, was_told = owner->problem[problem].told;
    if (is_there)
        owner->problem[problem].last_ns = now_ns;
    if (is_there == was_told ||
        (!is_there && now_ns - owner->problem[problem].last_ns < OWNER_QUIET_NS))
        return OWNER_NOTHING;
    owner->problem[problem].told = is_there;
    return is_there ? OWNER_BEGINS : OWNER_IS_OVER;
}

const char *owner_problem_text(enum owner_problem problem)
{
    static const char *const text[] = {
        [OWNER_UNSUITABLE] = "files there that are no segments",
        [OWNER_UNREADABLE] = "files there that cannot be read",
        [OWNER_NEWER] = "segments of a version that is not known",
        [OWNER_DAMAGED] = "damaged segments",
        [OWNER_CLASH] = "sensors of one name that differ in kind or unit",
        [OWNER_MANY_FILES] = "more files than are read",
        [OWNER_MANY_SERIES] = "more series than are read",
        [OWNER_MUCH_WORK] = "more octets than are read in a pass",
        [OWNER_MUCH_MEMORY] = "sensors that there is no room for",
    };
    return text[problem];
}

bool owner_is_idle(const struct owner *owner)
{
    bool is_idle = owner->entries + owner->series == 0;
    for (unsigned i = 0; i < OWNER_PROBLEMS; i++)
        is_idle &= !owner->problem[i].told;
    return is_idle;
}

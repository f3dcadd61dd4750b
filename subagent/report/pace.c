#include "report/pace.h"

#include "base/clock.h"

void pace_begin(struct pace *pace, uint64_t now_ns)
{
    double seconds = (double)(now_ns - pace->since_ns) / (double)NS_PER_S;
    double room = pace->room + pace->per_second * seconds;
    pace->room = pace->since_ns == 0 || room > pace->most ? pace->most : room;
    pace->begun_with = pace->room;
    pace->since_ns = now_ns;
    pace->users_before = pace->users;
    pace->users = 0;
}

/* The number of users is taken to be at least that of the pass before. */
bool pace_admit(struct pace *pace, struct pace_user *user, unsigned size)
{
    pace->users += !user->has_asked;
    user->has_asked = true;
    unsigned users = pace->users > pace->users_before ? pace->users : pace->users_before;
    if (pace->room < size || user->admitted >= pace->begun_with / users)
        return false;
    pace->room -= size;
    user->admitted += size;
    return true;
}

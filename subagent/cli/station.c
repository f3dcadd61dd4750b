#include "cli/station.h"

#include <string.h>

#include "base/text.h"

bool station_take(struct station *station, const struct member *member)
{
    static const char host[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:-_%";
    *station = (struct station){.member = member,
                                .collects = strcmp(member->role, "collector") == 0 ||
                                            strcmp(member->role, "root") == 0};
    bool group = !member->group[0] || text_is_name(member->group, strlen(member->group));
    return group && address_split(member->address, "161", &station->address) &&
           strspn(station->address.host, host) == strlen(station->address.host);
}

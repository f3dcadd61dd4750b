#include "base/account.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

#define RECORD_SIZE 4096
#define GROUPS_SHOWN 8

const char *account_name(uid_t uid, char name[ACCOUNT_NAME_SIZE])
{
    char buffer[RECORD_SIZE];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found)
        text_format(name, ACCOUNT_NAME_SIZE, "%s", entry.pw_name);
    else
        text_format(name, ACCOUNT_NAME_SIZE, "%u", (unsigned)uid);
    return name;
}

const char *account_user(char name[ACCOUNT_NAME_SIZE])
{
    return account_name(geteuid(), name);
}

static void group_name(gid_t gid, char name[ACCOUNT_NAME_SIZE])
{
    char buffer[RECORD_SIZE];
    struct group entry, *found = NULL;
    if (getgrgid_r(gid, &entry, buffer, sizeof buffer, &found) == 0 && found)
        text_format(name, ACCOUNT_NAME_SIZE, "%s", entry.gr_name);
    else
        text_format(name, ACCOUNT_NAME_SIZE, "%u", (unsigned)gid);
}

const char *account_text(char text[ACCOUNT_SIZE])
{
    char user[ACCOUNT_NAME_SIZE], group[ACCOUNT_NAME_SIZE];
    gid_t groups[GROUPS_SHOWN];
    group_name(getegid(), group);
    int used = snprintf(text, ACCOUNT_SIZE, "user %s, group %s", account_user(user), group);
    /* If there are more groups than are shown, getgroups(2) fails with EINVAL, and none is shown.
     */
    int n = getgroups(GROUPS_SHOWN, groups);
    for (int i = 0; i < n && used < ACCOUNT_SIZE; i++) {
        if (groups[i] == getegid())
            continue;
        group_name(groups[i], group);
        used += snprintf(text + used, (size_t)(ACCOUNT_SIZE - used), ", %s", group);
    }
    return text;
}

/* Accounts of the system by name, for errors about what a process may not do. */
#ifndef DCAMP_BASE_ACCOUNT_H
#define DCAMP_BASE_ACCOUNT_H

#include <sys/types.h>

/* The name of a user, or the number if the user has no name. Returns name. */
#define ACCOUNT_NAME_SIZE 64
const char *account_name(uid_t uid, char name[ACCOUNT_NAME_SIZE]);

/* The same for the effective user of this process. */
const char *account_user(char name[ACCOUNT_NAME_SIZE]);

/* The account by which this process asks for access: "user dcamp, group dcamp, adm", the effective
 * group first. If it is in more than 8 groups, only the effective one is shown. Returns text. */
#define ACCOUNT_SIZE 256
const char *account_text(char text[ACCOUNT_SIZE]);

#endif

/* As whom this process runs, for errors about what it may not do. */
#ifndef DCAMP_BASE_ACCOUNT_H
#define DCAMP_BASE_ACCOUNT_H

#include <stddef.h>

/* The name of the effective user; its number, if it has none. */
#define ACCOUNT_NAME_SIZE 40
const char *account_user(char name[ACCOUNT_NAME_SIZE]);

/* "user dcamp, groups dcamp and adm": of what is asked for access. */
#define ACCOUNT_SIZE 256
const char *account_text(char text[ACCOUNT_SIZE]);

#endif

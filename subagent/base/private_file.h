/* A file of secrets: a regular one of this user or root that nobody else may read or write, be it
 * by its mode or by its access control list. */
#ifndef DCAMP_BASE_PRIVATE_FILE_H
#define DCAMP_BASE_PRIVATE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/account.h"

/* The whole file; its text has no end of its own, and may hold a NUL. Neither a FIFO nor a terminal
 * is waited for. False: error is one line that names the file, why it is not taken, and who has it
 * if that is the reason; the text may hold a part of it all the same. */
bool private_file_read(const char *path, char *text, size_t size, size_t *len, char error[512]);

/* Who reads such a file; false: error says why not. */
typedef bool private_file_reader(const char *path, void *to, char error[512]);

/* Has it read by this user or, if that is root and the file is somebody else's, as that one. user
 * is who it was. */
bool private_file_as_owner(const char *path, private_file_reader *read, void *to,
                           char user[ACCOUNT_NAME_SIZE], char error[512]);

#endif

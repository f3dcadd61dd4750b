/* A file of secrets: a regular file of this user or of root that nobody else may read or write, by
 * its mode or by its access control list. */
#ifndef DCAMP_BASE_PRIVATE_FILE_H
#define DCAMP_BASE_PRIVATE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/account.h"

/* Reads the whole file; the text is not terminated, and may hold a NUL. It does not wait for a FIFO
 * or a terminal. False: error is one line that names the file and the reason, and the owner if that
 * is the reason; even then, text may hold a part of the file. */
bool private_file_read(const char *path, char *text, size_t size, size_t *len, char error[512]);

/* A function that reads such a file; false: error says why not. */
typedef bool private_file_reader(const char *path, void *to, char error[512]);

/* Lets the function read the file as this user or, if that is root and the file belongs to somebody
 * else, as that user. user is who it was. */
bool private_file_as_owner(const char *path, private_file_reader *read, void *to,
                           char user[ACCOUNT_NAME_SIZE], char error[512]);

#endif

/* The file with a user and a password, or a token, for an HTTP target. */
#ifndef DCAMP_BASE_CREDENTIALS_H
#define DCAMP_BASE_CREDENTIALS_H

#include <stdbool.h>
#include <stddef.h>

#define CREDENTIAL_SIZE 512

struct credentials {
    char user[CREDENTIAL_SIZE], password[CREDENTIAL_SIZE], token[CREDENTIAL_SIZE];
};

/* Lines "user NAME", "password TEXT" or "token TEXT"; '#' begins a comment. A file that others
 * than its owner may read is not taken. False: error says what is wrong. */
bool credentials_read(const char *path, struct credentials *credentials, char *error,
                      size_t error_size);

#endif

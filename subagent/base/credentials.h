/* The file with a user and a password, or a token, for an HTTP target. */
#ifndef DCAMP_BASE_CREDENTIALS_H
#define DCAMP_BASE_CREDENTIALS_H

#include <stdbool.h>

#include "base/account.h"

#define CREDENTIAL_SIZE 2048 /* a JSON Web Token is a token, too */

struct credentials {
    char user[CREDENTIAL_SIZE], password[CREDENTIAL_SIZE], token[CREDENTIAL_SIZE];
};

/* Reads lines "user NAME", "password TEXT" or "token TEXT"; '#' begins a comment. It is a private
 * file (base/private_file.h). False: error is one line that names the file and the line, never a
 * secret, and credentials is empty. */
bool credentials_read(const char *path, struct credentials *credentials, char error[512]);

/* Whether dcampd could read them, for a program that asks before dcampd runs. The file is read as
 * this user or, if that is root, as the owner of the file; user is who it was. False: error says
 * why not. */
bool credentials_check(const char *path, char user[ACCOUNT_NAME_SIZE], char error[512]);

#endif

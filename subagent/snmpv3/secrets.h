/* The secrets of a credential: a file of two lines, "auth PASSPHRASE" and "priv PASSPHRASE". */
#ifndef DCAMP_SNMPV3_SECRETS_H
#define DCAMP_SNMPV3_SECRETS_H

#include <stdbool.h>

#include "base/account.h"
#include "snmpv3/credential.h"

#define SECRET_MIN 8 /* octets; RFC 3414, section 11.2 */

/* Reads both into the credential. The file must be a regular one of this user or root that nobody
 * else may read or write. False: error holds one line that names the file and the line, never a
 * secret, and the credential has none. */
bool secrets_read(const char *path, struct usm_credential *credential, char error[512]);

/* The same, read as this user or, if that is root and the file is somebody else's, as the owner of
 * the file. user is set to the one who read it. */
bool secrets_read_as_owner(const char *path, struct usm_credential *credential,
                           char user[ACCOUNT_NAME_SIZE], char error[512]);

/* Whether dcampd could read the secrets, with the same rules, for callers that ask before it runs.
 * False: error says why not. */
bool secrets_check(const char *path, char user[ACCOUNT_NAME_SIZE], char error[512]);

/* Reads a password that is no passphrase of SNMPv3. The file must be as above, with the one line
 * "password PASSWORD". False: error holds one line, and there is no password. */
bool secrets_read_password(const char *path, char password[PEER_SECRET_SIZE], char error[512]);

#endif

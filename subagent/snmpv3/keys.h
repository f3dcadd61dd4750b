/* Credentials, and the keys made of them (RFC 3414, section 2.6, with the hashes of RFC 7860).
 *
 * A passphrase is made into the key Ku once, when the core tells it; that costs hashing a megabyte,
 * and the passphrase is forgotten afterwards. Each child's keys are Ku localized to its engine ID,
 * which costs little. */
#ifndef DCAMP_SNMPV3_KEYS_H
#define DCAMP_SNMPV3_KEYS_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "snmpv3/credential.h"

struct usm_key {
    u_char octets[USM_LENGTH_KU_HASHBLOCK];
    size_t len;
};

struct credential {
    UT_hash_handle hh;
    char name[NAME_SIZE];
    char user[NAME_SIZE];
    const char *invalid;               /* not NULL: why it cannot be used */
    char fault[CREDENTIAL_FAULT_SIZE]; /* the text of invalid where the core gives the reason */
    oid *auth, *priv;
    size_t auth_len, priv_len;
    struct usm_key auth_ku, priv_ku; /* their length is 0 if the credential has no passphrases */
};

/* Sets everything but the name. NULL: no memory; then there is no credential of that name. */
struct credential *keys_set(struct credential **all, const struct usm_credential *told);
struct credential *keys_find(struct credential *all, const char *name);

/* Keeps the keys of this process from core files and from other processes of the same user;
 * keys_unprotect ends that. */
void keys_protect(void);
void keys_unprotect(void);

/* Overwrites and frees. */
void keys_free(struct credential **all);

/* The keys for one engine. A collector has very many of these, so the rest of what makes up a user
 * stays in the credential. */
struct keys {
    const struct credential *credential; /* NULL: there are no keys */
    struct usm_key auth, priv;
};

/* Whether it has passphrases, from which the keys for any engine can be made. */
static inline bool keys_can_localize(const struct credential *credential)
{
    return credential->auth_ku.len > 0 && credential->priv_ku.len > 0;
}

/* False: they cannot be made, and there are none. */
bool keys_localize(const struct credential *credential, const uint8_t *engine_id, size_t len,
                   struct keys *keys);

/* Takes keys that were localized by somebody else. False: their lengths are not those that the
 * protocols of the credential need, and there are no keys. */
bool keys_take(const struct credential *credential, const struct localized_keys *localized,
               struct keys *keys);

/* Overwrites them. */
void keys_forget(struct keys *keys);

/* What changes a user's keys at its engine: the values to be SET of its usmUserAuthKeyChange and
 * its usmUserPrivKeyChange. */
struct key_change {
    u_char auth[2 * USM_LENGTH_KU_HASHBLOCK], priv[2 * USM_LENGTH_KU_HASHBLOCK];
    size_t auth_len, priv_len;
};

/* KeyChange of RFC 3414, section 5: random octets, and the new key, hidden by a hash of them and of
 * the old one. Both keys are for the same engine. False: their protocols are not the same, or there
 * are no random octets. */
bool keys_change(const struct keys *from, const struct keys *to, struct key_change *change);

/* A user of Net-SNMP with these keys, which is in no list. It only points to what it uses and owns
 * nothing. */
struct usmUser keys_user(struct keys *keys, uint8_t *engine_id, size_t len);

#endif

/* Credentials, and the keys made of them (RFC 3414, section 2.6, with the hashes of RFC 7860).
 *
 * A passphrase becomes the key Ku, which costs a megabyte of hashing, once, when the core tells it;
 * then it is forgotten. Each child's keys are Ku localized to its engine ID, which costs little. */
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
    char fault[CREDENTIAL_FAULT_SIZE]; /* where that is what the core says */
    oid *auth, *priv;
    size_t auth_len, priv_len;
    struct usm_key auth_ku, priv_ku; /* of no length: it has no passphrases */
};

/* Sets all but the name, of which there is none on failure to allocate. */
struct credential *keys_set(struct credential **all, const struct usm_credential *told);
struct credential *keys_find(struct credential *all, const char *name);

/* Keeps the keys of this process from core files and from other processes of the same user; and no
 * longer. */
void keys_protect(void);
void keys_unprotect(void);

/* Overwrites and frees. */
void keys_free(struct credential **all);

/* The keys for one engine. A collector has very many: what else a user consists of stays with the
 * credential. */
struct keys {
    const struct credential *credential; /* NULL: there are no keys */
    struct usm_key auth, priv;
};

/* Whether it has passphrases, of which the keys for any engine can be made. */
static inline bool keys_can_localize(const struct credential *credential)
{
    return credential->auth_ku.len > 0 && credential->priv_ku.len > 0;
}

/* False: they cannot be made, and there are none. */
bool keys_localize(const struct credential *credential, const uint8_t *engine_id, size_t len,
                   struct keys *keys);

/* Takes keys that were localized by somebody else. False: they are not as long as the protocols of
 * the credential need them, and there are none. */
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

/* A user of Net-SNMP with these keys, in no list. It points to everything and owns nothing. */
struct usmUser keys_user(struct keys *keys, uint8_t *engine_id, size_t len);

#endif

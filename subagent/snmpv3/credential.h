/* An SNMPv3 user as it is told: its name, its protocols and its passphrases. Keys are made of them
 * once: snmpv3/keys.h. No Net-SNMP here, so that rooms without it may use this. */
#ifndef DCAMP_SNMPV3_CREDENTIAL_H
#define DCAMP_SNMPV3_CREDENTIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

#define ENGINE_ID_MAX 32     /* octets, RFC 3411 */
#define LOCALIZED_KEY_MAX 64 /* octets, SHA-512 */
#define PEER_SECRET_SIZE 129 /* a passphrase of 8 to 128 octets */
#define CREDENTIAL_FAULT_SIZE 128

/* RFC 7860 and RFC 3826; AES-256 as Net-SNMP has it. */
enum auth_protocol { AUTH_SHA256 = 1, AUTH_SHA512 = 2 };
enum priv_protocol { PRIV_AES128 = 1, PRIV_AES256 = 2 };

struct usm_credential {
    char name[NAME_SIZE]; /* of the credential in the configuration */
    char user[NAME_SIZE];
    enum auth_protocol auth;
    enum priv_protocol priv;
    char auth_secret[PEER_SECRET_SIZE];
    char priv_secret[PEER_SECRET_SIZE];
    char fault[CREDENTIAL_FAULT_SIZE]; /* not empty: why there are no secrets */
};

/* The keys of a user for one engine, made by somebody who has the passphrases (RFC 3414, section
 * 2.6). All lengths are 0 where there are none. A credential whose passphrases are both empty is
 * for engines that have such keys. */
struct localized_keys {
    uint8_t engine_id[ENGINE_ID_MAX];
    uint8_t auth[LOCALIZED_KEY_MAX], priv[LOCALIZED_KEY_MAX];
    uint8_t engine_id_len, auth_len, priv_len;
};

/* Makes *kept a copy of the keys in memory of its own, or NULL if there are none; the copy that was
 * there before is overwritten and freed. False: no memory; then *kept is as before. */
bool localized_keys_keep(struct localized_keys **kept, const struct localized_keys *keys);

/* Keeps both or, if memory runs out, none. */
bool localized_keys_keep_two(struct localized_keys **kept, const struct localized_keys *keys,
                             struct localized_keys **kept_next, const struct localized_keys *next);

/* Overwrites and frees the keys, if there are any. */
void localized_keys_drop(struct localized_keys **kept);

bool localized_keys_same(const struct localized_keys *a, const struct localized_keys *b);

/* Why a request brought nothing. */
enum poll_failure {
    POLL_TIMEOUT = 1,
    POLL_UNREACHABLE,    /* the system refuses to send, or ICMP says so */
    POLL_WRONG_KEY,      /* wrongDigest, decryptionError */
    POLL_UNKNOWN_USER,   /* unknownUserName, unsupportedSecLevel */
    POLL_NOT_IN_WINDOW,  /* notInTimeWindow that does not heal: the engine's boots are lower than
                          * known */
    POLL_NEW_ENGINE,     /* another engine ID answers at this address */
    POLL_NO_SUCH_OBJECT, /* an agent without the DCAMP-MIB, or a view that hides it */
    POLL_REFUSED,        /* any other error-status or REPORT */
    POLL_GARBAGE,        /* what came could not be an answer */
    POLL_NO_CREDENTIAL   /* the core has not told the credential */
};

#endif

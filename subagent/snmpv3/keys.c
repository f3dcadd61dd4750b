#include "snmpv3/keys.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

void keys_protect(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
}

void keys_unprotect(void)
{
    prctl(PR_SET_DUMPABLE, 1);
}

static const char *set_protocols(struct credential *credential, const struct usm_credential *told)
{
    credential->auth = sc_get_auth_oid(told->auth == AUTH_SHA512 ? NETSNMP_USMAUTH_HMAC384SHA512
                                                                 : NETSNMP_USMAUTH_HMAC192SHA256,
                                       &credential->auth_len);
    credential->priv = sc_get_priv_oid(told->priv == PRIV_AES256 ? USM_CREATE_USER_PRIV_AES256
                                                                 : USM_CREATE_USER_PRIV_AES,
                                       &credential->priv_len);
    if (told->auth != AUTH_SHA256 && told->auth != AUTH_SHA512)
        return "no such authentication protocol";
    if (told->priv != PRIV_AES128 && told->priv != PRIV_AES256)
        return "no such privacy protocol";
    if (!credential->auth || !credential->priv)
        return "Net-SNMP was built without this protocol";
    return NULL;
}

static bool make_ku(const struct credential *credential, const char *secret, struct usm_key *ku)
{
    ku->len = sizeof ku->octets;
    return generate_Ku(credential->auth, (u_int)credential->auth_len, (const u_char *)secret,
                       strlen(secret), ku->octets, &ku->len) == SNMPERR_SUCCESS;
}

static const char *fill_credential(struct credential *credential, const struct usm_credential *told)
{
    memcpy(credential->user, told->user, sizeof credential->user);
    memcpy(credential->fault, told->fault, sizeof credential->fault);
    if (credential->fault[0])
        return credential->fault;
    if (!credential->user[0])
        return "the user has no name";
    const char *invalid = set_protocols(credential, told);
    if (invalid)
        return invalid;
    if (!told->auth_secret[0] && !told->priv_secret[0]) {
        explicit_bzero(&credential->auth_ku, sizeof credential->auth_ku);
        explicit_bzero(&credential->priv_ku, sizeof credential->priv_ku);
        return NULL;
    }
    if (!make_ku(credential, told->auth_secret, &credential->auth_ku) ||
        !make_ku(credential, told->priv_secret, &credential->priv_ku))
        return "a passphrase is shorter than 8 octets";
    return NULL;
}

struct credential *keys_find(struct credential *all, const char *name)
{
    struct credential *credential;
    HASH_FIND_STR(all, name, credential);
    return credential;
}

struct credential *keys_set(struct credential **all, const struct usm_credential *told)
{
    struct credential *credential = keys_find(*all, told->name);
    if (!credential) {
        credential = calloc(1, sizeof *credential);
        if (!credential)
            return NULL;
        memcpy(credential->name, told->name, sizeof credential->name);
        HASH_ADD_STR(*all, name, credential);
        if (!table_has(hh, credential)) {
            free(credential);
            return NULL;
        }
    }
    credential->invalid = fill_credential(credential, told);
    return credential;
}

void keys_free(struct credential **all)
{
    struct credential *credential, *next;
    HASH_ITER(hh, *all, credential, next)
    {
        HASH_DEL(*all, credential);
        explicit_bzero(credential, sizeof *credential);
        free(credential);
    }
}

static bool localize(const struct credential *credential, const struct usm_key *ku,
                     const uint8_t *engine_id, size_t len, struct usm_key *kul)
{
    kul->len = sizeof kul->octets;
    return generate_kul(credential->auth, (u_int)credential->auth_len, engine_id, (u_int)len,
                        ku->octets, ku->len, kul->octets, &kul->len) == SNMPERR_SUCCESS;
}

bool keys_localize(const struct credential *credential, const uint8_t *engine_id, size_t len,
                   struct keys *keys)
{
    bool made = keys_can_localize(credential) &&
                localize(credential, &credential->auth_ku, engine_id, len, &keys->auth) &&
                localize(credential, &credential->priv_ku, engine_id, len, &keys->priv);
    if (made)
        keys->credential = credential;
    else
        keys_forget(keys);
    return made;
}

static bool take_key(struct usm_key *key, const uint8_t *octets, size_t len)
{
    if (len == 0 || len > sizeof key->octets)
        return false;
    memcpy(key->octets, octets, len);
    key->len = len;
    return true;
}

bool keys_take(const struct credential *credential, const struct localized_keys *localized,
               struct keys *keys)
{
    int auth = sc_get_properlength(credential->auth, (u_int)credential->auth_len);
    int priv = sc_get_proper_priv_length(credential->priv, (u_int)credential->priv_len);
    bool fits = localized->auth_len == auth && localized->priv_len >= priv &&
                take_key(&keys->auth, localized->auth, localized->auth_len) &&
                take_key(&keys->priv, localized->priv, localized->priv_len);
    if (fits)
        keys->credential = credential;
    else
        keys_forget(keys);
    return fits;
}

void keys_forget(struct keys *keys)
{
    explicit_bzero(keys, sizeof *keys);
}

/* Only as much of both keys is used as the protocol uses, because the agent keeps no more. */
static bool change_key(const struct credential *credential, struct usm_key from, struct usm_key to,
                       size_t used, u_char change[2 * USM_LENGTH_KU_HASHBLOCK], size_t *len)
{
    *len = 2 * sizeof from.octets;
    bool made = used > 0 && from.len >= used && to.len >= used &&
                encode_keychange(credential->auth, (u_int)credential->auth_len, from.octets, used,
                                 to.octets, used, change, len) == SNMPERR_SUCCESS &&
                *len == 2 * used;
    explicit_bzero(&from, sizeof from);
    explicit_bzero(&to, sizeof to);
    return made;
}

bool keys_change(const struct keys *from, const struct keys *to, struct key_change *change)
{
    const struct credential *credential = from->credential;
    if (!credential || !to->credential || credential->auth != to->credential->auth ||
        credential->priv != to->credential->priv)
        return false;
    int auth = sc_get_properlength(credential->auth, (u_int)credential->auth_len);
    int priv = sc_get_proper_priv_length(credential->priv, (u_int)credential->priv_len);
    return auth > 0 && priv > 0 &&
           change_key(credential, from->auth, to->auth, (size_t)auth, change->auth,
                      &change->auth_len) &&
           change_key(credential, from->priv, to->priv, (size_t)priv, change->priv,
                      &change->priv_len);
}

/* The private key has at least 32 octets with either hash: enough for AES-256, so that it needs no
 * extension. */
struct usmUser keys_user(struct keys *keys, uint8_t *engine_id, size_t len)
{
    const struct credential *credential = keys->credential;
    return (struct usmUser){
        .engineID = engine_id,
        .engineIDLen = len,
        .name = (char *)credential->user,
        .secName = (char *)credential->user,
        .authProtocol = credential->auth,
        .authProtocolLen = credential->auth_len,
        .authKey = keys->auth.octets,
        .authKeyLen = keys->auth.len,
        .privProtocol = credential->priv,
        .privProtocolLen = credential->priv_len,
        .privKey = keys->priv.octets,
        .privKeyLen = keys->priv.len,
        .userStatus = RS_ACTIVE,
        .userStorageType = ST_READONLY,
    };
}

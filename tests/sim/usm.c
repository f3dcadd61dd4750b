#include "usm.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <endian.h>
#include <string.h>

static EVP_MAC_CTX *hmac(const char *digest)
{
    char name[16];
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    snprintf(name, sizeof name, "%s", digest);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
        OSSL_PARAM_construct_end(),
    };
    if (context && !EVP_MAC_CTX_set_params(context, parameters)) {
        EVP_MAC_CTX_free(context);
        return NULL;
    }
    return context;
}

bool usm_open(struct usm *usm, bool sha512, bool aes256)
{
    *usm = (struct usm){
        .hash = sha512 ? usmHMAC384SHA512AuthProtocol : usmHMAC192SHA256AuthProtocol,
        .hash_len = OID_LENGTH(usmHMAC192SHA256AuthProtocol),
        .auth_key_len = sha512 ? 64 : 32,
        .mac_len = sha512 ? 48 : 24,
        .mac = hmac(sha512 ? "SHA512" : "SHA256"),
        .cipher = EVP_CIPHER_fetch(NULL, aes256 ? "AES-256-CFB" : "AES-128-CFB", NULL),
        .context = EVP_CIPHER_CTX_new(),
    };
    if (usm->mac && usm->cipher && usm->context &&
        RAND_bytes((unsigned char *)&usm->salt, sizeof usm->salt) == 1)
        return true;
    usm_close(usm);
    return false;
}

void usm_close(struct usm *usm)
{
    EVP_MAC_CTX_free(usm->mac);
    EVP_CIPHER_free(usm->cipher);
    EVP_CIPHER_CTX_free(usm->context);
    *usm = (struct usm){0};
}

static bool master_key(const struct usm *usm, const char *secret, uint8_t key[USM_KEY_MAX])
{
    size_t len = USM_KEY_MAX;
    return generate_Ku(usm->hash, (u_int)usm->hash_len, (const u_char *)secret, strlen(secret), key,
                       &len) == SNMPERR_SUCCESS;
}

bool usm_master(const struct usm *usm, const char *auth, const char *priv, struct usm_keys *keys)
{
    return master_key(usm, auth, keys->auth) && master_key(usm, priv, keys->priv);
}

static bool localize(const struct usm *usm, const uint8_t *master, const uint8_t *engine,
                     size_t engine_len, uint8_t key[USM_KEY_MAX])
{
    size_t len = USM_KEY_MAX;
    return generate_kul(usm->hash, (u_int)usm->hash_len, engine, engine_len, master,
                        usm->auth_key_len, key, &len) == SNMPERR_SUCCESS;
}

bool usm_localize(const struct usm *usm, const struct usm_keys *master, const uint8_t *engine,
                  size_t engine_len, struct usm_keys *keys)
{
    return localize(usm, master->auth, engine, engine_len, keys->auth) &&
           localize(usm, master->priv, engine, engine_len, keys->priv);
}

static bool digest(struct usm *usm, const struct usm_keys *keys, const uint8_t *message, size_t len,
                   uint8_t all[USM_KEY_MAX])
{
    size_t n;
    return EVP_MAC_init(usm->mac, keys->auth, usm->auth_key_len, NULL) &&
           EVP_MAC_update(usm->mac, message, len) && EVP_MAC_final(usm->mac, all, &n, USM_KEY_MAX);
}

bool usm_sign(struct usm *usm, const struct usm_keys *keys, const uint8_t *message, size_t len,
              uint8_t *mac)
{
    uint8_t all[USM_KEY_MAX];
    if (!digest(usm, keys, message, len, all))
        return false;
    memcpy(mac, all, usm->mac_len);
    return true;
}

bool usm_verify(struct usm *usm, const struct usm_keys *keys, const uint8_t *message, size_t len,
                uint8_t *mac, size_t mac_len)
{
    uint8_t given[USM_KEY_MAX], all[USM_KEY_MAX];
    if (mac_len != usm->mac_len)
        return false;
    memcpy(given, mac, mac_len);
    memset(mac, 0, mac_len);
    return digest(usm, keys, message, len, all) && CRYPTO_memcmp(given, all, mac_len) == 0;
}

void usm_next_salt(struct usm *usm, uint8_t salt[USM_SALT_LEN])
{
    uint64_t next = htobe64(++usm->salt);
    memcpy(salt, &next, sizeof next);
}

static bool crypt_octets(struct usm *usm, const struct usm_cipher *how, uint8_t *bytes, size_t len,
                         int encrypt)
{
    uint8_t vector[16];
    uint32_t boots = htobe32(how->boots), time = htobe32(how->time);
    int n;
    memcpy(vector, &boots, 4);
    memcpy(vector + 4, &time, 4);
    memcpy(vector + 8, how->salt, USM_SALT_LEN);
    return EVP_CipherInit_ex2(usm->context, usm->cipher, how->keys->priv, vector, encrypt, NULL) &&
           EVP_CipherUpdate(usm->context, bytes, &n, bytes, (int)len);
}

bool usm_encrypt(struct usm *usm, const struct usm_cipher *how, uint8_t *bytes, size_t len)
{
    return crypt_octets(usm, how, bytes, len, 1);
}

bool usm_decrypt(struct usm *usm, const struct usm_cipher *how, uint8_t *bytes, size_t len)
{
    return crypt_octets(usm, how, bytes, len, 0);
}

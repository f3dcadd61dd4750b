/* Keys, authentication and privacy of USM: RFC 3414, RFC 7860 (HMAC-SHA-2), RFC 3826 (AES-CFB),
 * and AES-256 as Net-SNMP has it. The contexts of the library are made once. */
#ifndef DCAMP_SIM_USM_H
#define DCAMP_SIM_USM_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <openssl/evp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USM_KEY_MAX 64
#define USM_SALT_LEN 8

struct usm {
    const oid *hash; /* the authentication protocol */
    size_t hash_len;
    size_t auth_key_len, mac_len;
    EVP_MAC_CTX *mac;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *context;
    uint64_t salt; /* of the last message */
};

struct usm_keys {
    uint8_t auth[USM_KEY_MAX], priv[USM_KEY_MAX];
};

bool usm_open(struct usm *usm, bool sha512, bool aes256);
void usm_close(struct usm *usm);

/* From passphrases of at least 8 octets. */
bool usm_master(const struct usm *usm, const char *auth, const char *priv, struct usm_keys *keys);
bool usm_localize(const struct usm *usm, const struct usm_keys *master, const uint8_t *engine,
                  size_t engine_len, struct usm_keys *keys);

/* Fills in the authentication parameters, which are zeros within the message. */
bool usm_sign(struct usm *usm, const struct usm_keys *keys, const uint8_t *message, size_t len,
              uint8_t *mac);

/* The authentication parameters within the message are zeros after that. */
bool usm_verify(struct usm *usm, const struct usm_keys *keys, const uint8_t *message, size_t len,
                uint8_t *mac, size_t mac_len);

void usm_next_salt(struct usm *usm, uint8_t salt[USM_SALT_LEN]);

struct usm_cipher {
    const struct usm_keys *keys;
    uint32_t boots, time;
    const uint8_t *salt;
};

/* In place. */
bool usm_encrypt(struct usm *usm, const struct usm_cipher *how, uint8_t *bytes, size_t len);
bool usm_decrypt(struct usm *usm, const struct usm_cipher *how, uint8_t *bytes, size_t len);

#endif

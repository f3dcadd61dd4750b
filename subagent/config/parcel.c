#include "config/parcel.h"

#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/evp.h>

#include "base/packing.h"
#include "base/text.h"

struct parcel *parcel_use(struct parcel *parcel)
{
    if (parcel)
        parcel->users++;
    return parcel;
}

void parcel_drop(struct parcel *parcel)
{
    if (!parcel || --parcel->users > 0)
        return;
    free(parcel->base64);
    free(parcel);
}

struct parcel *parcel_of(const uint8_t *octets, size_t len)
{
    if (len == 0 || len > PARCEL_MAX)
        return NULL;
    struct parcel *parcel = malloc(sizeof *parcel + len);
    if (!parcel)
        return NULL;
    *parcel = (struct parcel){.users = 1, .len = (uint32_t)len};
    memcpy(parcel->octets, octets, len);
    SHA2_CTX hash;
    SHA256Init(&hash);
    SHA256Update(&hash, octets, len);
    SHA256Final(parcel->digest, &hash);
    return parcel;
}

/* -- In the state file ------------------------------------------------------------------------ */

#define BASE64_SIZE(len) (((len) + 2) / 3 * 4 + 1)

const char *parcel_base64(struct parcel *parcel)
{
    if (!parcel->base64)
        parcel->base64 = malloc(BASE64_SIZE((size_t)parcel->len));
    else
        return parcel->base64;
    if (parcel->base64)
        EVP_EncodeBlock((unsigned char *)parcel->base64, parcel->octets, (int)parcel->len);
    return parcel->base64;
}

/* Blanks and line ends may be anywhere in the text. Returns 0 or an errno; *len: the number of
 * octets. */
static int decode(EVP_ENCODE_CTX *context, const char *text, size_t n, uint8_t *octets, size_t *len)
{
    int first = 0, last = 0;
    EVP_DecodeInit(context);
    if (EVP_DecodeUpdate(context, octets, &first, (const unsigned char *)text, (int)n) < 0 ||
        EVP_DecodeFinal(context, octets + first, &last) < 0)
        return EBADMSG;
    *len = (size_t)first + (size_t)last;
    return 0;
}

int parcel_from_base64(const char *text, size_t len, struct parcel **parcel)
{
    *parcel = NULL;
    if (len > 2 * BASE64_SIZE((size_t)PARCEL_MAX))
        return EBADMSG;
    uint8_t *octets = malloc(len / 4 * 3 + 3);
    EVP_ENCODE_CTX *context = EVP_ENCODE_CTX_new();
    size_t n = 0;
    int code = octets && context ? decode(context, text, len, octets, &n) : ENOMEM;
    if (!code && (n == 0 || n > PARCEL_MAX))
        code = EBADMSG;
    if (!code)
        *parcel = parcel_of(octets, n);
    EVP_ENCODE_CTX_free(context);
    free(octets);
    return code ? code : *parcel ? 0 : ENOMEM;
}

/* -- Packed ----------------------------------------------------------------------------------- */

char *parcel_unpack(const uint8_t *octets, size_t n, size_t *len, char error[FAULT_SIZE])
{
    const char *fault;
    char *text = packing_unpack(octets, n, len, &fault);
    if (text)
        return text;
    int code = errno;
    text_format(error, FAULT_SIZE, "%s", fault);
    errno = code;
    return NULL;
}

struct parcel *parcel_make(const char *text, size_t len)
{
    size_t n = 0;
    uint8_t *octets = packing_pack(text, len, &n);
    struct parcel *parcel = octets ? parcel_of(octets, n) : NULL;
    free(octets);
    return parcel;
}

/* The octets of a document: packed and unpacked, in base64 and back, whatever they are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hex.h"
#include "base/packing.h"
#include "config/parcel.h"
#include "scarce.h"
#include "unit.h"

static void digests_are_those_of_sha_256(void **state)
{
    (void)state;
    /* FIPS 180-2, appendix B.1. */
    static const char digest[] = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
    char text[65];
    struct parcel *parcel = parcel_of((const uint8_t *)"abc", 3);
    hex_from_octets(text, parcel->digest, sizeof parcel->digest, HEX_UPPER);
    assert_string_equal(text, digest);
    parcel_drop(parcel);
}

static void users_share_it(void **state)
{
    (void)state;
    struct parcel *parcel = parcel_of((const uint8_t *)"abc", 3);
    assert_ptr_equal(parcel_use(parcel), parcel);
    parcel_drop(parcel);
    assert_memory_equal(parcel->octets, "abc", 3);
    parcel_drop(parcel);
    parcel_drop(NULL);
    assert_null(parcel_use(NULL));
    assert_null(parcel_of((const uint8_t *)"", 0));
}

/* -- Base64 ---------------------------------------------------------------------------------- */

static void base64_there_and_back(void **state)
{
    (void)state;
    static uint8_t octets[700];
    for (size_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)(i * 7 + i / 256);
    for (size_t len = 1; len < sizeof octets; len++) {
        struct parcel *parcel = parcel_of(octets, len), *back = NULL;
        const char *text = parcel_base64(parcel);
        assert_ptr_equal(parcel_base64(parcel), text);
        assert_int_equal(strlen(text), (len + 2) / 3 * 4);
        assert_int_equal(parcel_from_base64(text, strlen(text), &back), 0);
        assert_int_equal(back->len, len);
        assert_memory_equal(back->octets, octets, len);
        assert_memory_equal(back->digest, parcel->digest, sizeof back->digest);
        parcel_drop(back);
        parcel_drop(parcel);
    }
}

static void base64_of_the_largest(void **state)
{
    (void)state;
    uint8_t *octets = calloc(1, PARCEL_MAX + 1);
    octets[PARCEL_MAX - 1] = 1;
    assert_null(parcel_of(octets, PARCEL_MAX + 1));
    struct parcel *parcel = parcel_of(octets, PARCEL_MAX), *back;
    const char *text = parcel_base64(parcel);
    assert_int_equal(parcel_from_base64(text, strlen(text), &back), 0);
    assert_memory_equal(back->digest, parcel->digest, sizeof back->digest);
    parcel_drop(back);
    parcel_drop(parcel);
    free(octets);
    size_t len = 3 * PARCEL_MAX;
    char *long_text = malloc(len);
    memset(long_text, 'A', len);
    assert_int_equal(parcel_from_base64(long_text, len, &back), EBADMSG);
    assert_null(back);
    assert_int_equal(parcel_from_base64(long_text, len / 2, &back), EBADMSG);
    free(long_text);
}

static void base64_may_be_broken_into_lines(void **state)
{
    (void)state;
    struct parcel *back;
    static const char text[] = "\n  YWJj\n  ZGVm\n  Z2g=\n";
    assert_int_equal(parcel_from_base64(text, strlen(text), &back), 0);
    assert_int_equal(back->len, 8);
    assert_memory_equal(back->octets, "abcdefgh", 8);
    parcel_drop(back);
}

static void what_is_no_base64_is_found(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "\n",
                                        "A",
                                        "AAA",
                                        "!!!!",
                                        "AB=A=",
                                        "YWJj*A",
                                        "====",
                                        "YWJj\x80"
                                        "A",
                                        "YWJjZ"};
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct parcel *back = (struct parcel *)&i;
        if (parcel_from_base64(texts[i], strlen(texts[i]), &back) != EBADMSG)
            fail_msg("\"%s\" was taken", texts[i]);
        assert_null(back);
    }
}

/* -- Packed ---------------------------------------------------------------------------------- */

static char *unpacked(const uint8_t *octets, size_t n, size_t *len, const char *reason)
{
    char error[FAULT_SIZE] = "";
    char *text = parcel_unpack(octets, n, len, error);
    assert_int_equal(text == NULL, reason != NULL);
    if (reason && !strstr(error, reason))
        fail_msg("\"%s\" is not in \"%s\"", reason, error);
    return text;
}

static void packed_there_and_back(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 100, 16383, 16384, 16385, 100000, PACKING_TEXT_MAX};
    for (size_t i = 0; i < N_OF(lengths); i++) {
        char *text = malloc(lengths[i] + 1);
        for (size_t k = 0; k < lengths[i]; k++)
            text[k] = (char)('a' + k * k % 23);
        size_t n, len = 0;
        uint8_t *octets = packing_pack(text, lengths[i], &n);
        char *back = unpacked(octets, n, &len, NULL);
        assert_int_equal(len, lengths[i]);
        assert_memory_equal(back, text, len);
        assert_int_equal(back[len], '\0');
        free(back);
        free(octets);
        free(text);
    }
}

/* Some kilobytes that would become more memory than the machine has. */
static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    static const size_t lengths[] = {PACKING_TEXT_MAX + 1, PACKING_TEXT_MAX + 2, 64u << 20};
    for (size_t i = 0; i < N_OF(lengths); i++) {
        char *text = calloc(1, lengths[i]);
        size_t n, len;
        uint8_t *octets = packing_pack(text, lengths[i], &n);
        unpacked(octets, n, &len, "its text is larger than 8 MiB");
        free(octets);
        free(text);
    }
}

static void damage_is_found(void **state)
{
    (void)state;
    static const char text[] = "<dcamp version=\"1\"></dcamp>";
    size_t n, len;
    uint8_t *octets = packing_pack(text, sizeof text - 1, &n);
    for (size_t cut = 0; cut < n; cut++)
        unpacked(octets, cut, &len, "it cannot be unpacked");
    /* The text has a checksum, and so is any other one that comes of it found. */
    for (size_t at = 0; at < n; at++)
        for (int bit = 0; bit < 8; bit++) {
            char error[FAULT_SIZE];
            octets[at] ^= (uint8_t)(1 << bit);
            char *other = parcel_unpack(octets, n, &len, error);
            assert_true(!other || (len == sizeof text - 1 && memcmp(other, text, len) == 0));
            free(other);
            octets[at] ^= (uint8_t)(1 << bit);
        }
    uint8_t *longer = calloc(1, n + 1);
    memcpy(longer, octets, n);
    unpacked(longer, n + 1, &len, "there are octets behind its end");
    unpacked((const uint8_t *)text, sizeof text - 1, &len, "it cannot be unpacked");
    free(longer);
    free(octets);
}

/* -- Memory ---------------------------------------------------------------------------------- */

static void memory_may_fail(void **state)
{
    (void)state;
    static char text[40000];
    size_t n, len;
    uint8_t *octets = packing_pack(text, sizeof text, &n);
    char error[FAULT_SIZE];
    /* Room for the text is asked for two times; without the third it is larger than it need be. */
    for (size_t nth = 1; nth <= 2; nth++) {
        scarce_fail(nth);
        char *back = parcel_unpack(octets, n, &len, error);
        assert_true(scarce_stop());
        assert_null(back);
        assert_string_equal(error, "no memory");
    }
    struct parcel *back;
    for (size_t nth = 1; nth <= 2; nth++) {
        scarce_fail(nth);
        int code = parcel_from_base64("YWJj", 4, &back);
        assert_true(scarce_stop());
        assert_int_equal(code, ENOMEM);
        assert_null(back);
    }
    struct parcel *parcel = parcel_of(octets, n);
    scarce_fail(1);
    assert_null(parcel_base64(parcel));
    assert_true(scarce_stop());
    assert_non_null(parcel_base64(parcel));
    scarce_fail(1);
    assert_null(packing_pack(text, 10, &n));
    assert_true(scarce_stop());
    parcel_drop(parcel);
    free(octets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_sha_256),
        cmocka_unit_test(users_share_it),
        cmocka_unit_test(base64_there_and_back),
        cmocka_unit_test(base64_of_the_largest),
        cmocka_unit_test(base64_may_be_broken_into_lines),
        cmocka_unit_test(what_is_no_base64_is_found),
        cmocka_unit_test(packed_there_and_back),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

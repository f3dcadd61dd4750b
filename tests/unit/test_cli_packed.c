/* Documents are packed and known by their digest; files that are none are refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/hex.h"
#include "base/packing.h"
#include "cli/packed.h"

#include "unit.h"

static char error[512];

static void texts(void **state)
{
    (void)state;
    static const char text[] = "<tree version=\"1\"><nodes/></tree>";
    struct packed packed, again;
    char back[100];
    uLongf len = sizeof back;
    assert_true(packed_text(&packed, text, strlen(text), error));
    assert_int_equal(uncompress((Bytef *)back, &len, packed.octets, packed.len), Z_OK);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(back, text, len);
    assert_true(packed_text(&again, text, strlen(text), error));
    assert_memory_equal(again.digest, packed.digest, PACKED_DIGEST);
    packed_free(&again);
    assert_true(packed_text(&again, text, strlen(text) - 1, error));
    assert_memory_not_equal(again.digest, packed.digest, PACKED_DIGEST);
    packed_free(&again);
    packed_free(&packed);
}

/* The digest is that of the packed octets: of those of "a" it is known to whoever has zlib. */
static void a_digest(void **state)
{
    (void)state;
    struct packed packed;
    char text[2 * PACKED_DIGEST + 1], octets[100];
    assert_true(packed_text(&packed, "a", 1, error));
    assert_in_range(packed.len, 1, 40);
    hex_from_octets(octets, packed.octets, packed.len, HEX_LOWER);
    assert_string_equal(octets, "78da4b040000620062");
    hex_from_octets(text, packed.digest, PACKED_DIGEST, HEX_LOWER);
    assert_string_equal(text, "324b3f61040f09ab50dce3ff0cf1d3f19cbbe001e8360bdbf3ec4c04f2e4191b");
    packed_free(&packed);
}

static void who_has_a_digest(void **state)
{
    (void)state;
    struct packed packed;
    assert_true(packed_text(&packed, "a", 1, error));
    assert_true(packed_is(packed.octets, packed.len, packed.digest));
    assert_false(packed_is(packed.octets, packed.len - 1, packed.digest));
    packed.digest[PACKED_DIGEST - 1] ^= 1;
    assert_false(packed_is(packed.octets, packed.len, packed.digest));
    packed_free(&packed);
}

static void what_is_too_large(void **state)
{
    (void)state;
    size_t len = PACKING_TEXT_MAX;
    char *text = malloc(len + 1);
    struct packed packed;
    assert_non_null(text);
    memset(text, ' ', len + 1);
    assert_true(packed_text(&packed, text, len, error));
    packed_free(&packed);
    assert_false(packed_text(&packed, text, len + 1, error));
    assert_string_equal(error, "it has more than 8 MiB");
    assert_null(packed.octets);
    uint32_t random = 1;
    for (size_t i = 0; i < len; i++)
        text[i] = (char)((random = random * 1664525 + 1013904223) >> 24);
    assert_false(packed_text(&packed, text, len, error));
    assert_string_equal(error, "it has more than 1 MiB, even when it is packed");
    assert_null(packed.octets);
    assert_false(packed_text(&packed, text, 0, error));
    assert_string_equal(error, "it is empty");
    free(text);
}

static void files(void **state)
{
    (void)state;
    char path[] = "/tmp/dcamp-packed.XXXXXX";
    int fd = mkstemp(path);
    char expected[100];
    struct packed packed, same;
    assert_true(fd >= 0);
    assert_false(packed_file(&packed, path, error));
    snprintf(expected, sizeof expected, "%s: it is empty", path);
    assert_string_equal(error, expected);
    assert_int_equal(write(fd, "<tree/>", 7), 7);
    char *text = packed_text_of(&packed, path, error);
    assert_string_equal(text, "<tree/>");
    free(text);
    packed_free(&packed);
    assert_true(packed_file(&packed, path, error));
    assert_true(packed_text(&same, "<tree/>", 7, error));
    assert_memory_equal(packed.digest, same.digest, PACKED_DIGEST);
    packed_free(&packed);
    packed_free(&same);
    close(fd);
    unlink(path);
    assert_false(packed_file(&packed, path, error));
    snprintf(expected, sizeof expected, "%s: No such file or directory", path);
    assert_string_equal(error, expected);
    assert_false(packed_file(&packed, "/", error));
    assert_string_equal(error, "/: Is a directory");
    assert_false(packed_file(&packed, "/dev/zero", error));
    assert_string_equal(error, "/dev/zero: it has more than 8 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts), cmocka_unit_test(a_digest), cmocka_unit_test(who_has_a_digest),
        cmocka_unit_test(what_is_too_large), cmocka_unit_test(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

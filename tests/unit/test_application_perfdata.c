#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "application/perfdata.h"

#include "performance.h"
#include "unit.h"

static int read_header(const struct performance *made, struct perfdata_header *header,
                       char why[MESSAGE_SIZE])
{
    why[0] = '\0';
    int error = perfdata_header_read(made->octets, made->size, header, why);
    assert_int_equal(!error, !why[0]);
    return error;
}

/* All entries; their number if all were good. */
static int read_all(const struct performance *made, unsigned *n, char why[MESSAGE_SIZE])
{
    struct perfdata_header header;
    int error = read_header(made, &header, why);
    *n = 0;
    if (error)
        return error;
    struct perfdata_cursor cursor = perfdata_begin(&header);
    for (; perfdata_has_next(&header, &cursor); ++*n) {
        struct perfdata_entry entry;
        error = perfdata_next(made->octets, &header, &cursor, &entry, why);
        assert_int_equal(!error, !why[0]);
        if (error)
            return error;
        assert_true(strlen(entry.name) < made->size);
        if (entry.type == PERFDATA_LONG && entry.vector == 0)
            perfdata_long(made->octets, &header, entry.data);
        if (entry.type == PERFDATA_OCTETS && entry.vector > 0)
            assert_true(strnlen((const char *)made->octets + entry.data, entry.vector) <=
                        entry.vector);
    }
    return 0;
}

static void check(const struct performance *made, int wanted, const char *part)
{
    unsigned n;
    char why[MESSAGE_SIZE];
    assert_int_equal(read_all(made, &n, why), wanted);
    if (wanted && !strstr(why, part))
        fail_msg("\"%s\" does not say \"%s\"", why, part);
}

/* One octet or number is another one, and then the old one again. */
static void check_changed(struct performance *made, size_t at, unsigned size, uint64_t value,
                          int wanted, const char *part)
{
    uint8_t before[8];
    memcpy(before, made->octets + at, size);
    performance_put(made, at, size, value);
    check(made, wanted, part);
    memcpy(made->octets + at, before, size);
    check(made, 0, "");
}

/* The numbers of entries are those that another reader counted in the same files. */
static void captured_files(void **state)
{
    static const struct {
        const char *name;
        unsigned count;
    } files[] = {
        {"jdk17-epsilon", 128}, {"jdk17-g1", 187},         {"jdk17-parallel", 214},
        {"jdk17-serial", 182},  {"jdk17-shenandoah", 143}, {"jdk17-z", 133},
        {"jdk21-g1", 187},      {"jdk21-parallel", 214},   {"jdk21-serial", 182},
        {"jdk21-z", 148},       {"jdk25-g1", 185},         {"jdk25-parallel", 206},
        {"jdk25-serial", 176},  {"jdk25-z", 142},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(files); i++) {
        struct performance captured = performance_captured(files[i].name);
        struct performance swapped = performance_swapped(&captured);
        unsigned n;
        char why[MESSAGE_SIZE];
        assert_int_equal(read_all(&captured, &n, why), 0);
        assert_int_equal(n, files[i].count);
        assert_int_equal(read_all(&swapped, &n, why), 0);
        assert_int_equal(n, files[i].count);
        performance_free(&captured);
        performance_free(&swapped);
    }
}

static void header_of_a_captured_file(void **state)
{
    (void)state;
    struct performance captured = performance_captured("jdk17-g1");
    struct perfdata_header header;
    char why[MESSAGE_SIZE];
    assert_int_equal(read_header(&captured, &header, why), 0);
    assert_true(header.is_little);
    assert_int_equal(header.major, 2);
    assert_int_equal(header.minor, 0);
    assert_int_equal(header.used, captured.size);
    assert_int_equal(header.overflow, 0);
    assert_int_equal(header.first, 32);
    struct performance swapped = performance_swapped(&captured);
    struct perfdata_header other;
    assert_int_equal(read_header(&swapped, &other, why), 0);
    assert_false(other.is_little);
    other.is_little = true;
    assert_memory_equal(&header, &other, sizeof header);
    performance_free(&captured);
    performance_free(&swapped);
}

static void entries(void **state)
{
    (void)state;
    struct performance made = performance_new();
    performance_add_number(&made, "a.number", PERFDATA_EVENTS, -7);
    performance_add_octets(&made, "a.text", "some", 5);
    struct perfdata_header header;
    struct perfdata_entry entry;
    char why[MESSAGE_SIZE];
    assert_int_equal(read_header(&made, &header, why), 0);
    assert_int_equal(header.count, 2);
    struct perfdata_cursor cursor = perfdata_begin(&header);
    assert_true(perfdata_has_next(&header, &cursor));
    assert_int_equal(perfdata_next(made.octets, &header, &cursor, &entry, why), 0);
    assert_string_equal(entry.name, "a.number");
    assert_int_equal(entry.type, PERFDATA_LONG);
    assert_int_equal(entry.unit, PERFDATA_EVENTS);
    assert_int_equal(entry.vector, 0);
    assert_true(perfdata_long(made.octets, &header, entry.data) == -7);
    assert_int_equal(perfdata_next(made.octets, &header, &cursor, &entry, why), 0);
    assert_string_equal(entry.name, "a.text");
    assert_int_equal(entry.type, PERFDATA_OCTETS);
    assert_int_equal(entry.unit, PERFDATA_STRING);
    assert_int_equal(entry.vector, 5);
    assert_memory_equal(made.octets + entry.data, "some", 5);
    assert_false(perfdata_has_next(&header, &cursor));
    performance_free(&made);
}

static void no_entries(void **state)
{
    (void)state;
    struct performance made = performance_new();
    check(&made, 0, "");
    performance_free(&made);
}

static void prologues(void **state)
{
    (void)state;
    struct performance made = performance_new();
    performance_add_number(&made, "n", PERFDATA_NONE, 1);
    size_t size = made.size;
    check_changed(&made, 0, 1, 0xcb, EBADMSG, "does not begin");
    check_changed(&made, 3, 1, 0xc1, EBADMSG, "does not begin");
    check_changed(&made, 4, 1, 2, EBADMSG, "byte order 2");
    check_changed(&made, 5, 1, 3, EPROTONOSUPPORT, "version 3.0, and only 2 is known");
    check_changed(&made, 5, 1, 1, EPROTONOSUPPORT, "version 1.0");
    check_changed(&made, 6, 1, 255, 0, "");
    check_changed(&made, 7, 1, 0, EAGAIN, "has not finished its start");
    check_changed(&made, 8, 4, size + 1, EBADMSG, "the file has");
    check_changed(&made, 8, 4, 31, EBADMSG, "end at 31");
    check_changed(&made, 8, 4, UINT32_MAX, EBADMSG, "the file has");
    check_changed(&made, 12, 4, UINT32_MAX, 0, "");
    check_changed(&made, 24, 4, 31, EBADMSG, "begin at octet 31");
    check_changed(&made, 24, 4, size + 1, EBADMSG, "begin at octet");
    check_changed(&made, 24, 4, size, EBADMSG, "Entry 1");
    check_changed(&made, 28, 4, 2, EBADMSG, "Entry 2, at octet 64, is behind what is used");
    check_changed(&made, 28, 4, UINT32_MAX, EBADMSG, "Entry 2, at octet 64, is behind");
    for (made.size = 0; made.size < 32; made.size++)
        check(&made, EBADMSG, "does not begin");
    performance_free(&made);
}

/* The entry is of 40 octets: its head of 20, "abc" and a NUL at 20, a number at 24, and 8 of
 * nothing. */
static void broken_entries(void **state)
{
    (void)state;
    struct performance made = performance_new();
    performance_add_number(&made, "abc", PERFDATA_NONE, 1);
    performance_add_octets(&made, "text", "some", 5);
    size_t first = performance_find(&made, "abc"), text = performance_find(&made, "text");
    check_changed(&made, first, 4, 19, EBADMSG, "Entry 1, at octet 32, has a length");
    check_changed(&made, first, 4, made.size - 31, EBADMSG, "Entry 1, at octet 32, has a length");
    check_changed(&made, first, 4, UINT32_MAX, EBADMSG, "has a length");
    check_changed(&made, text, 4, made.size - text + 1, EBADMSG, "Entry 2, at octet 64, has a len");
    check_changed(&made, text + 4, 4, 19, EBADMSG, "Entry 2, at octet 64, has its name");
    check_changed(&made, text + 4, 4, made.size - text, EBADMSG, "has its name elsewhere");
    check_changed(&made, text + 4, 4, UINT32_MAX, EBADMSG, "has its name elsewhere");
    check_changed(&made, first + 16, 4, 19, EBADMSG, "has its value elsewhere");
    check_changed(&made, first + 16, 4, 25, EBADMSG, "has its value elsewhere");
    check_changed(&made, first + 16, 4, UINT32_MAX, EBADMSG, "has its value elsewhere");
    check_changed(&made, text + 8, 4, 9, EBADMSG, "has its value elsewhere");
    check_changed(&made, text + 8, 4, UINT32_MAX, EBADMSG, "has its value elsewhere");
    check_changed(&made, first + 8, 4, 0x20000001, EBADMSG, "has its value elsewhere");
    /* Of another type, it is not said how large its elements are. */
    check_changed(&made, text + 12, 1, 'D', 0, "");
    memset(made.octets + text + 20, 'x', made.size - text - 20);
    check(&made, EBADMSG, "has a name without an end");
    performance_free(&made);
}

/* What a reader may see while a JVM adds an entry, which it fills in the order of its parts. */
static void unfinished(void **state)
{
    (void)state;
    struct performance made = performance_new();
    performance_add_number(&made, "first", PERFDATA_NONE, 1);
    performance_add_number(&made, "second", PERFDATA_NONE, 2);
    size_t at = performance_find(&made, "second");
    static const struct {
        size_t at;
        unsigned size;
    } parts[] = {{16, 4}, {12, 1}, {4, 4}, {0, 4}};
    for (size_t i = 0; i < N_OF(parts); i++) {
        performance_put(&made, at + parts[i].at, parts[i].size, 0);
        check(&made, EAGAIN, "Entry 2, at octet 72, is not finished");
    }
    performance_free(&made);
}

/* Each octet of a captured file is another one, and the file ends at each place. */
static void any_octets(void **state)
{
    (void)state;
    struct performance captured = performance_captured("jdk17-z");
    unsigned n;
    char why[MESSAGE_SIZE];
    for (size_t i = 0; i < captured.size; i++) {
        uint8_t before = captured.octets[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            captured.octets[i] = (uint8_t)(before ^ 1u << bit);
            read_all(&captured, &n, why);
        }
        captured.octets[i] = before;
    }
    for (size_t size = 0; size < captured.size; size++) {
        struct performance cut = {malloc(size ? size : 1), size};
        assert_non_null(cut.octets);
        memcpy(cut.octets, captured.octets, size);
        assert_int_equal(read_all(&cut, &n, why), EBADMSG);
        performance_free(&cut);
    }
    performance_free(&captured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_files), cmocka_unit_test(header_of_a_captured_file),
        cmocka_unit_test(entries),        cmocka_unit_test(no_entries),
        cmocka_unit_test(prologues),      cmocka_unit_test(broken_entries),
        cmocka_unit_test(unfinished),     cmocka_unit_test(any_octets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

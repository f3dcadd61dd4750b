#include "sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sampler *fixture_sampler(const char *fixture)
{
    char root[PATH_MAX];
    fixture_path(root, fixture);
    struct sampler *sampler = sampler_new(root);
    assert_non_null(sampler);
    return sampler;
}

const struct sample_slot *slot_named(const struct sample_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->slots[i].present && strcmp(set->slots[i].name, name) == 0)
            return &set->slots[i];
    return NULL;
}

size_t present_count(const struct sample_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++)
        n += set->slots[i].present;
    return n;
}

void assert_slots(const struct sample_set *set, const struct expected *expected, size_t n)
{
    assert_int_equal(present_count(set), n);
    for (size_t i = 0; i < n; i++) {
        const struct sample_slot *slot = slot_named(set, expected[i].instance);
        if (!slot)
            fail_msg("%s is missing", expected[i].instance);
        assert_int_equal(slot->class, expected[i].class);
        assert_int_equal(slot->valid, expected[i].valid);
        for (unsigned f = 0; f < SAMPLE_FIELDS; f++)
            if (slot->field[f] != expected[i].field[f])
                fail_msg("%s, field %u: %ju, not %ju", slot->name, f, (uintmax_t)slot->field[f],
                         (uintmax_t)expected[i].field[f]);
    }
}

void check_fixture(const char *fixture, enum metric_source source, const struct expected *expected,
                   size_t n)
{
    struct sampler *sampler = fixture_sampler(fixture);
    assert_int_equal(sampler_read(sampler, source, 77), 0);
    const struct sample_set *set = sampler_set(sampler, source);
    assert_int_equal(set->error, 0);
    assert_int_equal(set->taken_ns, 77);
    assert_slots(set, expected, n);
    sampler_free(sampler);
}

void check_error(const char *fixture, enum metric_source source, int error)
{
    struct sampler *sampler = fixture_sampler(fixture);
    assert_int_equal(sampler_read(sampler, source, 5), error);
    const struct sample_set *set = sampler_set(sampler, source);
    assert_int_equal(set->error, error);
    assert_int_equal(set->taken_ns, 5);
    assert_int_equal(present_count(set), 0);
    assert_int_equal(set->membership, 0);
    sampler_free(sampler);
}

void check_stale(const struct tree *tree, enum metric_source source, const char *path)
{
    char full[PATH_MAX];
    size_t length;
    tree_copy(tree, "laptop");
    tree_path(tree, path, full);
    char *text = file_text(full, &length);
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, source);
    assert_int_equal(sampler_read(sampler, source, 1), 0);
    size_t count = set->count;
    uint64_t membership = set->membership;
    struct sample_slot first = set->slots[0];

    tree_write(tree, path, "");
    assert_int_equal(sampler_read(sampler, source, 2), EBADMSG);
    assert_int_equal(set->error, EBADMSG);
    assert_int_equal(set->taken_ns, 2);
    assert_memory_equal(&set->slots[0], &first, sizeof first);
    tree_write(tree, path, text);
    assert_int_equal(sampler_read(sampler, source, 3), 0);
    assert_int_equal(set->error, 0);
    assert_int_equal(set->count, count);
    assert_int_equal(set->membership, membership);
    assert_memory_equal(&set->slots[0], &first, sizeof first);
    sampler_free(sampler);
    free(text);
}

static void read_any(const struct tree *tree, struct sampler *sampler, enum metric_source source,
                     const char *path, const char *bytes, size_t n)
{
    tree_write_bytes(tree, path, bytes, n);
    int error = sampler_read(sampler, source, 1);
    assert_true(error == 0 || error == EBADMSG);
    const struct sample_set *set = sampler_set(sampler, source);
    for (size_t i = 0; i < set->count; i++) {
        assert_non_null(memchr(set->slots[i].name, '\0', INSTANCE_SIZE));
        assert_true(set->slots[i].class != 0);
        assert_int_equal(set->slots[i].valid & set->slots[i].lacks, 0);
    }
}

void check_any_bytes(const struct tree *tree, enum metric_source source, const char *path)
{
    static const char strange[] = {'\0', '\n', ' ', ':', '/', '.', '9', 'x', '-', '\x1b', '\xff'};
    char full[PATH_MAX];
    size_t length;
    tree_copy(tree, "laptop");
    tree_path(tree, path, full);
    char *text = file_text(full, &length);
    struct sampler *sampler = sampler_new(tree->root);
    for (size_t n = 0; n <= length; n++)
        read_any(tree, sampler, source, path, text, n);
    for (size_t i = 0; i < length; i++) {
        char kept = text[i];
        text[i] = strange[i % sizeof strange];
        read_any(tree, sampler, source, path, text, length);
        if (i % 7)
            text[i] = kept;
    }
    sampler_free(sampler);
    free(text);
}

void select_fields(struct sampler *sampler, enum metric_source source, const char *pattern,
                   uint32_t fields)
{
    assert_int_equal(sampler_select(sampler, source, &pattern, 1, fields), 0);
}

void assert_wanted(const struct sample_set *set, const struct expected *expected, size_t n,
                   uint32_t fields)
{
    assert_int_equal(present_count(set), n);
    for (size_t i = 0; i < n; i++) {
        struct expected wanted = {
            expected[i].instance, expected[i].class, expected[i].valid & fields, {0}};
        for (unsigned f = 0; f < SAMPLE_FIELDS; f++)
            wanted.field[f] = fields >> f & 1 ? expected[i].field[f] : 0;
        const struct sample_slot *slot = slot_named(set, wanted.instance);
        assert_non_null(slot);
        assert_int_equal(slot->class, wanted.class);
        assert_int_equal(slot->valid, wanted.valid);
        assert_memory_equal(slot->field, wanted.field, sizeof wanted.field);
    }
}

void check_each_field(const char *fixture, enum metric_source source, const char *pattern,
                      const struct expected *expected, size_t n, unsigned n_fields)
{
    struct sampler *kept = fixture_sampler(fixture);
    for (unsigned i = 0; i < 2 * n_fields; i++) {
        uint32_t fields = MASK(i % n_fields);
        fields = i < n_fields ? fields : (MASK(n_fields) - 1) & ~fields;
        struct sampler *fresh = fixture_sampler(fixture);
        select_fields(fresh, source, pattern, fields);
        select_fields(kept, source, pattern, fields);
        assert_int_equal(sampler_read(fresh, source, 1), 0);
        assert_int_equal(sampler_read(kept, source, i + 1), 0);
        assert_wanted(sampler_set(fresh, source), expected, n, fields);
        assert_wanted(sampler_set(kept, source), expected, n, fields);
        sampler_free(fresh);
    }
    assert_int_equal(sampler_set(kept, source)->membership, n);
    sampler_free(kept);
}

/* For the tests of the samplers: what a set must hold, and what no input may do. */
#ifndef DCAMP_TESTS_SAMPLING_H
#define DCAMP_TESTS_SAMPLING_H

#include "metric/field.h"
#include "sample/sample.h"
#include "tree.h"

struct expected {
    const char *instance;
    enum resource_class class;
    uint32_t valid;
    uint64_t field[SAMPLE_FIELDS];
};

struct sampler *fixture_sampler(const char *fixture);
const struct sample_slot *slot_named(const struct sample_set *set, const char *name);
size_t present_count(const struct sample_set *set);
void assert_slots(const struct sample_set *set, const struct expected *expected, size_t n);

/* Reads one source of a fixture and compares. */
void check_fixture(const char *fixture, enum metric_source source, const struct expected *expected,
                   size_t n);
void check_error(const char *fixture, enum metric_source source, int error);

/* An unreadable pass leaves the slots as they were, and the next good one goes on with them. */
void check_stale(const struct tree *tree, enum metric_source source, const char *path);

/* Every beginning of the file, and the file with strange bytes in it: an error or a set. */
void check_any_bytes(const struct tree *tree, enum metric_source source, const char *path);

#define MASK(field) (UINT32_C(1) << (field))

void select_fields(struct sampler *sampler, enum metric_source source, const char *pattern,
                   uint32_t fields);

/* The instances with those of their fields that are wanted. */
void assert_wanted(const struct sample_set *set, const struct expected *expected, size_t n,
                   uint32_t fields);

/* Each field alone, then each but one: by a new sampler, and by one that wanted others before. */
void check_each_field(const char *fixture, enum metric_source source, const char *pattern,
                      const struct expected *expected, size_t n, unsigned n_fields);

#endif

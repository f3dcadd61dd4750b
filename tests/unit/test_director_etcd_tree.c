/* What etcd keeps of a tree: it comes back as it was, and nothing else is believed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "director/etcd_tree.h"
#include "unit.h"

static struct etcd_tree a_document(const char *text)
{
    struct etcd_tree kept = {.term = 7, .epoch = 3, .serial = 2, .root = "r1"};
    kept.parcel = parcel_make(text, strlen(text));
    assert_non_null(kept.parcel);
    return kept;
}

static void it_comes_back(void **state)
{
    (void)state;
    char error[FAULT_SIZE] = "";
    struct etcd_tree kept = a_document("<tree/>"), read;
    char *text = etcd_tree_document(&kept);
    assert_non_null(text);
    assert_true(etcd_tree_read(text, strlen(text), &read, error));
    assert_int_equal(read.term, 7);
    assert_int_equal(read.epoch, 3);
    assert_int_equal(read.serial, 2);
    assert_string_equal(read.root, "r1");
    assert_int_equal(read.parcel->len, kept.parcel->len);
    assert_memory_equal(read.parcel->octets, kept.parcel->octets, kept.parcel->len);
    parcel_drop(read.parcel);
    parcel_drop(kept.parcel);
    free(text);
}

static void the_largest_document_fits(void **state)
{
    (void)state;
    char error[FAULT_SIZE] = "";
    uint8_t *octets = malloc(PARCEL_MAX);
    assert_non_null(octets);
    for (size_t i = 0; i < PARCEL_MAX; i++)
        octets[i] = (uint8_t)(i * i >> 3);
    struct etcd_tree kept = {.term = UINT32_MAX, .epoch = UINT32_MAX, .serial = UINT32_MAX}, read;
    memset(kept.root, 'r', sizeof kept.root - 1);
    kept.parcel = parcel_of(octets, PARCEL_MAX);
    char *text = etcd_tree_document(&kept);
    assert_non_null(text);
    assert_true(strlen(text) < ETCD_VALUE_MAX);
    assert_true(etcd_tree_read(text, strlen(text), &read, error));
    assert_memory_equal(read.parcel->octets, octets, PARCEL_MAX);
    parcel_drop(read.parcel);
    parcel_drop(kept.parcel);
    free(text);
    free(octets);
}

/* Each member in turn is another one, or none. */
static const struct {
    const char *member, *json, *error;
} bad[] = {
    {"term", "0", "number from 1"},
    {"term", "4294967296", "number from 1"},
    {"term", "\"7\"", "number from 1"},
    {"epoch", "-1", "number from 1"},
    {"epoch", "1.5", "number from 1"},
    {"serial", NULL, "number from 1"},
    {"root", "\"\"", "no name"},
    {"root", "\"r 1\"", "no name"},
    {"root", "7", "no name"},
    {"root", NULL, "no name"},
    {"document", NULL, "no base64"},
    {"document", "7", "no base64"},
    {"document", "\"\"", "no base64"},
    {"document", "\"?\"", "no base64"},
    {"document", "\"AAAA\"", "not the one of its digest"},
    {"digest", NULL, "not the one of its digest"},
    {"digest", "\"00\"", "not the one of its digest"},
};

static void nothing_else_is_believed(void **state)
{
    (void)state;
    struct etcd_tree kept = a_document("<tree/>"), read;
    char error[FAULT_SIZE], *text = etcd_tree_document(&kept);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *json = json_loads(text, 0, NULL);
        assert_non_null(json);
        if (bad[i].json)
            json_object_set_new(json, bad[i].member,
                                json_loads(bad[i].json, JSON_DECODE_ANY, NULL));
        else
            json_object_del(json, bad[i].member);
        char *changed = json_dumps(json, 0);
        error[0] = '\0';
        if (etcd_tree_read(changed, strlen(changed), &read, error) || !strstr(error, bad[i].error))
            fail_msg("%s %s: %s", bad[i].member, bad[i].json ? bad[i].json : "", error);
        assert_null(read.parcel);
        free(changed);
        json_decref(json);
    }
    parcel_drop(kept.parcel);
    free(text);
}

static void no_octet_is_trusted(void **state)
{
    (void)state;
    struct etcd_tree kept = a_document("<tree/>"), read;
    char error[FAULT_SIZE], *text = etcd_tree_document(&kept);
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        assert_false(etcd_tree_read(text, i, &read, error));
        for (int octet = 0; octet < 256; octet++) {
            char was = text[i];
            text[i] = (char)octet;
            if (etcd_tree_read(text, len, &read, error))
                parcel_drop(read.parcel);
            text[i] = was;
        }
    }
    parcel_drop(kept.parcel);
    free(text);
}

/* The order that a node works by, and whether it takes "<tree/>" of r1 in term 7, epoch 3. */
static const struct {
    const char *self, *root;
    uint32_t term, epoch;
    bool same, newer;
} orders[] = {
    {"r2", "r1", 6, 9, false, true}, /* it has not heard of that root */
    {"r2", "r1", 7, 9, false, true}, /* nor of its latest document; epochs are of each node */
    {"r2", "r1", 7, 9, true, false}, /* it has that */
    {"r2", "r1", 6, 9, true, false},
    {"r2", "r2", 8, 1, false, false}, /* promoted by hand since */
    {"r2", "r2", 6, 1, false, true},
    {"r1", "r1", 7, 3, false, false}, /* which cannot be */
    {"r1", "r1", 7, 2, false, true},
    {"r1", "r1", 7, 4, false, false}, /* the same root was told something since */
    {"r1", "r2", 7, 4, false, true},
    {"r1", "r1", 6, 4, false, true},
    {"r1", "r1", 8, 1, false, false},
};

static void who_takes_what(void **state)
{
    (void)state;
    struct etcd_tree kept = a_document("<tree/>");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct inbox order = {.term = orders[i].term, .epoch = orders[i].epoch};
        snprintf(order.self, sizeof order.self, "%s", orders[i].self);
        snprintf(order.root, sizeof order.root, "%s", orders[i].root);
        if (orders[i].same)
            memcpy(order.digest, kept.parcel->digest, CONFIG_DIGEST);
        if (etcd_tree_is_newer(&kept, &order) != orders[i].newer)
            fail_msg("%s, which obeys %s in term %u", order.self, order.root, (unsigned)order.term);
    }
    parcel_drop(kept.parcel);
}

static void assignments(void **state)
{
    (void)state;
    const struct etcd_tree kept = {.term = 7, .epoch = 3, .serial = 2, .root = "r1"};
    const struct etcd_place places[] = {{"r1", "root", "", "default", 0},
                                        {"m1", "metric", "r1", "web", 1}};
    char *text = etcd_tree_assignments(&kept, places, 2);
    assert_string_equal(text, "{\"term\":7,\"epoch\":3,\"serial\":2,\"root\":\"r1\",\"total\":2,"
                              "\"nodes\":[[\"r1\",\"root\",\"\",0,\"default\"],"
                              "[\"m1\",\"metric\",\"r1\",1,\"web\"]]}");
    free(text);
    text = etcd_tree_assignments(&kept, NULL, 0);
    assert_non_null(strstr(text, "\"total\":0,\"nodes\":[]"));
    free(text);
}

static void assignments_of_too_many(void **state)
{
    (void)state;
    const size_t n = 65536;
    const struct etcd_tree kept = {.term = 7, .epoch = 3, .serial = 2, .root = "r1"};
    struct etcd_place *places = calloc(n, sizeof *places);
    assert_non_null(places);
    for (size_t i = 0; i < n; i++)
        places[i] = (struct etcd_place){"abcdefghijklmnopqrstuvwxyz012345", "metric",
                                        "abcdefghijklmnopqrstuvwxyz012345", "default", UINT32_MAX};
    char *text = etcd_tree_assignments(&kept, places, n);
    assert_non_null(text);
    assert_true(strlen(text) < ETCD_VALUE_MAX);
    json_t *json = json_loads(text, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(json, "total")), n);
    size_t listed = json_array_size(json_object_get(json, "nodes"));
    assert_true(listed > 10000 && listed < n);
    json_decref(json);
    free(text);
    free(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_comes_back),
        cmocka_unit_test(the_largest_document_fits),
        cmocka_unit_test(nothing_else_is_believed),
        cmocka_unit_test(no_octet_is_trusted),
        cmocka_unit_test(who_takes_what),
        cmocka_unit_test(assignments),
        cmocka_unit_test(assignments_of_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

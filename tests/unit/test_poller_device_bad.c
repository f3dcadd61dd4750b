/* Devices that answer what cannot be, or refuse, or change. */
#include <limits.h>
#include <math.h>

#include "devices.h"

/* -- Bad answers ----------------------------------------------------------------------------- */

static void prepare(struct bench *bench)
{
    bench_object(bench, IF_IN, IF_NAME, "*");
    bench_object(bench, "1.3.6.1.2.1.1.3", NULL, "*");
    bench_set(bench);
    bench_put_number(bench, "1.3.6.1.2.1.1.3.0", 77);
    bench_put_if(bench, 1, "lo", 1);
    bench_put_if(bench, 2, "eth0", 2);
    bench_poll(bench, 1);
    bench->log[0] = '\0';
    device_begin(bench->device, bench->now);
}

/* Of an answer that is not one, nothing is taken. */
static void garbage(void **state)
{
    struct bench *bench = *state;
    struct reply *reply;
    prepare(bench);
    reply = bench_reply(bench);
    assert_int_equal(reply->answer.n, 3);
    reply->answer.n = 2;
    assert_string_equal(bench_take(bench, reply), "less than was asked for");
    reply = bench_reply(bench);
    reply->varbinds[3] = reply->varbinds[2];
    reply->answer.n = 4;
    assert_string_equal(bench_take(bench, reply), "more than was asked for");
    for (size_t i = 0; i < 3; i++) {
        reply = bench_reply(bench);
        reply->varbinds[i] = reply->varbinds[(i + 1) % 3];
        assert_string_equal(bench_take(bench, reply), "not what was asked for");
        reply = bench_reply(bench);
        reply->varbinds[i].n--;
        assert_string_equal(bench_take(bench, reply), "not what was asked for");
    }
    assert_string_equal(bench->log, "");
    assert_null(bench_take(bench, bench_reply(bench)));
    assert_string_equal(bench->log, "2=1 3=2 1=77 ");
}

/* Errors about one varbind: it is named, and the others are asked for again. */
static void refusals(void **state)
{
    struct bench *bench = *state;
    struct reply *reply;
    prepare(bench);
    reply = bench_reply(bench);
    reply->answer = (struct device_answer){.error = "genErr", .error_index = 2};
    assert_null(bench_take(bench, reply));
    assert_int_equal(bench->device->ask, DEVICE_GET);
    assert_int_equal(bench->device->n_asked, 2);
    assert_null(bench_take(bench, bench_reply(bench)));
    assert_string_equal(bench->log, "!0:the agent refuses it: genErr 2=1 1=77 ");
    assert_string_equal(bench_poll(bench, 1), "2=1 1=77 ");
    assert_string_equal(bench_poll(bench, 299), "2=1 3=2 1=77 ");
    static const long indexes[] = {0, -1, 4, LONG_MAX, LONG_MIN};
    for (size_t i = 0; i < N_OF(indexes); i++) {
        device_begin(bench->device, bench->now);
        reply = bench_reply(bench);
        reply->answer = (struct device_answer){.error = "genErr", .error_index = indexes[i]};
        assert_string_equal(bench_take(bench, reply), "genErr");
    }
}

/* One that refuses everything is not asked for ever. */
static void refuses_everything(void **state)
{
    struct bench *bench = *state;
    const char *why = NULL;
    size_t rounds = 0;
    bench_object(bench, "1.3.6.1.4.1.9", "", "*");
    bench_set(bench);
    bench_fill(bench, 200);
    bench_poll(bench, 1);
    device_begin(bench->device, bench->now);
    for (; !why && rounds < 1000; rounds++) {
        struct reply *reply = bench_reply(bench);
        reply->answer = (struct device_answer){.error = "genErr", .error_index = 1};
        why = bench_take(bench, reply);
    }
    assert_string_equal(why, "genErr");
    assert_int_equal(rounds, DEVICE_REFUSALS_MAX + 1);
    assert_int_equal(bench->faulted, 1);
}

/* Walks that go back, stay, or leave their column. */
static void bad_walks(void **state)
{
    struct bench *bench = *state;
    struct reply *reply;
    prepare(bench);
    bench->now += 301 * NS_PER_S;
    device_begin(bench->device, bench->now);
    assert_null(bench_take(bench, bench_reply(bench)));
    assert_int_equal(bench->device->ask, DEVICE_BULK);
    bench->log[0] = '\0';
    reply = bench_reply(bench);
    reply->answer.n = 0;
    assert_string_equal(bench_take(bench, reply), "an answer without varbinds");
    reply = bench_reply(bench);
    reply->answer.n = bench->device->repetitions + 1;
    assert_string_equal(bench_take(bench, reply), "more than was asked for");
    reply = bench_reply(bench);
    reply->answer.n = 1;
    unsigned long wide[OID_MAX] = {1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1, 1UL << 32};
    reply->varbinds[0].name = wide;
    assert_string_equal(bench_take(bench, reply), "a name that is no object identifier");
    assert_string_equal(bench->log, "");
    reply = bench_reply(bench);
    reply->varbinds[2] = reply->varbinds[0]; /* back to the first */
    reply->answer.n = 3;
    assert_null(bench_take(bench, reply));
    assert_string_equal(bench->log, "!0:a walk of its table does not increase, it ends there ");
    assert_int_equal(bench->device->ask, DEVICE_NOTHING);
    assert_string_equal(bench_poll(bench, 1), "2=1 3=2 1=77 "); /* which rows it had, is known */
}

/* A table that cannot be walked keeps the rows that it had. */
static void refused_walks(void **state)
{
    struct bench *bench = *state;
    prepare(bench);
    bench->now += 301 * NS_PER_S;
    device_begin(bench->device, bench->now);
    assert_null(bench_take(bench, bench_reply(bench)));
    bench->log[0] = '\0';
    struct reply *reply = bench_reply(bench);
    reply->answer = (struct device_answer){.error = "genErr", .error_index = 1};
    assert_null(bench_take(bench, reply));
    assert_string_equal(bench->log, "!0:its table cannot be walked: genErr ");
    assert_string_equal(bench_poll(bench, 1), "2=1 3=2 1=77 ");
}

/* -- Beginning anew -------------------------------------------------------------------------- */

static void renewal(void **state)
{
    struct bench *bench = *state;
    prepare(bench);
    const struct device_events events = bench_events(bench);
    device_renew(bench->device, &events);
    assert_string_equal(bench->log, "-0:2 -0:3 -1:1 ");
    assert_int_equal(bench->device->ask, DEVICE_NOTHING);
    assert_int_equal(bench->device->n_series, 1);
    assert_string_equal(bench_poll(bench, 1), "+1:4=total 4=77 +0:5=lo 5=1 +0:6=eth0 6=2 ");
}

/* Objects that are changed while an answer is due; one that is dropped lives while it is used. */
static void other_objects(void **state)
{
    struct bench *bench = *state;
    prepare(bench);
    const uint32_t second = 2, unknown = 99;
    assert_true(device_set(bench->device, 2, bench->objects, &second, 1));
    assert_int_equal(bench->device->ask, DEVICE_NOTHING);
    object_drop(&bench->objects, 2);
    object_drop(&bench->objects, 2);
    assert_string_equal(bench_poll(bench, 1), "+0:4=total 4=77 ");
    assert_false(device_set(bench->device, 3, bench->objects, &second, 1));
    assert_string_equal(bench_poll(bench, 1), "");
    assert_false(device_set(bench->device, 3, bench->objects, &unknown, 1));
}

/* Silence after an answer: perhaps it was too large to come through. */
static void silence(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1.4.1.9", "", "*");
    bench_set(bench);
    bench_fill(bench, 200);
    device_begin(bench->device, bench->now);
    device_timed_out(bench->device);
    assert_int_equal(bench->device->limit, DEVICE_VARBINDS_MAX); /* nobody was there at all */
    do
        assert_null(bench_take(bench, bench_reply(bench)));
    while (bench->device->ask == DEVICE_BULK);
    uint32_t n = bench->device->n_asked;
    assert_true(n > 1);
    device_timed_out(bench->device);
    device_begin(bench->device, bench->now);
    assert_int_equal(bench->device->n_asked, n / 2);
}

/* Where as much has come through in the same poll, a packet was lost: that is no reason to ask for
 * less from then on, until it happens again. */
static void lost_packets(void **state)
{
    struct bench *bench = *state;
    bench_object(bench, "1.3.6.1.4.1.9", "", "*");
    bench_set(bench);
    bench_fill(bench, 200);
    bench_poll(bench, 1);
    device_begin(bench->device, bench->now);
    uint32_t n = bench->device->n_asked, limit = bench->device->limit;
    for (int i = 0; i < 3; i++) {
        device_begin(bench->device, bench->now);
        assert_null(bench_take(bench, bench_reply(bench)));
        device_timed_out(bench->device);
        assert_int_equal(bench->device->limit, limit);
        bench_poll(bench, 1);
    }
    for (int i = 0; i < 2; i++) {
        device_begin(bench->device, bench->now);
        assert_int_equal(bench->device->n_asked, n);
        assert_null(bench_take(bench, bench_reply(bench)));
        device_timed_out(bench->device);
    }
    assert_int_equal(bench->device->limit, n / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(garbage),       bench_test(refusals),      bench_test(refuses_everything),
        bench_test(bad_walks),     bench_test(refused_walks), bench_test(renewal),
        bench_test(other_objects), bench_test(silence),       bench_test(lost_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

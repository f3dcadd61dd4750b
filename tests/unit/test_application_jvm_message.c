/* What the daemon and dcamp-jvm tell each other: there and back, and everything that is none. */
#include "application/jvm_message.h"

#include <string.h>

#include "tests/unit/unit.h"

static uint8_t packet[JVM_PACKET_MAX];

static struct jvm_message a_jvm(void)
{
    struct jvm_message is = {.kind = JVM_FOUND, .pass = 7};
    is.found = (struct jvm){.pid = 4194304,
                            .owner = 4000000000u,
                            .started = UINT64_MAX,
                            .cpu_us = 3,
                            .cpu_user_us = 1,
                            .cpu_system_us = 2};
    struct jvm_profile *profile = &is.found.profile;
    profile->known = (1u << JVM_VALUES) - 1;
    profile->overflow = 11;
    profile->heap_is_of_last_collection = true;
    for (unsigned i = 0; i < JVM_VALUES; i++)
        profile->value[i] = INT64_MAX - i;
    profile->n_collectors = JVM_COLLECTORS;
    for (unsigned i = 0; i < JVM_COLLECTORS; i++) {
        struct jvm_collector *collector = &profile->collector[i];
        strcpy(collector->name, "G1 young collection pauses");
        collector->has_count = i % 2 == 0;
        collector->has_time = i % 2 != 0;
        collector->count = i;
        collector->time_ns = UINT64_MAX - i;
    }
    memset(profile->name, 'n', INSTANCE_SIZE - 1);
    return is;
}

static void there_and_back(void **state)
{
    (void)state;
    struct jvm_message one = a_jvm(), other;
    memset(&other, 0xff, sizeof other);
    size_t size = jvm_message_put(packet, &one);
    assert_true(size <= JVM_PACKET_MAX);
    assert_true(jvm_message_take(packet, size, &other));
    assert_int_equal(other.kind, JVM_FOUND);
    assert_int_equal(other.pass, 7);
    assert_int_equal(other.found.pid, one.found.pid);
    assert_int_equal(other.found.owner, one.found.owner);
    assert_true(other.found.started == one.found.started);
    assert_int_equal(other.found.cpu_us, 3);
    assert_int_equal(other.found.cpu_user_us, 1);
    assert_int_equal(other.found.cpu_system_us, 2);
    const struct jvm_profile *a = &one.found.profile, *b = &other.found.profile;
    assert_int_equal(b->known, a->known);
    assert_int_equal(b->overflow, 11);
    assert_true(b->heap_is_of_last_collection);
    assert_memory_equal(b->value, a->value, sizeof a->value);
    assert_string_equal(b->name, a->name);
    assert_int_equal(b->n_collectors, JVM_COLLECTORS);
    for (unsigned i = 0; i < JVM_COLLECTORS; i++) {
        assert_string_equal(b->collector[i].name, a->collector[i].name);
        assert_int_equal(b->collector[i].has_count, i % 2 == 0);
        assert_int_equal(b->collector[i].has_time, i % 2 != 0);
        assert_int_equal(b->collector[i].count, i);
        assert_true(b->collector[i].time_ns == UINT64_MAX - i);
    }
}

static void others_there_and_back(void **state)
{
    (void)state;
    struct jvm_message other;
    struct jvm_message is = {.kind = JVM_ASK, .pass = UINT32_MAX};
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_int_equal(other.kind, JVM_ASK);
    assert_true(other.pass == UINT32_MAX);

    is.ask.n = JVM_SHUNNED_MAX;
    for (unsigned i = 0; i < JVM_SHUNNED_MAX; i++)
        is.ask.shunned[i] = (struct jvm_process){(pid_t)i + 1, UINT64_MAX - i};
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_int_equal(other.ask.n, JVM_SHUNNED_MAX);
    assert_memory_equal(other.ask.shunned, is.ask.shunned, sizeof is.ask.shunned);

    is = (struct jvm_message){.kind = JVM_LOOK, .pass = 3, .look = {4194304, UINT64_MAX}};
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_int_equal(other.look.pid, 4194304);
    assert_true(other.look.started == UINT64_MAX);
    is.look.pid = 0;
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_int_equal(other.look.pid, 0);

    is = (struct jvm_message){.kind = JVM_TROUBLE, .pass = 1};
    is.trouble.owner = 1000;
    is.trouble.problem = OWNER_DAMAGED;
    memset(is.trouble.why, 'w', MESSAGE_SIZE - 1);
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_int_equal(other.kind, JVM_TROUBLE);
    assert_int_equal(other.trouble.owner, 1000);
    assert_int_equal(other.trouble.problem, OWNER_DAMAGED);
    assert_string_equal(other.trouble.why, is.trouble.why);

    is = (struct jvm_message){.kind = JVM_END, .pass = 1, .end = {true, 12}};
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_int_equal(other.kind, JVM_END);
    assert_true(other.end.is_privileged);
    assert_int_equal(other.end.unseen, 12);
}

/* Each kind has its own length, and no other one is right. */
static void other_lengths(void **state)
{
    (void)state;
    struct jvm_message is = a_jvm(), other;
    for (unsigned kind = JVM_ASK; kind <= JVM_LOOK; kind++) {
        memset(packet, 0, sizeof packet);
        if (kind == JVM_ASK)
            is.ask = (struct jvm_ask){.n = 1};
        else if (kind == JVM_TROUBLE)
            is.trouble = (struct jvm_trouble){.problem = OWNER_NEWER};
        else if (kind == JVM_LOOK)
            is.look = (struct jvm_process){.pid = 1};
        else
            is = a_jvm();
        is.kind = kind;
        size_t size = jvm_message_put(packet, &is);
        for (size_t n = 0; n <= sizeof packet; n++)
            if (jvm_message_take(packet, n, &other) != (n == size))
                fail_msg("kind %u of %zu octets, read with %zu", kind, size, n);
    }
}

static bool is_taken(const struct jvm_message *is)
{
    struct jvm_message other;
    return jvm_message_take(packet, jvm_message_put(packet, is), &other);
}

static void nonsense(void **state)
{
    (void)state;
    struct jvm_message other, is = a_jvm();
    size_t size = jvm_message_put(packet, &is);
    for (uint32_t kind = 0; kind < 1000; kind++) {
        memcpy(packet + 4, &kind, sizeof kind);
        assert_int_equal(jvm_message_take(packet, size, &other), kind == JVM_FOUND);
    }
    jvm_message_put(packet, &is);
    packet[0]++; /* another version */
    assert_false(jvm_message_take(packet, size, &other));

    for (unsigned bit = JVM_VALUES; bit < 32; bit++) {
        is = a_jvm();
        is.found.profile.known |= 1u << bit;
        assert_false(is_taken(&is));
    }
    is = a_jvm();
    is.found.pid = 0;
    assert_false(is_taken(&is));
    is.found.pid = -1;
    assert_false(is_taken(&is));
    is = a_jvm();
    is.found.profile.name[0] = '\0';
    assert_false(is_taken(&is));
    is = a_jvm();
    memset(is.found.profile.name, 'n', INSTANCE_SIZE); /* without an end */
    assert_false(is_taken(&is));
    is = a_jvm();
    is.found.profile.collector[JVM_COLLECTORS - 1].name[0] = '\0';
    assert_false(is_taken(&is));
    is = (struct jvm_message){.kind = JVM_ASK, .ask = {.n = JVM_SHUNNED_MAX + 1}};
    assert_false(is_taken(&is));
    is = (struct jvm_message){.kind = JVM_ASK, .ask = {1, {{-1, 0}}}};
    assert_false(is_taken(&is));
    is = (struct jvm_message){.kind = JVM_LOOK, .look = {-1, 0}};
    assert_false(is_taken(&is));
    is = (struct jvm_message){.kind = JVM_TROUBLE, .trouble.problem = OWNER_PROBLEMS};
    assert_false(is_taken(&is));
    is.trouble.problem = OWNER_NEWER;
    assert_true(is_taken(&is));
    memset(is.trouble.why, 'w', MESSAGE_SIZE);
    assert_false(is_taken(&is));
}

/* What a process says of itself costs no more than that, whatever it is. */
static void bad_values_cost_themselves_only(void **state)
{
    (void)state;
    struct jvm_message other;
    for (unsigned bad = 0; bad < JVM_VALUES; bad++) {
        struct jvm_message is = a_jvm();
        is.found.profile.value[bad] = bad % 2 ? UINT64_MAX : (uint64_t)INT64_MAX + 1;
        assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
        for (unsigned i = 0; i < JVM_VALUES; i++) {
            assert_int_equal(jvm_knows(&other.found.profile, i), i != bad);
            assert_int_equal(other.found.profile.value[i], i == bad ? 0 : INT64_MAX - i);
        }
    }
}

/* More collectors than there may be: of a packet that this end would never put. */
static void many_collectors(void **state)
{
    (void)state;
    struct jvm_message is = a_jvm(), other;
    uint8_t few[JVM_PACKET_MAX];
    size_t size = jvm_message_put(packet, &is), at = 0;
    is.found.profile.n_collectors = JVM_COLLECTORS - 1;
    jvm_message_put(few, &is);
    while (packet[at] == few[at])
        at++;
    packet[at]++;
    assert_false(jvm_message_take(packet, size, &other));
}

static void texts_are_printable(void **state)
{
    (void)state;
    struct jvm_message is = a_jvm(), other;
    strcpy(is.found.profile.name, " a\nb\xff;c|d ");
    strcpy(is.found.profile.collector[0].name, "\x1b[2J");
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_string_equal(other.found.profile.name, "a?b??c?d");
    assert_string_equal(other.found.profile.collector[0].name, "?[2J");
    is = (struct jvm_message){.kind = JVM_TROUBLE};
    strcpy(is.trouble.why, "process 1:\n\xc3\xa4 \xc3");
    assert_true(jvm_message_take(packet, jvm_message_put(packet, &is), &other));
    assert_string_equal(other.trouble.why, "process 1:?\xc3\xa4 ?");
}

/* The packet tells nothing that was in memory before. */
static void no_remains(void **state)
{
    (void)state;
    uint8_t again[JVM_PACKET_MAX];
    struct jvm_message one, other;
    memset(&one, 0xaa, sizeof one);
    memset(&other, 0x55, sizeof other);
    struct jvm_message is = a_jvm();
    one.kind = other.kind = JVM_FOUND;
    one.pass = other.pass = 1;
    one.found = other.found = is.found;
    size_t size = jvm_message_put(packet, &one);
    jvm_message_put(again, &other);
    assert_memory_equal(packet, again, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(others_there_and_back),
        cmocka_unit_test(other_lengths),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(bad_values_cost_themselves_only),
        cmocka_unit_test(many_collectors),
        cmocka_unit_test(texts_are_printable),
        cmocka_unit_test(no_remains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

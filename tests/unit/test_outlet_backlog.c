/* The backlog and its readers, without sockets: whatever comes, goes and comes again, each reader
 * has every number of every stream once, in its order, as a block or as lost, and nothing is lost
 * that the child still has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outlet/reader.h"
#include "unit.h"

#define CHILDREN 3
#define READERS 3
#define BOOTS 40
#define KEEP 30
#define MOST 6000 /* some fifty blocks */

struct source {
    uint32_t id, boot, first, last, next;
    bool again; /* it was asked to tell all */
    char name[NAME_SIZE];
};

struct follower {
    struct backlog_reader reader;
    bool is_there;
    uint32_t next[CHILDREN][BOOTS]; /* 0: the stream was not told of */
};

struct world {
    struct backlog backlog;
    struct source sources[CHILDREN];
    struct follower followers[READERS];
    uint64_t now_ns;
    unsigned seed;
    size_t blocks, lost, asked;
};

static unsigned dice(struct world *world, unsigned n)
{
    world->seed = world->seed * 1103515245u + 12345u;
    return (world->seed >> 16) % n;
}

static struct backlog_origin origin_of(const struct source *source)
{
    static const uint8_t engine[] = {1, 2, 3, 4, 5};
    return (struct backlog_origin){.child = source->id,
                                   .boot = source->boot,
                                   .name = source->name,
                                   .group = "",
                                   .engine_id = engine,
                                   .engine_id_len = sizeof engine};
}

static void take(struct world *world, const struct source *source, uint32_t number)
{
    const struct backlog_origin origin = origin_of(source);
    char octets[64];
    int len = snprintf(octets, sizeof octets, "%s %u %u", source->name, source->boot, number);
    backlog_take(&world->backlog, &origin, number, (const uint8_t *)octets, (size_t)len);
}

/* What its poller and children/ make of an answer. */
static void answer(struct world *world, struct source *source)
{
    const struct backlog_origin origin = origin_of(source);
    backlog_told(&world->backlog, &origin, source->first, source->last, world->now_ns);
    for (uint32_t i = source->first; source->again && i < source->next; i++)
        if (backlog_wants(&world->backlog, source->id, source->boot, i))
            take(world, source, i);
    source->again = false;
    if (source->next < source->first)
        source->next = source->first;
    for (; source->last > 0 && source->next <= source->last; source->next++)
        take(world, source, source->next);
}

static void report(struct world *world, struct source *source)
{
    source->last += 1 + dice(world, 8);
    source->first = source->last > KEEP ? source->last - KEEP + 1 : 1;
}

static void reboot(struct world *world, struct source *source)
{
    if (source->boot + 1 == BOOTS)
        return;
    source->boot++;
    source->first = source->last = source->next = 0;
    source->again = false;
    report(world, source);
}

static struct source *source_of(struct world *world, const struct backlog_stream *stream)
{
    return &world->sources[stream->name[0] - 'a'];
}

static void check_block(const struct reader_item *item)
{
    char octets[64];
    int len = snprintf(octets, sizeof octets, "%s %u %u", item->stream->name, item->stream->boot,
                       item->block->number);
    assert_int_equal(item->block->len, len);
    assert_memory_equal(item->block->octets, octets, len);
}

static void check_item(struct world *world, struct follower *follower,
                       const struct reader_item *item)
{
    const struct source *source = source_of(world, item->stream);
    uint32_t *next = &follower->next[item->stream->name[0] - 'a'][item->stream->boot];
    switch (item->kind) {
    case READER_STREAM:
        assert_true(*next == 0 || *next == item->first); /* the same boot may begin again */
        *next = item->first;
        break;
    case READER_BLOCK:
        assert_int_equal(item->block->number, *next);
        check_block(item);
        ++*next;
        world->blocks++;
        break;
    case READER_LOST:
        assert_int_equal(item->first, *next);
        assert_true(item->last >= item->first);
        assert_true(item->stream->is_over || item->stream->boot != source->boot ||
                    item->last < source->first);
        *next = item->last + 1;
        world->lost += item->last - item->first + 1;
        break;
    case READER_ASK:
        world->asked++;
        break;
    }
}

static void follow(struct world *world, struct follower *follower, unsigned n)
{
    struct reader_item item;
    reader_turn(&follower->reader);
    while (n-- > 0 && reader_next(&world->backlog, &follower->reader, true, world->now_ns, &item)) {
        check_item(world, follower, &item);
        if (item.kind == READER_ASK)
            source_of(world, item.stream)->again = true;
        else
            reader_pass(&world->backlog, &follower->reader, &item);
    }
}

/* It comes with the cursors that it had when it went. */
static void come(struct world *world, struct follower *follower)
{
    static const uint8_t engine[] = {1, 2, 3, 4, 5};
    for (int i = 0; i < CHILDREN; i++)
        for (uint32_t boot = 1; boot < BOOTS; boot++)
            if (follower->next[i][boot])
                assert_true(cursors_add(&follower->reader.cursors, world->sources[i].name, engine,
                                        sizeof engine, boot, follower->next[i][boot]));
    memset(follower->next, 0, sizeof follower->next);
    assert_true(backlog_add_reader(&world->backlog, &follower->reader));
    follower->is_there = true;
}

static void go(struct world *world, struct follower *follower)
{
    backlog_remove_reader(&world->backlog, &follower->reader);
    follower->is_there = false;
}

static void happen(struct world *world)
{
    struct source *source = &world->sources[dice(world, CHILDREN)];
    struct follower *follower = &world->followers[dice(world, READERS)];
    world->now_ns += (1 + dice(world, 3000)) * NS_PER_MS;
    switch (dice(world, 40)) {
    case 0:
        reboot(world, source);
        break;
    case 1:
        (follower->is_there ? go : come)(world, follower);
        break;
    case 2:
        backlog_gone(&world->backlog, source->id);
        source->id += CHILDREN; /* its row was changed */
        source->next = 0;
        break;
    default:
        report(world, source);
        if (dice(world, 3))
            answer(world, source);
        if (follower->is_there)
            follow(world, follower, dice(world, 30));
    }
    assert_true(world->backlog.octets <= MOST);
}

/* Everybody has time: all of what is said of the present boots has come. */
static void settle(struct world *world)
{
    for (int round = 0; round < 3000; round++) {
        world->now_ns += NS_PER_S;
        for (int i = 0; i < CHILDREN; i++)
            answer(world, &world->sources[i]);
        for (int i = 0; i < READERS; i++)
            if (world->followers[i].is_there)
                follow(world, &world->followers[i], 1000);
    }
    for (int i = 0; i < READERS; i++)
        for (int j = 0; world->followers[i].is_there && j < CHILDREN; j++) {
            const struct source *source = &world->sources[j];
            uint32_t next = world->followers[i].next[j][source->boot];
            assert_true(next == 0 || next == source->last + 1);
            assert_int_equal(world->followers[i].reader.n_holes, 0);
        }
}

static struct world *new_world(unsigned seed)
{
    struct world *world = calloc(1, sizeof *world);
    world->seed = seed;
    world->now_ns = NS_PER_S;
    backlog_open(&world->backlog, MOST);
    for (uint32_t i = 0; i < CHILDREN; i++) {
        struct source *source = &world->sources[i];
        *source = (struct source){.id = i + 1, .boot = 1};
        snprintf(source->name, sizeof source->name, "%c", 'a' + (int)i);
        report(world, source);
    }
    return world;
}

static void free_world(struct world *world)
{
    for (int i = 0; i < READERS; i++)
        if (world->followers[i].is_there)
            go(world, &world->followers[i]);
    assert_int_equal(world->backlog.n_over, world->backlog.octets > 0 ? world->backlog.n_over : 0);
    backlog_close(&world->backlog);
    assert_int_equal(world->backlog.octets, 0);
    free(world);
}

static void each_number_comes_once(void **state)
{
    (void)state;
    size_t blocks = 0, lost = 0, asked = 0;
    for (unsigned seed = 1; seed <= CASES(60); seed++) {
        struct world *world = new_world(seed);
        for (int i = 0; i < 1500; i++)
            happen(world);
        settle(world);
        blocks += world->blocks;
        lost += world->lost;
        asked += world->asked;
        free_world(world);
    }
    assert_true(blocks > 100 * CASES(60) && lost > 0 && asked > 0); /* it was about something */
}

/* -- Readings --------------------------------------------------------------------------------- */

/* A block that the child has, and that is broken, never comes: it is given up, and what is behind
 * it comes. */
static void a_broken_block_is_given_up(void **state)
{
    (void)state;
    struct world *world = new_world(1);
    struct source *source = &world->sources[0];
    struct follower *follower = &world->followers[0];
    source->first = 1;
    source->last = 5;
    const struct backlog_origin origin = origin_of(source);
    backlog_told(&world->backlog, &origin, 1, 5, world->now_ns);
    for (uint32_t i = 1; i <= 5; i++)
        if (i != 3)
            take(world, source, i);
    come(world, follower);
    int readings = 0;
    for (int i = 0; i < 600; i++) {
        struct reader_item item;
        reader_turn(&follower->reader);
        while (reader_next(&world->backlog, &follower->reader, true, world->now_ns, &item)) {
            readings += item.kind == READER_ASK;
            if (item.kind == READER_LOST) {
                assert_int_equal(item.first, 3);
                assert_int_equal(item.last, 3);
                assert_int_equal(readings, BACKLOG_READINGS_MAX);
            }
            if (item.kind != READER_ASK)
                reader_pass(&world->backlog, &follower->reader, &item);
        }
        world->now_ns += NS_PER_S;
        backlog_told(&world->backlog, &origin, 1, 5, world->now_ns);
    }
    assert_int_equal(readings, BACKLOG_READINGS_MAX);
    assert_int_equal(backlog_position(&follower->reader, backlog_stream(&world->backlog, 2))->next,
                     6);
    free_world(world);
}

/* Many children have holes: few are asked at the same time. */
static void few_are_asked_at_once(void **state)
{
    (void)state;
    struct backlog backlog;
    struct follower follower = {.is_there = true};
    backlog_open(&backlog, MOST);
    assert_true(backlog_add_reader(&backlog, &follower.reader));
    for (uint32_t id = 1; id <= 100; id++) {
        struct source source = {.id = id, .boot = 1, .name = "x"};
        const struct backlog_origin origin = origin_of(&source);
        backlog_told(&backlog, &origin, 1, 9, NS_PER_S);
        backlog_take(&backlog, &origin, 1, (const uint8_t *)"", 0);
        backlog_take(&backlog, &origin, 9, (const uint8_t *)"", 0);
    }
    unsigned asked = 0, at_once = 0;
    struct reader_item item;
    for (uint64_t second = 1; second <= 100; second++) {
        unsigned before = asked;
        reader_turn(&follower.reader);
        while (reader_next(&backlog, &follower.reader, true, second * NS_PER_S, &item)) {
            if (item.kind == READER_ASK)
                asked++;
            else
                reader_pass(&backlog, &follower.reader, &item);
        }
        at_once = asked - before > at_once ? asked - before : at_once;
    }
    assert_int_equal(at_once, BACKLOG_READINGS);
    assert_in_range(asked, BACKLOG_READINGS, BACKLOG_READINGS * (1 + 100 / 20));
    backlog_remove_reader(&backlog, &follower.reader);
    backlog_close(&backlog);
}

/* Numbers that no ring gets to neither wrap nor make anybody wait. */
static void numbers_that_lie(void **state)
{
    (void)state;
    struct world *world = new_world(1);
    struct follower *follower = &world->followers[0];
    come(world, follower);
    take(world, &world->sources[0], UINT32_MAX);
    take(world, &world->sources[0], 0);
    assert_int_equal(world->backlog.octets, 0);
    take(world, &world->sources[0], UINT32_MAX - 1);
    const struct backlog_origin origin = origin_of(&world->sources[0]);
    backlog_told(&world->backlog, &origin, UINT32_MAX, UINT32_MAX, world->now_ns);
    backlog_gone(&world->backlog, world->sources[0].id);
    struct reader_item item;
    unsigned n = 0;
    reader_turn(&follower->reader);
    while (reader_next(&world->backlog, &follower->reader, true, world->now_ns, &item)) {
        assert_true(n++ < 10);
        if (item.kind != READER_ASK)
            reader_pass(&world->backlog, &follower->reader, &item);
    }
    free_world(world);
}

/* What a reader is given next; its stream is NULL where there is nothing. */
static struct reader_item next_of(struct world *world, struct follower *follower)
{
    struct reader_item item = {.stream = NULL};
    reader_turn(&follower->reader);
    if (reader_next(&world->backlog, &follower->reader, true, world->now_ns, &item))
        reader_pass(&world->backlog, &follower->reader, &item);
    else
        item.stream = NULL;
    return item;
}

/* A row of a child was changed: the same boot is there under another id. */
static void another_group_is_told(void **state)
{
    (void)state;
    struct world *world = new_world(1);
    struct follower *follower = &world->followers[0];
    struct backlog_origin origin = origin_of(&world->sources[0]);
    const uint8_t octet = 'x';
    come(world, follower);
    backlog_take(&world->backlog, &origin, 1, &octet, 1);
    assert_int_equal(next_of(world, follower).kind, READER_STREAM);
    assert_int_equal(next_of(world, follower).kind, READER_BLOCK);
    backlog_gone(&world->backlog, origin.child);
    origin.child += 100;
    origin.group = "another";
    backlog_take(&world->backlog, &origin, 2, &octet, 1);
    struct reader_item item = next_of(world, follower);
    assert_int_equal(item.kind, READER_STREAM);
    assert_string_equal(item.stream->group, "another");
    assert_int_equal(item.first, 2);
    assert_int_equal(next_of(world, follower).kind, READER_BLOCK);
    backlog_take(&world->backlog, &origin, 3, &octet, 1);
    assert_int_equal(next_of(world, follower).kind, READER_BLOCK);
    free_world(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_comes_once), cmocka_unit_test(a_broken_block_is_given_up),
        cmocka_unit_test(few_are_asked_at_once),  cmocka_unit_test(numbers_that_lie),
        cmocka_unit_test(another_group_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

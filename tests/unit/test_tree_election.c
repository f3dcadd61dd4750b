/* Who is root: each rule by itself, and simulated candidates whose messages are lost and late,
 * whose links are cut, that are stopped, killed and started again with what they knew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/election.h"
#include "unit.h"

#define BEAT UINT64_C(2000000000)
#define MISSED 3
#define START (UINT64_C(1000) * BEAT)

/* -- One candidate --------------------------------------------------------------------------- */

static const char *const names[] = {"r1", "r2", "r3", "r4", "r5"};

static struct election election_of(size_t n, size_t self, uint64_t now)
{
    struct election election = {
        .rules = {.heartbeat_ns = BEAT, .missed = MISSED}, .n = n, .self = self, .began_ns = now};
    for (size_t i = 0; i < n; i++)
        snprintf(election.candidates[i].name, sizeof election.candidates[i].name, "%s", names[i]);
    return election;
}

static struct election_result decided(struct election *election, uint64_t now)
{
    struct election_result result;
    election_decide(election, now, &result);
    assert_true(result.again_ns > now && result.again_ns <= now + BEAT / 4);
    return result;
}

/* Asks as often as it is to be asked, and hears what it is told to hear, until it promotes itself;
 * or says something else than FOLLOW or YIELD. Returns how long that took, in heartbeats. */
static double until_promoted(struct election *election, uint64_t now,
                             struct election_result *result)
{
    uint64_t begun = now;
    for (*result = decided(election, now); result->verdict != ELECTION_PROMOTE;
         *result = decided(election, now)) {
        assert_true(result->verdict == ELECTION_FOLLOW || result->verdict == ELECTION_YIELD);
        if (now - begun > 1000 * BEAT)
            return 1000;
        now = result->again_ns;
    }
    return (double)(now - begun) / (double)BEAT;
}

static void the_root_leads(void **state)
{
    (void)state;
    struct election election = election_of(3, 0, START);
    election_hear(&election, 0, true, 1, "r1", START);
    struct election_result result = decided(&election, START);
    assert_int_equal(result.verdict, ELECTION_LEAD);
    assert_int_equal(result.term, 1);
    assert_int_equal(result.root, 0);
}

static void others_follow(void **state)
{
    (void)state;
    struct election election = election_of(3, 1, START);
    election_hear(&election, 1, true, 1, "r1", START);
    struct election_result result = decided(&election, START);
    assert_int_equal(result.verdict, ELECTION_FOLLOW);
    assert_int_equal(result.root, 3);
    election_hear(&election, 0, true, 1, "r1", START);
    result = decided(&election, START);
    assert_int_equal(result.verdict, ELECTION_FOLLOW);
    assert_int_equal(result.root, 0);
    assert_int_equal(result.term, 1);
}

static void of_two_roots_the_higher_term_counts(void **state)
{
    (void)state;
    for (size_t high = 0; high < 2; high++) {
        struct election election = election_of(3, 2, START);
        election_hear(&election, 2, true, 1, "r1", START);
        election_hear(&election, high, true, 7, names[high], START);
        election_hear(&election, 1 - high, true, 4, names[1 - high], START);
        struct election_result result = decided(&election, START);
        assert_int_equal(result.verdict, ELECTION_FOLLOW);
        assert_int_equal(result.root, high);
        assert_int_equal(result.term, 7);
    }
}

/* The root was heard at the start, and then nobody. */
static void the_later_the_longer(void **state)
{
    (void)state;
    static const uint32_t terms[] = {8, 7, 6}; /* the next block */
    for (size_t self = 1; self < 3; self++) {
        struct election election = election_of(3, self, START - 100 * BEAT);
        struct election_result result;
        election_hear(&election, self, true, 4, "r1", START);
        election_hear(&election, 0, true, 4, "r1", START);
        double beats = until_promoted(&election, START, &result);
        assert_true(beats == MISSED + (double)self);
        assert_int_equal(result.term, terms[self]);
        assert_int_equal(result.root, self);
        assert_non_null(strstr(result.reason, "no candidate that is root has answered for"));
    }
}

static void who_begins_listens_first(void **state)
{
    (void)state;
    struct election election = election_of(2, 0, START);
    struct election_result result;
    election_hear(&election, 0, true, 2, "r2", START);
    assert_true(until_promoted(&election, START, &result) == MISSED);
    assert_int_equal(result.term, 5);
}

static void who_has_no_document_is_no_root(void **state)
{
    (void)state;
    struct election election = election_of(2, 0, START);
    struct election_result result;
    assert_true(until_promoted(&election, START, &result) == 1000);
}

/* It could go first: it has the time for it. */
static void an_earlier_one_goes_first(void **state)
{
    (void)state;
    struct election election = election_of(3, 2, START);
    election_hear(&election, 2, true, 1, "r1", START);
    double beats = 0;
    for (uint64_t now = START; beats == 0; now += BEAT / 4) {
        election_hear(&election, 1, true, 1, "r1", now);
        if (decided(&election, now).verdict == ELECTION_PROMOTE)
            beats = (double)(now - START) / (double)BEAT;
    }
    assert_true(beats == 2 * MISSED + 2);
}

static void who_was_stopped_listens_again(void **state)
{
    (void)state;
    struct election election = election_of(2, 1, START);
    struct election_result result;
    election_hear(&election, 1, true, 1, "r1", START);
    election_hear(&election, 0, true, 1, "r1", START);
    decided(&election, START);
    assert_true(until_promoted(&election, START + 100 * BEAT, &result) == MISSED + 1);
    /* Less than a heartbeat is no stop. */
    election = election_of(2, 1, START - 10 * BEAT);
    election_hear(&election, 1, true, 1, "r1", START);
    election_hear(&election, 0, true, 1, "r1", START);
    for (uint64_t now = START; now < START + 4 * BEAT; now += BEAT)
        assert_int_equal(decided(&election, now).verdict, ELECTION_FOLLOW);
    assert_int_equal(decided(&election, START + 4 * BEAT).verdict, ELECTION_PROMOTE);
}

static void a_root_yields_to_a_higher_term(void **state)
{
    (void)state;
    struct election election = election_of(3, 0, START);
    election_hear(&election, 0, true, 1, "r1", START);
    election_hear(&election, 1, true, 4, "r2", START);
    struct election_result result = decided(&election, START);
    assert_int_equal(result.verdict, ELECTION_YIELD);
    assert_int_equal(result.root, 1);
    assert_int_equal(result.term, 4);
    assert_string_equal(result.reason, "\"r2\" is root, in term 4");
    election_hear(&election, 0, true, 4, "r2", START); /* its own node has been told */
    assert_int_equal(decided(&election, START).verdict, ELECTION_FOLLOW);
}

static void a_root_goes_on_beside_a_lower_term(void **state)
{
    (void)state;
    struct election election = election_of(3, 1, START);
    election_hear(&election, 1, true, 4, "r2", START);
    election_hear(&election, 0, true, 1, "r1", START);
    assert_int_equal(decided(&election, START).verdict, ELECTION_LEAD);
}

/* The third one has been told of a root that this one cannot reach: it waits longer each time. */
static void a_root_yields_to_one_that_it_does_not_reach(void **state)
{
    (void)state;
    struct election election = election_of(3, 0, START);
    uint64_t now = START;
    uint32_t term = 2, other = 4;
    for (double wait = 2 * MISSED; wait <= 64 * MISSED; wait *= 2) {
        election_hear(&election, 0, true, term, "r1", now);
        assert_int_equal(decided(&election, now).verdict, ELECTION_LEAD);
        election_hear(&election, 2, true, other, "r2", now);
        struct election_result result = decided(&election, now);
        assert_int_equal(result.verdict, ELECTION_YIELD);
        assert_int_equal(result.root, 3);
        assert_int_equal(result.term, other);
        assert_true(until_promoted(&election, now, &result) == wait);
        assert_true(result.term > other);
        term = result.term;
        other = term + 2;
        now += (uint64_t)(wait * (double)BEAT);
    }
}

static void of_two_in_one_term_the_first_goes_on(void **state)
{
    (void)state;
    for (size_t self = 0; self < 2; self++) {
        struct election election = election_of(3, self, START);
        election_hear(&election, 0, true, 7, "r1", START);
        election_hear(&election, 1, true, 7, "r2", START);
        struct election_result result = decided(&election, START);
        assert_int_equal(result.verdict, self ? ELECTION_YIELD : ELECTION_PROMOTE);
        assert_int_equal(result.term, self ? 7 : 11);
        assert_int_equal(result.root, 0);
    }
    /* Who obeys the other one would refuse this one. */
    struct election election = election_of(3, 1, START);
    election_hear(&election, 1, true, 7, "r2", START);
    election_hear(&election, 2, true, 7, "r1", START);
    struct election_result result = decided(&election, START);
    assert_int_equal(result.verdict, ELECTION_PROMOTE);
    assert_int_equal(result.term, 10);
    assert_string_equal(result.reason, "\"r3\" obeys \"r1\" in the same term, 7");
}

static void a_tree_that_has_ended_stays_so(void **state)
{
    (void)state;
    struct election election = election_of(2, 1, START);
    struct election_result result = {0};
    election_hear(&election, 1, true, 4, "r1", START);
    for (uint64_t now = START; now < START + 100 * BEAT; now += BEAT / 4) {
        election_hear(&election, 0, false, 4, "r1", now);
        result = decided(&election, now);
        assert_int_equal(result.verdict, ELECTION_FOLLOW);
    }
    assert_string_equal(result.reason, "\"r1\" says that the tree has ended");
}

/* Its nodes would refuse the term that the operator gave it. */
static void a_new_tree_goes_above_an_old_one(void **state)
{
    (void)state;
    struct election election = election_of(2, 0, START);
    election_hear(&election, 0, true, 1, "r1", START);
    election_hear(&election, 1, false, 8, "r2", START);
    struct election_result result = decided(&election, START);
    assert_int_equal(result.verdict, ELECTION_PROMOTE);
    assert_int_equal(result.term, 11);
}

static void terms_are_used_up(void **state)
{
    (void)state;
    struct election election = election_of(2, 0, START);
    election_hear(&election, 0, true, UINT32_MAX - 3, "r2", START);
    struct election_result result;
    assert_true(until_promoted(&election, START, &result) == MISSED);
    assert_int_equal(result.term, UINT32_MAX);
    election = election_of(2, 1, START);
    election_hear(&election, 1, true, UINT32_MAX, "r1", START);
    assert_true(until_promoted(&election, START, &result) == 1000);
    assert_string_equal(result.reason, "there is no term higher than 4294967295");
}

/* -- A simulated system ---------------------------------------------------------------------- */

#define TICK (BEAT / 8)
#define CANDIDATES 5
#define LEAVES 3
#define MACHINES (CANDIDATES + LEAVES)
#define ANSWERS 64
#define TERMS 4096
#define HISTORIES CASES(2000)

/* What a node was told last; kept when it is killed. */
struct order {
    bool holds;
    uint32_t term;
    char root[NAME_SIZE];
};

struct machine {
    struct order order;
    bool is_up;
    bool is_stopped; /* its director; the node itself answers */
    struct election election;
    uint64_t look_ns; /* when it looks next */
    bool led;
    uint32_t led_term; /* the highest in which it was root */
};

/* An answer on its way to a candidate. */
struct answer {
    uint64_t due_ns; /* 0: none */
    size_t to, of;
    struct order order;
};

struct world {
    struct machine machines[MACHINES];
    size_t n; /* candidates */
    bool is_cut[MACHINES][MACHINES];
    uint32_t loss; /* of 100 */
    struct answer answers[ANSWERS * CANDIDATES];
    size_t root_of[TERMS]; /* who has led in each term, plus 1 */
    uint32_t first_term;   /* the terms below may have several roots: so it began */
    uint64_t now, seed;
    size_t number;
};

static uint32_t draw(struct world *world, uint32_t below)
{
    world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((world->seed >> 33) % below);
}

static bool is_reached(struct world *world, size_t from, size_t to)
{
    return world->machines[to].is_up && !world->is_cut[from][to] && draw(world, 100) >= world->loss;
}

/* The order rule of nodes. */
static void order(struct world *world, size_t from, size_t to, uint32_t term, const char *root)
{
    struct order *known = &world->machines[to].order;
    if (from != to && !is_reached(world, from, to))
        return;
    if (term < known->term || (term == known->term && strcmp(known->root, root) != 0))
        return;
    known->holds = to < world->n;
    known->term = term;
    snprintf(known->root, sizeof known->root, "%s", root);
}

static void look(struct world *world, size_t self)
{
    for (size_t of = 0; of < world->n; of++) {
        if (of == self || !is_reached(world, self, of))
            continue;
        for (size_t a = 0; a < N_OF(world->answers); a++)
            if (world->answers[a].due_ns == 0) {
                world->answers[a] =
                    (struct answer){.due_ns = world->now + draw(world, (uint32_t)(BEAT / 2)),
                                    .to = self,
                                    .of = of,
                                    .order = world->machines[of].order};
                break;
            }
    }
}

static void hear(struct world *world)
{
    for (size_t a = 0; a < N_OF(world->answers); a++) {
        struct answer *answer = &world->answers[a];
        struct machine *to = &world->machines[answer->to];
        if (answer->due_ns == 0 || answer->due_ns > world->now || to->is_stopped)
            continue;
        if (to->is_up)
            election_hear(&to->election, answer->of, answer->order.holds, answer->order.term,
                          answer->order.root, world->now);
        answer->due_ns = 0;
    }
}

/* No term has two roots, and nobody goes back to a lower one. */
static void note_root(struct world *world, size_t self, uint32_t term)
{
    struct machine *machine = &world->machines[self];
    assert_int_equal(machine->order.term, term);
    assert_true(term >= machine->led_term);
    machine->led_term = term;
    assert_in_range(term, 1, TERMS - 1);
    if (term < world->first_term)
        return;
    if (world->root_of[term] != 0 && world->root_of[term] != self + 1)
        fail_msg("history %zu: \"%s\" and \"%s\" are roots in term %u", world->number,
                 names[world->root_of[term] - 1], names[self], term);
    world->root_of[term] = self + 1;
}

static void act(struct world *world, size_t self)
{
    struct machine *machine = &world->machines[self];
    struct election_result result;
    const struct order *own = &machine->order;
    if (!own->holds) /* without a tree document there is no director */
        return;
    election_hear(&machine->election, self, own->holds, own->term, own->root, world->now);
    election_decide(&machine->election, world->now, &result);
    machine->led = result.verdict == ELECTION_LEAD;
    if (result.verdict == ELECTION_PROMOTE)
        order(world, self, self, result.term, names[self]);
    bool is_due = world->now >= machine->look_ns;
    if (machine->led) {
        note_root(world, self, result.term);
        for (size_t to = 0; to < MACHINES && is_due; to++)
            if (to != self && (to < world->n || to >= CANDIDATES))
                order(world, self, to, result.term, names[self]);
    }
    if (is_due) {
        look(world, self);
        machine->look_ns = world->now + BEAT;
    }
}

static void tick(struct world *world)
{
    world->now += TICK;
    hear(world);
    for (size_t k = 0; k < world->n; k++) {
        size_t self = (k + world->seed) % world->n;
        if (world->machines[self].is_up && !world->machines[self].is_stopped)
            act(world, self);
    }
}

static void start(struct world *world, size_t self)
{
    struct machine *machine = &world->machines[self];
    if (machine->is_up)
        return;
    machine->is_up = true;
    machine->is_stopped = machine->led = false;
    machine->look_ns = world->now + draw(world, (uint32_t)(BEAT / 4));
    machine->election = election_of(world->n, self, world->now);
}

static void trouble(struct world *world)
{
    size_t self = draw(world, (uint32_t)world->n), other = draw(world, MACHINES);
    struct machine *machine = &world->machines[self];
    switch (draw(world, 8)) {
    case 0:
        machine->is_up = machine->led = false;
        break;
    case 1:
        start(world, self);
        break;
    case 2:
        machine->is_stopped = machine->is_up;
        machine->led &= machine->is_up;
        break;
    case 3:
        machine->is_stopped = false;
        break;
    case 4:
    case 5:
        world->is_cut[self][other] = world->is_cut[other][self] = draw(world, 2) == 0;
        break;
    case 6: /* alone, or back again */
        for (size_t i = 0; i < MACHINES; i++)
            world->is_cut[self][i] = world->is_cut[i][self] = other % 2 == 0;
        break;
    default:
        world->loss = draw(world, 3) == 0 ? draw(world, 60) : 0;
        break;
    }
}

/* Some histories begin as no tree should: several roots, of one term or of several. */
static void begin(struct world *world, size_t number)
{
    memset(world, 0, sizeof *world);
    world->seed = number * 2654435761u;
    world->number = number;
    world->now = START;
    world->n = 2 + number % (CANDIDATES - 1);
    bool odd = number % 3 == 0;
    world->first_term = odd ? 9 : 1;
    for (size_t i = 0; i < MACHINES; i++) {
        struct order *known = &world->machines[i].order;
        known->holds = i < world->n;
        known->term = i < world->n ? 1 : 0;
        snprintf(known->root, sizeof known->root, "%s", i < world->n ? names[0] : "");
        world->machines[i].is_up = i >= CANDIDATES;
        if (odd && i < world->n) {
            known->term = 7 + draw(world, 2);
            snprintf(known->root, sizeof known->root, "%s",
                     names[draw(world, 2) ? i : draw(world, (uint32_t)world->n)]);
        }
        if (i < world->n)
            start(world, i);
    }
}

static void heal(struct world *world, bool all)
{
    memset(world->is_cut, 0, sizeof world->is_cut);
    world->loss = 0;
    for (size_t i = 0; i < world->n; i++) {
        world->machines[i].is_stopped = false;
        if (all || i == world->number % world->n)
            start(world, i);
    }
}

/* Exactly one of those that are up is root, and everybody obeys it. */
static void check_one_root(struct world *world, bool all)
{
    size_t root = SIZE_MAX;
    for (size_t i = 0; i < world->n; i++)
        if (world->machines[i].is_up && world->machines[i].led) {
            if (root != SIZE_MAX)
                fail_msg("history %zu: \"%s\" and \"%s\" are root", world->number, names[root],
                         names[i]);
            root = i;
        }
    if (root == SIZE_MAX)
        fail_msg("history %zu: nobody is root", world->number);
    /* A leaf may have been told of a higher term by one that is away for good. */
    for (size_t i = 0; i < (all ? MACHINES : world->n); i++) {
        const struct machine *machine = &world->machines[i];
        if (!machine->is_up || (i >= world->n && i < CANDIDATES))
            continue;
        assert_string_equal(machine->order.root, names[root]);
        assert_int_equal(machine->order.term, world->machines[root].order.term);
    }
}

static void one_history(struct world *world, size_t number)
{
    begin(world, number);
    bool all = number % 2 == 0;
    for (size_t k = 0; k < 40 * 8; k++) {
        if (draw(world, 10) == 0)
            trouble(world);
        tick(world);
    }
    heal(world, all);
    for (size_t k = 0; k < 8 * (64 * MISSED + MISSED + CANDIDATES + 3); k++)
        tick(world);
    for (size_t k = 0; k < 8 * 10; k++) {
        check_one_root(world, all);
        tick(world);
    }
}

static void random_histories(void **state)
{
    (void)state;
    struct world *world = calloc(1, sizeof *world);
    for (size_t number = 1; number <= HISTORIES; number++)
        one_history(world, number);
    free(world);
}

/* Without trouble before: the first living standby is root in time, and stays it. */
static void the_root_dies(void **state)
{
    (void)state;
    struct world *world = calloc(1, sizeof *world);
    for (size_t number = 1; number <= 200; number++) {
        begin(world, number * 3 + 1);
        size_t dead = 1 + number % (world->n - 1);
        for (size_t k = 0; k < 8 * 5; k++)
            tick(world);
        check_one_root(world, true);
        for (size_t i = 0; i < dead; i++)
            world->machines[i].is_up = world->machines[i].led = false;
        for (size_t k = 0; k < 8 * (MISSED + dead + 2); k++)
            tick(world);
        check_one_root(world, true);
        assert_true(world->machines[dead].led);
        uint32_t term = world->machines[dead].order.term;
        for (size_t i = 0; i < dead; i++)
            start(world, i); /* with what they knew */
        for (size_t k = 0; k < 8 * 20; k++)
            tick(world);
        check_one_root(world, true);
        assert_true(world->machines[dead].led);
        assert_int_equal(world->machines[dead].order.term, term);
    }
    free(world);
}

/* Two parts, each with a root, of different terms; then the higher one is left. */
static void the_network_is_in_two_parts(void **state)
{
    (void)state;
    struct world *world = calloc(1, sizeof *world);
    begin(world, 1);
    world->n = 3;
    for (size_t i = 0; i < 3; i++) {
        world->machines[i].is_up = false;
        world->machines[i].order = (struct order){true, 1, "r1"};
        start(world, i);
    }
    for (size_t k = 0; k < 8 * 5; k++)
        tick(world);
    for (size_t i = 1; i < MACHINES; i++)
        world->is_cut[0][i] = world->is_cut[i][0] = true;
    for (size_t k = 0; k < 8 * 10; k++)
        tick(world);
    assert_true(world->machines[0].led && world->machines[1].led && !world->machines[2].led);
    assert_int_equal(world->machines[CANDIDATES].order.term, world->machines[1].order.term);
    assert_int_equal(world->machines[0].order.term, 1);
    heal(world, true);
    for (size_t k = 0; k < 8 * 3; k++)
        tick(world);
    check_one_root(world, true);
    assert_true(world->machines[1].led);
    free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_root_leads),
        cmocka_unit_test(others_follow),
        cmocka_unit_test(of_two_roots_the_higher_term_counts),
        cmocka_unit_test(the_later_the_longer),
        cmocka_unit_test(who_begins_listens_first),
        cmocka_unit_test(who_has_no_document_is_no_root),
        cmocka_unit_test(an_earlier_one_goes_first),
        cmocka_unit_test(who_was_stopped_listens_again),
        cmocka_unit_test(a_root_yields_to_a_higher_term),
        cmocka_unit_test(a_root_goes_on_beside_a_lower_term),
        cmocka_unit_test(a_root_yields_to_one_that_it_does_not_reach),
        cmocka_unit_test(of_two_in_one_term_the_first_goes_on),
        cmocka_unit_test(a_tree_that_has_ended_stays_so),
        cmocka_unit_test(a_new_tree_goes_above_an_old_one),
        cmocka_unit_test(terms_are_used_up),
        cmocka_unit_test(random_histories),
        cmocka_unit_test(the_root_dies),
        cmocka_unit_test(the_network_is_in_two_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every sequence of phases. What must come of each is computed beside it, by a model that knows
 * what a transaction is and nothing of dcampd. */
#include <stdio.h>
#include <string.h>

#include "master.h"

#define TEXT 32

/* RFC 3416, section 3; RFC 2741, section 6.2.16. */
enum { COMMIT_FAILED = 14, INCONSISTENT_VALUE = 12, PROCESSING_ERROR = 268 };

/* The last transaction's phases; AGAIN is its TestSet sent again, as it was. */
enum phase { COMMIT, UNDO, CLEANUP, TEST, AGAIN, PHASES };
static const char phase_letters[] = "CUKTt";

/* What the transactions do. */
enum deed { CREATE, MODIFY, DESTROY, ACKNOWLEDGE, DEEDS };
static const char *const deed_names[] = {"create", "modify", "destroy", "acknowledge"};

struct sequence {
    struct master *master;
    enum deed deed;
    struct name cell, status; /* what changes, and the RowStatus of its row */
    char now[TEXT];           /* what the cell must be; "": it is not there */
    char wanted[TEXT];        /* by the last TestSet */
    char before[TEXT];        /* at that */
    enum { NONE, TESTED, COMMITTED, UNDONE } state;
    uint32_t transaction, test_id;
    unsigned fresh; /* for values that were not there before */
};

/* -- The model ------------------------------------------------------------------------------- */

/* A new transaction. */
static void begin(struct sequence *s)
{
    s->transaction = s->test_id = ++s->master->id;
    s->wanted[0] = '\0';
    if (s->deed != DESTROY)
        snprintf(s->wanted, TEXT, "%u", ++s->fresh);
}

static int expect_test(struct sequence *s)
{
    if (s->deed == CREATE && s->now[0])
        return INCONSISTENT_VALUE;
    memcpy(s->before, s->now, TEXT);
    s->state = TESTED;
    return 0;
}

static int expect_commit(struct sequence *s)
{
    if (s->state == NONE)
        return PROCESSING_ERROR;
    if (s->state == UNDONE)
        return COMMIT_FAILED;
    memcpy(s->now, s->wanted, TEXT);
    s->state = COMMITTED;
    return 0;
}

static int expect_undo(struct sequence *s)
{
    if (s->state == NONE)
        return PROCESSING_ERROR;
    if (s->state == COMMITTED)
        memcpy(s->now, s->before, TEXT);
    s->state = UNDONE;
    return 0;
}

static int expect(struct sequence *s, enum phase phase)
{
    switch (phase) {
    case AGAIN:
        if (s->state == COMMITTED)
            return 0;
        s->state = NONE;
        return expect_test(s);
    case COMMIT:
        return expect_commit(s);
    case UNDO:
        return expect_undo(s);
    case CLEANUP:
        s->state = NONE;
        return 0;
    default:
        s->state = NONE;
        begin(s);
        return expect_test(s);
    }
}

/* -- The packets ----------------------------------------------------------------------------- */

static void put_status(struct sequence *s, uint32_t request)
{
    packet_put_integer(&s->master->out, &s->status, MIB_SYNTAX_INTEGER, request);
}

static void put_value(struct sequence *s, const char *value)
{
    unsigned number = 0;
    if (s->deed == ACKNOWLEDGE)
        packet_put_octets(&s->master->out, &s->cell, value, strlen(value));
    else if (sscanf(value, "%u", &number) == 1)
        packet_put_integer(&s->master->out, &s->cell, MIB_SYNTAX_UNSIGNED, number);
}

static void put_deed(struct sequence *s)
{
    packet_begin(&s->master->out, PACKET_TEST, SESSION, s->transaction, s->test_id);
    if (s->deed == CREATE)
        put_status(s, 4);
    if (s->deed == DESTROY)
        put_status(s, 6);
    else
        put_value(s, s->wanted);
    packet_end(&s->master->out);
}

static void put_phase(struct sequence *s, enum phase phase)
{
    static const int types[] = {
        [COMMIT] = PACKET_COMMIT, [UNDO] = PACKET_UNDO, [CLEANUP] = PACKET_CLEANUP};
    if (phase == TEST || phase == AGAIN)
        put_deed(s);
    else
        packet_begin(&s->master->out, types[phase], SESSION, s->transaction, ++s->master->id);
}

/* The error of the answer; CleanupSet has none. -1: there is no answer. */
static int send_phase(struct sequence *s, enum phase phase)
{
    struct seen seen;
    put_phase(s, phase);
    uint32_t id = phase == AGAIN ? s->test_id : s->master->id;
    if (!master_send(s->master, &s->master->out))
        return -1;
    if (phase == CLEANUP)
        return 0;
    return master_hear(s->master, id, PATIENCE_MS, &seen) == HEARD ? seen.error : -1;
}

static bool read_cell(struct sequence *s, char text[TEXT])
{
    struct seen seen;
    if (client_get(s->master, &s->cell, &seen) != HEARD)
        return false;
    text[0] = '\0';
    if (seen.syntax == MIB_SYNTAX_OCTETS)
        snprintf(text, TEXT, "%.*s", (int)seen.octets_len, (const char *)seen.octets);
    else if (seen.syntax)
        snprintf(text, TEXT, "%lld", (long long)seen.number);
    return true;
}

/* -- Running them ---------------------------------------------------------------------------- */

static bool complain(const struct sequence *s, const char *phases, int at, const char *what,
                     const char *is, const char *expected)
{
    printf("%s, %.*s: %s is \"%s\", not \"%s\"\n", deed_names[s->deed], at + 1, phases, what, is,
           expected);
    return false;
}

static bool take(struct sequence *s, const char *phases, int at, enum phase phase)
{
    char is[TEXT], expected[TEXT];
    int expected_error = expect(s, phase), error = send_phase(s, phase);
    if (error < 0)
        return complain(s, phases, at, "dcampd", master_is_alive(s->master) ? "silent" : "dead",
                        "there");
    if (error != expected_error) {
        snprintf(is, TEXT, "%d", error);
        snprintf(expected, TEXT, "%d", expected_error);
        return complain(s, phases, at, "the error", is, expected);
    }
    if (!read_cell(s, is))
        return complain(s, phases, at, "dcampd", "silent", "there");
    return strcmp(is, s->now) == 0 || complain(s, phases, at, "the cell", is, s->now);
}

/* As it must be before a sequence: the row that is to be made is not there, any other is. */
static bool prepare(struct sequence *s)
{
    bool there = s->now[0];
    s->state = NONE;
    if (s->deed == MODIFY || s->deed == ACKNOWLEDGE || there == (s->deed == DESTROY))
        return true;
    client_begin_set(s->master);
    put_status(s, there ? 6 : 4);
    snprintf(s->now, TEXT, there ? "" : "%u", ++s->fresh);
    put_value(s, s->now);
    return client_set(s->master) == 0 || complain(s, "", 0, "the preparation", "refused", "done");
}

/* The digits of number are the phases; the first is a TestSet, without which nothing happens. */
static bool run_one(struct sequence *s, unsigned long number, int length)
{
    char letters[16] = "T";
    enum phase phases[16] = {TEST};
    for (int i = 1; i < length; i++, number /= PHASES) {
        phases[i] = (enum phase)(number % PHASES);
        letters[i] = phase_letters[phases[i]];
    }
    if (!prepare(s))
        return false;
    for (int i = 0; i < length; i++)
        if (!take(s, letters, i, phases[i]))
            return false;
    return take(s, "end", 2, CLEANUP);
}

static bool open_deed(struct sequence *s, struct master *master, enum deed deed)
{
    static const char *const rows[] = {"created", "modified", "destroyed"};
    struct seen seen;
    *s = (struct sequence){.master = master, .deed = deed};
    if (deed == ACKNOWLEDGE) {
        struct name column = name_of_scalar(&mib_objects[MIB_dcampAlarmKey]);
        column.len--;
        if (client_next(master, &column, &seen) != HEARD || !seen.syntax)
            return complain(s, "", 0, "the alarm", "not there", "there");
        s->cell = name_of_number(&mib_objects[MIB_dcampAlarmAcknowledge],
                                 seen.name.ids[seen.name.len - 1]);
    } else {
        s->cell = name_of_row(&mib_objects[MIB_dcampFilterThrottle], rows[deed]);
        s->status = name_of_row(&mib_objects[MIB_dcampFilterRowStatus], rows[deed]);
    }
    return read_cell(s, s->now);
}

/* Up to the first fault. */
static bool run_deed(struct master *master, enum deed deed, int longest, unsigned long n)
{
    struct sequence s;
    bool ok = open_deed(&s, master, deed);
    for (unsigned long number = 0; ok && number < n; number++)
        ok = run_one(&s, number, longest);
    return ok;
}

long sequences_run(struct master *master, int longest)
{
    unsigned long n = 1;
    long faults = 0;
    for (int i = 1; i < longest; i++)
        n *= PHASES;
    for (int deed = 0; deed < DEEDS; deed++)
        faults += !run_deed(master, (enum deed)deed, longest, n);
    return faults ? -1 : (long)n * DEEDS;
}

/* For tests: children without pollers. What the core would tell a poller is kept; what a poller
 * would say is made here, with report blocks as a node makes them. */
#ifndef DCAMP_TESTS_POLLED_H
#define DCAMP_TESTS_POLLED_H

#include "answers.h"
#include "children/children.h"
#include "rings.h"
#include "unit.h"

#define SENT_MAX 4096

struct polled {
    struct alarms *alarms;
    struct children children;
    struct config *config;
    struct moment now;
    struct message *sent[SENT_MAX];
    size_t n_sent;
    uint32_t generation; /* of the objects that a poller was told of a device last */
    bool no_room;        /* for messages that can wait */
    size_t room;         /* there is so much until there is none; 0: it does not change */
};

void polled_forget_sent(struct polled *polled);

/* The last message of a kind, or NULL; and how many there were. */
const void *polled_sent(const struct polled *polled, enum message_kind kind, size_t *n);
void polled_open(struct polled *polled);
struct polled *polled_new(void);
void polled_free(struct polled *polled);
void polled_wait(struct polled *polled, uint64_t ms);
void polled_sync(struct polled *polled);
void polled_set(struct row *row, const char *field, const char *text);
struct row *polled_row(struct polled *polled, const char *name);
struct child *polled_child(struct polled *polled, const char *name);

/* -- What a poller says ---------------------------------------------------------------------- */

void answer_give(struct polled *polled, struct answer *answer);

/* An answer with the blocks of a ring (NULL: none) from one sequence on, to be freed; and given. */
struct answer *answer_of_ring(const struct child *child, uint32_t boot,
                              const struct report_ring *ring, uint32_t from);
void polled_answer(struct polled *polled, const struct child *child, uint32_t boot,
                   const struct report_ring *ring, uint32_t from);
void polled_silent(struct polled *polled, const struct child *child, enum poll_failure failure,
                   const char *text);
struct message_series series_of(const struct child *child, uint32_t number, const char *sensor,
                                const char *instance);
void polled_name(struct polled *polled, const struct child *child, uint32_t number,
                 const char *sensor, const char *instance);

/* -- What the child has ---------------------------------------------------------------------- */

const struct child_series *series_at(const struct polled *polled, const char *child,
                                     const char *sensor, const char *instance);

/* How many series with a name all children have. */
size_t series_count(const struct polled *polled);

/* A child of which series 1, load total, is known and has the value 1.5. */
struct child *reporting_child(struct polled *polled, const char *name, struct report_ring *ring);

/* -- What happened --------------------------------------------------------------------------- */

/* Lost and joined, each logged and notified as often as that. */
void assert_told(const struct polled *polled, const char *key, size_t lost, size_t joined);
int polled_setup(void **state);
int polled_teardown(void **state);

#define polled_test(test) cmocka_unit_test_setup_teardown(test, polled_setup, polled_teardown)

#endif

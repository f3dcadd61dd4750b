/* For tests of subcommands of dcamp: one is run against an agent on loopback that has the cells
 * which the test wants; what it prints and says is kept. */
#ifndef DCAMP_TESTS_ASKING_H
#define DCAMP_TESTS_ASKING_H

#include "cli/client.h"
#include "cli/command.h"

#include "agents.h"

struct asking {
    struct agent_peer agent;
    struct client *client;
    struct command command;
    char *out, *said;
    char *words[8]; /* of the command, behind the address */
    /* Of ASKING_SETS_TEST. */
    size_t sets, bindings;                 /* that have come; may be set to 0 */
    long refusal;                          /* the error status of each answer */
    bool is_silent;                        /* there are no answers */
    void (*on_set)(struct asking *asking); /* what a SET changes; NULL: nothing */
};

/* With a node that has a name and nothing else. */
void asking_begin(struct asking *asking);
void asking_end(struct asking *asking);

/* A test of a file that has a "static struct asking asking": it begins before, and ends after it.
 */
#define ASKING_TEST(test)                                                                          \
    cmocka_unit_test_prestate_setup_teardown(test, asking_set_up, asking_tear_down, &asking)

/* The same, and SETs are counted, and answered as the test wants. */
#define ASKING_SETS_TEST(test)                                                                     \
    cmocka_unit_test_prestate_setup_teardown(test, asking_set_up_for_sets, asking_tear_down,       \
                                             &asking)

int asking_set_up(void **state);
int asking_set_up_for_sets(void **state);
int asking_tear_down(void **state);

/* The words behind the address, and the options that were given. */
void asking_set(struct asking *asking, unsigned given, int n, const char *const *words);

/* Runs it; out and said are what has come. */
enum exit_status asking_run(struct asking *asking, subcommand_run *run, enum sheet_format format);

/* Cells of a row: texts and numbers are its indexes in their order; NULL ends them. */
struct cell asking_cell(enum mib_object object, const char *first, const char *second,
                        const char *third);
void asking_text(struct asking *asking, enum mib_object object, const char *first,
                 const char *second, const char *text);
void asking_number(struct asking *asking, enum mib_object object, const char *first,
                   const char *second, int64_t number);
void asking_scalar_text(struct asking *asking, enum mib_object object, const char *text);
void asking_scalar(struct asking *asking, enum mib_object object, int64_t number);

#endif

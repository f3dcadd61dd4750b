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
};

/* With a node that has a name and nothing else. */
void asking_begin(struct asking *asking);
void asking_end(struct asking *asking);

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

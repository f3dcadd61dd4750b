/* One round of dcamp top: asks a node for what one screen shows, and for as little as that takes.
 */
#ifndef DCAMP_CLI_TOP_ASK_H
#define DCAMP_CLI_TOP_ASK_H

#include "cli/question.h"
#include "cli/top_subject.h"

/* More rows are no table for people; the rows behind are left out, and the screen says so. */
#define TOP_ROWS_MAX 100000

/* Tables with more rows are walked only once in this time: in between, new rows are not seen, and
 * those that are known are asked for by name, which costs the node much less. */
#define TOP_WALK_ROWS 100
#define TOP_WALK_NS (10 * NS_PER_S)

enum { TOP_SEVERITIES = dcampAlarmSeverity_critical + 1 };

/* What is above every screen. */
struct top_head {
    char node[NAME_SIZE];
    const char *role; /* a label of the MIB */
    int64_t up_ms;
    bool is_root;
    size_t alarms[TOP_SEVERITIES]; /* active ones, here and below, by severity */
    uint64_t counted_ns;           /* when they were counted; 0: not yet */
};

struct top_asking {
    struct question *question;
    struct top_head head;
    bool whole; /* all fields of all rows, whatever is on the screen */

    /* The screen: set anew by top_ask_turn. */
    const struct top_subject *subject;
    struct top_model *model;
    char child[NAME_SIZE]; /* of TOP_CHILD */
    uint64_t walked_ns;    /* 0: not yet, or a row was gone */
    bool cut;              /* there are more rows than TOP_ROWS_MAX */
    bool unsure;           /* of processes: there is no share of the CPU yet */
    size_t processes;      /* all of the machine */
};

/* Asks for another screen from now on. The model is that of the subject. */
void top_ask_turn(struct top_asking *asking, const struct top_subject *subject,
                  struct top_model *model, const char *child);

/* Reads the head. False: the question's status says why, as with the next function. */
bool top_ask_head(struct top_asking *asking, uint64_t now_ns);

/* Reads what the screen shows, and arranges the model. If it fails, rows that were read have new
 * values, and the others have those of before. */
bool top_ask_rows(struct top_asking *asking, uint64_t now_ns);

#endif

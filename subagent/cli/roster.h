/* The nodes of a tree, as its root has them in dcampTreeTable. */
#ifndef DCAMP_CLI_ROSTER_H
#define DCAMP_CLI_ROSTER_H

#include "cli/packed.h"
#include "cli/question.h"

#define ROSTER_MAX 300000

/* Texts are clean; what the root has not said is 0 or "". */
struct member {
    char name[NAME_SIZE], parent[NAME_SIZE], group[NAME_SIZE];
    char address[PEER_ADDRESS_SIZE], version[NAME_SIZE];
    const char *role, *state; /* labels of the MIB */
    const char *found;        /* likewise; "": an older root does not say it */
    int64_t state_number;
    int64_t level, age_ms; /* -1: not known */
    int64_t serial, term, deviations;
    char digest[2 * PACKED_DIGEST + 1];
    char *error; /* malloced */
};

struct roster {
    struct member *list;
    size_t n, room;
    size_t gone; /* rows that were there at first, but no longer when they were read */
};

/* Reads all of them, in the order of the table. False: question->status says why. */
bool roster_read(struct question *question, struct roster *roster);
void roster_free(struct roster *roster);

/* How many there are; how many have a state that time alone will not change; how many have never
 * answered, or not for a long time: the root takes them in when they do; how many work by the tree
 * document with this digest, NULL: these are not counted. */
struct roll {
    size_t all, up;
    size_t stuck; /* refused, or the clone of another one */
    size_t away;
    size_t current;
};
bool roster_count(struct question *question, const uint8_t *digest, struct roll *roll);

/* Whether a member is up and works by it, and whether it is away. */
bool member_is_current(const struct member *member, const uint8_t *digest);
bool member_is_away(const struct member *member);

/* All columns, for programs: of a sheet and its rows. */
#define MEMBER_COLUMNS 15
extern const struct sheet_column member_columns[MEMBER_COLUMNS];
void member_values(const struct member *member, struct sheet_value values[MEMBER_COLUMNS]);

#endif

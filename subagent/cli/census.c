#include "cli/census.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define MISSED_MAX 2
#define SILENT_MAX 3 /* nodes that are asked in vain in one round: each takes a time-out */

void census_free(struct census *census)
{
    roster_free(&census->roster);
    free(census->missed);
    *census = (struct census){.missed = NULL};
}

/* -- What is believed ------------------------------------------------------------------------ */

/* In the order of the index of the table. */
static int by_name(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    size_t n = strlen(x->name), m = strlen(y->name);
    return n != m ? (n > m) - (n < m) : memcmp(x->name, y->name, n);
}

static bool is_same_head(const struct census_head *a, const struct census_head *b)
{
    return strcmp(a->root, b->root) == 0 && a->term == b->term && a->boot == b->boot;
}

/* A node that the root has not heard yet keeps the role that an earlier root was told. */
static void inherit(struct member *member, const struct member *before)
{
    if (member->age_ms < 0)
        member->role = before->role;
}

/* Merges the two lists, which are both in order. */
static void merge(struct census *census, struct roster *answer, struct roster *all, uint8_t *missed,
                  uint64_t now_ns)
{
    const struct roster *old = &census->roster;
    for (size_t i = 0, j = 0; i < old->n || j < answer->n;) {
        int order = i == old->n      ? 1
                    : j == answer->n ? -1
                                     : by_name(&old->list[i], &answer->list[j]);
        if (order == 0)
            inherit(&answer->list[j], &old->list[i]);
        if (order < 0 && (now_ns < census->settle_ns || census->missed[i] + 1 < MISSED_MAX)) {
            missed[all->n] = (uint8_t)(census->missed[i] + (census->missed[i] < MISSED_MAX));
            all->list[all->n++] = old->list[i];
            old->list[i].error = NULL;
        }
        if (order >= 0)
            all->list[all->n++] = answer->list[j++];
        i += order <= 0;
    }
}

bool census_take(struct census *census, struct roster *answer, const struct census_head *head,
                 uint64_t now_ns)
{
    size_t room = census->roster.n + answer->n + 1;
    struct roster all = {.list = calloc(room, sizeof *all.list), .room = room};
    uint8_t *missed = calloc(room, 1);
    if (!all.list || !missed) {
        free(all.list);
        free(missed);
        return false;
    }
    if (census->head.root[0] && !is_same_head(&census->head, head))
        census->settle_ns = now_ns + CENSUS_SETTLE_NS;
    qsort(answer->list, answer->n, sizeof *answer->list, by_name);
    merge(census, answer, &all, missed, now_ns);
    answer->n = 0; /* they are in the merged list */
    roster_free(&census->roster);
    free(census->missed);
    census->roster = all;
    census->missed = missed;
    census->head = *head;
    return true;
}

/* -- An answer ------------------------------------------------------------------------------- */

struct answer {
    struct roster roster;
    struct census_head head;
    char other[NAME_SIZE]; /* the root that the asked node names; "": none */
};

static bool ask_boot(struct question *question, int64_t *boot)
{
    struct cell cell;
    cell_scalar(&cell, MIB_dcampNodeBoot);
    bool good = question_get(question, &cell, 1);
    *boot = cell.kind == CELL_NUMBER ? cell.number : 0;
    return good;
}

/* A director that starts anew while it is asked knows few nodes, or none. */
static bool read_whole(struct question *question, struct answer *answer)
{
    int64_t boot;
    if (!ask_boot(question, &answer->head.boot) || !roster_read(question, &answer->roster) ||
        !ask_boot(question, &boot))
        return false;
    if (answer->roster.gone > 0 || boot != answer->head.boot)
        return question_fail(question, EXIT_BROKEN,
                             "the tree of %s has changed while it was asked for it: once more",
                             answer->head.root);
    return answer->roster.n > 0 ||
           question_fail(question, EXIT_SILENT, "%s is root, and has no nodes to show",
                         answer->head.root);
}

static bool ask_root(struct question *question, struct answer *answer)
{
    struct standing standing = {.name = ""};
    *answer = (struct answer){.other = ""};
    bool is_root = order_ask_root(question, &standing);
    const char *other = !is_root && standing.name[0] ? order_other_root(&standing) : NULL;
    text_format(answer->other, sizeof answer->other, "%s", other ? other : "");
    text_format(answer->head.root, sizeof answer->head.root, "%s", standing.name);
    answer->head.term = is_root ? order_term(&standing) : 0;
    return is_root && read_whole(question, answer);
}

/* In any case, the answer has no nodes afterwards. */
static bool take_answer(struct census *census, struct question *question, struct answer *answer,
                        bool good)
{
    good = good && (census_take(census, &answer->roster, &answer->head, clock_mono_ns()) ||
                    question_no_memory(question));
    roster_free(&answer->roster);
    return good;
}

bool census_ask(struct census *census, struct question *question)
{
    struct answer answer;
    bool good = ask_root(question, &answer);
    return take_answer(census, question, &answer, good);
}

/* -- Another root ---------------------------------------------------------------------------- */

static bool turn_to(struct census *census, struct question *question, const char *text)
{
    struct address address;
    char numbers[PEER_ADDRESS_SIZE];
    if (!address_split(text, "161", &address) || address_resolve(&address, numbers))
        return false;
    client_turn(question->client, numbers);
    census->turned = true;
    return true;
}

/* Turns back to the node that is asked first: the one that answered last, or that of the
 * command. */
static bool turn_back(struct census *census, struct question *question)
{
    const struct address *given = &question->command->login.address;
    const char *why = NULL;
    if (!census->turned)
        return true;
    if (!census->at[0])
        why = address_resolve(given, census->at);
    if (why) {
        census->at[0] = '\0';
        return question_fail(question, EXIT_SILENT, "%s: %s", given->host, why);
    }
    client_turn(question->client, census->at);
    census->turned = false;
    return true;
}

static const struct member *find(const struct census *census, const char *name)
{
    for (size_t i = 0; i < census->roster.n; i++)
        if (strcmp(census->roster.list[i].name, name) == 0)
            return &census->roster.list[i];
    return NULL;
}

/* Asks a node for the tree. True: the tree came from it, and it is asked from then on. */
static bool try_member(struct census *census, struct question *probe, const struct member *member,
                       struct answer *answer)
{
    char address[PEER_ADDRESS_SIZE];
    *answer = (struct answer){.other = ""};
    text_format(address, sizeof address, "%s", member->address); /* take_answer frees the member */
    probe->status = EXIT_GOOD;
    if (!turn_to(census, probe, address))
        return false;
    bool good = ask_root(probe, answer);
    if (!take_answer(census, probe, answer, good))
        return false;
    struct address parts;
    if (!address_split(address, "161", &parts) || address_resolve(&parts, census->at))
        census->at[0] = '\0';
    census->turned = census->at[0] == '\0';
    return true;
}

/* Asks the root that a node has named, unless it is the one that was asked before. */
static bool try_named(struct census *census, struct question *probe, struct answer *answer)
{
    const struct member *member = answer->other[0] && strcmp(answer->other, census->head.root) != 0
                                      ? find(census, answer->other)
                                      : NULL;
    return member && try_member(census, probe, member, answer);
}

/* Collectors are asked before all others: standbys are among them, and they know first. */
static bool is_in_pass(const struct census *census, size_t i, bool collects)
{
    const struct member *member = &census->roster.list[i];
    return (strcmp(member->role, "collector") == 0) == collects &&
           strcmp(member->name, census->head.root) != 0 && !member_is_away(member);
}

static bool try_others(struct census *census, struct question *probe, struct answer *answer)
{
    unsigned silent = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < census->roster.n && silent < SILENT_MAX; i++) {
            if (!is_in_pass(census, i, pass == 0))
                continue;
            if (try_member(census, probe, &census->roster.list[i], answer) ||
                try_named(census, probe, answer))
                return true;
            silent += !answer->other[0];
        }
    return false;
}

bool census_follow(struct census *census, struct question *question)
{
    struct question probe = *question;
    struct answer answer;
    char *said = NULL;
    size_t len;
    if (!turn_back(census, question))
        return false;
    bool good = ask_root(question, &answer);
    if (take_answer(census, question, &answer, good))
        return true;
    probe.errors = open_memstream(&said, &len);
    if (!probe.errors)
        return false;
    good = try_named(census, &probe, &answer) || try_others(census, &probe, &answer);
    fclose(probe.errors);
    free(said);
    if (good)
        question->status = EXIT_GOOD;
    return good;
}

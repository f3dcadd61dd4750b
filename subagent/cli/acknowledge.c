#include "cli/acknowledge.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/assign.h"
#include "cli/question.h"

/* An alarm that was named. */
struct named {
    const char *word;
    bool by_index;
    uint32_t index; /* 0: there is no such active alarm at this node */
    char key[ALARM_KEY_SIZE];
    char nearest[ALARM_KEY_SIZE]; /* the nearest of the keys that there are; "": none is near */
};

struct acknowledgement {
    struct question *question;
    struct named *named;
    size_t n, done;
    const char *text;
};

/* -- Words ----------------------------------------------------------------------------------- */

static bool take_index(struct named *named)
{
    const char *word = named->word;
    errno = 0;
    unsigned long long number = strtoull(word, NULL, 10);
    if (!*word || strspn(word, "0123456789") != strlen(word) || errno || number == 0 ||
        number > UINT32_MAX)
        return false;
    named->by_index = true;
    named->index = (uint32_t)number;
    return true;
}

/* A key has the node, the threshold and the instance, with colons in between. */
static bool is_key(const char *word)
{
    static const char characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";
    const char *colon = strchr(word, ':');
    size_t len = strlen(word);
    return colon && strchr(colon + 1, ':') && len < ALARM_KEY_SIZE &&
           strspn(word, characters) == len;
}

/* The name of the account that runs this; if it has none, the user as whom the node is asked. */
static const char *own_name(const struct command *command)
{
    const struct passwd *account = getpwuid(getuid());
    return account ? account->pw_name : command->login.credential.user;
}

/* The last word is the text if it is neither an index nor a key. */
static bool read_words(struct acknowledgement *wanted)
{
    const struct command *command = wanted->question->command;
    wanted->text = own_name(command);
    for (int i = 0; i < command->n_words; i++) {
        struct named *named = &wanted->named[wanted->n];
        *named = (struct named){.word = command->words[i]};
        if (take_index(named) || is_key(named->word))
            wanted->n++;
        else if (i > 0 && i + 1 == command->n_words)
            wanted->text = named->word;
        else
            return question_fail(wanted->question, EXIT_USAGE,
                                 "%s: expected the index or the key of an alarm", named->word);
    }
    return true;
}

/* -- Which alarms they are ------------------------------------------------------------------- */

static struct cell numbered(enum mib_object object, uint32_t number)
{
    struct cell cell;
    cell_start(&cell, object);
    cell_add_number(&cell, number);
    return cell;
}

/* Reads the keys of the alarms that were named by index. */
static bool read_keys_of_indexes(struct acknowledgement *wanted)
{
    for (size_t i = 0; i < wanted->n; i++) {
        struct named *named = &wanted->named[i];
        struct cell cell = numbered(MIB_dcampAlarmKey, named->index);
        if (!named->by_index)
            continue;
        if (!question_get(wanted->question, &cell, 1))
            return false;
        if (cell.kind == CELL_TEXT && is_key(cell.text))
            text_format(named->key, sizeof named->key, "%s", cell.text);
        else
            named->index = 0;
    }
    return true;
}

static void offer_key(struct named *named, const char *key)
{
    struct nearest nearest = {.text = named->word};
    if (named->nearest[0])
        nearest_offer(&nearest, named->nearest);
    nearest_offer(&nearest, key);
    if (nearest.best == key)
        text_format(named->nearest, sizeof named->nearest, "%s", key);
}

static bool take_key(void *context, const struct cell *cell)
{
    struct acknowledgement *wanted = context;
    uint32_t index;
    size_t at = 0;
    question_progress(wanted->question);
    if (cell->kind != CELL_TEXT || !is_key(cell->text) || !cell_index_number(cell, &at, &index))
        return true;
    for (size_t i = 0; i < wanted->n; i++) {
        struct named *named = &wanted->named[i];
        if (named->by_index)
            continue;
        offer_key(named, cell->text);
        if (strcmp(named->word, cell->text) != 0)
            continue;
        text_format(named->key, sizeof named->key, "%s", cell->text);
        named->index = index;
    }
    return true;
}

/* Finds the indexes of the alarms that were named by key. */
static bool find_indexes_of_keys(struct acknowledgement *wanted)
{
    struct cell column;
    bool some = false;
    for (size_t i = 0; i < wanted->n; i++)
        some = some || !wanted->named[i].by_index;
    cell_start(&column, MIB_dcampAlarmKey);
    return !some || question_walk(wanted->question, &column, 4, take_key, wanted);
}

/* -- Those that are not there ---------------------------------------------------------------- */

/* The alarm of a node below that has the key. */
struct below {
    struct question *question;
    const char *key;
    char child[NAME_SIZE];
    uint32_t number; /* 0: there is none */
};

static bool take_below(void *context, const struct cell *cell)
{
    struct below *below = context;
    size_t at = 0;
    question_progress(below->question);
    if (cell->kind != CELL_TEXT || strcmp(cell->text, below->key) != 0)
        return true;
    if (cell_index_text(cell, &at, below->child, sizeof below->child) &&
        cell_index_number(cell, &at, &below->number))
        return below->number == 0;
    below->number = 0;
    return true;
}

static struct cell of_child(enum mib_object object, const struct below *below)
{
    struct cell cell;
    cell_start(&cell, object);
    cell_add_text(&cell, below->child);
    cell_add_number(&cell, below->number);
    return cell;
}

/* The address of a node, which the root of its tree and its parent know; the caller frees it. NULL:
 * the node that is asked is neither of them. */
static char *address_of(struct question *question, const char *node, bool is_child)
{
    struct cell cells[2];
    cell_start(&cells[0], MIB_dcampTreeAddress);
    cell_start(&cells[1], is_child ? MIB_dcampChildAddress : MIB_dcampTreeAddress);
    cell_add_text(&cells[0], node);
    cell_add_text(&cells[1], node);
    if (!question_get(question, cells, 2))
        return NULL;
    const struct cell *known = cells[0].kind == CELL_TEXT ? &cells[0] : &cells[1];
    return known->kind == CELL_TEXT && known->text_len > 0
               ? sheet_clean(known->text, known->text_len)
               : NULL;
}

/* Says where to acknowledge it: at the node at the end of the path, which has raised it. */
static void tell_below(const struct below *below)
{
    struct question *question = below->question;
    struct cell cells[2] = {of_child(MIB_dcampChildAlarmPath, below),
                            of_child(MIB_dcampChildAlarmIndex, below)};
    if (!question_get(question, cells, 2))
        return;
    const char *slash = cells[0].kind == CELL_TEXT ? strrchr(cells[0].text, '/') : NULL;
    const char *node = slash ? slash + 1 : below->child;
    if (!text_is_name(node, strlen(node)) || cells[1].kind != CELL_NUMBER) {
        question_fail(question, EXIT_USAGE, "%s is an alarm below %s: acknowledge it at its node",
                      below->key, below->child);
        return;
    }
    char *address = address_of(question, node, !slash);
    if (question->status == EXIT_GOOD || question->status == EXIT_USAGE)
        question_fail(question, EXIT_USAGE,
                      "%s is an alarm of %s, which is below this node: acknowledge it there, by "
                      "\"dcamp alarms acknowledge %s %u\"",
                      below->key, node, address ? address : "ADDRESS", (unsigned)cells[1].number);
    free(address);
}

static void tell_missing_key(struct question *question, const struct named *named)
{
    struct below below = {.question = question, .key = named->word};
    struct cell column;
    cell_start(&column, MIB_dcampChildAlarmKey);
    question_progress(question);
    if (!client_walk(question->client, &column, 4, take_below, &below))
        question_client_failed(question);
    else if (below.number > 0)
        tell_below(&below);
    else
        question_fail(question, EXIT_USAGE, "no active alarm has the key %s%s%s%s", named->word,
                      named->nearest[0] ? "; did you mean \"" : "", named->nearest,
                      named->nearest[0] ? "\"?" : "");
}

/* The index of an alarm is the number of the log entry of its raise, where its key is found. */
static void tell_missing_index(struct question *question, const struct named *named)
{
    struct cell key = numbered(MIB_dcampAlarmLogKey, (uint32_t)strtoul(named->word, NULL, 10));
    if (!question_get(question, &key, 1))
        return;
    if (key.kind == CELL_TEXT && is_key(key.text))
        question_fail(question, EXIT_USAGE, "%s is no active alarm: that of %s is over",
                      named->word, key.text);
    else
        question_fail(question, EXIT_USAGE, "%s is no active alarm", named->word);
}

/* Whether all of the alarms are there; if not, none is acknowledged. */
static bool are_there(const struct acknowledgement *wanted)
{
    struct question *question = wanted->question;
    for (size_t i = 0; i < wanted->n; i++) {
        const struct named *named = &wanted->named[i];
        if (named->index == 0 && named->by_index)
            tell_missing_index(question, named);
        else if (named->index == 0)
            tell_missing_key(question, named);
        if (question->status != EXIT_GOOD && question->status != EXIT_USAGE)
            break;
    }
    return question->status == EXIT_GOOD;
}

/* -- Acknowledged ---------------------------------------------------------------------------- */

static bool add_row(struct acknowledgement *wanted, const struct named *named, struct sheet *sheet)
{
    const struct sheet_value values[] = {
        {.given = true, .number = named->index},
        {.given = true, .text = named->key, .len = strlen(named->key)},
        {.given = true, .text = wanted->text, .len = strlen(wanted->text)}};
    wanted->done++;
    return sheet_add(sheet, values) || question_no_memory(wanted->question);
}

/* Each alarm has a SET of its own: any of them may end at any time, and one that is over must not
 * keep the others from being acknowledged. False: the others need not be tried. */
static bool acknowledge(struct acknowledgement *wanted, const struct named *named,
                        struct sheet *sheet)
{
    struct question *question = wanted->question;
    struct cell cell = numbered(MIB_dcampAlarmAcknowledge, named->index);
    char error[512];
    if (!assign_value(&cell, wanted->text, error))
        return question_fail(question, EXIT_USAGE, "%s", error);
    question_progress(question);
    if (client_set(question->client, &cell, 1))
        return add_row(wanted, named, sheet);
    if (client_failure(question->client) != CLIENT_REFUSED ||
        client_error_status(question->client) != SNMP_ERR_NOCREATION)
        return question_set_failed(question, &cell, 1);
    question_fail(question, EXIT_CUT, "%s is over by now: there is nothing to acknowledge",
                  named->key);
    return true;
}

static void acknowledge_all(struct acknowledgement *wanted)
{
    static const struct sheet_column columns[] = {{"index", "INDEX", SHEET_NUMBER},
                                                  {"key", "KEY", SHEET_TEXT},
                                                  {"acknowledged", "ACKNOWLEDGED", SHEET_TEXT}};
    struct question *question = wanted->question;
    struct sheet *sheet = sheet_new(columns, sizeof columns / sizeof *columns);
    bool good = sheet || question_no_memory(question);
    for (size_t i = 0; good && i < wanted->n; i++)
        good = acknowledge(wanted, &wanted->named[i], sheet);
    if (wanted->done > 0)
        question_print(question, sheet);
    sheet_free(sheet);
}

static void find_and_acknowledge(struct acknowledgement *wanted)
{
    if (question_is_dcamp(wanted->question) && read_keys_of_indexes(wanted) &&
        find_indexes_of_keys(wanted) && are_there(wanted))
        acknowledge_all(wanted);
}

enum exit_status alarms_acknowledge_one(const struct command *command, struct client *client,
                                        FILE *to, FILE *errors, const char *alarm, const char *text)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct named named = {.word = alarm};
    struct acknowledgement wanted = {
        .question = &question, .named = &named, .n = 1, .text = *text ? text : own_name(command)};
    if (take_index(&named) || is_key(alarm))
        find_and_acknowledge(&wanted);
    else
        question_fail(&question, EXIT_USAGE, "%s: expected the index or the key of an alarm",
                      alarm);
    return question.status;
}

enum exit_status alarms_acknowledge_run(const struct command *command, struct client *client,
                                        FILE *to, FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct acknowledgement wanted = {.question = &question};
    wanted.named = calloc((size_t)command->n_words, sizeof *wanted.named);
    if (!wanted.named)
        question_no_memory(&question);
    else if (read_words(&wanted))
        find_and_acknowledge(&wanted);
    free(wanted.named);
    return question.status;
}

#include "cli/rotate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/roster.h"
#include "snmpv3/keys.h"
#include "snmpv3/secrets.h"
#include "snmpv3/session.h"

#define TRIES 3
#define PAUSE_NS (NS_PER_S / 5)
#define POLLS_PROVEN 2 /* the first of them may have been answered before the keys were changed */
#define PERIODS 4      /* of a parent: time for that many polls */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* usmUserSpinLock.0 of RFC 3414: a SET of the value that it has changes that value. So a SET that
 * arrives twice, or is sent again by somebody who has seen it, is refused; it would derive from the
 * new key another one, which nobody has. usmUserAuthKeyChange and usmUserPrivKeyChange, which are
 * there for the keys of any user. versionSavePersistentData.0 of the UCD-SNMP-MIB: without it snmpd
 * would keep the keys only if it is stopped in good order. */
static const uint32_t lock_scalar[] = {SNMP_OID_SNMPMODULES, 15, 1, 2, 1, 0};
static const uint32_t auth_column[] = {SNMP_OID_SNMPMODULES, 15, 1, 2, 2, 1, 6};
static const uint32_t priv_column[] = {SNMP_OID_SNMPMODULES, 15, 1, 2, 2, 1, 9};
static const uint32_t save_scalar[] = {SNMP_OID_ENTERPRISES, 2021, 100, 13, 0};

enum age { OLD, NEW, AGES };

/* Which keys a node has of a user. */
enum holding { HAS_OLD = OLD, HAS_NEW = NEW, HAS_NEITHER, HAS_NO_USER, HAS_NO_ANSWER };

struct user {
    const char *name;
    const struct credential *credentials[AGES];
    bool is_wanted; /* its keys are to be changed */
};

#define ADMIN 0

struct rotation {
    struct question *question;
    struct credential *all;
    struct user users[1 + ROTATE_USERS_MAX]; /* the first one may SET */
    size_t n_users;
    struct roster roster;
    bool *follows;        /* of each node of the roster: it polls its children by either keys */
    enum age admin;       /* which keys of the first user the asked node has */
    char why[512];        /* what is wrong with that node */
    bool is_over;         /* so wrong that no other node is to get new keys */
    size_t n_new;         /* nodes that have all of them */
    char root[NAME_SIZE]; /* of the tree of the node that was asked, if that is another node */
};

static bool fail(struct rotation *rotation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct rotation *rotation, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rotation->why, sizeof rotation->why, format, arguments);
    va_end(arguments);
    return false;
}

/* -- Users ----------------------------------------------------------------------------------- */

static void add_user(struct rotation *rotation, const char *name, bool is_wanted)
{
    for (size_t i = 0; i < rotation->n_users; i++)
        if (strcmp(rotation->users[i].name, name) == 0) {
            rotation->users[i].is_wanted |= is_wanted;
            return;
        }
    rotation->users[rotation->n_users++] = (struct user){.name = name, .is_wanted = is_wanted};
}

static void name_users(struct rotation *rotation)
{
    const struct command *command = rotation->question->command;
    bool all = command->n_words == 0;
    add_user(rotation, command->login.credential.user, all);
    if (all) {
        add_user(rotation, "dcampPoll", true);
        add_user(rotation, "dcampTrap", true);
    }
    for (int i = 0; i < command->n_words; i++)
        add_user(rotation, command->words[i], true);
}

static bool add_credential(struct rotation *rotation, size_t user, enum age age,
                           const struct usm_credential *secrets)
{
    struct question *question = rotation->question;
    struct usm_credential told = *secrets;
    const char *name = rotation->users[user].name;
    if (strlen(name) >= sizeof told.user)
        return question_fail(question, EXIT_USAGE, "%s: a user has a name of 1 to 32 octets", name);
    text_format(told.name, sizeof told.name, "%zu %d", user, (int)age);
    text_format(told.user, sizeof told.user, "%s", name);
    const struct credential *credential = keys_set(&rotation->all, &told);
    explicit_bzero(&told, sizeof told);
    rotation->users[user].credentials[age] = credential;
    if (!credential)
        return question_no_memory(question);
    return !credential->invalid || question_fail(question, EXIT_USAGE, "%s", credential->invalid);
}

/* A node where only the privacy key is another one does not answer, as if it were away. But a node
 * reports a wrong authentication key, so that this has to be another one as well. */
static bool make_credentials(struct rotation *rotation)
{
    struct question *question = rotation->question;
    const struct usm_credential *old = &question->command->login.credential;
    struct usm_credential secrets = *old;
    char reader[ACCOUNT_NAME_SIZE], error[512];
    bool good = secrets_read_as_owner(question->command->new_secrets, &secrets, reader, error) ||
                question_fail(question, EXIT_USAGE, "%s", error);
    if (good && strcmp(old->auth_secret, secrets.auth_secret) == 0)
        good = question_fail(question, EXIT_USAGE,
                             "%s: the new authentication passphrase is the old one; take another",
                             question->command->new_secrets);
    for (size_t i = 0; good && i < rotation->n_users; i++)
        good = add_credential(rotation, i, OLD, old) && add_credential(rotation, i, NEW, &secrets);
    explicit_bzero(&secrets, sizeof secrets);
    return good;
}

/* -- Which keys a node has ------------------------------------------------------------------- */

/* A user who may not read this is answered, too, by an error: the keys are right. */
static bool is_answered(struct rotation *rotation)
{
    struct client *client = rotation->question->client;
    struct cell name;
    cell_scalar(&name, MIB_dcampNodeName);
    question_progress(rotation->question);
    return client_get(client, &name, 1) || client_reason(client) == 0;
}

/* Asks by the likelier keys first, and then by the others. The client goes on with those that are
 * right. */
static enum holding ask_holding(struct rotation *rotation, size_t user, enum age likely)
{
    struct client *client = rotation->question->client;
    for (int i = 0; i < AGES; i++) {
        enum age age = i == 0 ? likely : likely == OLD ? NEW : OLD;
        client_use(client, rotation->users[user].credentials[age]);
        if (is_answered(rotation))
            return age == OLD ? HAS_OLD : HAS_NEW;
        if (client_reason(client) == POLL_UNKNOWN_USER)
            return HAS_NO_USER;
        if (client_reason(client) != POLL_WRONG_KEY)
            return HAS_NO_ANSWER;
    }
    return HAS_NEITHER;
}

static bool fail_holding(struct rotation *rotation, size_t user, enum holding holding)
{
    const char *name = rotation->users[user].name;
    if (holding == HAS_NEITHER)
        return fail(rotation,
                    "%s has neither the old keys nor the new ones; or it has other protocols: give "
                    "them by -a and -x",
                    name);
    if (holding == HAS_NO_USER)
        return fail(rotation, "there is no user %s", name);
    return fail(rotation, "%s", client_error(rotation->question->client));
}

/* Begins with a node: finds out which keys the user who may SET has there. */
static bool meet(struct rotation *rotation)
{
    enum holding holding = ask_holding(rotation, ADMIN, rotation->admin);
    if (holding != HAS_OLD && holding != HAS_NEW)
        return fail_holding(rotation, ADMIN, holding);
    rotation->admin = holding == HAS_OLD ? OLD : NEW;
    return true;
}

/* -- One SET --------------------------------------------------------------------------------- */

static void put_arcs(struct client_variable *variable, const uint32_t *arcs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        variable->oid[variable->len++] = arcs[i];
}

/* RFC 3414, usmUserEntry: the engine ID and the name, each behind its length. */
static void put_user(struct client_variable *variable, const struct snmp_engine *engine,
                     const char *name)
{
    variable->oid[variable->len++] = engine->len;
    for (size_t i = 0; i < engine->len; i++)
        variable->oid[variable->len++] = engine->id[i];
    variable->oid[variable->len++] = (uint32_t)strlen(name);
    for (; *name; name++)
        variable->oid[variable->len++] = (unsigned char)*name;
}

static bool make_change(const struct user *user, enum age to, const struct snmp_engine *engine,
                        struct key_change *change)
{
    struct keys before = {.credential = NULL}, after = {.credential = NULL};
    enum age from = to == NEW ? OLD : NEW;
    bool made = keys_localize(user->credentials[from], engine->id, engine->len, &before) &&
                keys_localize(user->credentials[to], engine->id, engine->len, &after) &&
                keys_change(&before, &after, change);
    keys_forget(&before);
    keys_forget(&after);
    return made;
}

static void use_admin(struct rotation *rotation)
{
    client_use(rotation->question->client, rotation->users[ADMIN].credentials[rotation->admin]);
    question_progress(rotation->question);
}

static bool fail_refused(struct rotation *rotation, const char *what)
{
    const struct client *client = rotation->question->client;
    switch (client_error_status(client)) {
    case SNMP_ERR_NOACCESS:
    case SNMP_ERR_AUTHORIZATIONERROR:
    case SNMP_ERR_NOTWRITABLE:
        return fail(rotation, "snmpd does not let %s %s: its drop-in of dCAMP is an older one",
                    rotation->users[ADMIN].name, what);
    case SNMP_ERR_INCONSISTENTNAME:
        return fail(rotation, "snmpd has not been restarted since its users were made: restart it");
    default:
        return fail(rotation, "%s", client_error(client));
    }
}

static bool read_lock(struct rotation *rotation, struct client_variable *lock)
{
    struct client *client = rotation->question->client;
    int64_t number;
    if (client_get_number(client, lock, &number)) {
        lock->number = (int32_t)number;
        return true;
    }
    if (client_failure(client) == CLIENT_SILENT)
        return fail(rotation, "%s", client_error(client));
    return fail(rotation, "snmpd does not let %s change keys: its drop-in of dCAMP is an older one",
                rotation->users[ADMIN].name);
}

/* Both keys are in one SET, so that a user never has an old one and a new one. Only one user is in
 * a SET, for if it fails snmpd can take back only the latest of several changes. The answer comes
 * by the old keys. False: it was refused. */
static bool send_change(struct rotation *rotation, size_t user, enum age to)
{
    struct client *client = rotation->question->client;
    struct client_variable lock = {.len = 0}, auth = lock, priv = lock;
    struct key_change change;
    const struct snmp_engine *engine = client_engine(client);
    if (!make_change(&rotation->users[user], to, engine, &change))
        return fail(rotation, "no keys can be made for its engine ID");
    put_arcs(&lock, lock_scalar, COUNT(lock_scalar));
    put_arcs(&auth, auth_column, COUNT(auth_column));
    put_arcs(&priv, priv_column, COUNT(priv_column));
    put_user(&auth, engine, rotation->users[user].name);
    put_user(&priv, engine, rotation->users[user].name);
    auth.octets = change.auth;
    auth.n_octets = change.auth_len;
    priv.octets = change.priv;
    priv.n_octets = change.priv_len;
    use_admin(rotation);
    if (!read_lock(rotation, &lock))
        return false;
    const struct client_variable variables[] = {lock, auth, priv};
    return client_set_variables(client, variables, COUNT(variables)) ||
           client_failure(client) == CLIENT_SILENT ||
           client_error_status(client) == SNMP_ERR_INCONSISTENTVALUE || /* the lock has changed */
           fail_refused(rotation, "change keys");
}

/* Asking again shows whether it was done, even if the answer was lost. False: why says what is
 * wrong. A node without the user has nothing to change. */
static bool change_user(struct rotation *rotation, size_t user, enum age to, bool *changed)
{
    enum age likely = to == NEW ? OLD : NEW;
    for (int i = 0; i <= TRIES; i++) {
        enum holding holding = ask_holding(rotation, user, likely);
        if (holding == HAS_NO_USER && user != ADMIN)
            return true;
        if (holding != HAS_OLD && holding != HAS_NEW)
            return fail_holding(rotation, user, holding);
        enum age has = holding == HAS_OLD ? OLD : NEW;
        if (user == ADMIN)
            rotation->admin = has;
        if (has == to)
            return true;
        if (i < TRIES && !send_change(rotation, user, to))
            return false;
        *changed = true;
        likely = to;
    }
    return fail(rotation, "%s keeps its keys, whatever is SET", rotation->users[user].name);
}

static bool save(struct rotation *rotation)
{
    struct client *client = rotation->question->client;
    struct client_variable variable = {.number = 1};
    put_arcs(&variable, save_scalar, COUNT(save_scalar));
    for (int i = 0; i < TRIES; i++) {
        use_admin(rotation);
        if (client_set_variables(client, &variable, 1))
            return true;
        if (client_failure(client) != CLIENT_SILENT)
            return fail_refused(rotation, "save its keys");
    }
    return fail(rotation, "%s", client_error(client));
}

/* -- The parent of a node -------------------------------------------------------------------- */

struct polling {
    int64_t polls, state, period_ms;
};

static bool ask_polling(struct rotation *rotation, const char *name, struct polling *polling)
{
    static const enum mib_object objects[] = {MIB_dcampChildPolls, MIB_dcampChildState,
                                              MIB_dcampChildPeriod};
    struct cell cells[COUNT(objects)];
    for (size_t i = 0; i < COUNT(objects); i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_text(&cells[i], name);
    }
    question_progress(rotation->question);
    if (!client_get(rotation->question->client, cells, COUNT(cells)))
        return false;
    *polling = (struct polling){cells[0].number, cells[1].number, cells[2].number};
    return cells[0].kind == CELL_NUMBER && cells[1].kind == CELL_NUMBER &&
           cells[2].kind == CELL_NUMBER;
}

/* What a parent does after the keys of a child were changed. A parent that was lost or has given
 * the child away does not show what it would do with others. */
enum following { FOLLOWS, FOLLOWS_NOT, IS_NO_PARENT };

/* A parent that does not answer polls nobody, so that there is nothing to be lost. When its time is
 * over, it is asked once more, for this command or the machine may have been suspended
 * meanwhile. */
static enum following ask_following(struct rotation *rotation, const char *name)
{
    struct polling first, now;
    bool is_over = false;
    if (!meet(rotation))
        return FOLLOWS;
    if (!ask_polling(rotation, name, &first))
        return IS_NO_PARENT;
    uint64_t until = clock_mono_ns() + rotation->question->command->timeout_s * NS_PER_S +
                     (uint64_t)first.period_ms * PERIODS * NS_PER_MS;
    while (!is_over) {
        is_over = clock_mono_ns() >= until;
        if (!ask_polling(rotation, name, &now))
            return IS_NO_PARENT;
        if (now.state == dcampChildState_wrongKey)
            return FOLLOWS_NOT;
        if (now.state == dcampChildState_up && now.polls >= first.polls + POLLS_PROVEN)
            return FOLLOWS;
        question_sleep(PAUSE_NS);
    }
    return FOLLOWS_NOT;
}

/* The roster is from before the first change, and parents come and go while keys are changed. A
 * node that does not say which parent it has now keeps the one of the roster. */
static void learn_parent(struct rotation *rotation, struct member *member)
{
    struct cell parent;
    cell_scalar(&parent, MIB_dcampNodeParent);
    use_admin(rotation);
    if (client_get(rotation->question->client, &parent, 1) && parent.kind == CELL_TEXT &&
        text_is_name(parent.text, parent.text_len))
        text_format(member->parent, sizeof member->parent, "%s", parent.text);
}

static size_t find_parent(const struct roster *roster, const struct member *member)
{
    size_t i = 0;
    while (i < roster->n && strcmp(roster->list[i].name, member->parent) != 0)
        i++;
    return i;
}

/* Whether the parent goes on polling a node whose keys were just changed. Every parent is asked
 * about its first child only: if it goes on with that, it does with all. */
static bool is_followed(struct rotation *rotation, struct member *member)
{
    const struct roster *roster = &rotation->roster;
    learn_parent(rotation, member);
    size_t parent = find_parent(roster, member);
    if (parent == roster->n || rotation->follows[parent] || member_is_away(&roster->list[parent]))
        return true;
    client_turn(rotation->question->client, roster->list[parent].address);
    enum following following = ask_following(rotation, member->name);
    client_turn(rotation->question->client, member->address);
    rotation->follows[parent] = following == FOLLOWS;
    return following != FOLLOWS_NOT;
}

static bool take_back(struct rotation *rotation, const struct member *member, size_t user)
{
    bool changed = false;
    const char *name = rotation->users[user].name;
    rotation->is_over = true;
    if (!meet(rotation) || !change_user(rotation, user, OLD, &changed) || !save(rotation))
        return false;
    return fail(rotation,
                "%s does not poll it by the new keys, so that %s has its old ones again; <access> "
                "of the tree document must have next-secrets before keys are changed",
                member->parent, name);
}

/* -- One node -------------------------------------------------------------------------------- */

/* Parents poll as this user, unless it is the one who configures or who signs notifications. */
static bool is_polled_by(const struct rotation *rotation, size_t user)
{
    return user != ADMIN && strcmp(rotation->users[user].name, "dcampTrap") != 0;
}

static bool renew_user(struct rotation *rotation, struct member *member, size_t user, bool *changed)
{
    bool this_one = false;
    if (!rotation->users[user].is_wanted)
        return true;
    if (!change_user(rotation, user, NEW, &this_one))
        return false;
    *changed |= this_one;
    if (!this_one || !is_polled_by(rotation, user))
        return true;
    return is_followed(rotation, member) ? meet(rotation) : take_back(rotation, member, user);
}

/* The user who configures is changed last, because all the others are changed in its name. The keys
 * are saved even if nothing was changed, for an earlier run may have ended in between. */
static bool renew(struct rotation *rotation, struct member *member, bool *changed)
{
    rotation->why[0] = '\0';
    if (member_is_away(member))
        return fail(rotation, "it does not answer its root: %s",
                    member->error ? member->error : "");
    client_turn(rotation->question->client, member->address);
    bool good = meet(rotation);
    for (size_t i = 1; good && i < rotation->n_users; i++)
        good = renew_user(rotation, member, i, changed);
    return good && renew_user(rotation, member, ADMIN, changed) && save(rotation);
}

/* -- All of them ----------------------------------------------------------------------------- */

/* After another root has taken over, this command is easily given to the former root by mistake. */
static void tell_root(struct rotation *rotation, const char *name, const struct cell *root)
{
    if (root->kind != CELL_TEXT || !text_is_name(root->text, root->text_len))
        return;
    text_format(rotation->root, sizeof rotation->root, "%s", root->text);
    fprintf(
        rotation->question->errors,
        "dcamp: %s is not the root of its tree, which is %s: only its own keys are changed; ask "
        "%s for those of all nodes\n",
        name, rotation->root, rotation->root);
}

static bool add_this_node(struct rotation *rotation, const struct cell *name,
                          const struct cell *root)
{
    struct question *question = rotation->question;
    struct member *member = calloc(1, sizeof *member);
    if (!member)
        return question_no_memory(question);
    rotation->roster = (struct roster){.list = member, .n = 1, .room = 1};
    text_format(member->name, sizeof member->name, "%s",
                name->kind == CELL_TEXT && text_is_name(name->text, name->text_len)
                    ? name->text
                    : question->command->login.address.host);
    tell_root(rotation, member->name, root);
    const char *why = address_resolve(&question->command->login.address, member->address);
    return !why || question_fail(question, EXIT_SILENT, "%s", why);
}

/* Leaves before their parents; the root is the last one. */
static int by_level(const void *a, const void *b)
{
    const struct member *one = a, *other = b;
    if (one->level != other->level)
        return one->level > other->level ? -1 : 1;
    return strcmp(one->name, other->name);
}

static bool find_nodes(struct rotation *rotation)
{
    struct question *question = rotation->question;
    struct cell cells[3];
    cell_scalar(&cells[0], MIB_dcampNodeName);
    cell_scalar(&cells[1], MIB_dcampTreeIsRoot);
    cell_scalar(&cells[2], MIB_dcampTreeRootName);
    if (!meet(rotation))
        return question_fail(question,
                             client_failure(question->client) == CLIENT_SILENT ? EXIT_SILENT
                                                                               : EXIT_REFUSED,
                             "%s", rotation->why);
    if (!question_get(question, cells, COUNT(cells)))
        return false;
    bool is_root = cells[1].kind == CELL_NUMBER && cells[1].number == dcampTreeIsRoot_true;
    if (!(is_root ? roster_read(question, &rotation->roster)
                  : add_this_node(rotation, &cells[0], &cells[2])))
        return false;
    struct roster *roster = &rotation->roster;
    if (roster->n == 0)
        return question_fail(question, EXIT_SILENT, "the root does not know its nodes yet");
    qsort(roster->list, roster->n, sizeof *roster->list, by_level);
    rotation->follows = calloc(roster->n, sizeof *rotation->follows);
    return rotation->follows != NULL || question_no_memory(question);
}

static const struct sheet_column columns[] = {
    {"name", "NAME", SHEET_TEXT}, {"keys", "KEYS", SHEET_TEXT}, {"detail", "DETAIL", SHEET_TEXT}};

/* The table for people has only those nodes that do not have the new keys. */
static bool tell_node(const struct rotation *rotation, struct sheet *sheet, const char *name,
                      const char *keys)
{
    const char *const texts[] = {name, keys, rotation->why};
    struct sheet_value values[COUNT(columns)];
    for (size_t i = 0; i < COUNT(columns); i++)
        values[i] = (struct sheet_value){.given = true, .text = texts[i], .len = strlen(texts[i])};
    return (rotation->question->command->format == SHEET_TABLE && !rotation->why[0]) ||
           sheet_add(sheet, values);
}

static bool renew_all(struct rotation *rotation, struct sheet *sheet)
{
    struct roster *roster = &rotation->roster;
    struct progress progress = progress_begin(rotation->question->errors, clock_mono_ns());
    bool told = true;
    for (size_t i = 0; told && !rotation->is_over && i < roster->n; i++) {
        bool changed = false;
        progress_show(&progress, clock_mono_ns(), "%zu of %zu nodes have the new keys; next: %s",
                      rotation->n_new, roster->n, roster->list[i].name);
        bool good = renew(rotation, &roster->list[i], &changed);
        rotation->n_new += good;
        if (good)
            rotation->why[0] = '\0';
        told = tell_node(rotation, sheet, roster->list[i].name,
                         !good     ? "not new"
                         : changed ? "new"
                                   : "new already");
    }
    progress_end(&progress);
    return told;
}

static void tell_what_is_next(const struct rotation *rotation)
{
    const struct command *command = rotation->question->command;
    FILE *to = rotation->question->to;
    bool is_complete = rotation->n_new == rotation->roster.n;
    fprintf(to, "%zu of %zu nodes have the new keys\n", rotation->n_new, rotation->roster.n);
    if (!is_complete) {
        fputs("Run it again when the others can be asked; keep both files until then.\n", to);
        return;
    }
    if (rotation->root[0])
        return; /* the other nodes still need what has the old passphrases */
    const char *old = command->login.secrets ? command->login.secrets : "the file of before";
    fprintf(to,
            "What still has the old passphrases, in this order:\n"
            "  every candidate for the root, and every machine for dcamp init: mv %s %s\n"
            "  the tree document: take next-secrets out, and dcamp config push it\n"
            "  who asks: snmp.conf, management systems\n",
            command->new_secrets, old);
    for (size_t i = 0; i < rotation->n_users; i++)
        if (rotation->users[i].is_wanted && strcmp(rotation->users[i].name, "dcampTrap") == 0)
            fputs("  who receives notifications: snmptrapd.conf, by dcamp export snmptrapd\n", to);
}

static void rotate(struct rotation *rotation)
{
    struct question *question = rotation->question;
    struct sheet *sheet = sheet_new(columns, COUNT(columns));
    if (!sheet || !renew_all(rotation, sheet)) {
        question_no_memory(question);
    } else if (question_print(question, sheet)) {
        if (question->command->format == SHEET_TABLE)
            tell_what_is_next(rotation);
        if (rotation->n_new < rotation->roster.n)
            question->status = rotation->is_over ? EXIT_REFUSED : EXIT_CUT;
    }
    sheet_free(sheet);
}

enum exit_status key_rotate_run(const struct command *command, struct client *client, FILE *to,
                                FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct rotation rotation = {.question = &question, .admin = OLD};
    name_users(&rotation);
    if (make_credentials(&rotation) && find_nodes(&rotation))
        rotate(&rotation);
    roster_free(&rotation.roster);
    free(rotation.follows);
    keys_free(&rotation.all);
    return question.status;
}

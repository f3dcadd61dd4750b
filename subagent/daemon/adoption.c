#include "daemon/adoption.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/text.h"
#include "config/ordered_text.h"
#include "daemon/file.h"
#include "daemon/lock.h"

/* Enough for both documents and for what came while they were read; the rest is left to the next
 * cycle. */
#define TASKS_MOST 4

static const char *const kinds[] = {[DOCUMENT_SHARE] = "share", [DOCUMENT_TREE] = "tree document"};

/* -- Shares ----------------------------------------------------------------------------------- */

static bool same_place(const struct assignment *a, const struct assignment *b)
{
    return a->role == b->role && a->level == b->level && strcmp(a->parent, b->parent) == 0;
}

/* Logs a change of place; changes of the role are told by daemon/role.h. order: NULL: the share was
 * in force when the daemon last ended. */
static void log_place(const struct assignment *is, const struct order *order)
{
    if (is->parent[0])
        log_info("tree", "place below %s: %s", is->parent, is->reason);
    else if (is->role)
        log_info("tree", "place at the top: %s", is->reason);
    else if (order && order->is_empty)
        log_info("tree",
                 "no place: \"%s\" has ended the share in term %" PRIu32
                 ", the node works by its configuration file",
                 order->root, order->term);
    else
        log_info("tree", "no place: no share, the node works by its configuration file");
}

static void row_dropped(const struct row *row)
{
    log_info("config", "%s \"%s\": another share is in force, it replaces what was SET",
             row_type(row->kind)->element, row->name);
}

/* The rows of the share, or those of the file if there is to be no share; the settings are those in
 * use. Only this thread replaces the configuration, and a SET changes no setting. */
static struct config *read_rows(struct dcampd *daemon, const struct document_task *task,
                                struct assignment *assignment, char error[CONFIG_ERROR_SIZE])
{
    const struct dcampd_options *options = &daemon->options;
    struct config *config =
        task->parcel ? ordered_share(task->parcel, daemon->config->schema_dir, assignment, error)
                     : file_load(options->config_path, options->agentx_socket, options->state_dir,
                                 options->apps_dir, error);
    if (config)
        config_take_settings(config, daemon->config);
    return config;
}

/* Returns the configuration that is not used any more. */
static struct config *work_by(struct dcampd *daemon, const struct document_task *task,
                              struct config *new, const struct assignment *assignment)
{
    struct documents *documents = &daemon->documents;
    if (!documents_adopt(documents, task))
        return new;
    struct config *old = daemon->config;
    config_succeed(old, new, row_dropped);
    daemon->config = new;
    daemon->reloads++;
    if (!same_place(assignment, &documents->assignment))
        log_place(assignment, &task->order);
    role_ordered(&daemon->role, &task->order);
    documents_assign(documents, assignment);
    return old;
}

/* A document that is already in force is not given up because memory ran out. */
static void refuse(struct dcampd *daemon, const struct document_task *task, const char *error,
                   struct moment now)
{
    if (errno == ENOMEM && task->state != DOCUMENT_WAITING) {
        daemon->documents.again_ns = now.mono_ns + NS_PER_S;
        return;
    }
    lock_take(&daemon->lock);
    documents_refuse(&daemon->documents, task, error);
    lock_release(&daemon->lock);
    log_error("tree", "the %s of \"%s\" in term %" PRIu32 ", epoch %" PRIu32 " is refused: %s",
              kinds[task->kind], task->order.root, task->order.term, task->order.epoch, error);
}

static void take_share(struct dcampd *daemon, const struct document_task *task, struct moment now)
{
    char error[CONFIG_ERROR_SIZE] = "";
    struct assignment assignment = {.role = 0};
    struct config *new = read_rows(daemon, task, &assignment, error);
    if (!new) {
        refuse(daemon, task, error, now);
        return;
    }
    lock_take(&daemon->lock);
    struct config *of_no_use = work_by(daemon, task, new, &assignment);
    lock_release(&daemon->lock);
    config_free(of_no_use);
    if (of_no_use != new)
        polling_reload(&daemon->polling, new);
}

/* -- Tree documents --------------------------------------------------------------------------- */

static void put_tree(struct tree_in_force *tree, const struct order *order, char *text, size_t len)
{
    free(tree->text);
    *tree = (struct tree_in_force){
        .changes = tree->changes + 1, .order = *order, .text = text, .len = len};
}

/* Whether this node is the root of the tree that is to end, as far as it knows: a daemon that was
 * started meanwhile does not know the order before. */
static bool is_to_dissolve(const struct dcampd *daemon, const struct document_task *task)
{
    const struct tree_in_force *tree = &daemon->documents.tree;
    const char *self = daemon->config->node.name;
    return strcmp(task->order.root, self) == 0 &&
           (!tree->text || strcmp(tree->order.root, self) == 0);
}

/* The document stays until all nodes have been told that the tree has ended. False: it cannot be
 * read. */
static bool begin_end(struct dcampd *daemon, const struct document_task *task)
{
    char error[CONFIG_ERROR_SIZE] = "";
    struct tree_in_force *tree = &daemon->documents.tree;
    struct order order = task->order;
    size_t len = 0;
    char *text = ordered_tree(task->parcel, daemon->config->schema_dir, &len, error);
    if (!text) {
        log_error("tree", "nobody is told that the tree has ended: its document: %s", error);
        return false;
    }
    memcpy(order.digest, task->parcel->digest, sizeof order.digest);
    lock_take(&daemon->lock);
    bool taken = documents_end(&daemon->documents, task);
    lock_release(&daemon->lock);
    if (taken) {
        put_tree(tree, &order, text, len);
        tree->ends = true;
    } else {
        free(text);
    }
    return true;
}

/* A node that was shut out comes back only if the document says so. Most documents shut nobody out,
 * and need not be read for that. */
static bool forgets_nobody(const struct dcampd *daemon, const char *text, size_t len,
                           char error[CONFIG_ERROR_SIZE])
{
    static const char list[] = "<" TREE_REVOKED;
    const struct tree_in_force *now = &daemon->documents.tree;
    char digits[2 * (CHILD_ENGINE_SIZE - 1) + 1];
    if (!now->text || !memmem(now->text, now->len, list, sizeof list - 1))
        return true;
    struct tree_config *tree = tree_config_load("tree document", now->text, now->len, error);
    struct tree_config *next = tree ? tree_config_load("tree document", text, len, error) : NULL;
    int code = errno;
    const struct tree_revoked *forgotten = next ? tree_forgotten(tree, next) : NULL;
    if (forgotten) {
        code = EBADMSG;
        hex_from_octets(digits, forgotten->engine + 1, forgotten->engine[0], HEX_LOWER);
        text_format(error, CONFIG_ERROR_SIZE,
                    "the keys of engine %s, node \"%s\", are revoked, and it does not say so: have "
                    "them in <revoked>, or there with back=\"yes\"",
                    digits, forgotten->node);
    }
    bool good = next && !forgotten;
    tree_config_free(tree);
    tree_config_free(next);
    errno = code;
    return good;
}

static void take_tree(struct dcampd *daemon, const struct document_task *task, struct moment now)
{
    char error[CONFIG_ERROR_SIZE] = "";
    char *text = NULL;
    size_t len = 0;
    if (!task->is_end)
        text = ordered_tree(task->parcel, daemon->config->schema_dir, &len, error);
    else if (task->parcel && is_to_dissolve(daemon, task) && begin_end(daemon, task))
        return;
    if (!task->is_end && (!text || !forgets_nobody(daemon, text, len, error))) {
        refuse(daemon, task, error, now);
        free(text);
        return;
    }
    lock_take(&daemon->lock);
    bool taken = documents_adopt(&daemon->documents, task);
    lock_release(&daemon->lock);
    if (taken)
        put_tree(&daemon->documents.tree, &task->order, text, len);
    else
        free(text);
}

/* Takes note of another order for the same document. */
static void note_tree_order(struct tree_in_force *tree, const struct document_task *task)
{
    bool is_of_it = task->state == DOCUMENT_NONE || task->state == DOCUMENT_IN_FORCE;
    if (!is_of_it || task->order.term == 0)
        return;
    tree->order = task->order;
    tree->ends &= task->state == DOCUMENT_NONE; /* the tree may go on after all */
    tree->changes++;
}

/* -- Steps ------------------------------------------------------------------------------------ */

/* An order that comes in parts may be logged with each part. */
static void debug_order(const struct document_task *task)
{
    if (task->order.term > 0)
        log_debug("tree",
                  "the latest order of a %s is of \"%s\", in term %" PRIu32 ", epoch %" PRIu32,
                  kinds[task->kind], task->order.root, task->order.term, task->order.epoch);
}

static void carry_out(struct dcampd *daemon, const struct document_task *task, struct moment now)
{
    debug_order(task);
    if (task->is_new && task->kind == DOCUMENT_SHARE) {
        take_share(daemon, task, now);
    } else if (task->is_new) {
        take_tree(daemon, task, now);
    } else {
        documents_note(&daemon->documents, task);
        if (task->kind == DOCUMENT_SHARE && task->state == DOCUMENT_IN_FORCE)
            role_ordered(&daemon->role, &task->order);
        if (task->kind == DOCUMENT_TREE)
            note_tree_order(&daemon->documents.tree, task);
    }
}

static bool next_task(struct dcampd *daemon, struct document_task *task)
{
    lock_take(&daemon->lock);
    bool is_one = documents_next(&daemon->documents, task);
    lock_release(&daemon->lock);
    return is_one;
}

void adoption_step(struct dcampd *daemon, struct moment now)
{
    struct documents *documents = &daemon->documents;
    struct document_task task;
    if (documents->again_ns != UINT64_MAX && now.mono_ns < documents->again_ns)
        return;
    documents->again_ns = UINT64_MAX;
    for (int i = 0; i < TASKS_MOST && next_task(daemon, &task); i++) {
        carry_out(daemon, &task, now);
        lock_take(&daemon->lock);
        parcel_drop(task.parcel);
        lock_release(&daemon->lock);
    }
}

void adoption_end_tree(struct dcampd *daemon)
{
    struct documents *documents = &daemon->documents;
    lock_take(&daemon->lock);
    bool has_ended = documents_ended(documents);
    lock_release(&daemon->lock);
    if (has_ended)
        put_tree(&documents->tree, &documents->tree.order, NULL, 0);
}

void adoption_restore(struct dcampd *daemon, struct state *state)
{
    documents_restore(&daemon->documents, state);
    if (daemon->documents.assignment.role)
        log_place(&daemon->documents.assignment, NULL);
    role_ordered(&daemon->role, &documents_of(&daemon->documents, DOCUMENT_SHARE)->order);
}

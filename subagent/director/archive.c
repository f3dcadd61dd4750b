#include "director/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "director/etcd_tree.h"

static void end_errand(struct archive *archive)
{
    free(archive->errand.value);
    free(archive->errand.found);
    archive->errand = (struct etcd_errand){.kind = ETCD_NOTHING};
}

void archive_close(struct director *director)
{
    end_errand(&director->archive);
    parcel_drop(director->archive.kept.parcel);
    director->archive = (struct archive){.read_lease = 0};
}

/* -- What is known --------------------------------------------------------------------------- */

bool archive_is_kept(const struct director *director)
{
    const struct archive *archive = &director->archive;
    const struct inbox *order = &director->order;
    return !director->coordination.by_lease || director->dissolve.is_wanted ||
           !director->document ||
           (archive->term == order->term &&
            memcmp(archive->digest, order->digest, CONFIG_DIGEST) == 0);
}

bool archive_is_removed(const struct director *director)
{
    return !director->coordination.by_lease || director->archive.is_removed;
}

struct parcel *archive_document(const struct director *director)
{
    struct parcel *kept = director->archive.kept.parcel;
    return kept ? kept : director->document;
}

static void forget(struct archive *archive)
{
    parcel_drop(archive->kept.parcel);
    archive->kept.parcel = NULL;
}

void archive_ordered(struct director *director)
{
    struct archive *archive = &director->archive;
    if (archive->kept.parcel && !etcd_tree_is_newer(&archive->kept, &director->order))
        forget(archive);
}

/* -- What is read ---------------------------------------------------------------------------- */

static bool is_candidate(const struct tree_config *tree, const char *name)
{
    for (size_t i = 0; i < tree->n_candidates; i++)
        if (strcmp(tree->candidates[i], name) == 0)
            return true;
    return false;
}

static bool is_usable(const struct director *director, const struct parcel *parcel,
                      char error[CONFIG_ERROR_SIZE])
{
    size_t len;
    char fault[FAULT_SIZE] = "";
    char *text = parcel_unpack(parcel->octets, parcel->len, &len, fault);
    struct tree_config *tree = text ? tree_config_load("tree document", text, len, error) : NULL;
    bool good = tree && is_candidate(tree, director->order.self);
    if (!text)
        text_format(error, CONFIG_ERROR_SIZE, "%s", fault);
    else if (tree && !good)
        text_format(error, CONFIG_ERROR_SIZE, "\"%s\" is no candidate in it", director->order.self);
    tree_config_free(tree);
    free(text);
    return good;
}

static void say_useless(struct director *director, const char *error, uint64_t now)
{
    director_log(director, LOG_LEVEL_ERROR, now,
                 "the tree document that etcd keeps cannot be taken: %.400s", error);
}

/* The serial that is kept belongs to the document that is kept, whoever is root. */
static void consider(struct director *director, struct etcd_tree *kept, uint64_t now)
{
    struct archive *archive = &director->archive;
    char error[CONFIG_ERROR_SIZE] = "";
    bool is_newer = etcd_tree_is_newer(kept, &director->order);
    archive->known_serial = kept->serial;
    memcpy(archive->known_digest, kept->parcel->digest, CONFIG_DIGEST);
    if (is_newer && is_usable(director, kept->parcel, error)) {
        director_log(director, LOG_LEVEL_WARNING, now,
                     "the tree document of \"%s\" in term %u, epoch %u, serial %u is taken from "
                     "etcd, in place of that of \"%s\" in term %u",
                     kept->root, (unsigned)kept->term, (unsigned)kept->epoch,
                     (unsigned)kept->serial, director->order.root, (unsigned)director->order.term);
        archive->kept = *kept;
        return;
    }
    if (is_newer && errno != ENOMEM)
        say_useless(director, error, now);
    parcel_drop(kept->parcel);
}

static void take_found(struct director *director, uint64_t now)
{
    struct archive *archive = &director->archive;
    const struct etcd_errand *errand = &archive->errand;
    char error[FAULT_SIZE] = "";
    struct etcd_tree kept;
    forget(archive);
    errno = 0;
    if (errand->found && etcd_tree_read(errand->found, errand->found_len, &kept, error))
        consider(director, &kept, now);
    else if (errand->found && errno != ENOMEM)
        say_useless(director, error, now);
    if (errno != ENOMEM) /* otherwise it is read again */
        archive->read_lease = errand->lease_id;
}

/* -- What is kept ---------------------------------------------------------------------------- */

static struct etcd_tree own(const struct director *director)
{
    struct etcd_tree kept = {.term = director->order.term,
                             .epoch = director->order.epoch,
                             .serial = director->plan.serial,
                             .parcel = director->document};
    memcpy(kept.root, director->order.self, sizeof kept.root);
    return kept;
}

static size_t list_places(const struct director *director, struct etcd_place *places)
{
    static const char *const roles[] = {
        [PLAN_METRIC] = "metric", [PLAN_COLLECTOR] = "collector", [PLAN_ROOT] = "root"};
    size_t n = 0;
    struct node *node;
    TAILQ_FOREACH(node, &director->roster.all, all)
    if (node->has_place)
        places[n++] = (struct etcd_place){.name = node->member.name,
                                          .role = roles[node->role],
                                          .parent = node->parent,
                                          .group = node->member.group,
                                          .level = node->level};
    return n;
}

static char *make_assignments(const struct director *director)
{
    struct etcd_tree kept = own(director);
    struct etcd_place *places = calloc(director->roster.n + 1, sizeof *places);
    char *text =
        places ? etcd_tree_assignments(&kept, places, list_places(director, places)) : NULL;
    free(places);
    return text;
}

/* etcd compares the lease, so that only the node that holds it at that moment changes anything. */
static void begin_errand(struct director *director, enum etcd_errand_kind kind, const char *key,
                         char *value)
{
    director->archive.errand =
        (struct etcd_errand){.kind = kind,
                             .key = key,
                             .value = value,
                             .lease_id = director->coordination.claim.lease_id};
    if (kind == ETCD_PUT && !value) /* no memory: it is done at the next occasion */
        director->archive.errand.kind = ETCD_NOTHING;
}

static void begin_keeping(struct director *director)
{
    struct archive *archive = &director->archive;
    if (!archive_is_kept(director)) {
        struct etcd_tree kept = own(director);
        archive->asked_term = kept.term;
        memcpy(archive->asked_digest, director->order.digest, CONFIG_DIGEST);
        begin_errand(director, ETCD_PUT, ETCD_DOCUMENT, etcd_tree_document(&kept));
    } else if (archive->has_moved) {
        begin_errand(director, ETCD_PUT, ETCD_ASSIGNMENTS, make_assignments(director));
        archive->has_moved = archive->errand.kind == ETCD_NOTHING;
    }
}

static void choose(struct director *director)
{
    const struct archive *archive = &director->archive;
    const struct claim *claim = &director->coordination.claim;
    if (!director->tree || !director->coordination.by_lease || !claim->lease.is_held)
        return;
    if (archive->read_lease != claim->lease_id)
        begin_errand(director, ETCD_FETCH, ETCD_DOCUMENT, NULL);
    else if (director->verdict.may_order && director->dissolve.is_wanted && !archive->is_removed)
        begin_errand(director, ETCD_REMOVE, NULL, NULL);
    else if (director->verdict.may_order && !director->dissolve.is_wanted &&
             director->plan.serial > 0 && director->document)
        begin_keeping(director);
}

/* -- What came of it ------------------------------------------------------------------------- */

static void take_kept(struct director *director)
{
    struct archive *archive = &director->archive;
    archive->is_removed = false;
    if (strcmp(archive->errand.key, ETCD_DOCUMENT) != 0)
        return;
    archive->term = archive->asked_term;
    memcpy(archive->digest, archive->asked_digest, CONFIG_DIGEST);
    archive->has_moved = true; /* what is kept must now be of this term */
    director->orders_anew = true;
}

static void take_removed(struct director *director)
{
    director->archive.is_removed = true;
    director->archive.term = 0;
}

static void say_fault(struct director *director, uint64_t now)
{
    static const char *const words[] = {
        [ETCD_FETCH] = "read", [ETCD_PUT] = "changed", [ETCD_REMOVE] = "removed"};
    struct archive *archive = &director->archive;
    const struct etcd_errand *errand = &archive->errand;
    if (errand->error[0] && !archive->is_failing)
        director_log(director, LOG_LEVEL_WARNING, now,
                     "what etcd keeps of the tree cannot be %s: %s", words[errand->kind],
                     errand->error);
    archive->is_failing = errand->error[0];
}

static void take_result(struct director *director, uint64_t now)
{
    const struct etcd_errand *errand = &director->archive.errand;
    if (errand->kind == ETCD_FETCH)
        take_found(director, now);
    else if (errand->kind == ETCD_PUT && errand->is_done)
        take_kept(director);
    else if (errand->kind == ETCD_REMOVE && errand->is_done)
        take_removed(director);
}

/* False: something is under way. */
static bool begin_next(struct director *director, uint64_t now)
{
    struct archive *archive = &director->archive;
    if (archive->errand.kind != ETCD_NOTHING)
        say_fault(director, now);
    if (archive->errand.kind != ETCD_NOTHING && !archive->errand.is_over)
        return false;
    take_result(director, now);
    end_errand(archive);
    choose(director);
    return archive->errand.kind != ETCD_NOTHING;
}

bool archive_step(struct director *director, uint64_t now)
{
    const struct claim *claim = &director->coordination.claim;
    bool is_new = begin_next(director, now);
    director->coordination.is_reading =
        claim->lease.is_held && director->archive.read_lease != claim->lease_id;
    return is_new;
}

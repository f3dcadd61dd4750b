#include "director/shares.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/text.h"

#define NOBODY SIZE_MAX

void share_forget_keys(struct share *share)
{
    explicit_bzero(&share->keys, sizeof share->keys);
}

void share_release(struct share *share)
{
    parcel_drop(share->packed);
    share_forget_keys(share);
    *share = (struct share){.packed = NULL};
}

/* -- Children -------------------------------------------------------------------------------- */

/* Who is below whom: the children of each node as a list, in the order of the nodes. */
struct families {
    size_t *first, *next;         /* NOBODY at the end */
    struct share_child *children; /* room for the children of one node */
};

static bool families_open(struct families *families, const struct plan_node *plan, size_t n)
{
    families->first = malloc(n * sizeof *families->first);
    families->next = malloc(n * sizeof *families->next);
    families->children = calloc(n, sizeof *families->children);
    if (!families->first || !families->next || !families->children)
        return false;
    for (size_t i = 0; i < n; i++)
        families->first[i] = families->next[i] = NOBODY;
    for (size_t i = n; i-- > 0;) {
        size_t parent = plan[i].role == PLAN_NONE ? PLAN_NOBODY : plan[i].parent;
        if (parent >= n)
            continue;
        families->next[i] = families->first[parent];
        families->first[parent] = i;
    }
    return true;
}

static void families_close(struct families *families, size_t n)
{
    if (families->children)
        explicit_bzero(families->children, n * sizeof *families->children);
    free(families->children);
    free(families->first);
    free(families->next);
}

static bool put_keys(const struct credential *poll, const struct member *member, char auth[129],
                     char priv[129])
{
    struct keys keys;
    if (!keys_localize(poll, member->engine_id, member->engine_len, &keys))
        return false;
    hex_from_octets(auth, keys.auth.octets, keys.auth.len, HEX_LOWER);
    hex_from_octets(priv, keys.priv.octets, keys.priv.len, HEX_LOWER);
    keys_forget(&keys);
    return true;
}

/* The keys of a node are made only once for its engine ID. */
static bool make_keys(const struct share_source *source, const struct member *member,
                      struct share_child *child)
{
    char engine[2 * ENGINE_ID_MAX + 1] = "";
    hex_from_octets(engine, member->engine_id, member->engine_len, HEX_LOWER);
    if (strcmp(engine, child->engine) == 0)
        return true;
    if (!put_keys(source->poll, member, child->auth_key, child->priv_key) ||
        (source->next &&
         !put_keys(source->next, member, child->next_auth_key, child->next_priv_key)))
        return false;
    memcpy(child->engine, engine, sizeof child->engine);
    return true;
}

/* Every octet of it counts: see has_changed(). */
static void fill_child(struct share_child *child, const struct member *member)
{
    memset(child->name, 0, sizeof child->name);
    memset(child->address, 0, sizeof child->address);
    memset(child->group, 0, sizeof child->group);
    text_format(child->name, sizeof child->name, "%s", member->name);
    text_format(child->address, sizeof child->address, "%s", member->address);
    text_format(child->group, sizeof child->group, "%s", member->group);
}

/* False: the keys of some could not be made. */
static bool gather_children(const struct share_source *source, const struct families *families,
                            const struct share_node *nodes, size_t parent, size_t *n)
{
    *n = 0;
    for (size_t i = families->first[parent]; i != NOBODY; i = families->next[i]) {
        const struct member *member = nodes[i].member;
        struct share_child *child = &nodes[i].share->keys;
        if (member->engine_len == 0)
            continue;
        if (!make_keys(source, member, child))
            return false;
        fill_child(child, member);
        families->children[(*n)++] = *child;
    }
    return true;
}

/* -- One share ------------------------------------------------------------------------------- */

static const char *bond(const struct plan_node *node, const struct plan_node *parent)
{
    if (strcmp(node->group, parent->group) == 0)
        return node->network && node->network == parent->network
                   ? ", which is of its group and its network"
                   : ", which is of its group";
    return node->network && node->network == parent->network ? ", which is of its network" : "";
}

static void put_reason(char *reason, size_t size, const struct plan_node *plan, size_t i,
                       size_t n_children)
{
    const struct plan_node *node = &plan[i];
    if (node->role == PLAN_ROOT)
        text_format(reason, size, "the tree document makes it the root");
    else if (node->role == PLAN_COLLECTOR)
        text_format(reason, size, "collects from %zu node%s for \"%s\"", n_children,
                    n_children == 1 ? "" : "s", plan[node->parent].name);
    else if (node->avoids != PLAN_NOBODY && node->avoids != node->parent)
        text_format(reason, size, "below \"%s\", since \"%s\" does not reach it",
                    plan[node->parent].name, plan[node->avoids].name);
    else
        text_format(reason, size, "below \"%s\"%s", plan[node->parent].name,
                    bond(node, &plan[node->parent]));
}

static enum share_role role_of(const struct plan_node *node)
{
    if (node->role == PLAN_ROOT)
        return SHARE_ROOT;
    return node->role == PLAN_COLLECTOR ? SHARE_COLLECTOR : SHARE_METRIC;
}

static void assign(const struct share_source *source, const struct plan_node *plan, size_t i,
                   size_t n_children, struct assignment *assignment)
{
    memset(assignment, 0, sizeof *assignment);
    assignment->role = role_of(&plan[i]);
    if (plan[i].role != PLAN_ROOT)
        text_format(assignment->parent, sizeof assignment->parent, "%s", plan[plan[i].parent].name);
    assignment->level = plan[i].level;
    text_format(assignment->group, sizeof assignment->group, "%s", plan[i].group);
    text_format(assignment->root, sizeof assignment->root, "%s", source->root);
    assignment->serial = source->serial;
    text_format(assignment->digest, sizeof assignment->digest, "%s", source->digest);
    put_reason(assignment->reason, sizeof assignment->reason, plan, i, n_children);
}

/* Whether a share has to be made anew. The tree document is represented by its digest. */
static bool has_changed(struct share *share, const struct assignment *assignment,
                        const struct share_child *children, size_t n)
{
    uint8_t inputs[CONFIG_DIGEST];
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)assignment, sizeof *assignment);
    SHA256Update(&context, (const uint8_t *)children, n * sizeof *children);
    SHA256Final(inputs, &context);
    if (share->packed && memcmp(share->inputs, inputs, sizeof inputs) == 0)
        return false;
    memcpy(share->inputs, inputs, sizeof inputs);
    return true;
}

static bool make_share(const struct share_source *source, const struct assignment *assignment,
                       const struct share_child *children, size_t n, struct share *share)
{
    size_t len = 0;
    if (!has_changed(share, assignment, children, n))
        return true;
    char *text = share_make(source->tree, assignment, children, n, &len);
    struct parcel *packed = text ? parcel_make(text, len) : NULL;
    if (text)
        explicit_bzero(text, len); /* the text contains keys */
    free(text);
    if (!packed) {
        memset(share->inputs, 0, sizeof share->inputs);
        return false;
    }
    parcel_drop(share->packed);
    share->packed = packed;
    return true;
}

/* -- All of them ----------------------------------------------------------------------------- */

bool shares_make(const struct share_source *source, const struct plan_node *plan,
                 const struct share_node *nodes, size_t n)
{
    struct families families = {.first = NULL};
    bool good = n == 0 || families_open(&families, plan, n), made = good;
    for (size_t i = 0; good && i < n; i++) {
        struct assignment assignment;
        size_t n_children = 0;
        if (plan[i].role == PLAN_NONE || (plan[i].role != PLAN_ROOT && plan[i].parent >= n))
            continue;
        if (!gather_children(source, &families, nodes, i, &n_children)) {
            made = false;
            continue;
        }
        assign(source, plan, i, n_children, &assignment);
        made &= make_share(source, &assignment, families.children, n_children, nodes[i].share);
    }
    families_close(&families, n);
    return made;
}

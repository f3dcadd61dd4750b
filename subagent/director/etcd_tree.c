#include "director/etcd_tree.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/hex.h"
#include "base/text.h"

#define ROW_ROOM 32 /* octets of a row besides its texts, with some to spare */
#define HEAD_ROOM 1024

/* -- Documents ------------------------------------------------------------------------------- */

static json_t *make_head(const struct etcd_tree *tree)
{
    return json_pack("{s:I, s:I, s:I, s:s}", "term", (json_int_t)tree->term, "epoch",
                     (json_int_t)tree->epoch, "serial", (json_int_t)tree->serial, "root",
                     tree->root);
}

static char *dump(json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

char *etcd_tree_document(const struct etcd_tree *tree)
{
    char digest[2 * CONFIG_DIGEST + 1];
    const char *base64 = parcel_base64(tree->parcel);
    json_t *json = base64 ? make_head(tree) : NULL;
    hex_from_octets(digest, tree->parcel->digest, CONFIG_DIGEST, HEX_LOWER);
    if (!json || json_object_set_new(json, "digest", json_string(digest)) != 0 ||
        json_object_set_new(json, "document", json_string(base64)) != 0) {
        json_decref(json);
        return NULL;
    }
    return dump(json);
}

static bool fail(char error[FAULT_SIZE], const char *what)
{
    text_format(error, FAULT_SIZE, "%s", what);
    return false;
}

static bool read_number(const json_t *json, const char *name, uint32_t *number)
{
    const json_t *member = json_object_get(json, name);
    json_int_t value = json_integer_value(member);
    *number = (uint32_t)value;
    return json_is_integer(member) && value >= 1 && value <= UINT32_MAX;
}

static bool read_head(const json_t *json, struct etcd_tree *tree, char error[FAULT_SIZE])
{
    const char *root = json_string_value(json_object_get(json, "root"));
    if (!read_number(json, "term", &tree->term) || !read_number(json, "epoch", &tree->epoch) ||
        !read_number(json, "serial", &tree->serial))
        return fail(error, "its term, epoch or serial is no number from 1 to 4294967295");
    if (!root || !text_is_name(root, strlen(root)))
        return fail(error, "its root is no name of a node");
    text_format(tree->root, sizeof tree->root, "%s", root);
    return true;
}

static bool read_parcel(const json_t *json, struct etcd_tree *tree, char error[FAULT_SIZE])
{
    char digest[2 * CONFIG_DIGEST + 1];
    const json_t *text = json_object_get(json, "document");
    const char *said = json_string_value(json_object_get(json, "digest"));
    int code = json_is_string(text) ? parcel_from_base64(json_string_value(text),
                                                         json_string_length(text), &tree->parcel)
                                    : EBADMSG;
    errno = code;
    if (code)
        return fail(error,
                    code == ENOMEM ? "no memory" : "its document is no base64 of 1 MiB at most");
    hex_from_octets(digest, tree->parcel->digest, CONFIG_DIGEST, HEX_LOWER);
    if (said && strcmp(said, digest) == 0)
        return true;
    parcel_drop(tree->parcel);
    tree->parcel = NULL;
    return fail(error, "its document is not the one of its digest");
}

bool etcd_tree_read(const char *text, size_t len, struct etcd_tree *tree, char error[FAULT_SIZE])
{
    json_error_t fault;
    json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault);
    *tree = (struct etcd_tree){.parcel = NULL};
    bool good = json_is_object(json)
                    ? read_head(json, tree, error) && read_parcel(json, tree, error)
                    : fail(error, "it is no object of JSON");
    json_decref(json);
    return good;
}

bool etcd_tree_is_newer(const struct etcd_tree *tree, const struct inbox *order)
{
    bool is_own = strcmp(order->root, order->self) == 0 && strcmp(tree->root, order->self) == 0;
    if (memcmp(tree->parcel->digest, order->digest, CONFIG_DIGEST) == 0)
        return false;
    if (tree->term != order->term)
        return tree->term > order->term;
    return !is_own || tree->epoch > order->epoch;
}

/* -- Assignments ----------------------------------------------------------------------------- */

static json_t *make_places(const struct etcd_place *places, size_t n)
{
    json_t *rows = json_array();
    size_t used = HEAD_ROOM;
    for (size_t i = 0; rows && i < n; i++) {
        const struct etcd_place *place = &places[i];
        used += strlen(place->name) + strlen(place->role) + strlen(place->parent) +
                strlen(place->group) + ROW_ROOM;
        if (used > ETCD_VALUE_MAX)
            break;
        json_t *row = json_pack("[s, s, s, I, s]", place->name, place->role, place->parent,
                                (json_int_t)place->level, place->group);
        if (json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

char *etcd_tree_assignments(const struct etcd_tree *tree, const struct etcd_place *places, size_t n)
{
    json_t *json = make_head(tree), *rows = json ? make_places(places, n) : NULL;
    if (!rows || json_object_set_new(json, "total", json_integer((json_int_t)n)) != 0 ||
        json_object_set(json, "nodes", rows) != 0) {
        json_decref(json);
        json = NULL;
    }
    json_decref(rows);
    return dump(json);
}

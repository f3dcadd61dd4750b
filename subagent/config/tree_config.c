#include "config/tree_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "config/attributes.h"
#include "config/document.h"
#include "config/tree_address.h"
#include "config/tree_fields.h"
#include "config/xml_schema.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define ENGINE_ID_MIN 5 /* octets; RFC 3411, SnmpEngineID */

static bool no_memory(struct xml_file *file)
{
    return xml_fail(file, ENOMEM, 0, "out of memory");
}

static bool read_fields(struct xml_file *file, const xmlNode *element, void *base,
                        const struct fields *fields)
{
    struct target target = {.base = base, .fields = fields->fields, .n_fields = fields->n};
    fields_reset(base, fields->fields, fields->n);
    return attributes_read(file, element, &target, 1);
}

/* -- Elements without rows ------------------------------------------------------------------- */

static bool load_rules(struct xml_file *file, const xmlNode *element, struct tree_config *tree)
{
    return read_fields(file, element, tree, &tree_rules_fields);
}

/* The protocols are fields of credentials, so they are read into a credential. */
static bool load_access(struct xml_file *file, const xmlNode *element, struct tree_config *tree)
{
    struct credential_row row = {.auth = 0};
    const struct field *auth = row_field(ROW_CREDENTIAL, "auth");
    const struct field *priv = row_field(ROW_CREDENTIAL, "priv");
    struct target targets[] = {
        {.base = tree, .fields = tree_access_fields.fields, .n_fields = tree_access_fields.n},
        {.base = &row, .fields = auth, .n_fields = 1},
        {.base = &row, .fields = priv, .n_fields = 1},
    };
    for (size_t i = 0; i < N(targets); i++)
        fields_reset(targets[i].base, targets[i].fields, targets[i].n_fields);
    if (!attributes_read(file, element, targets, N(targets)))
        return false;
    tree->access.auth = row.auth;
    tree->access.priv = row.priv;
    return true;
}

static bool not_so(struct xml_file *file, const xmlNode *element, const char *attribute,
                   const char *what)
{
    return xml_fail(file, EBADMSG, xml_line(element), "coordination: %s %s", attribute, what);
}

/* The URL must be a server and nothing else, since paths are added to it. */
static bool is_endpoint(const char *url, size_t len)
{
    static const char *const schemes[] = {"https://", "http://"};
    for (size_t i = 0; i < N(schemes); i++) {
        size_t n = strlen(schemes[i]);
        if (len > n && memcmp(url, schemes[i], n) == 0)
            return strcspn(url + n, "/?#@\\ ") == len - n;
    }
    return false;
}

/* Each endpoint must be the URL of a server and, if there is a user, one to which a password may be
 * sent. */
static bool check_endpoints(struct xml_file *file, const xmlNode *element,
                            const struct tree_coordination *coordination)
{
    size_t n = 0, len;
    for (const char *at = coordination->endpoints; *at; at += len) {
        at += strspn(at, " ");
        len = strcspn(at, " ");
        if (len == 0)
            break;
        if (!is_endpoint(at, len))
            return not_so(file, element, "endpoints=",
                          "has what is no URL of a server; write for example "
                          "\"https://192.0.2.1:2379 https://192.0.2.2:2379\"");
        if (coordination->user[0] && memcmp(at, "https", 5) != 0)
            return not_so(file, element, "user=",
                          "has a password, and that must not be sent in clear text; let all "
                          "endpoints begin with https://");
        n++;
    }
    if (n == 0)
        return not_so(file, element, "endpoints=", "is missing; name the servers of the cluster");
    return n <= TREE_ENDPOINTS_MAX ||
           not_so(file, element, "endpoints=", "has too many; the most is 8");
}

static bool load_coordination(struct xml_file *file, const xmlNode *element,
                              struct tree_config *tree)
{
    struct tree_coordination *coordination = &tree->coordination;
    if (!read_fields(file, element, coordination, &tree_coordination_fields))
        return false;
    if (coordination->kind == TREE_COORDINATION_LIST)
        return true;
    if (!coordination->user[0] != !coordination->secrets[0])
        return not_so(file, element, "user= and secrets=",
                      "go together: the file has the password of the user; give both or none");
    if (coordination->ttl_ms % 1000 != 0)
        return not_so(file, element, "ttl=", "is in whole seconds; write for example \"9s\"");
    return check_endpoints(file, element, coordination);
}

static size_t count_elements(const xmlNode *list, const char *name)
{
    size_t n = 0;
    for (const xmlNode *element = element_first(list); element; element = element_next(element))
        n += element_is(element, name);
    return n;
}

/* Makes room for all elements of that name in a list; NULL: there are too many, or no memory. */
static void *make_room(struct xml_file *file, const xmlNode *list, const char *name, size_t most,
                       size_t size)
{
    size_t n = count_elements(list, name);
    if (n > most) {
        xml_fail(file, EBADMSG, xml_line(list), "%s: there are %zu of %s; the most is %zu",
                 (const char *)list->name, n, name, most);
        return NULL;
    }
    void *room = calloc(n ? n : 1, size);
    if (!room)
        no_memory(file);
    return room;
}

static bool load_candidates(struct xml_file *file, const xmlNode *list, struct tree_config *tree)
{
    tree->candidates =
        make_room(file, list, "candidate", TREE_CANDIDATES_MAX, sizeof *tree->candidates);
    if (!tree->candidates || !attributes_read(file, list, NULL, 0))
        return false;
    for (const xmlNode *element = element_first(list); element; element = element_next(element)) {
        struct tree_candidate candidate;
        if (!element_is(element, "candidate"))
            return document_unknown(file, element, "candidate");
        if (!read_fields(file, element, &candidate, &tree_candidate_fields))
            return false;
        memcpy(tree->candidates[tree->n_candidates++], candidate.node, NAME_SIZE);
    }
    return true;
}

static bool load_range(struct xml_file *file, const xmlNode *element, struct tree_range *range)
{
    struct tree_range_text text = {.network = ""};
    char fault[FAULT_SIZE], quoted[XML_QUOTE_SIZE];
    if (!read_fields(file, element, &text, &tree_range_fields))
        return false;
    *range = text.range;
    if (tree_range_parse(text.network, range, fault))
        return true;
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)"network");
    return xml_fail(file, EBADMSG, xml_attribute_line(attribute), "range: network=%s %s",
                    xml_quote(quoted, text.network), fault);
}

static bool bad_network(struct xml_file *file, const xmlNode *element, const char *network,
                        const char *what)
{
    char quoted[XML_QUOTE_SIZE];
    xmlAttrPtr attribute = xmlHasProp(element, (const xmlChar *)"networks");
    return xml_fail(file, EBADMSG, xml_attribute_line(attribute), "announcements: networks=%s %s",
                    xml_quote(quoted, network), what);
}

static bool load_allowed(struct xml_file *file, const xmlNode *element,
                         struct tree_announcements *announcements)
{
    char text[sizeof announcements->networks], fault[FAULT_SIZE], *rest = text;
    const char *network;
    memcpy(text, announcements->networks, sizeof text);
    while ((network = strsep(&rest, " "))) {
        if (!network[0])
            continue;
        if (announcements->n_allowed == TREE_NETWORKS_MAX)
            return bad_network(file, element, network, "is one too many; the most is 32");
        if (!tree_network_parse(network, &announcements->allowed[announcements->n_allowed++],
                                fault))
            return bad_network(file, element, network, fault);
    }
    return announcements->n_allowed > 0 ||
           bad_network(file, element, "", "has none; nobody could announce itself");
}

static bool load_announcements(struct xml_file *file, const xmlNode *element,
                               struct tree_config *tree)
{
    return read_fields(file, element, &tree->announcements, &tree_announcements_fields) &&
           load_allowed(file, element, &tree->announcements);
}

static bool load_nodes(struct xml_file *file, const xmlNode *list, struct tree_config *tree)
{
    tree->nodes = make_room(file, list, "node", TREE_NODES_MAX, sizeof *tree->nodes);
    tree->ranges = make_room(file, list, "range", TREE_RANGES_MAX, sizeof *tree->ranges);
    if (!tree->nodes || !tree->ranges || !attributes_read(file, list, NULL, 0))
        return false;
    for (const xmlNode *element = element_first(list); element; element = element_next(element)) {
        bool is_range = element_is(element, "range");
        if (!is_range && !element_is(element, "node"))
            return document_unknown(file, element, "node or range");
        if (is_range ? !load_range(file, element, &tree->ranges[tree->n_ranges])
                     : !read_fields(file, element, &tree->nodes[tree->n_nodes], &tree_node_fields))
            return false;
        tree->n_ranges += is_range;
        tree->n_nodes += !is_range;
    }
    return true;
}

/* -- Rows ------------------------------------------------------------------------------------ */

/* Children and credentials are refused: the root itself finds out which node is whose child, and
 * how it is asked. */
static bool load_rows(struct xml_file *file, const xmlNode *list, struct config *config,
                      enum row_kind kind)
{
    const char *place = (const char *)list->parent->name;
    if (kind == ROW_CHILD || kind == ROW_CREDENTIAL)
        return xml_fail(file, EBADMSG, xml_line(list), "%s: %s are made of <%s> here; remove them",
                        place, (const char *)list->name, kind == ROW_CHILD ? "nodes" : "access");
    if (!document_is_single(file, list) || !document_rows(file, list, config, kind))
        return false;
    return config->rows[kind].count <= config_rows_max(kind) ||
           xml_fail(file, EBADMSG, xml_line(list), "%s: there are %zu; the most is %zu",
                    (const char *)list->name, config->rows[kind].count, config_rows_max(kind));
}

/* Refuses an element that is neither a list of rows nor one of those names. */
static bool not_an_element(struct xml_file *file, const xmlNode *element, const char *const *names,
                           size_t n)
{
    struct nearest nearest = {.text = (const char *)element->name};
    for (size_t i = 0; i < n; i++)
        nearest_offer(&nearest, names[i]);
    for (int kind = 0; kind < ROW_KINDS; kind++)
        if (kind != ROW_CHILD && kind != ROW_CREDENTIAL)
            nearest_offer(&nearest, list_element((enum row_kind)kind));
    return document_unknown(file, element, nearest.best);
}

static const struct tree_group *find_group(const struct tree_config *tree, const char *name)
{
    for (size_t i = 0; i < tree->n_groups; i++)
        if (strcmp(tree->groups[i].name, name) == 0)
            return &tree->groups[i];
    return NULL;
}

/* The nth element of that name in a list, counted from 0. */
static const xmlNode *nth_element(const xmlNode *list, const char *name, size_t nth)
{
    for (const xmlNode *element = element_first(list); element; element = element_next(element))
        if (element_is(element, name) && nth-- == 0)
            return element;
    return NULL;
}

static bool load_group_name(struct xml_file *file, const xmlNode *element, struct tree_config *tree,
                            struct tree_group *group)
{
    if (!read_fields(file, element, group, &tree_group_fields))
        return false;
    const struct tree_group *other = find_group(tree, group->name);
    return !other ||
           xml_fail(
               file, EBADMSG, xml_line(element),
               "group \"%s\" is there already, in line %ld; give every group a name of its "
               "own",
               group->name,
               xml_line(nth_element(element->parent, "group", (size_t)(other - tree->groups))));
}

static bool load_group(struct xml_file *file, const xmlNode *element, struct tree_config *tree)
{
    struct tree_group *group = &tree->groups[tree->n_groups];
    if (!load_group_name(file, element, tree, group))
        return false;
    group->rows = config_new();
    if (!group->rows)
        return no_memory(file);
    tree->n_groups++;
    for (const xmlNode *list = element_first(element); list; list = element_next(list)) {
        enum row_kind kind = list_kind(list);
        if (kind == ROW_KINDS)
            return not_an_element(file, list, NULL, 0);
        if (!load_rows(file, list, group->rows, kind))
            return false;
    }
    return true;
}

static bool load_groups(struct xml_file *file, const xmlNode *list, struct tree_config *tree)
{
    tree->groups = make_room(file, list, "group", TREE_GROUPS_MAX, sizeof *tree->groups);
    if (!tree->groups || !attributes_read(file, list, NULL, 0))
        return false;
    for (const xmlNode *element = element_first(list); element; element = element_next(element)) {
        if (!element_is(element, "group"))
            return document_unknown(file, element, "group");
        if (!load_group(file, element, tree))
            return false;
    }
    return true;
}

/* -- Keys that are revoked ------------------------------------------------------------------- */

static bool bad_revoked(struct xml_file *file, const xmlNode *element, const char *what)
{
    return xml_fail(file, EBADMSG, xml_line(element), "revoked: %s", what);
}

static const struct tree_revoked *find_revoked(const struct tree_config *tree,
                                               const uint8_t *engine, size_t len)
{
    for (size_t i = 0; i < tree->n_revoked; i++)
        if (tree->revoked[i].engine[0] == len &&
            memcmp(tree->revoked[i].engine + 1, engine, len) == 0)
            return &tree->revoked[i];
    return NULL;
}

static bool load_revoked(struct xml_file *file, const xmlNode *list, struct tree_config *tree)
{
    tree->revoked = make_room(file, list, "keys", TREE_REVOKED_MAX, sizeof *tree->revoked);
    if (!tree->revoked || !attributes_read(file, list, NULL, 0))
        return false;
    for (const xmlNode *element = element_first(list); element; element = element_next(element)) {
        struct tree_revoked *revoked = &tree->revoked[tree->n_revoked];
        if (!element_is(element, "keys"))
            return document_unknown(file, element, "keys");
        if (!read_fields(file, element, revoked, &tree_revoked_fields))
            return false;
        if (revoked->engine[0] < ENGINE_ID_MIN)
            return bad_revoked(file, element,
                               "engine is shorter than 5 octets, which is 10 digits");
        if (find_revoked(tree, revoked->engine + 1, revoked->engine[0]))
            return bad_revoked(file, element, "engine is there already; name every one once");
        tree->n_revoked++;
    }
    return true;
}

bool tree_revokes(const struct tree_config *tree, const uint8_t *engine, size_t len)
{
    const struct tree_revoked *revoked = find_revoked(tree, engine, len);
    return revoked && revoked->back == TREE_BACK_NO;
}

const struct tree_revoked *tree_forgotten(const struct tree_config *tree,
                                          const struct tree_config *next)
{
    for (size_t i = 0; i < tree->n_revoked; i++) {
        const struct tree_revoked *revoked = &tree->revoked[i];
        if (revoked->back == TREE_BACK_NO &&
            !find_revoked(next, revoked->engine + 1, revoked->engine[0]))
            return revoked;
    }
    return NULL;
}

/* -- The document ---------------------------------------------------------------------------- */

enum part {
    PART_RULES,
    PART_COORDINATION,
    PART_ACCESS,
    PART_CANDIDATES,
    PART_NODES,
    PART_GROUPS,
    PART_REVOKED,
    PART_ANNOUNCEMENTS,
    PARTS
};

static const char *const part_names[PARTS] = {"rules", "coordination", "access",  "candidates",
                                              "nodes", "groups",       "revoked", "announcements"};

static bool (*const part_loaders[PARTS])(struct xml_file *file, const xmlNode *element,
                                         struct tree_config *tree) = {
    load_rules, load_coordination, load_access,  load_candidates,
    load_nodes, load_groups,       load_revoked, load_announcements};

struct reading {
    struct xml_file *file;
    struct tree_config *tree;
    const xmlNode *root;
    const xmlNode *parts[PARTS]; /* NULL: the document does not have it */
};

static bool load_element(struct reading *reading, const xmlNode *element)
{
    enum row_kind kind = list_kind(element);
    if (kind != ROW_KINDS)
        return load_rows(reading->file, element, reading->tree->common, kind);
    for (size_t i = 0; i < PARTS; i++) {
        if (!element_is(element, part_names[i]))
            continue;
        reading->parts[i] = element;
        return document_is_single(reading->file, element) &&
               part_loaders[i](reading->file, element, reading->tree);
    }
    return not_an_element(reading->file, element, part_names, PARTS);
}

static bool is_missing(struct reading *reading, enum part part, const char *right)
{
    return !reading->parts[part] &&
           !xml_fail(reading->file, EBADMSG, xml_line(reading->root),
                     TREE_ROOT ": %s is missing; write for example %s", part_names[part], right);
}

static bool load_elements(struct reading *reading)
{
    reading->root = xmlDocGetRootElement(reading->file->doc);
    if (!document_has_version(reading->file))
        return false;
    for (const xmlNode *each = element_first(reading->root); each; each = element_next(each))
        if (!load_element(reading, each))
            return false;
    return !is_missing(reading, PART_ACCESS, "<access secrets=\"/etc/dcamp/site.secret\"/>") &&
           !is_missing(reading, PART_NODES,
                       "<nodes><node name=\"r1\" address=\"udp:192.0.2.1:161\"/></nodes>") &&
           !is_missing(reading, PART_CANDIDATES,
                       "<candidates><candidate node=\"r1\"/></candidates>");
}

/* -- Nodes as a whole ------------------------------------------------------------------------ */

struct node_key {
    const struct tree_node *node;
    struct tree_endpoint endpoint;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct node_key *)a)->node->name,
                  ((const struct node_key *)b)->node->name);
}

static int compare_endpoints(const void *a, const void *b)
{
    return memcmp(&((const struct node_key *)a)->endpoint, &((const struct node_key *)b)->endpoint,
                  sizeof(struct tree_endpoint));
}

/* Finds two nodes that are equal in that order, and gives their numbers in the list, the lower one
 * first. */
static bool find_same(struct node_key *keys, const struct tree_config *tree,
                      int (*order)(const void *a, const void *b), size_t same[2])
{
    qsort(keys, tree->n_nodes, sizeof *keys, order);
    for (size_t i = 1; i < tree->n_nodes; i++) {
        if (order(&keys[i - 1], &keys[i]) != 0)
            continue;
        size_t a = (size_t)(keys[i - 1].node - tree->nodes);
        size_t b = (size_t)(keys[i].node - tree->nodes);
        same[0] = a < b ? a : b;
        same[1] = a < b ? b : a;
        return true;
    }
    return false;
}

static bool check_different(const struct reading *reading, struct node_key *keys)
{
    const struct tree_config *tree = reading->tree;
    const xmlNode *list = reading->parts[PART_NODES];
    size_t same[2];
    if (find_same(keys, tree, compare_names, same))
        return xml_fail(reading->file, EBADMSG, xml_line(nth_element(list, "node", same[1])),
                        "node \"%s\" is there already, in line %ld; give every node a name of its "
                        "own",
                        tree->nodes[same[1]].name, xml_line(nth_element(list, "node", same[0])));
    if (find_same(keys, tree, compare_endpoints, same))
        return xml_fail(reading->file, EBADMSG, xml_line(nth_element(list, "node", same[1])),
                        "node \"%s\": address=\"%s\" is that of node \"%s\" already, in line %ld; "
                        "give every node an address of its own",
                        tree->nodes[same[1]].name, tree->nodes[same[1]].address,
                        tree->nodes[same[0]].name, xml_line(nth_element(list, "node", same[0])));
    return true;
}

static bool check_nodes(const struct reading *reading)
{
    const struct tree_config *tree = reading->tree;
    struct node_key *keys = calloc(tree->n_nodes ? tree->n_nodes : 1, sizeof *keys);
    if (!keys)
        return no_memory(reading->file);
    for (size_t i = 0; i < tree->n_nodes; i++) {
        keys[i].node = &tree->nodes[i];
        tree_endpoint_of(tree->nodes[i].address, &keys[i].endpoint);
    }
    bool good = check_different(reading, keys);
    free(keys);
    return good;
}

static bool check_ranges(const struct reading *reading)
{
    const struct tree_config *tree = reading->tree;
    const xmlNode *list = reading->parts[PART_NODES];
    for (size_t i = 0; i < tree->n_ranges; i++)
        for (size_t k = 0; k < i; k++)
            if (tree_ranges_overlap(&tree->ranges[i], &tree->ranges[k]))
                return xml_fail(reading->file, EBADMSG, xml_line(nth_element(list, "range", i)),
                                "range: it has addresses of the one in line %ld; no address may "
                                "be in two",
                                xml_line(nth_element(list, "range", k)));
    return true;
}

static const struct tree_node *find_node(const struct tree_config *tree, const char *name)
{
    for (size_t i = 0; i < tree->n_nodes; i++)
        if (strcmp(tree->nodes[i].name, name) == 0)
            return &tree->nodes[i];
    return NULL;
}

static bool unknown_candidate(const struct reading *reading, long line, const char *name)
{
    struct nearest nearest = {.text = name};
    for (size_t i = 0; i < reading->tree->n_nodes; i++)
        nearest_offer(&nearest, reading->tree->nodes[i].name);
    return xml_fail(reading->file, EBADMSG, line,
                    "candidate: node=\"%s\" is not a node of this file; %s%s%s", name,
                    nearest.best ? "did you mean \"" : "add it or name another",
                    nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

static bool check_candidate(const struct reading *reading, size_t i)
{
    const struct tree_config *tree = reading->tree;
    const xmlNode *list = reading->parts[PART_CANDIDATES];
    const char *name = tree->candidates[i];
    long line = xml_line(nth_element(list, "candidate", i));
    const struct tree_node *node = find_node(tree, name);
    if (!node)
        return unknown_candidate(reading, line, name);
    if (node->collect == TREE_COLLECT_NO)
        return xml_fail(reading->file, EBADMSG, line,
                        "candidate: node=\"%s\" has collect=\"no\", and the root collects; say "
                        "auto there, or name another",
                        name);
    for (size_t k = 0; k < i; k++)
        if (strcmp(tree->candidates[k], name) == 0)
            return xml_fail(reading->file, EBADMSG, line,
                            "candidate: node=\"%s\" is there already, in line %ld; name every "
                            "candidate once",
                            name, xml_line(nth_element(list, "candidate", k)));
    return true;
}

static bool check_candidates(const struct reading *reading)
{
    if (reading->tree->n_candidates == 0)
        return xml_fail(reading->file, EBADMSG, xml_line(reading->parts[PART_CANDIDATES]),
                        "candidates: there is none; name the node that is to be root");
    for (size_t i = 0; i < reading->tree->n_candidates; i++)
        if (!check_candidate(reading, i))
            return false;
    return true;
}

/* A candidate has the passphrases of all nodes, so revoking its own keys would change nothing. */
static bool check_revoked(const struct reading *reading)
{
    const struct tree_config *tree = reading->tree;
    for (size_t i = 0; i < tree->n_revoked; i++)
        for (size_t k = 0; k < tree->n_candidates; k++)
            if (tree->revoked[i].back == TREE_BACK_NO &&
                strcmp(tree->revoked[i].node, tree->candidates[k]) == 0)
                return xml_fail(reading->file, EBADMSG,
                                xml_line(nth_element(reading->parts[PART_REVOKED], "keys", i)),
                                "revoked: node=\"%s\" is a candidate, which has the passphrases of "
                                "all nodes; take it out of the candidates, and change all keys",
                                tree->candidates[k]);
    return true;
}

/* -- Rows as a whole ------------------------------------------------------------------------- */

/* Adds copies of those rows whose names are not there yet. */
static bool add_rows(struct config *to, const struct config *from)
{
    for (int kind = 0; kind < ROW_KINDS; kind++)
        for (struct index_node *node = index_first(&from->rows[kind]); node;
             node = index_next(node)) {
            const struct row *row = (const struct row *)node;
            if (config_find(to, row->kind, row->name))
                continue;
            struct row *copy = row_clone(row);
            if (!copy || !config_add(to, copy)) {
                row_free(copy);
                return false;
            }
        }
    return true;
}

static bool replaces_sensor(const struct config *group, const struct config *common)
{
    for (struct index_node *node = index_first(&group->rows[ROW_SENSOR]); node;
         node = index_next(node))
        if (config_find(common, ROW_SENSOR, ((const struct row *)node)->name))
            return true;
    return false;
}

/* Checks the rows of a group among all rows that its nodes have. Every row that common rows name
 * exists in every group; but if a sensor of the group replaces a common one, an expression of the
 * common rows may not fit to it. */
static bool check_group(const struct reading *reading, size_t i)
{
    const struct tree_group *group = &reading->tree->groups[i];
    const xmlNode *element = nth_element(reading->parts[PART_GROUPS], "group", i);
    char where[NAME_SIZE + 16];
    if (!element_first(element))
        return true;
    text_format(where, sizeof where, "in group \"%s\", ", group->name);
    struct config *rows = config_new();
    bool good = rows && add_rows(rows, group->rows) && add_rows(rows, reading->tree->common);
    if (!good)
        no_memory(reading->file);
    good = good && document_check_rows(reading->file, element, rows, where);
    if (good && replaces_sensor(group->rows, reading->tree->common))
        good = document_check_rows(reading->file, reading->root, rows, where);
    config_free(rows);
    return good;
}

static bool check_rows(const struct reading *reading)
{
    if (!document_check_rows(reading->file, reading->root, reading->tree->common, ""))
        return false;
    for (size_t i = 0; i < reading->tree->n_groups; i++)
        if (!check_group(reading, i))
            return false;
    return true;
}

/* -- All of it ------------------------------------------------------------------------------- */

static struct tree_config *tree_new(void)
{
    struct tree_config *tree = calloc(1, sizeof *tree);
    if (!tree)
        return NULL;
    fields_reset(tree, tree_rules_fields.fields, tree_rules_fields.n);
    fields_reset(&tree->coordination, tree_coordination_fields.fields, tree_coordination_fields.n);
    tree->common = config_new();
    if (tree->common)
        return tree;
    free(tree);
    return NULL;
}

void tree_config_free(struct tree_config *tree)
{
    if (!tree)
        return;
    for (size_t i = 0; i < tree->n_groups; i++)
        config_free(tree->groups[i].rows);
    config_free(tree->common);
    free(tree->candidates);
    free(tree->nodes);
    free(tree->ranges);
    free(tree->revoked);
    free(tree->groups);
    free(tree);
}

static bool load(struct reading *reading, const char *bytes, size_t len)
{
    char *beside = reading->tree->common->schema_dir;
    document_directory(reading->file->name, beside, sizeof reading->tree->common->schema_dir);
    return document_fits(reading->file, len, DOCUMENT_SIZE_MAX) &&
           xml_parse(reading->file, bytes, len, TREE_ROOT) && load_elements(reading) &&
           check_nodes(reading) && check_ranges(reading) && check_candidates(reading) &&
           check_revoked(reading) && check_rows(reading) &&
           xml_validate(reading->file, "dcamp-tree.xsd", beside);
}

struct tree_config *tree_config_load(const char *name, const char *bytes, size_t len,
                                     char error[CONFIG_ERROR_SIZE])
{
    struct xml_file file;
    struct reading reading = {.file = &file, .tree = tree_new()};
    xml_open(&file, name, error);
    file.manual = "dcamp-tree.xml(5)";
    if (!reading.tree)
        no_memory(&file);
    if (reading.tree && !load(&reading, bytes, len)) {
        tree_config_free(reading.tree);
        reading.tree = NULL;
    }
    xml_close(&file);
    errno = file.code;
    return reading.tree;
}

struct tree_config *tree_config_load_file(const char *path, char error[CONFIG_ERROR_SIZE])
{
    struct xml_file file;
    size_t len;
    xml_open(&file, path, error);
    char *bytes = xml_read(&file, DOCUMENT_SIZE_MAX, &len);
    if (!bytes)
        return NULL;
    struct tree_config *tree = tree_config_load(path, bytes, len, error);
    free(bytes);
    return tree;
}

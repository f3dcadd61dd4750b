/* The document as the core tells it, packed documents, and the shares of a plan. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hex.h"
#include "director/inbox.h"
#include "director/shares.h"
#include "snmpv3/session.h"

#include "documents.h"
#include "unit.h"

/* -- The inbox ------------------------------------------------------------------------------- */

static enum inbox_result put(struct inbox *inbox, uint32_t term, uint32_t length, uint32_t offset,
                             const char *text)
{
    size_t n = strlen(text);
    struct tree_message_document *part = calloc(1, sizeof *part + n + 1);
    assert_non_null(part);
    part->term = term;
    part->epoch = 2;
    part->length = length;
    part->offset = offset;
    part->n = (uint32_t)n;
    strcpy(part->self, "r1");
    strcpy(part->root, "r2");
    memcpy(part->text, text, n);
    enum inbox_result result = inbox_take(inbox, part);
    free(part);
    return result;
}

static void parts_make_a_document(void **state)
{
    (void)state;
    struct inbox inbox = {.text = NULL};
    assert_int_equal(put(&inbox, 1, 6, 0, "abc"), INBOX_PART);
    assert_int_equal(put(&inbox, 1, 6, 3, "de"), INBOX_PART);
    assert_int_equal(put(&inbox, 1, 6, 5, "f"), INBOX_WHOLE);
    assert_string_equal(inbox.text, "abcdef");
    assert_string_equal(inbox.self, "r1");
    assert_string_equal(inbox.root, "r2");
    assert_int_equal(inbox.term, 1);
    assert_int_equal(inbox.epoch, 2);
    /* another one begins before the first is whole */
    assert_int_equal(put(&inbox, 2, 6, 0, "abc"), INBOX_PART);
    assert_int_equal(put(&inbox, 3, 2, 0, "xy"), INBOX_WHOLE);
    assert_string_equal(inbox.text, "xy");
    assert_int_equal(put(&inbox, 3, 0, 0, ""), INBOX_WHOLE);
    inbox_release(&inbox);
    inbox_release(&inbox);
}

static void parts_that_do_not_follow(void **state)
{
    (void)state;
    struct inbox inbox = {.text = NULL};
    assert_int_equal(put(&inbox, 1, 6, 3, "def"), INBOX_BAD);
    assert_int_equal(put(&inbox, 1, 6, 0, "abc"), INBOX_PART);
    assert_int_equal(put(&inbox, 1, 6, 4, "ef"), INBOX_BAD);
    assert_int_equal(put(&inbox, 1, 6, 2, "cd"), INBOX_BAD);
    assert_int_equal(put(&inbox, 2, 6, 3, "def"), INBOX_BAD);
    assert_int_equal(put(&inbox, 1, 7, 3, "def"), INBOX_BAD);
    assert_int_equal(put(&inbox, 1, 6, 3, "def"), INBOX_WHOLE);
    inbox_release(&inbox);
}

/* -- Packed ---------------------------------------------------------------------------------- */

static void unpack(const struct parcel *packed, char *text, size_t size)
{
    uLongf len = size - 1;
    assert_int_equal(uncompress((Bytef *)text, &len, packed->octets, packed->len), Z_OK);
    text[len] = '\0';
}

static void packed_documents(void **state)
{
    (void)state;
    char text[4096], back[8192];
    memset(text, 'x', sizeof text);
    text[4095] = '\0';
    struct parcel *packed = parcel_make(text, strlen(text));
    assert_non_null(packed);
    assert_true(packed->len < 100);
    unpack(packed, back, sizeof back);
    assert_string_equal(back, text);
    struct parcel *same = parcel_make(text, strlen(text)), *other = parcel_make("a", 1);
    assert_memory_equal(same->digest, packed->digest, CONFIG_DIGEST);
    assert_memory_not_equal(other->digest, packed->digest, CONFIG_DIGEST);
    assert_ptr_equal(parcel_use(packed), packed);
    parcel_drop(packed);
    assert_int_equal(packed->users, 1);
    parcel_drop(packed);
    parcel_drop(same);
    parcel_drop(other);
    parcel_drop(NULL);
}

/* A mebibyte and a half that cannot be made smaller. */
static void what_no_node_takes(void **state)
{
    (void)state;
    size_t len = PARCEL_MAX + PARCEL_MAX / 2;
    uint32_t seed = 1;
    char *text = malloc(len);
    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
    assert_null(parcel_make(text, len));
    free(text);
}

/* -- Shares ---------------------------------------------------------------------------------- */

#define N 5

static const char document[] =
    "<tree version=\"1\">\n"
    "  <access secrets=\"/etc/dcamp/site.secret\"/>\n"
    "  <candidates><candidate node=\"a\"/></candidates>\n"
    "  <nodes>\n"
    "    <node name=\"a\" address=\"udp:192.0.2.1:161\"/>\n"
    "    <node name=\"b\" address=\"udp:192.0.2.2:161\"/>\n"
    "  </nodes>\n"
    "  <sensors><sensor name=\"load\" metric=\"load.1\" interval=\"5s\"/></sensors>\n"
    "  <groups><group name=\"web\"><sensors>\n"
    "    <sensor name=\"free\" metric=\"mem.free\" interval=\"5s\"/>\n"
    "  </sensors></group></groups>\n"
    "</tree>\n";

struct site {
    struct tree_config *config;
    struct credential *credentials;
    struct share_source source;
    struct member members[N];
    struct share shares[N];
    struct share_node nodes[N];
    struct plan_node plan[N];
};

/* a is root, b collects from c and d; e has no place. */
static void make_site(struct site *site)
{
    char error[CONFIG_ERROR_SIZE];
    static const size_t parents[N] = {PLAN_NOBODY, 0, 1, 1, PLAN_NOBODY};
    static const enum plan_role roles[N] = {PLAN_ROOT, PLAN_COLLECTOR, PLAN_METRIC, PLAN_METRIC,
                                            PLAN_NONE};
    struct usm_credential told = {.name = "poll",
                                  .user = "dcampPoll",
                                  .auth = AUTH_SHA256,
                                  .priv = PRIV_AES128,
                                  .auth_secret = "maplesyrup",
                                  .priv_secret = "maplesyrup"};
    memset(site, 0, sizeof *site);
    site->config = tree_config_load("tree.xml", document, strlen(document), error);
    if (!site->config)
        fail_msg("%s", error);
    assert_non_null(keys_set(&site->credentials, &told));
    site->source = (struct share_source){.tree = site->config,
                                         .poll = keys_find(site->credentials, "poll"),
                                         .root = "a",
                                         .serial = 7};
    memset(site->source.digest, 'a', 64);
    for (size_t i = 0; i < N; i++) {
        struct member *member = &site->members[i];
        struct plan_node *plan = &site->plan[i];
        snprintf(member->name, sizeof member->name, "%c", (char)('a' + i));
        snprintf(member->address, sizeof member->address, "udp:192.0.2.%zu:161", i + 1);
        snprintf(member->group, sizeof member->group, "%s", i == 3 ? "web" : "default");
        memcpy(member->engine_id, "\x80\x00\x00\x00\x01", 5);
        member->engine_id[5] = (uint8_t)i;
        member->engine_len = 6;
        memcpy(plan->name, member->name, sizeof plan->name);
        memcpy(plan->group, member->group, sizeof plan->group);
        plan->role = roles[i];
        plan->parent = parents[i];
        plan->avoids = PLAN_NOBODY;
        plan->level = i == 0 ? 0 : i == 1 ? 1 : 2;
        site->nodes[i] = (struct share_node){member, &site->shares[i]};
    }
}

static void free_site(struct site *site)
{
    for (size_t i = 0; i < N; i++)
        share_release(&site->shares[i]);
    keys_free(&site->credentials);
    tree_config_free(site->config);
}

static struct config *load(const struct share *share, struct assignment *assignment)
{
    static char text[65536];
    char error[CONFIG_ERROR_SIZE];
    assert_non_null(share->packed);
    unpack(share->packed, text, sizeof text);
    struct config *config = share_load("share", text, strlen(text), assignment, error);
    if (!config)
        fail_msg("%s in %s", error, text);
    return config;
}

static void shares_say_what_is_planned(void **state)
{
    (void)state;
    struct site site;
    struct assignment assignment;
    make_site(&site);
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    struct config *config = load(&site.shares[0], &assignment);
    assert_int_equal(assignment.role, SHARE_ROOT);
    assert_int_equal(assignment.level, 0);
    assert_string_equal(assignment.parent, "");
    assert_int_equal(config->rows[ROW_CHILD].count, 1);
    assert_non_null(config_find(config, ROW_CHILD, "b"));
    config_free(config);

    config = load(&site.shares[1], &assignment);
    assert_int_equal(assignment.role, SHARE_COLLECTOR);
    assert_string_equal(assignment.parent, "a");
    assert_string_equal(assignment.reason, "collects from 2 nodes for \"a\"");
    assert_int_equal(config->rows[ROW_CHILD].count, 2);
    assert_non_null(config_find(config, ROW_CHILD, "c"));
    assert_non_null(config_find(config, ROW_CHILD, "d"));
    config_free(config);

    config = load(&site.shares[3], &assignment);
    assert_int_equal(assignment.role, SHARE_METRIC);
    assert_string_equal(assignment.parent, "b");
    assert_string_equal(assignment.group, "web");
    assert_string_equal(assignment.root, "a");
    assert_int_equal(assignment.level, 2);
    assert_int_equal(assignment.serial, 7);
    assert_string_equal(assignment.digest, site.source.digest);
    assert_int_equal(config->rows[ROW_CHILD].count, 0);
    assert_int_equal(config->rows[ROW_SENSOR].count, 2);
    config_free(config);
    assert_null(site.shares[4].packed);
    free_site(&site);
}

/* d is below the root because b does not reach it. */
static void a_share_says_who_is_avoided(void **state)
{
    (void)state;
    struct site site;
    struct assignment assignment;
    make_site(&site);
    site.plan[3].avoids = 1;
    site.plan[3].parent = 0;
    site.plan[3].level = 1;
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    config_free(load(&site.shares[3], &assignment));
    assert_string_equal(assignment.parent, "a");
    assert_string_equal(assignment.reason, "below \"a\", since \"b\" does not reach it");
    free_site(&site);
}

/* The keys that a parent gets are those of its child's engine: RFC 3414, section 2.6. */
static void keys_are_the_childs(void **state)
{
    (void)state;
    struct site site;
    struct keys keys;
    char auth[129];
    make_site(&site);
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    const struct member *child = &site.members[2];
    assert_true(keys_localize(site.source.poll, child->engine_id, child->engine_len, &keys));
    hex_from_octets(auth, keys.auth.octets, keys.auth.len, HEX_LOWER);
    assert_string_equal(site.shares[2].keys.auth_key, auth);
    assert_string_equal(site.shares[2].keys.engine, "800000000102");
    assert_string_not_equal(site.shares[3].keys.auth_key, auth);
    static char text[65536];
    unpack(site.shares[1].packed, text, sizeof text);
    assert_non_null(strstr(text, auth));
    unpack(site.shares[0].packed, text, sizeof text);
    assert_null(strstr(text, auth));
    free_site(&site);
}

/* While keys are changed, parents get both; afterwards those alone that are left. */
static void keys_that_take_their_place(void **state)
{
    (void)state;
    struct site site;
    struct keys keys;
    char auth[129];
    static char text[65536];
    struct usm_credential told = {.name = "next",
                                  .user = "dcampPoll",
                                  .auth = AUTH_SHA256,
                                  .priv = PRIV_AES128,
                                  .auth_secret = "another phrase",
                                  .priv_secret = "another phrase"};
    make_site(&site);
    site.source.next = keys_set(&site.credentials, &told);
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    const struct member *child = &site.members[2];
    assert_true(keys_localize(site.source.next, child->engine_id, child->engine_len, &keys));
    hex_from_octets(auth, keys.auth.octets, keys.auth.len, HEX_LOWER);
    assert_string_equal(site.shares[2].keys.next_auth_key, auth);
    assert_string_not_equal(site.shares[2].keys.auth_key, auth);
    unpack(site.shares[1].packed, text, sizeof text);
    const char *at = strstr(text, " next-auth-key=\"");
    assert_non_null(at);
    assert_non_null(strstr(at, auth));
    struct assignment assignment;
    struct config *config = load(&site.shares[1], &assignment);
    const struct child_row *row =
        (const struct child_row *)config_find(config, ROW_CHILD, child->name);
    assert_int_equal(row->next_auth_key[0], keys.auth.len);
    assert_memory_equal(row->next_auth_key + 1, keys.auth.octets, keys.auth.len);
    assert_memory_equal(row->next_priv_key + 1, keys.priv.octets, keys.priv.len);
    config_free(config);
    site.source.poll = site.source.next;
    site.source.next = NULL;
    for (size_t i = 0; i < N; i++)
        share_forget_keys(&site.shares[i]);
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    unpack(site.shares[1].packed, text, sizeof text);
    assert_non_null(strstr(text, auth));
    assert_null(strstr(text, "next-auth-key"));
    free_site(&site);
}

static void what_has_not_changed_is_not_made_again(void **state)
{
    (void)state;
    struct site site;
    struct parcel *before[N];
    make_site(&site);
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    for (size_t i = 0; i < N; i++)
        before[i] = site.shares[i].packed;
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    for (size_t i = 0; i < N; i++)
        assert_ptr_equal(site.shares[i].packed, before[i]);

    /* d moves to the root: it, and both parents, have other shares */
    uint8_t digests[N][CONFIG_DIGEST];
    for (size_t i = 0; i + 1 < N; i++)
        memcpy(digests[i], site.shares[i].packed->digest, CONFIG_DIGEST);
    site.plan[3].parent = 0;
    site.plan[3].level = 1;
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    for (size_t i = 0; i + 1 < N; i++)
        assert_int_equal(memcmp(digests[i], site.shares[i].packed->digest, CONFIG_DIGEST) == 0,
                         i == 2);

    /* another engine has other keys: only the parent has another share */
    struct parcel *own = site.shares[2].packed;
    memcpy(digests[1], site.shares[1].packed->digest, CONFIG_DIGEST);
    site.members[2].engine_id[5] = 99;
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    assert_ptr_equal(site.shares[2].packed, own);
    assert_memory_not_equal(digests[1], site.shares[1].packed->digest, CONFIG_DIGEST);

    /* so have other passphrases */
    memcpy(digests[1], site.shares[1].packed->digest, CONFIG_DIGEST);
    struct usm_credential told = {.name = "poll",
                                  .user = "dcampPoll",
                                  .auth = AUTH_SHA256,
                                  .priv = PRIV_AES128,
                                  .auth_secret = "another phrase",
                                  .priv_secret = "another phrase"};
    assert_non_null(keys_set(&site.credentials, &told));
    for (size_t i = 0; i < N; i++)
        share_forget_keys(&site.shares[i]);
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    assert_memory_not_equal(digests[1], site.shares[1].packed->digest, CONFIG_DIGEST);
    free_site(&site);
}

/* Nobody could poll a child whose engine ID is not known. */
static void unknown_children(void **state)
{
    (void)state;
    struct site site;
    struct assignment assignment;
    make_site(&site);
    site.members[2].engine_len = 0;
    site.plan[4].role = PLAN_METRIC; /* and one that is below nobody has no share */
    assert_true(shares_make(&site.source, site.plan, site.nodes, N));
    struct config *config = load(&site.shares[1], &assignment);
    assert_int_equal(config->rows[ROW_CHILD].count, 1);
    config_free(config);
    assert_non_null(site.shares[2].packed);
    assert_null(site.shares[4].packed);
    assert_true(shares_make(&site.source, NULL, NULL, 0));
    free_site(&site);
}

int main(void)
{
    session_start_library();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_a_document),
        cmocka_unit_test(parts_that_do_not_follow),
        cmocka_unit_test(packed_documents),
        cmocka_unit_test(what_no_node_takes),
        cmocka_unit_test(shares_say_what_is_planned),
        cmocka_unit_test(a_share_says_who_is_avoided),
        cmocka_unit_test(keys_are_the_childs),
        cmocka_unit_test(keys_that_take_their_place),
        cmocka_unit_test(what_has_not_changed_is_not_made_again),
        cmocka_unit_test(unknown_children),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}

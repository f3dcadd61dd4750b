/* dcamp config show --text, asked of an agent on loopback: documents of any length come back as
 * they were pushed, and what is not the document of its digest is never printed. */
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/packed.h"
#include "cli/show.h"

#include "tree_cells.h"
#include "unit.h"

#define TEXT_MAX 200000

static struct asking asking;
static struct packed packed;
static char text[TEXT_MAX + 1], dir[40], path[64];

static int begin(void **state)
{
    (void)state;
    asking_begin(&asking);
    packed = (struct packed){.octets = NULL};
    strcpy(dir, "/tmp/dcamp-kept.XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/tree.xml", dir);
    asking.command.given = 1u << COMMAND_TEXT;
    tree_document(&asking, dcampDocumentKind_share, 0, 0, "", NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&asking);
    packed_free(&packed);
    unlink(path);
    return rmdir(dir);
}

/* The node works by the text. */
static void keep(size_t len)
{
    char error[512];
    text[len] = '\0';
    packed_free(&packed);
    agent_drop_all(&asking.agent);
    asking_scalar_text(&asking, MIB_dcampNodeName, "lap");
    tree_document(&asking, dcampDocumentKind_share, 0, 0, "", NULL);
    assert_true(packed_text(&packed, text, len, error));
    tree_document(&asking, dcampDocumentKind_tree, 4, 2, "lap", packed.digest);
    tree_kept(&asking, dcampKeptWhich_inForce, 3, packed.octets, packed.len, packed.digest);
}

/* A text that does not become small. */
static size_t random_text(size_t len)
{
    uint32_t random = 1;
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('!' + ((random = random * 1664525 + 1013904223) >> 24) % 90);
    return len;
}

static void keep_random(size_t len)
{
    keep(random_text(len));
}

static void assert_refused(enum exit_status status, const char *said)
{
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_TABLE), status);
    assert_string_equal(asking.out, "");
    if (!strstr(asking.said, said) || strchr(asking.said, '\n') != strrchr(asking.said, '\n'))
        fail_msg("%s", asking.said);
}

static void documents_of_any_length(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 100, 1200, 1300, 5000, TEXT_MAX};
    for (size_t i = 0; i < N_OF(lengths); i++) {
        keep_random(lengths[i]);
        assert_int_equal(asking_run(&asking, config_show_run, SHEET_TABLE), EXIT_GOOD);
        assert_int_equal(strlen(asking.out), lengths[i]);
        assert_string_equal(asking.out, text);
        assert_string_equal(asking.said, "");
    }
}

/* Of all octets that a text may have. */
static void characters(void **state)
{
    (void)state;
    static const char good[] = "\xef\xbb\xbf<tree>\t|;\r\n\xe2\x82\xac \xf0\x9f\x8c\xb3</tree>";
    static const char *const bad[] = {"\x1b[2J",
                                      "\x07",
                                      "\x7f",
                                      "\xff",
                                      "\xc2\x9b"
                                      "2J",
                                      "\xe2\x82"};
    strcpy(text, good);
    keep(sizeof good - 1);
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, good);
    for (size_t i = 0; i < N_OF(bad); i++) {
        keep((size_t)snprintf(text, sizeof text, "<tree>%s", bad[i]));
        assert_refused(EXIT_BROKEN, "control characters");
    }
    memcpy(text, "<t>\0</t>", 8);
    keep(8);
    assert_refused(EXIT_BROKEN, "control characters");
}

static void to_a_file(void **state)
{
    (void)state;
    struct stat status;
    keep_random(3000);
    asking.command.given |= 1u << COMMAND_OUTPUT;
    asking.command.output = path;
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, "");
    assert_non_null(strstr(asking.said, "tree.xml is written"));
    char back[3001] = "";
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(back, 1, sizeof back, file), 3000);
    assert_string_equal(back, text);
    assert_int_equal(fstat(fileno(file), &status), 0);
    assert_int_equal(status.st_mode & 0777 & ~(mode_t)022, 0644);
    fclose(file);
    /* what is there is left alone if it is that, or where there is nothing to be had */
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.said, "");
    packed.digest[0] ^= 1;
    tree_kept(&asking, dcampKeptWhich_inForce, 3, packed.octets, packed.len, packed.digest);
    assert_refused(EXIT_BROKEN, "SHA-256");
    assert_int_equal(access(path, R_OK), 0);
    keep_random(3000);
    asking.command.output = dir;
    assert_refused(EXIT_USAGE, "no regular file");
}

static void who_has_none(void **state)
{
    (void)state;
    static const char digest[33] = "the digest of some other document";
    tree_document(&asking, dcampDocumentKind_tree, 0, 0, "", NULL);
    assert_refused(EXIT_USAGE, "dcamp: lap is in no tree");
    tree_document(&asking, dcampDocumentKind_share, 3, 7, "r1", digest);
    assert_refused(EXIT_USAGE,
                   "lap has only its share of the document; the root of its tree, r1, has it");
    /* an older dcampd, or somebody who must not see it */
    tree_document(&asking, dcampDocumentKind_tree, 3, 7, "r1", digest);
    assert_refused(EXIT_SILENT, "lap does not give documents: its dcampd is older");
}

static void options(void **state)
{
    (void)state;
    keep_random(100);
    assert_int_equal(asking_run(&asking, config_show_run, SHEET_JSON), EXIT_USAGE);
    assert_non_null(strstr(asking.said, "no --json, no --tsv"));
    asking.command.given = 1u << COMMAND_TEXT | 1u << COMMAND_CONFIG;
    assert_refused(EXIT_USAGE, "one of the two");
    asking.command.given = 1u << COMMAND_OUTPUT;
    assert_refused(EXIT_USAGE, "give --text as well");
    assert_int_equal(asking.agent.asked, 0);
}

/* -- Nodes that are damaged, or lie ------------------------------------------------------- */

static void put_number(enum mib_object object, size_t part, int64_t number)
{
    struct cell cell = tree_kept_cell(object, dcampKeptWhich_inForce, part);
    agent_number(&asking.agent, &cell, number);
}

static void put_octets(enum mib_object object, size_t part, const void *octets, size_t len)
{
    struct cell cell = tree_kept_cell(object, dcampKeptWhich_inForce, part);
    agent_octets(&asking.agent, &cell, octets, len);
}

static void lengths_that_are_wrong(void **state)
{
    (void)state;
    static const int64_t lengths[] = {0, PACKED_MAX + 1, UINT32_MAX};
    for (size_t i = 0; i < N_OF(lengths); i++) {
        keep_random(2000);
        put_number(MIB_dcampKeptLength, 1, lengths[i]);
        assert_refused(EXIT_BROKEN, "makes no sense, or is too long");
    }
    keep_random(5000); /* parts of which the node says that they are of a longer one */
    for (size_t part = 1; part <= (packed.len + 1023) / 1024; part++)
        put_number(MIB_dcampKeptLength, part, (int64_t)packed.len + 1);
    assert_refused(EXIT_BROKEN, "do not fit together");
    for (size_t part = 1; part <= (packed.len + 1023) / 1024; part++)
        put_number(MIB_dcampKeptLength, part, PACKED_MAX);
    assert_refused(EXIT_BROKEN, "do not fit together");
}

static void parts_that_are_wrong(void **state)
{
    (void)state;
    static const char octets[1100] = "!";
    static const size_t sizes[] = {0, 1, 1023, 1025, 1100};
    for (size_t i = 0; i < N_OF(sizes); i++) {
        keep_random(5000);
        put_octets(MIB_dcampKeptOctets, 2, octets, sizes[i]);
        assert_refused(EXIT_BROKEN, sizes[i] > 1024 ? "too long" : "do not fit together");
    }
    keep_random(5000);
    put_octets(MIB_dcampKeptOctets, 2, octets, 1024);
    assert_refused(EXIT_BROKEN, "its SHA-256 is not that which the node says");
    keep_random(5000);
    put_octets(MIB_dcampKeptDigest, 1, octets, 31);
    assert_refused(EXIT_BROKEN, "makes no sense");
    keep_random(5000);
    struct cell cell = tree_kept_cell(MIB_dcampKeptOctets, dcampKeptWhich_inForce, 1);
    agent_typed(&asking.agent, &cell, ASN_INTEGER, 5);
    assert_refused(EXIT_BROKEN, "makes no sense");
}

/* What it gives is packed wrongly, or becomes more than there may be; its digest is right. */
static void what_cannot_be_unpacked(void **state)
{
    (void)state;
    uint8_t octets[100] = "<tree/>";
    char error[512], *large = calloc(1, 8u << 20);
    keep_random(5000);
    struct packed other;
    assert_true(packed_text(&other, large, 8u << 20, error));
    free(large);
    for (int i = 0; i < 2; i++) {
        const uint8_t *bad = i ? packed.octets : octets;
        size_t len = i ? packed.len - 1 : sizeof octets;
        uint8_t digest[PACKED_DIGEST];
        SHA2_CTX context;
        SHA256Init(&context);
        SHA256Update(&context, bad, len);
        SHA256Final(digest, &context);
        tree_kept(&asking, dcampKeptWhich_inForce, 3, bad, len, digest);
        assert_refused(EXIT_BROKEN, "it cannot be unpacked");
    }
    tree_kept(&asking, dcampKeptWhich_inForce, 3, other.octets, other.len, other.digest);
    assert_refused(EXIT_BROKEN, "control characters"); /* NULs, as many as there may be */
    packed_free(&other);
}

/* -- Another document comes into force meanwhile ------------------------------------------ */

static size_t changes, at; /* how often it does, and before which request */

static bool change(struct agent_peer *agent)
{
    char error[512];
    if (agent->asked < at || changes == 0)
        return true;
    changes--;
    at = agent->asked + 3;
    text[0] = text[0] == 'a' ? 'b' : 'a';
    packed_free(&packed);
    assert_true(packed_text(&packed, text, strlen(text), error));
    tree_kept(&asking, dcampKeptWhich_inForce, 4, packed.octets, packed.len, packed.digest);
    return true;
}

static void another_one_meanwhile(void **state)
{
    (void)state;
    asking.agent.before = change;
    for (size_t first = 1; first < 12; first++) {
        keep_random(8000);
        changes = 1;
        at = asking.agent.asked + first;
        assert_int_equal(asking_run(&asking, config_show_run, SHEET_TABLE), EXIT_GOOD);
        assert_string_equal(asking.out, text);
    }
    keep_random(8000);
    changes = 100;
    at = asking.agent.asked + 5;
    assert_refused(EXIT_BROKEN, "its parts are of several documents");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(documents_of_any_length),
        TEST(characters),
        TEST(to_a_file),
        TEST(who_has_none),
        TEST(options),
        TEST(lengths_that_are_wrong),
        TEST(parts_that_are_wrong),
        TEST(what_cannot_be_unpacked),
        TEST(another_one_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

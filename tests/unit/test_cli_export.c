/* dcamp export of a root on loopback: what becomes of addresses, and that nothing of a root gets
 * into the configuration of another program but names, hosts and ports. What the real programs say
 * of the files is in tests/integration/export.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/export.h"

#include "tree_cells.h"
#include "unit.h"

static const char digest[33] = "\x01\x02\x03\x04-octets-of-some-digest-56789";

static struct asking asking;

static int begin(void **state)
{
    (void)state;
    asking_begin(&asking);
    asking.command.login.credential = (struct usm_credential){.user = "dcampPoll",
                                                              .auth = AUTH_SHA256,
                                                              .priv = PRIV_AES128,
                                                              .auth_secret = "authentic",
                                                              .priv_secret = "private!"};
    tree_document(&asking, dcampDocumentKind_share, 3, 7, "lap", digest);
    tree_document(&asking, dcampDocumentKind_tree, 3, 2, "lap", digest);
    tree_member(&asking, "lap", "", dcampTreeRole_root, dcampTreeState_up, digest);
    tree_member(&asking, "web1", "lap", dcampTreeRole_metric, dcampTreeState_up, digest);
    asking_text(&asking, MIB_dcampTreeAddress, "lap", NULL, "udp6:[2001:db8::7]:1161");
    asking_text(&asking, MIB_dcampTreeAddress, "web1", NULL, "udp:192.0.2.7:161");
    asking_text(&asking, MIB_dcampTreeGroup, "web1", NULL, "web");
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&asking);
    return 0;
}

static void assert_has(const char *part)
{
    if (!strstr(asking.out, part))
        fail_msg("no %s in\n%s", part, asking.out);
}

static void addresses(void **state)
{
    (void)state;
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_GOOD);
    assert_has("    host_name lap\n    address 2001:db8::7\n    _DCAMP_PORT 1161\n");
    assert_has("    host_name web1\n    address 192.0.2.7\n    _DCAMP_PORT 161\n");
    assert_has("    host_name lap\n    service_description dcamp tree\n");
    assert_null(strstr(asking.out, "    host_name web1\n    service_description dcamp tree\n"));
    assert_int_equal(asking_run(&asking, export_icinga_run, SHEET_TABLE), EXIT_GOOD);
    assert_has("\nobject Host \"web1\" {\n  address = \"192.0.2.7\"\n  check_command = \"dummy\"\n"
               "  vars.dcamp_port = 161\n  vars.dcamp_group = \"web\"\n}\n");
    assert_int_equal(asking_run(&asking, export_prometheus_run, SHEET_TABLE), EXIT_GOOD);
    assert_has("\"[2001:db8::7]:1161\"");
    assert_has("\"192.0.2.7:161\"");
}

static void assert_refused(subcommand_run *run)
{
    assert_int_equal(asking_run(&asking, run, SHEET_TABLE), EXIT_BROKEN);
    assert_string_equal(asking.out, "");
    assert_non_null(strstr(asking.said, "web1: the root has no address or group of it"));
}

/* All or nothing: what is good before it is not printed either. */
static void of_a_root_that_lies(void **state)
{
    (void)state;
    static const char *const addresses[] = {"", "udp:web1;x:161", "udp:a\"b:161", "udp:{x}:161",
                                            "udp:web1:99999"};
    asking_number(&asking, MIB_dcampTreeState, "lap", NULL, dcampTreeState_lost);
    for (size_t i = 0; i < N_OF(addresses); i++) {
        asking_text(&asking, MIB_dcampTreeAddress, "web1", NULL, addresses[i]);
        assert_refused(export_nagios_run);
        assert_refused(export_icinga_run);
        assert_refused(export_prometheus_run);
        assert_refused(export_snmptrapd_run);
    }
    asking_text(&asking, MIB_dcampTreeAddress, "web1", NULL, "udp:192.0.2.7:161");
    asking_text(&asking, MIB_dcampTreeGroup, "web1", NULL, "web\"; x");
    assert_refused(export_icinga_run);
}

static void forms(void **state)
{
    (void)state;
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_JSON), EXIT_USAGE);
    assert_string_equal(asking.out, "");
    assert_non_null(strstr(asking.said, "has forms of its own"));
}

/* Who is away is not waited for. */
static void away(void **state)
{
    (void)state;
    asking_number(&asking, MIB_dcampTreeState, "lap", NULL, dcampTreeState_lost);
    asking_number(&asking, MIB_dcampTreeState, "web1", NULL, dcampTreeState_unreachable);
    assert_int_equal(asking_run(&asking, export_snmptrapd_run, SHEET_TABLE), EXIT_CUT);
    assert_has("authUser log,execute dcampTrap priv\noutputOption n\n");
    assert_has("# web1, 192.0.2.7 port 161: no answer, so its engine ID is not known\n");
    assert_null(strstr(asking.out, "createUser"));
    assert_non_null(strstr(asking.said, "2 of 2 nodes did not say their engine ID"));
}

/* -- Into a file ----------------------------------------------------------------------------- */

static char file[] = "/tmp/dcamp-test.XXXXXX";

static int begin_file(void **state)
{
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    begin(state);
    asking.command.output = file;
    asking.command.given = 1u << COMMAND_OUTPUT;
    assert_true(address_split(asking.agent.engine.address, "161", &asking.command.login.address));
    return 0;
}

static int end_file(void **state)
{
    unlink(file);
    memcpy(file + sizeof file - 7, "XXXXXX", 6);
    return end(state);
}

static void put_file(const char *text)
{
    FILE *to = fopen(file, "w");
    assert_non_null(to);
    fputs(text, to);
    assert_int_equal(fclose(to), 0);
}

/* Takes the place of what was printed. */
static void read_file(void)
{
    FILE *from = fopen(file, "r");
    assert_non_null(from);
    free(asking.out);
    asking.out = calloc(1, 10000);
    assert_non_null(asking.out);
    asking.out[fread(asking.out, 1, 9999, from)] = '\0';
    fclose(from);
}

static void to_a_file(void **state)
{
    (void)state;
    char expected[200];
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, "");
    snprintf(expected, sizeof expected, "dcamp: %s is written: 2 nodes of the tree of lap\n", file);
    assert_string_equal(asking.said, expected);
    read_file();
    assert_has("    host_name web1\n");
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.said, "");
}

/* Whatever is wrong with an answer, the file stays. */
static void the_file_stays(void **state)
{
    (void)state;
    put_file("as it was");
    asking_text(&asking, MIB_dcampTreeAddress, "web1", NULL, "udp:{x}:161");
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_BROKEN);
    agent_drop_rows(&asking.agent, 'p');
    agent_drop_rows(&asking.agent, '1');
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_SILENT);
    tree_document(&asking, dcampDocumentKind_share, 4, 7, "r2", digest);
    tree_document(&asking, dcampDocumentKind_tree, 4, 2, "r2", digest);
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_USAGE);
    read_file();
    assert_string_equal(asking.out, "as it was");
}

/* A node that is silent keeps the user that the file has of it. */
static void silent_nodes_keep_their_users(void **state)
{
    (void)state;
    asking_number(&asking, MIB_dcampTreeState, "lap", NULL, dcampTreeState_lost);
    asking_number(&asking, MIB_dcampTreeState, "web1", NULL, dcampTreeState_lost);
    put_file("# web1\ncreateUser -e 0x8000 dcampTrap SHA-256 -l 0x12 AES -l 0x34\n"
             "# lap\ncreateUser dcampTrap SHA-256 passphrase\n");
    assert_int_equal(asking_run(&asking, export_snmptrapd_run, SHEET_TABLE), EXIT_CUT);
    read_file();
    assert_has("\n# web1\ncreateUser -e 0x8000 dcampTrap SHA-256 -l 0x12 AES -l 0x34\n");
    assert_has("# lap, 2001:db8::7 port 1161: no answer");
    assert_null(strstr(asking.out, "passphrase"));
    assert_int_equal(asking_run(&asking, export_snmptrapd_run, SHEET_TABLE), EXIT_CUT);
    assert_string_equal(asking.said, "dcamp: 2 of 2 nodes did not say their engine ID\n");
}

/* The same failure is told once. */
static void again_and_again(void **state)
{
    (void)state;
    asking.command.given |= 1u << COMMAND_WATCH;
    asking.command.count = 3;
    asking_text(&asking, MIB_dcampTreeAddress, "web1", NULL, "udp:{x}:161");
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_BROKEN);
    assert_string_equal(asking.said, "dcamp: web1: the root has no address or group of it that "
                                     "makes sense\n");
    asking_text(&asking, MIB_dcampTreeAddress, "web1", NULL, "udp:192.0.2.7:161");
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_GOOD);
    read_file();
    assert_has("    host_name web1\n");
}

static void options_that_go_together(void **state)
{
    (void)state;
    asking.command.output = NULL;
    asking.command.given = 1u << COMMAND_WATCH;
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.said, "dcamp: --watch needs --output FILE\n");
    asking.command.given = 1u << COMMAND_RUN;
    asking.command.run = "true";
    assert_int_equal(asking_run(&asking, export_nagios_run, SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.said, "dcamp: --run needs --output FILE\n");
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, begin_file, end_file)
#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(addresses),
                                       TEST(of_a_root_that_lies),
                                       TEST(forms),
                                       TEST(away),
                                       FILE_TEST(to_a_file),
                                       FILE_TEST(the_file_stays),
                                       FILE_TEST(silent_nodes_keep_their_users),
                                       FILE_TEST(again_and_again),
                                       FILE_TEST(options_that_go_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

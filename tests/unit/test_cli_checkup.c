/* Whether a machine has what dcampd needs: of a directory that looks like one, with one thing wrong
 * at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/checkup.h"

#include "unit.h"

static char root[40], socket_path[80];
static int listener;
static struct findings findings;

static void path_of(char path[200], const char *file)
{
    snprintf(path, 200, "%s%s", root, file);
}

static void make_directory(const char *name, mode_t mode)
{
    char path[200];
    path_of(path, name);
    assert_int_equal(mkdir(path, mode), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void write_file(const char *name, mode_t mode, const char *text)
{
    char path[200];
    path_of(path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void set_mode(const char *name, mode_t mode)
{
    char path[200];
    path_of(path, name);
    assert_int_equal(chmod(path, mode), 0);
}

static void set_owner(const char *name, uid_t uid)
{
    char path[200];
    path_of(path, name);
    assert_int_equal(chown(path, uid, (gid_t)-1), 0);
}

static void drop(const char *name)
{
    char path[200];
    path_of(path, name);
    assert_int_equal(remove(path), 0);
}

static void write_accounts(uid_t uid, gid_t gid)
{
    char line[200];
    snprintf(line, sizeof line, "root:x:0:0::/:/bin/sh\ndcamp:x:%u:%u::/:/bin/sh\n", uid, gid);
    write_file("/etc/passwd", 0644, line);
    snprintf(line, sizeof line, "root:x:0:\ndcamp:x:%u:\n", gid);
    write_file("/etc/group", 0644, line);
}

static void listen_at(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strcpy(at.sun_path, path);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 5), 0);
}

static int begin(void **state)
{
    (void)state;
    static const char *const directories[] = {"/etc",
                                              "/etc/snmp",
                                              "/etc/snmp/snmpd.conf.d",
                                              "/etc/dcamp",
                                              "/run",
                                              "/var",
                                              "/var/lib",
                                              "/usr",
                                              "/usr/bin",
                                              "/usr/share",
                                              "/usr/share/snmp",
                                              "/usr/share/snmp/mibs"};
    char drop_in[200];
    strcpy(root, "/tmp/dcamp-machine.XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0755), 0);
    for (size_t i = 0; i < N_OF(directories); i++)
        make_directory(directories[i], 0755);
    make_directory("/var/lib/dcamp", 0750);
    snprintf(socket_path, sizeof socket_path, "%s/run/master", root);
    listen_at(socket_path);
    set_mode("/run/master", 0660);
    snprintf(drop_in, sizeof drop_in,
             "# master of nothing\n  master  agentx\nagentXSocket unix:%s\n", socket_path);
    write_file("/etc/snmp/snmpd.conf.d/dcamp.conf", 0644, drop_in);
    write_file("/usr/share/snmp/mibs/DCAMP-MIB.txt", 0644, "");
    write_accounts(geteuid(), getegid());
    return 0;
}

static int end(void **state)
{
    (void)state;
    char line[100];
    close(listener);
    snprintf(line, sizeof line, "rm -rf %s", root);
    return system(line);
}

static const struct finding *find(const char *check)
{
    for (size_t i = 0; i < findings.n; i++)
        if (strcmp(findings.list[i].check, check) == 0)
            return &findings.list[i];
    return NULL;
}

/* Looks; returns how many are bad. */
static size_t look_and(bool fix)
{
    size_t bad = 0;
    findings = (struct findings){.n = 0};
    machine_check(root, fix, &findings);
    for (size_t i = 0; i < findings.n; i++)
        bad += !findings.list[i].ok;
    return bad;
}

static size_t look(void)
{
    return look_and(false);
}

/* One thing is wrong: with this check, so that the text has this in it, and there is a cure. */
static void assert_bad(const char *check, const char *found, const char *cure)
{
    size_t bad = look();
    const struct finding *finding = find(check);
    assert_non_null(finding);
    if (bad != 1 || finding->ok || !strstr(finding->found, found) || !strstr(finding->cure, cure))
        fail_msg("%zu bad; %s: %s; %s", bad, check, finding->found, finding->cure);
}

/* A subagent that is connected, as the master has accepted it. */
static void connect_one(int ends[2])
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strcpy(at.sun_path, socket_path);
    ends[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(ends[0], (const struct sockaddr *)&at, sizeof at), 0);
    ends[1] = accept(listener, NULL, NULL);
    assert_true(ends[1] >= 0);
}

static void all_is_well(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(machine_has_subagent(root), 0);
    assert_bad("subagent", "nobody is connected", "systemctl start dcampd");
    connect_one(ends);
    assert_int_equal(machine_has_subagent(root), 1);
    assert_int_equal(look(), 0);
    assert_true(findings_all_ok(&findings));
    assert_null(find("secrets"));
    close(ends[0]);
    close(ends[1]);
    drop("/etc/snmp/snmpd.conf.d/dcamp.conf");
    assert_int_equal(machine_has_subagent(root), -1);
}

static void drop_ins(void **state)
{
    (void)state;
    static const char name[] = "/etc/snmp/snmpd.conf.d/dcamp.conf";
    write_file(name, 0644, "agentXSocket unix:/run/x\n");
    assert_bad("drop-in", "no line \"master agentx\"", "restart snmpd");
    write_file(name, 0644, "master agentx\n#agentXSocket unix:/run/x\n");
    assert_bad("drop-in", "no agentXSocket", "restart snmpd");
    write_file(name, 0644, "master agentx\nagentXSocket tcp:localhost:705\n");
    assert_bad("drop-in", "no agentXSocket", "restart snmpd");
    drop(name);
    assert_bad("drop-in", "No such file", "install the package dcampd");
    assert_false(findings_all_ok(&findings));
}

static void sockets(void **state)
{
    (void)state;
    int ends[2];
    connect_one(ends);
    close(listener);
    listener = -1;
    assert_bad("socket", "Connection refused", "restart snmpd");
    drop("/run/master");
    write_file("/run/master", 0660, "");
    assert_bad("socket", "is no socket", "restart snmpd");
    drop("/run/master");
    assert_bad("socket", "No such file", "restart snmpd");
    close(ends[0]);
    close(ends[1]);
}

/* Of an account that is not root: for that, modes mean nothing. */
static void rights(void **state)
{
    (void)state;
    int ends[2];
    connect_one(ends);
    if (geteuid() == 0) {
        write_accounts(4711, 4712);
        set_owner("/var/lib/dcamp", 4711);
        assert_bad("socket mode", "dcamp may not connect", "agentXPerms");
        set_mode("/run/master", 0666);
        assert_int_equal(look(), 0);
        set_mode("/run", 0700);
        assert_bad("socket mode", "cannot get to the socket", "chmod g+x");
        set_mode("/run", 0755);
        set_owner("/var/lib/dcamp", 4713);
        assert_bad("state directory", "is not of user dcamp, but of 4713", "chown dcamp");
    } else {
        set_mode("/run/master", 0060);
        assert_bad("socket mode", "dcamp may not connect", "agentXPerms");
    }
    close(ends[0]);
    close(ends[1]);
}

static void states(void **state)
{
    (void)state;
    int ends[2];
    connect_one(ends);
    set_mode("/var/lib/dcamp", 0500);
    assert_bad("state directory", "has mode 0500", "chmod 750");
    set_mode("/var/lib/dcamp", 0755);
    assert_bad("state directory", "has mode 0755", "chmod 750");
    drop("/var/lib/dcamp");
    assert_bad("state directory", "No such file", "mkdir");
    write_file("/var/lib/dcamp", 0600, "");
    assert_bad("state directory", "is no directory", "");
    close(ends[0]);
    close(ends[1]);
}

static void other_files(void **state)
{
    (void)state;
    int ends[2];
    connect_one(ends);
    write_file("/etc/dcamp/site.secret", 0600, "");
    assert_int_equal(look(), 0);
    assert_non_null(find("secrets"));
    write_file("/etc/dcamp/secrets", 0640, "");
    assert_bad("secrets", "/etc/dcamp/secrets is not for", "chmod 600");
    drop("/etc/dcamp/secrets");
    drop("/usr/share/snmp/mibs/DCAMP-MIB.txt");
    assert_int_equal(look(), 0);
    write_file("/usr/bin/snmpget", 0755, "");
    assert_bad("MIB file", "No such file", "dcamp-mibs");
    close(ends[0]);
    close(ends[1]);
}

static void accounts(void **state)
{
    (void)state;
    int ends[2];
    connect_one(ends);
    drop("/etc/group");
    assert_bad("account", "there is no group dcamp", "systemd-sysusers");
    drop("/etc/passwd");
    assert_bad("account", "there is no user dcamp", "systemd-sysusers");
    assert_null(find("socket mode"));
    close(ends[0]);
    close(ends[1]);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

/* What is wrong is good afterwards, and that is told once. */
static void assert_mended(const char *check, const char *path, mode_t mode)
{
    char whole[200];
    struct stat status;
    assert_true(look() > 0);
    assert_false(find(check)->fixed);
    assert_int_equal(look_and(true), 0);
    assert_true(find(check)->fixed);
    assert_non_null(strstr(find(check)->found, "; mended: "));
    path_of(whole, path);
    assert_int_equal(stat(whole, &status), 0);
    assert_int_equal(status.st_mode & 07777, mode);
    assert_int_equal(status.st_uid, geteuid());
    assert_int_equal(look_and(true), 0);
    assert_false(find(check)->fixed);
}

static void mends(void **state)
{
    (void)state;
    int ends[2];
    connect_one(ends);
    set_mode("/var/lib/dcamp", 0777);
    assert_mended("state directory", "/var/lib/dcamp", 0750);
    set_mode("/var/lib/dcamp", 0050);
    assert_mended("state directory", "/var/lib/dcamp", 0750);
    drop("/var/lib/dcamp");
    assert_mended("state directory", "/var/lib/dcamp", 0750);
    write_file("/etc/dcamp/site.secret", 0664, "");
    write_file("/etc/dcamp/etcd.secret", 0600, "");
    assert_mended("secrets", "/etc/dcamp/site.secret", 0600);
    if (geteuid() == 0) {
        set_owner("/var/lib/dcamp", 4711);
        assert_mended("state directory", "/var/lib/dcamp", 0750);
        set_owner("/etc/dcamp/site.secret", 4711);
        assert_mended("secrets", "/etc/dcamp/site.secret", 0600);
    }
    close(ends[0]);
    close(ends[1]);
}

/* A name in a directory may be of anything: what is behind a link, or has another name elsewhere,
 * stays as it is. */
static void mends_no_links(void **state)
{
    (void)state;
    char from[200], to[200];
    int ends[2];
    connect_one(ends);
    write_file("/etc/elsewhere", 0644, "");
    path_of(from, "/etc/elsewhere");
    path_of(to, "/etc/dcamp/site.secret");
    assert_int_equal(link(from, to), 0);
    assert_int_equal(look_and(true), 1);
    assert_int_equal(remove(to), 0);
    assert_int_equal(symlink(from, to), 0);
    assert_int_equal(look_and(true), 1);
    assert_false(find("secrets")->fixed);
    assert_int_equal(remove(to), 0);
    make_directory("/etc/other", 0777);
    drop("/var/lib/dcamp");
    path_of(from, "/etc/other");
    path_of(to, "/var/lib/dcamp");
    assert_int_equal(symlink(from, to), 0);
    assert_int_equal(look_and(true), 1);
    assert_false(find("state directory")->fixed);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(all_is_well), TEST(drop_ins), TEST(sockets),
                                       TEST(rights),      TEST(states),   TEST(other_files),
                                       TEST(accounts),    TEST(mends),    TEST(mends_no_links)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

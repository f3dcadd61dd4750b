#include "cli/checkup.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"

#define DROP_IN "/etc/snmp/snmpd.conf.d/dcamp.conf"
#define STATE "/var/lib/dcamp"
#define MIB "/usr/share/snmp/mibs/DCAMP-MIB.txt"
#define SECRETS "/etc/dcamp/*secret*"
#define ACCOUNT "dcamp"
#define ROOM_MIN (4u << 20) /* a state file and its successor are there at the same time */

#define CURE_PACKAGE "install the package dcampd"

struct machine {
    const char *root;
    bool fix; /* whether to mend what can be mended */
    struct findings *findings;
    char socket[PATH_MAX]; /* "": not known */
    bool has_account;
    uid_t uid;
    gid_t gid;
};

static void path_of(char path[PATH_MAX], const struct machine *machine, const char *file)
{
    text_format(path, PATH_MAX, "%s%s", machine->root, file);
}

/* -- The account ----------------------------------------------------------------------------- */

/* Below another root, the accounts are those of the files there. */
static bool find_account(struct machine *machine)
{
    char path[PATH_MAX];
    const struct passwd *user = NULL;
    if (!machine->root[0]) {
        user = getpwnam(ACCOUNT);
    } else {
        path_of(path, machine, "/etc/passwd");
        FILE *file = fopen(path, "re");
        while (file && (user = fgetpwent(file)) && strcmp(user->pw_name, ACCOUNT) != 0)
            continue;
        if (file)
            fclose(file);
    }
    if (user)
        machine->uid = user->pw_uid;
    return user != NULL;
}

static bool find_group(struct machine *machine)
{
    char path[PATH_MAX];
    const struct group *group = NULL;
    if (!machine->root[0]) {
        group = getgrnam(ACCOUNT);
    } else {
        path_of(path, machine, "/etc/group");
        FILE *file = fopen(path, "re");
        while (file && (group = fgetgrent(file)) && strcmp(group->gr_name, ACCOUNT) != 0)
            continue;
        if (file)
            fclose(file);
    }
    if (group)
        machine->gid = group->gr_gid;
    return group != NULL;
}

static void check_account(struct machine *machine)
{
    bool user = find_account(machine), group = find_group(machine);
    machine->has_account = user && group;
    if (machine->has_account)
        findings_good(machine->findings, "account", "user and group " ACCOUNT " exist");
    else
        findings_bad(machine->findings, "account",
                     CURE_PACKAGE ", or: systemd-sysusers; then: systemctl restart snmpd dcampd",
                     "there is no %s " ACCOUNT, user ? "group" : "user");
}

/* -- The drop-in of snmpd -------------------------------------------------------------------- */

/* What follows this directive, if it is the first word of a line; else NULL. */
static char *directive(char *line, const char *name)
{
    char *at = line + strspn(line, " \t");
    size_t len = strlen(name);
    if (strncmp(at, name, len) != 0 || (at[len] != ' ' && at[len] != '\t'))
        return NULL;
    at += len + strspn(at + len, " \t");
    at[strcspn(at, " \t\r\n#")] = '\0';
    return at;
}

static void take_socket(struct machine *machine, const char *address)
{
    if (strncmp(address, "unix:", 5) == 0)
        address += 5;
    text_format(machine->socket, sizeof machine->socket, "%s", address[0] == '/' ? address : "");
}

/* Returns whether the drop-in makes snmpd a master; notes the socket. */
static bool read_drop_in(struct machine *machine, FILE *file)
{
    char line[1024];
    bool master = false;
    while (fgets(line, sizeof line, file)) {
        const char *value = directive(line, "master");
        master = master || (value && strcmp(value, "agentx") == 0);
        value = value ? NULL : directive(line, "agentXSocket");
        if (value)
            take_socket(machine, value);
    }
    return master;
}

static const char drop_in_cure[] =
    CURE_PACKAGE ", which brings " DROP_IN "; then: systemctl restart snmpd";

/* False: there is no drop-in that is of use, and why says so. */
static bool look_at_drop_in(struct machine *machine, char why[200])
{
    char path[PATH_MAX];
    path_of(path, machine, DROP_IN);
    FILE *file = fopen(path, "re");
    text_format(why, 200, "%s", file ? "" : strerror(errno));
    if (!file)
        return false;
    if (!read_drop_in(machine, file))
        text_format(why, 200, "it has no line \"master agentx\"");
    else if (!machine->socket[0])
        text_format(why, 200, "it has no agentXSocket with a path");
    fclose(file);
    return why[0] == '\0';
}

static bool check_drop_in(struct machine *machine)
{
    char why[200];
    if (!look_at_drop_in(machine, why))
        return findings_bad(machine->findings, "drop-in", drop_in_cure, DROP_IN ": %s", why);
    findings_good(machine->findings, "drop-in", DROP_IN ": the socket is %.200s", machine->socket);
    return true;
}

/* -- Its socket ------------------------------------------------------------------------------ */

static bool connects(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool fits = strlen(path) < sizeof to.sun_path;
    if (fits)
        memcpy(to.sun_path, path, strlen(path) + 1);
    errno = ENAMETOOLONG;
    bool good = fd >= 0 && fits && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return good || error == EAGAIN || error == EACCES;
}

static bool check_socket(const struct machine *machine, struct stat *status)
{
    static const char cure[] = "systemctl restart snmpd; if it does not come: journalctl -u snmpd";
    struct findings *findings = machine->findings;
    if (stat(machine->socket, status) < 0)
        return findings_bad(findings, "socket", cure, "%.200s: %s", machine->socket,
                            strerror(errno));
    if (!S_ISSOCK(status->st_mode))
        return findings_bad(findings, "socket", cure, "%.200s is no socket", machine->socket);
    if (!connects(machine->socket))
        return findings_bad(findings, "socket", cure, "%.200s: %s: snmpd does not listen there",
                            machine->socket, strerror(errno));
    findings_good(findings, "socket", "snmpd listens at %.200s", machine->socket);
    return true;
}

/* Whether the account has all of some rights, as 6 for reading and writing. */
static bool has_rights(const struct machine *machine, const struct stat *status, unsigned rights)
{
    unsigned mode = status->st_mode;
    if (machine->uid == 0)
        return true;
    if (status->st_uid == machine->uid)
        mode >>= 6;
    else if (status->st_gid == machine->gid)
        mode >>= 3;
    return (mode & rights) == rights;
}

static bool check_socket_mode(const struct machine *machine, const struct stat *status)
{
    char path[PATH_MAX];
    struct stat directory;
    text_format(path, sizeof path, "%s", machine->socket);
    char *last = strrchr(path, '/');
    last[last == path] = '\0';
    if (!has_rights(machine, status, 6))
        return findings_bad(machine->findings, "socket mode",
                            "agentXPerms 0660 0750 Debian-snmp dcamp in " DROP_IN
                            "; then: systemctl restart snmpd",
                            "%.200s has mode %04o: " ACCOUNT " may not connect", machine->socket,
                            (unsigned)status->st_mode & 07777);
    if (stat(path, &directory) == 0 && !has_rights(machine, &directory, 1))
        return findings_bad(machine->findings, "socket mode",
                            "chgrp dcamp and chmod g+x of that directory; /run/agentx of the unit "
                            "of snmpd is open to all",
                            "%.200s has mode %04o: " ACCOUNT " cannot get to the socket", path,
                            (unsigned)directory.st_mode & 07777);
    findings_good(machine->findings, "socket mode", ACCOUNT " may connect to it");
    return true;
}

/* The accepted end of each connection has the name of the socket and the state 3 (SS_CONNECTED). */
static int count_connections(const char *path)
{
    FILE *file = fopen("/proc/net/unix", "re");
    char line[PATH_MAX + 100];
    int n = file ? 0 : -1;
    while (file && fgets(line, sizeof line, file)) {
        unsigned state;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%*s %*s %*s %*s %*s %x %*s %n", &state, &at) == 1 && at > 0)
            n += state == 3 && strcmp(line + at, path) == 0;
    }
    if (file)
        fclose(file);
    return n;
}

int machine_has_subagent(const char *root)
{
    struct machine machine = {.root = root};
    char why[200];
    if (!look_at_drop_in(&machine, why))
        return -1;
    int n = count_connections(machine.socket);
    return n > 0 ? 1 : n;
}

static void check_subagent(const struct machine *machine, int connections)
{
    if (connections == 0)
        findings_bad(machine->findings, "subagent",
                     "systemctl start dcampd; if it does not stay: journalctl -u dcampd",
                     "nobody is connected to %.200s", machine->socket);
    else
        findings_good(machine->findings, "subagent", "somebody is connected to the socket");
}

/* Connecting shows whether snmpd listens. Because snmpd may take that for a subagent for a while,
 * connections are counted first. */
static void check_sockets(const struct machine *machine)
{
    struct stat socket;
    int connections = count_connections(machine->socket);
    if (!check_socket(machine, &socket))
        return;
    if (machine->has_account)
        check_socket_mode(machine, &socket);
    check_subagent(machine, connections);
}

/* -- Directories and files ------------------------------------------------------------------- */

/* Gives the open file to the account, unless the account has it, or root has it and that will do;
 * sets mode if there are rights beyond it, or its owner lacks some. True: something was changed. */
static bool mend_rights(const struct machine *machine, int fd, const struct stat *status,
                        bool root_will_do, mode_t mode)
{
    bool own = !machine->has_account || status->st_uid == machine->uid ||
               (root_will_do && status->st_uid == 0);
    bool changed = !own && fchown(fd, machine->uid, machine->gid) == 0;
    if ((status->st_mode & 07777 & ~mode) || (status->st_mode & 0700 & mode) != (mode & 0700))
        changed |= fchmod(fd, mode) == 0;
    return changed;
}

static bool mend_state(const struct machine *machine)
{
    char path[PATH_MAX];
    struct stat status;
    path_of(path, machine, STATE);
    bool made = mkdir(path, 0750) == 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool changed =
        fd >= 0 && fstat(fd, &status) == 0 && mend_rights(machine, fd, &status, false, 0750);
    if (fd >= 0)
        close(fd);
    return made || changed;
}

static bool check_state(const struct machine *machine)
{
    static const char cure[] =
        "chown dcamp:dcamp " STATE "; chmod 750 " STATE "; systemctl restart dcampd";
    struct findings *findings = machine->findings;
    char path[PATH_MAX];
    struct stat status;
    path_of(path, machine, STATE);
    if (stat(path, &status) < 0)
        return findings_bad(findings, "state directory",
                            "mkdir " STATE "; chown dcamp:dcamp " STATE
                            "; systemctl restart dcampd",
                            STATE ": %s", strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return findings_bad(findings, "state directory", cure, STATE " is no directory");
    if (machine->has_account && status.st_uid != machine->uid)
        return findings_bad(findings, "state directory", cure,
                            STATE " is not of user " ACCOUNT ", but of %lu",
                            (unsigned long)status.st_uid);
    if ((status.st_mode & 0700) != 0700 || (status.st_mode & 0027) != 0)
        return findings_bad(findings, "state directory", cure, STATE " has mode %04o",
                            (unsigned)status.st_mode & 07777);
    findings_good(findings, "state directory", STATE " is of " ACCOUNT);
    return true;
}

static bool check_room(const struct machine *machine)
{
    struct findings *findings = machine->findings;
    char path[PATH_MAX];
    struct statvfs volume;
    path_of(path, machine, STATE);
    if (statvfs(path, &volume) < 0)
        return findings_bad(findings, "state room", "look at the volume of " STATE, STATE ": %s",
                            strerror(errno));
    unsigned long long room = (unsigned long long)volume.f_bavail * volume.f_frsize;
    if (volume.f_flag & ST_RDONLY)
        return findings_bad(findings, "state room",
                            "mount -o remount,rw of its volume, and look why it is: dmesg",
                            STATE " is on a volume that is read-only");
    if (room < ROOM_MIN)
        return findings_bad(findings, "state room", "make room on the volume of " STATE,
                            "%llu kB are left for " STATE, room / 1000);
    if (volume.f_files > 0 && volume.f_favail == 0)
        return findings_bad(findings, "state room", "delete files on the volume of " STATE,
                            "there is no inode left for " STATE);
    findings_good(findings, "state room", "%llu MB are left for " STATE, room / 1000000);
    return true;
}

/* Whether dcampd takes it: it belongs to dcampd or to root, and nobody else has rights. */
static bool is_secret(const struct machine *machine, const struct stat *status)
{
    bool owner = status->st_uid == 0 || !machine->has_account || status->st_uid == machine->uid;
    return S_ISREG(status->st_mode) && owner && (status->st_mode & 0077) == 0;
}

/* A file that has another name elsewhere is left alone, for it may be anybody's there. */
static bool mend_secret(const struct machine *machine, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool plain =
        fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
    bool changed = plain && !is_secret(machine, &status) &&
                   mend_rights(machine, fd, &status, true, status.st_mode & 0700);
    if (fd >= 0)
        close(fd);
    return changed;
}

static void check_secrets(const struct machine *machine)
{
    char pattern[PATH_MAX];
    glob_t found;
    size_t bad = 0, mended = 0;
    path_of(pattern, machine, SECRETS);
    int error = glob(pattern, 0, NULL, &found);
    for (size_t i = 0; !error && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        struct stat status;
        mended += machine->fix && mend_secret(machine, path);
        if (stat(path, &status) == 0 && is_secret(machine, &status))
            continue;
        bad++;
        findings_bad(machine->findings, "secrets",
                     "chown dcamp and chmod 600 of that file; if others could read it, take other "
                     "passphrases",
                     "%.200s is not for dcampd alone", path + strlen(machine->root));
    }
    if (!error && bad == 0)
        findings_good(machine->findings, "secrets", "%zu files, which nobody else may read",
                      found.gl_pathc);
    if (mended > 0)
        findings_fixed(machine->findings, "if others could read them, take other passphrases");
    if (!error)
        globfree(&found);
}

/* dcamp itself needs no MIB file; the commands of Net-SNMP need one, if there are any. */
static void check_mib(const struct machine *machine)
{
    char path[PATH_MAX], command[PATH_MAX];
    path_of(path, machine, MIB);
    path_of(command, machine, "/usr/bin/snmpget");
    int error = access(path, R_OK) == 0 ? 0 : errno;
    if (!error)
        findings_good(machine->findings, "MIB file", MIB " is there");
    else if (access(command, X_OK) < 0)
        findings_good(machine->findings, "MIB file", "there is none, and no snmpget that needs it");
    else
        findings_bad(machine->findings, "MIB file",
                     "install the package dcamp-mibs: snmpget and others need it for names",
                     MIB ": %s", strerror(error));
}

void machine_check(const char *root, bool fix, struct findings *findings)
{
    struct machine machine = {.root = root, .fix = fix, .findings = findings};
    check_account(&machine);
    if (check_drop_in(&machine))
        check_sockets(&machine);
    bool mended = fix && mend_state(&machine), good = check_state(&machine);
    if (mended)
        findings_fixed(findings, "if dcampd has ended for that: systemctl restart dcampd");
    if (good)
        check_room(&machine);
    check_secrets(&machine);
    check_mib(&machine);
}

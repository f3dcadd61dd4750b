#include "cli/init.h"

#include <errno.h>
#include <glob.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/hostport.h"
#include "base/text.h"
#include "dcamp_mib.h"
#include "cli/dcamp_file.h"
#include "cli/machine.h"
#include "cli/snmpd_files.h"
#include "snmpv3/keys.h"
#include "snmpv3/secrets.h"
#include "snmpv3/session.h"

#define SITE_DIR "/etc/dcamp"
#define SITE_FILE "site.secret"
#define NODE_FILE "dcamp.xml"
#define CONF_FILE "/etc/snmp/snmpd.conf"
#define CONF_DIR "/etc/snmp/snmpd.conf.d"
#define DROP_IN "dcamp.conf"
#define OWN_FILE "dcamp-init.conf"
#define KEPT_DIR "/var/lib/snmp"
#define KEPT_FILE "snmpd.conf"
#define UNIT_SHIPPED "/usr/share/dcamp/dcampd.service.d/collector.conf"
#define UNIT_DIR "/etc/systemd/system/dcampd.service.d"
#define UNIT_FILE "collector.conf"

#define SECRET_OCTETS 16
#define ENGINE_OCTETS 8
#define PLACE_SIZE (PATH_MAX + 16)

enum step_result { STEP_SO, STEP_DONE, STEP_MISSING, STEP_FAILED, STEP_RESULTS };

static const char *const results[STEP_RESULTS] = {"already so", "done", "missing", "failed"};

/* In the order of the drop-in. */
static const char *const names[] = {"dcampPoll", "dcampAdmin", "dcampTrap"};

#define USERS (sizeof names / sizeof *names)

struct init {
    const struct command *command;
    struct machine machine;
    struct sheet *sheet;
    bool said[STEP_RESULTS];
    bool no_memory;
    bool check;
    struct usm_credential site;
    bool has_site;
    /* what the configuration has, and where; a place that is "": it does not have it */
    struct snmpd_engine engine, own_engine;
    char engine_place[PLACE_SIZE], listen_place[PLACE_SIZE], secret_place[PLACE_SIZE];
    char own_listen[128];
    char own_announce[SNMPD_ANNOUNCE_MAX];
    bool includes;
    /* what is to be */
    struct snmpd_user users[USERS];
    bool changes_own, changes_users;
    char *node; /* the text of dcamp.xml; NULL: it stays as it is */
    char *unit; /* what the unit of a collector has in addition; NULL: it stays as it is */
};

/* -- What is said ---------------------------------------------------------------------------- */

static void say(struct init *init, enum step_result result, const char *step, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

static void say(struct init *init, enum step_result result, const char *step, const char *format,
                ...)
{
    char detail[PLACE_SIZE + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    const char *const texts[] = {step, results[result], detail};
    struct sheet_value values[3];
    for (size_t i = 0; i < 3; i++)
        values[i] = (struct sheet_value){.given = true, .text = texts[i], .len = strlen(texts[i])};
    init->said[result] = true;
    init->no_memory |= !sheet_add(init->sheet, values);
}

/* For what is not as it should be: it is to be done, or, with --check, said to be missing. Returns
 * whether to do it. */
static bool is_to_be_done(struct init *init, const char *step, const char *missing)
{
    if (init->check)
        say(init, STEP_MISSING, step, "%s", missing);
    return !init->check;
}

/* The text of a file; NULL: it was said that it cannot be read. */
static char *read_file(struct init *init, const char *step, const char *path)
{
    char *text = machine_read(path);
    if (!text)
        say(init, STEP_FAILED, step, "%s: %s", path, strerror(errno));
    return text;
}

/* -- The passphrases of the site ------------------------------------------------------------- */

/* NULL: there is no account to which files can be given here. */
static const struct passwd *daemon_account(const struct init *init)
{
    return init->machine.root[0] || geteuid() != 0 ? NULL : getpwnam("dcamp");
}

/* The file belongs to the account of the daemon, which reads it if this node becomes a root. */
static int make_site(const struct init *init, const char *path)
{
    uint8_t octets[2 * SECRET_OCTETS];
    char digits[2][2 * SECRET_OCTETS + 1], text[sizeof digits + 16];
    if (getrandom(octets, sizeof octets, 0) != (ssize_t)sizeof octets)
        return errno;
    for (size_t i = 0; i < 2; i++)
        hex_from_octets(digits[i], octets + i * SECRET_OCTETS, SECRET_OCTETS, HEX_LOWER);
    snprintf(text, sizeof text, "auth %s\npriv %s\n", digits[0], digits[1]);
    int code = machine_write(&init->machine, SITE_DIR, SITE_FILE, text, 0600);
    explicit_bzero(octets, sizeof octets);
    explicit_bzero(digits, sizeof digits);
    explicit_bzero(text, sizeof text);
    const struct passwd *account = code ? NULL : daemon_account(init);
    return account && chown(path, account->pw_uid, account->pw_gid) != 0 ? errno : code;
}

/* Returns whether there is a file to be read. */
static bool find_site(struct init *init, const char *path)
{
    bool may_make = command_has(init->command, COMMAND_NEW_SITE);
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return true;
    if (init->check || !may_make) {
        say(init, STEP_MISSING, "passphrases",
            "%s: no such file; bring that of the site, or make one with --new-site", path);
        return false;
    }
    int code = make_site(init, path);
    if (code)
        say(init, STEP_FAILED, "passphrases", "%s: %s", path, strerror(code));
    else
        say(init, STEP_DONE, "passphrases", "%s: made at random, for all machines of the site",
            path);
    return code == 0;
}

/* A file that root has brought belongs to root, and the daemon of a tree's root could not read it.
 * Returns whether anything was said about that. */
static bool give_site(struct init *init, const char *path)
{
    bool own = command_has(init->command, COMMAND_COLLECTOR) && !init->command->login.secrets;
    const struct passwd *account = own ? daemon_account(init) : NULL;
    struct stat file;
    if (!account || stat(path, &file) != 0 || file.st_uid != 0)
        return false;
    if (init->check)
        say(init, STEP_MISSING, "passphrases", "%s: it is to belong to dcamp", path);
    else if (chown(path, account->pw_uid, account->pw_gid) == 0)
        say(init, STEP_DONE, "passphrases", "%s: now it belongs to dcamp", path);
    else
        say(init, STEP_FAILED, "passphrases", "%s: %s", path, strerror(errno));
    return true;
}

static void read_site(struct init *init)
{
    char path[PATH_MAX], user[ACCOUNT_NAME_SIZE], error[512];
    const char *given = init->command->login.secrets;
    if (given)
        text_format(path, sizeof path, "%s", given);
    else
        machine_path(&init->machine, SITE_DIR "/" SITE_FILE, path);
    if (!find_site(init, path))
        return;
    init->has_site = secrets_read_as_owner(path, &init->site, user, error);
    if (!init->has_site)
        say(init, STEP_FAILED, "passphrases", "%s", error);
    else if (!init->said[STEP_DONE] && !give_site(init, path))
        say(init, STEP_SO, "passphrases", "%s", path);
}

/* -- What the configuration has -------------------------------------------------------------- */

static void put_place(char place[PLACE_SIZE], const char *path, unsigned line)
{
    if (line > 0)
        text_format(place, PLACE_SIZE, "%s:%u", path, line);
}

static void look_at(struct init *init, const char *path, const char *text)
{
    const char *listen = init->command->listen;
    put_place(init->engine_place, path, snmpd_find_engine(text, "exactEngineID", &init->engine));
    put_place(init->secret_place, path, snmpd_find_passphrase(text, init->users, USERS));
    if (listen)
        put_place(init->listen_place, path, snmpd_find_address(text, listen));
}

static bool look_at_main(struct init *init)
{
    char path[PATH_MAX], dir[PATH_MAX];
    machine_path(&init->machine, CONF_FILE, path);
    machine_path(&init->machine, CONF_DIR, dir);
    char *text = read_file(init, "drop-in", path);
    if (!text)
        return false;
    init->includes = snmpd_includes(text, dir) || snmpd_includes(text, CONF_DIR);
    look_at(init, path, text);
    free(text);
    return true;
}

static bool look_at_own(struct init *init)
{
    char path[PATH_MAX];
    machine_path(&init->machine, CONF_DIR "/" OWN_FILE, path);
    char *text = read_file(init, "drop-in", path);
    if (!text)
        return false;
    snmpd_find_engine(text, "exactEngineID", &init->own_engine);
    snmpd_first(text, "agentaddress", init->own_listen, sizeof init->own_listen);
    snmpd_announced_to(text, init->own_announce);
    free(text);
    return true;
}

static bool look_at_others(struct init *init)
{
    char pattern[PATH_MAX];
    glob_t found;
    bool good = true;
    machine_path(&init->machine, CONF_DIR "/*.conf", pattern);
    int code = glob(pattern, 0, NULL, &found);
    if (code == GLOB_NOMATCH)
        return true;
    for (size_t i = 0; code == 0 && good && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i], *name = strrchr(path, '/');
        char *text =
            name && strcmp(name + 1, OWN_FILE) == 0 ? NULL : read_file(init, "drop-in", path);
        if (text)
            look_at(init, path, text);
        good = text || strcmp(name + 1, OWN_FILE) == 0;
        free(text);
    }
    globfree(&found);
    return good && code == 0;
}

/* The drop-in is the package's, and so it is not made here. */
static void check_drop_in(struct init *init)
{
    char path[PATH_MAX], conf[PATH_MAX], dir[PATH_MAX];
    machine_path(&init->machine, CONF_DIR "/" DROP_IN, path);
    machine_path(&init->machine, CONF_FILE, conf);
    machine_path(&init->machine, CONF_DIR, dir);
    if (access(path, R_OK) != 0)
        say(init, STEP_MISSING, "drop-in", "%s: %s; install the package dcampd", path,
            strerror(errno));
    else if (!init->includes)
        say(init, STEP_MISSING, "drop-in", "%s does not have the line \"includeDir %s\"", conf,
            dir);
    else
        say(init, STEP_SO, "drop-in", "%s", path);
    if (init->secret_place[0])
        say(init, STEP_MISSING, "users",
            "%s has a passphrase of one of them: remove the createUser", init->secret_place);
}

/* -- The engine ID, and where snmpd listens -------------------------------------------------- */

static bool is_same_engine(const struct snmpd_engine *a, const struct snmpd_engine *b)
{
    return a->len == b->len && memcmp(a->id, b->id, a->len) == 0;
}

static const char *engine_text(const struct snmpd_engine *engine, char text[2 * ENGINE_ID_MAX + 3])
{
    memcpy(text, "0x", 3);
    hex_from_octets(text + 2, engine->id, engine->len, HEX_LOWER);
    return text;
}

/* Takes the engine ID that snmpd has already, so that the keys of its other users stay valid; or
 * else makes a new one, of Net-SNMP, format 5: RFC 3411, SnmpEngineID. */
static bool choose_engine(struct init *init, const char *kept, struct snmpd_engine *engine)
{
    static const uint8_t begin[] = {0x80, 0x00, 0x1f, 0x88, 0x05};
    if (snmpd_find_engine(kept, "oldEngineID", engine))
        return true;
    *engine = (struct snmpd_engine){.len = sizeof begin + ENGINE_OCTETS};
    memcpy(engine->id, begin, sizeof begin);
    if (getrandom(engine->id + sizeof begin, ENGINE_OCTETS, 0) == ENGINE_OCTETS)
        return true;
    say(init, STEP_FAILED, "engine ID", "%s", strerror(errno));
    return false;
}

/* Returns whether there is an engine ID now, or will be. */
static bool plan_engine(struct init *init, const char *kept)
{
    const char *given = init->command->engine_id;
    struct snmpd_engine *own = &init->own_engine, wanted = *own;
    char text[2 * ENGINE_ID_MAX + 3];
    bool elsewhere = init->engine_place[0] != '\0';
    if (elsewhere && own->len == 0)
        wanted = init->engine;
    if (given)
        snmpd_read_engine(given, strlen(given), &wanted); /* which command_read has checked */
    if (elsewhere && !is_same_engine(&init->engine, &wanted)) {
        say(init, STEP_FAILED, "engine ID", "%s has another, %s: remove it, or take it",
            init->engine_place, engine_text(&init->engine, text));
        return false;
    }
    if (wanted.len == 0 && !choose_engine(init, kept, &wanted))
        return false;
    bool so = elsewhere || is_same_engine(own, &wanted);
    init->engine = wanted;
    if (so)
        say(init, STEP_SO, "engine ID", "%s", engine_text(&wanted, text));
    else if (is_to_be_done(init, "engine ID", "no exactEngineID says which it is to stay")) {
        *own = wanted;
        init->changes_own = true;
    }
    return so || !init->check;
}

static void plan_listen(struct init *init)
{
    const char *listen = init->command->listen;
    if (!listen)
        return;
    if (init->listen_place[0] || strcmp(init->own_listen, listen) == 0)
        say(init, STEP_SO, "address", "%s", listen);
    else if (is_to_be_done(init, "address", "snmpd does not listen there")) {
        text_format(init->own_listen, sizeof init->own_listen, "%s", listen);
        init->changes_own = true;
    }
}

/* -- To whom it announces itself ------------------------------------------------------------- */

/* The port at which snmpd answers those who hear the announcement. */
static unsigned port_of(const struct init *init)
{
    const char *port = strrchr(init->own_listen, ':');
    return port && hostport_is_port(port + 1) ? (unsigned)strtoul(port + 1, NULL, 10) : 161;
}

/* An <announce> that the file has already stays, whatever its port is. */
static void plan_node_file(struct init *init)
{
    char path[PATH_MAX];
    machine_path(&init->machine, SITE_DIR "/" NODE_FILE, path);
    char *text = read_file(init, "announcement", path);
    if (!text)
        return;
    char *changed = text[0] ? dcamp_file_announce(text, port_of(init)) : NULL;
    int code = errno;
    if (!text[0]) {
        say(init, STEP_MISSING, "announcement", "%s: no such file; install the package dcampd",
            path);
    } else if (!changed && code == EEXIST) {
        say(init, STEP_SO, "announcement", "%s: <announce>", path);
    } else if (is_to_be_done(init, "announcement", "dcamp.xml has no <announce>")) {
        init->node = changed;
        if (!changed)
            say(init, STEP_FAILED, "announcement", "%s: %s", path,
                code == ENOMEM ? "no memory" : "its root element is not <dcamp ...>");
        changed = NULL;
    }
    free(changed);
    free(text);
}

static void plan_announce(struct init *init)
{
    const char *announce = init->command->announce;
    if (!announce)
        return;
    if (strcmp(init->own_announce, announce) == 0)
        say(init, STEP_SO, "announce to", "%s", announce);
    else if (is_to_be_done(init, "announce to", "snmpd sends no announcement there")) {
        text_format(init->own_announce, sizeof init->own_announce, "%s", announce);
        init->changes_own = true;
    }
    plan_node_file(init);
}

/* check_service starts dcampd again. */
static void write_node_file(struct init *init)
{
    const struct machine *machine = &init->machine;
    char path[PATH_MAX];
    struct stat file;
    machine_path(machine, SITE_DIR "/" NODE_FILE, path);
    int code = stat(path, &file) == 0 ? 0 : errno;
    if (!code)
        code = machine_write(machine, SITE_DIR, NODE_FILE, init->node, file.st_mode & 07777);
    if (code)
        say(init, STEP_FAILED, "announcement", "%s: %s", path, strerror(code));
    else if (machine->service && machine_serve(machine, "dcampd", "status") &&
             !machine_serve(machine, "dcampd", "stop"))
        say(init, STEP_FAILED, "announcement",
            "dcampd cannot be stopped, so that it starts with it");
    else
        say(init, STEP_DONE, "announcement", "%s: <announce port=\"%u\"/>", path, port_of(init));
}

/* -- What the unit of a collector has besides ------------------------------------------------ */

/* A file that is there already stays, for somebody may have narrowed it. */
static void plan_network(struct init *init)
{
    char path[PATH_MAX];
    if (!command_has(init->command, COMMAND_COLLECTOR))
        return;
    machine_path(&init->machine, UNIT_DIR "/" UNIT_FILE, path);
    if (access(path, F_OK) == 0) {
        say(init, STEP_SO, "network", "%s", path);
        return;
    }
    if (!is_to_be_done(init, "network", "the unit of dcampd lets it ask no other machine"))
        return;
    machine_path(&init->machine, UNIT_SHIPPED, path);
    init->unit = read_file(init, "network", path);
    if (init->unit && init->unit[0] == '\0')
        say(init, STEP_FAILED, "network", "%s: no such file; install the package dcampd", path);
}

/* check_service starts dcampd again. */
static void open_network(struct init *init)
{
    const struct machine *machine = &init->machine;
    char dir[PATH_MAX];
    machine_path(machine, UNIT_DIR, dir);
    int code = mkdir(dir, 0755) == 0 || errno == EEXIST ? 0 : errno;
    if (!code)
        code = machine_write(machine, UNIT_DIR, UNIT_FILE, init->unit, 0644);
    if (code)
        say(init, STEP_FAILED, "network", "%s/%s: %s", UNIT_DIR, UNIT_FILE, strerror(code));
    else if (machine->service && !machine_reload_units(machine))
        say(init, STEP_FAILED, "network", "systemctl daemon-reload fails");
    else if (machine->service && machine_serve(machine, "dcampd", "status") &&
             !machine_serve(machine, "dcampd", "stop"))
        say(init, STEP_FAILED, "network", "dcampd cannot be stopped, so that it starts with it");
    else
        say(init, STEP_DONE, "network", "%s/%s: dcampd may ask other machines", UNIT_DIR,
            UNIT_FILE);
}

/* -- Users ----------------------------------------------------------------------------------- */

static size_t put_oid(char *text, size_t size, const oid *numbers, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, ".%lu", (unsigned long)numbers[i]);
    return at;
}

/* As snmpd writes it: with as much of the privacy key as its protocol uses. */
static void make_user(struct snmpd_user *user, const struct credential *credential,
                      const struct keys *keys, const char *engine)
{
    char auth_oid[128], priv_oid[128], auth[2 * USM_LENGTH_KU_HASHBLOCK + 1], priv[sizeof auth];
    int used = sc_get_proper_priv_length(credential->priv, (u_int)credential->priv_len);
    put_oid(auth_oid, sizeof auth_oid, credential->auth, credential->auth_len);
    put_oid(priv_oid, sizeof priv_oid, credential->priv, credential->priv_len);
    hex_from_octets(auth, keys->auth.octets, keys->auth.len, HEX_LOWER);
    hex_from_octets(priv, keys->priv.octets, (size_t)used, HEX_LOWER);
    snprintf(user->line, sizeof user->line, "usmUser 1 3 %s \"%s\" \"%s\" NULL %s 0x%s %s 0x%s 0x",
             engine, user->name, user->name, auth_oid, auth, priv_oid, priv);
    explicit_bzero(auth, sizeof auth);
    explicit_bzero(priv, sizeof priv);
}

/* All three have the passphrases of the site. */
static bool make_users(struct init *init)
{
    struct credential *all = NULL;
    struct keys keys = {.credential = NULL};
    char engine[2 * ENGINE_ID_MAX + 3];
    text_format(init->site.name, sizeof init->site.name, "site");
    text_format(init->site.user, sizeof init->site.user, "site");
    init->site.auth = init->command->login.credential.auth;
    init->site.priv = init->command->login.credential.priv;
    if (!init->site.auth)
        init->site.auth = AUTH_SHA256;
    if (!init->site.priv)
        init->site.priv = PRIV_AES128;
    const struct credential *credential = keys_set(&all, &init->site);
    bool made = credential && !credential->invalid &&
                keys_localize(credential, init->engine.id, init->engine.len, &keys);
    if (!made)
        say(init, STEP_FAILED, "users", "%s",
            credential && credential->invalid ? credential->invalid : "no memory");
    engine_text(&init->engine, engine);
    for (size_t i = 0; made && i < USERS; i++)
        make_user(&init->users[i], credential, &keys, engine);
    keys_forget(&keys);
    keys_free(&all);
    return made;
}

static void plan_users(struct init *init, const char *kept)
{
    if (!init->has_site || !make_users(init))
        return;
    if (snmpd_has_users(kept, init->users, USERS))
        say(init, STEP_SO, "users",
            "dcampPoll, dcampAdmin and dcampTrap, with keys for this engine");
    else if (is_to_be_done(init, "users",
                           "not all of dcampPoll, dcampAdmin and dcampTrap have the site's keys"))
        init->changes_users = true;
}

/* -- Changes --------------------------------------------------------------------------------- */

/* Malloced; NULL: no memory. */
static char *own_text(const struct init *init)
{
    const struct mib_info *announced = &mib_objects[MIB_dcampNodeAnnounced];
    char engine[2 * ENGINE_ID_MAX + 3], number[128], *text = NULL;
    oid wide[MAX_OID_LEN];
    for (size_t i = 0; i < announced->oid_len; i++)
        wide[i] = announced->oid[i];
    put_oid(number, sizeof number, wide, announced->oid_len);
    char *lines = init->own_announce[0] ? snmpd_announce_lines(init->own_announce, number) : NULL;
    bool has_engine = init->own_engine.len > 0, listens = init->own_listen[0];
    if (init->own_announce[0] && !lines)
        return NULL;
    if (asprintf(&text, "# Made by \"dcamp init\", which keeps it.\n%s%s%s%s%s%s%s",
                 has_engine ? "exactEngineID " : "",
                 has_engine ? engine_text(&init->own_engine, engine) : "", has_engine ? "\n" : "",
                 listens ? "agentaddress " : "", init->own_listen, listens ? "\n" : "",
                 lines ? lines : "") < 0)
        text = NULL;
    free(lines);
    return text;
}

static void write_own(struct init *init)
{
    char engine[2 * ENGINE_ID_MAX + 3], *text = own_text(init);
    int code = text ? machine_write(&init->machine, CONF_DIR, OWN_FILE, text, 0644) : ENOMEM;
    free(text);
    if (code) {
        say(init, STEP_FAILED, "configuration", "%s/%s: %s", CONF_DIR, OWN_FILE, strerror(code));
        return;
    }
    say(init, STEP_DONE, "configuration", "%s/%s: exactEngineID %s%s%s%s%s", CONF_DIR, OWN_FILE,
        engine_text(&init->engine, engine), init->own_listen[0] ? ", agentaddress " : "",
        init->own_listen, init->own_announce[0] ? ", announcements to " : "", init->own_announce);
}

/* snmpd wrote the file when it was stopped, so that it is read again. */
static void write_users(struct init *init)
{
    char path[PATH_MAX];
    machine_path(&init->machine, KEPT_DIR "/" KEPT_FILE, path);
    char *text = read_file(init, "users", path);
    char *changed = text ? snmpd_put_users(text, init->users, USERS) : NULL;
    int code = changed ? machine_write(&init->machine, KEPT_DIR, KEPT_FILE, changed, 0600) : ENOMEM;
    if (text && code)
        say(init, STEP_FAILED, "users", "%s: %s", path, strerror(code));
    else if (text)
        say(init, STEP_DONE, "users",
            "dcampPoll, dcampAdmin and dcampTrap, with keys for this engine");
    if (changed)
        explicit_bzero(changed, strlen(changed));
    if (text)
        explicit_bzero(text, strlen(text));
    free(changed);
    free(text);
}

static void change(struct init *init)
{
    if (init->unit)
        open_network(init);
    if (init->node)
        write_node_file(init);
    if (!init->changes_own && !init->changes_users)
        return;
    if (init->machine.service && machine_serve(&init->machine, "snmpd", "status") &&
        !machine_serve(&init->machine, "snmpd", "stop")) {
        say(init, STEP_FAILED, "snmpd", "it cannot be stopped, and nothing was changed");
        return;
    }
    if (init->changes_own)
        write_own(init);
    if (init->changes_users)
        write_users(init);
}

/* -- Services -------------------------------------------------------------------------------- */

static void check_service(struct init *init, const char *name)
{
    if (!init->machine.service)
        return;
    if (machine_serve(&init->machine, name, "status"))
        say(init, STEP_SO, name, "it runs");
    else if (!is_to_be_done(init, name, "it does not run"))
        return;
    else if (machine_serve(&init->machine, name, "start") &&
             machine_serve(&init->machine, name, "status"))
        say(init, STEP_DONE, name, "started");
    else
        say(init, STEP_FAILED, name, "it cannot be started, or does not stay: see its log");
}

/* -- All of it ------------------------------------------------------------------------------- */

static void prepare(struct init *init)
{
    char path[PATH_MAX];
    read_site(init);
    if (!init->check && !init->has_site)
        return;
    if (!look_at_main(init) || !look_at_others(init) || !look_at_own(init))
        return;
    check_drop_in(init);
    machine_path(&init->machine, KEPT_DIR "/" KEPT_FILE, path);
    char *kept = read_file(init, "users", path);
    if (!kept)
        return;
    bool known = plan_engine(init, kept);
    plan_listen(init);
    plan_announce(init);
    plan_network(init);
    if (known)
        plan_users(init, kept);
    explicit_bzero(kept, strlen(kept));
    free(kept);
    if (init->said[STEP_FAILED])
        return; /* nothing is done by halves */
    change(init);
    check_service(init, "snmpd");
    check_service(init, "dcampd");
}

static enum exit_status status_of(const struct init *init)
{
    if (init->no_memory || init->said[STEP_FAILED])
        return EXIT_BROKEN;
    return init->said[STEP_MISSING] ? EXIT_LACKS : EXIT_GOOD;
}

enum exit_status init_run(const struct command *command, struct client *client, FILE *to,
                          FILE *errors)
{
    static const struct sheet_column columns[] = {{"step", "STEP", SHEET_TEXT},
                                                  {"result", "RESULT", SHEET_TEXT},
                                                  {"detail", "DETAIL", SHEET_TEXT}};
    struct init init = {.command = command, .check = command_has(command, COMMAND_CHECK)};
    (void)client;
    init.machine = (struct machine){.root = command->root ? command->root : "",
                                    .service = command->service ? command->service
                                               : command->root  ? NULL
                                                                : MACHINE_SERVICE};
    for (size_t i = 0; i < USERS; i++)
        init.users[i].name = names[i];
    if (geteuid() != 0 && !command->root) {
        fputs("dcamp: init prepares this machine, and only root may\n", errors);
        return EXIT_USAGE;
    }
    init.sheet = sheet_new(columns, 3);
    if (init.sheet) {
        session_start_library();
        prepare(&init);
        session_stop_library();
    }
    init.no_memory |= !init.sheet || !sheet_print(init.sheet, command->format, to);
    if (init.no_memory)
        fputs("dcamp: no memory\n", errors);
    enum exit_status status = status_of(&init);
    sheet_free(init.sheet);
    free(init.unit);
    free(init.node);
    explicit_bzero(&init, sizeof init);
    return status;
}

#include "cli/doctor.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/text.h"
#include "cli/findings.h"
#include "cli/checkup.h"
#include "cli/question.h"
#include "cli/span.h"
#include "snmpv3/session.h"

/* The directory that the files of the machine are below. */
static const char *root_of(const struct command *command)
{
    return command->root ? command->root : "";
}

#define CLOCK_TOLERANCE_MS 30000
#define LATE_PERCENT 1
#define LATE_MIN 10                         /* one pause of the machine is not worth a word */
#define UNASKED_MS (2 * 60 * INT64_C(1000)) /* a root that has heard a node asks it at once */
#define RECENT_MS (60 * 60 * INT64_C(1000))
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct doctor {
    const struct command *command;
    struct client *client; /* NULL: not yet */
    struct findings *findings;
    char address[PEER_ADDRESS_SIZE];
    bool is_here; /* the node is on this machine */
};

/* -- Where it is ----------------------------------------------------------------------------- */

/* "udp:192.0.2.7:161" or "udp6:[2001:db8::7]:161" to the number alone. */
static void number_alone(char number[PEER_ADDRESS_SIZE], const char *address)
{
    const char *from = strchr(address, ':');
    from = from ? from + 1 + (from[1] == '[') : address;
    const char *end = strrchr(from, ':');
    size_t len = end ? (size_t)(end - from) : strlen(from);
    text_format(number, PEER_ADDRESS_SIZE, "%.*s", (int)len, from);
    number[strcspn(number, "]%")] = '\0';
}

static bool is_of_interface(const struct ifaddrs *interface, const char *number)
{
    const struct sockaddr *address = interface->ifa_addr;
    char own[INET6_ADDRSTRLEN] = "";
    if (address && address->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, own,
                  sizeof own);
    else if (address && address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, own,
                  sizeof own);
    return strcmp(own, number) == 0;
}

static bool is_of_this_machine(const char *address)
{
    char number[PEER_ADDRESS_SIZE];
    struct ifaddrs *interfaces = NULL;
    number_alone(number, address);
    bool found = strncmp(number, "127.", 4) == 0;
    if (getifaddrs(&interfaces) == 0)
        for (const struct ifaddrs *at = interfaces; at && !found; at = at->ifa_next)
            found = is_of_interface(at, number);
    freeifaddrs(interfaces);
    return found;
}

static bool check_name(struct doctor *doctor)
{
    const struct address *wanted = &doctor->command->login.address;
    const char *why = address_resolve(wanted, doctor->address);
    if (why)
        return findings_bad(doctor->findings, "name service",
                            "give its address in numbers, or repair DNS or /etc/hosts: getent "
                            "hosts NAME",
                            "%s: %s", wanted->host, why);
    findings_good(doctor->findings, "name service", "%s is %s", wanted->host, doctor->address);
    doctor->is_here =
        is_of_this_machine(doctor->address) || command_has(doctor->command, COMMAND_ROOT);
    return true;
}

/* -- snmpd ----------------------------------------------------------------------------------- */

/* Without a good login, only the engine is asked for, for which any user will do. */
static bool make_client(struct doctor *doctor)
{
    static const struct usm_credential anybody = {.name = "anybody",
                                                  .user = "anybody",
                                                  .auth = AUTH_SHA256,
                                                  .priv = PRIV_AES128,
                                                  .auth_secret = "not a secret",
                                                  .priv_secret = "not a secret"};
    const struct command *command = doctor->command;
    doctor->client =
        client_new(doctor->address, command->login_error[0] ? &anybody : &command->login.credential,
                   clock_mono_ns() + command->timeout_s * NS_PER_S);
    return doctor->client != NULL;
}

static void wait_anew(struct doctor *doctor)
{
    client_extend(doctor->client, clock_mono_ns() + doctor->command->timeout_s * NS_PER_S);
}

static bool check_agent(struct doctor *doctor)
{
    struct findings *findings = doctor->findings;
    wait_anew(doctor);
    if (!client_discover(doctor->client)) {
        bool refused = client_reason(doctor->client) == POLL_UNREACHABLE;
        return findings_bad(findings, "snmpd",
                            refused ? "there: systemctl start snmpd; its agentaddress has to be "
                                      "the one that is asked"
                                    : "is the machine up, does a firewall drop UDP port 161, does "
                                      "snmpd listen at that address (agentaddress in snmpd.conf)?",
                            "%s", client_error(doctor->client));
    }
    const struct snmp_engine *engine = client_engine(doctor->client);
    char id[2 * ENGINE_ID_MAX + 1];
    hex_from_octets(id, engine->id, engine->len, HEX_LOWER);
    findings_good(findings, "snmpd", "answers, with the engine ID %s", id);
    return true;
}

static bool check_login(struct doctor *doctor)
{
    const struct command *command = doctor->command;
    if (command->login_error[0])
        return findings_bad(doctor->findings, "login",
                            "-U USER --secrets FILE, or the lines of snmp.conf(5) that dcamp(1) "
                            "names",
                            "%s", command->login_error);
    findings_good(doctor->findings, "login", "user %s, with passphrases",
                  command->login.credential.user);
    return true;
}

/* -- The user and its keys ------------------------------------------------------------------- */

static void keys_are_good(struct doctor *doctor, bool priv)
{
    findings_good(doctor->findings, "user", "snmpd knows it");
    findings_good(doctor->findings, "auth key", "it is the same there");
    if (priv)
        findings_good(doctor->findings, "priv key", "it is the same there");
}

static bool check_unknown_user(struct doctor *doctor)
{
    bool level = strstr(client_error(doctor->client), "unsupportedSecLevels") != NULL;
    return findings_bad(
        doctor->findings, "user",
        level ? "-a and -x as its createUser line or dcamp init had them: SHA-256 and AES are "
                "the default"
              : "on that machine: dcamp init; or -U another one. With another "
                "engine ID its users are to be made anew (createUser)",
        level ? "snmpd has other protocols for user %s" : "snmpd does not know the user %s",
        doctor->command->login.credential.user);
}

static bool check_keys(struct doctor *doctor)
{
    struct findings *findings = doctor->findings;
    const char *error = client_error(doctor->client);
    if (strstr(error, "wrongDigests")) {
        findings_good(findings, "user", "snmpd knows it");
        return findings_bad(
            findings, "auth key",
            "the authentication passphrase and -a as its createUser line or dcamp init had them",
            "the passphrase is not the one that snmpd has");
    }
    keys_are_good(doctor, false);
    return findings_bad(
        findings, "priv key",
        "the privacy passphrase and -x as its createUser line or dcamp init had them",
        "snmpd cannot decrypt what is asked, so it says nothing");
}

/* snmpd has answered with an error status. */
static bool check_error_status(struct doctor *doctor)
{
    keys_are_good(doctor, true);
    if (client_error_status(doctor->client) == SNMP_ERR_GENERR)
        return findings_bad(doctor->findings, "dcampd",
                            "on that machine: systemctl restart dcampd; journalctl -u dcampd",
                            "it is connected to snmpd, but does not answer it");
    return findings_bad(doctor->findings, "view",
                        "the user in a group with access, as of dcampPoll in the drop-in "
                        "/etc/snmp/snmpd.conf.d/dcamp.conf; then: systemctl restart snmpd",
                        "%s", client_error(doctor->client));
}

static bool check_failure(struct doctor *doctor)
{
    struct findings *findings = doctor->findings;
    const char *error = client_error(doctor->client);
    if (!client_reason(doctor->client))
        return check_error_status(doctor);
    switch (client_reason(doctor->client)) {
    case POLL_UNKNOWN_USER:
        return check_unknown_user(doctor);
    case POLL_WRONG_KEY:
        return check_keys(doctor);
    case POLL_NOT_IN_WINDOW:
        return findings_bad(findings, "time window",
                            "was its /var/lib/snmp restored, or the machine cloned? Give it an "
                            "exactEngineID of its own, make its users anew, restart snmpd",
                            "%s", error);
    case POLL_NEW_ENGINE:
        return findings_bad(findings, "engine ID",
                            "do two machines have this address? Else fix it: exactEngineID in "
                            "snmpd.conf, then make its users anew",
                            "%s", error);
    default:
        return findings_bad(findings, "answer",
                            "ask again; packets may be lost, or a firewall lets only small ones "
                            "through",
                            "%s", error);
    }
}

/* What a view hides looks like what is not there; only on the machine itself it can be seen whether
 * somebody is connected to snmpd. */
static bool check_missing(struct doctor *doctor)
{
    static const char view_cure[] =
        "a view of its group with the DCAMP-MIB, as dcampRead in the drop-in "
        "/etc/snmp/snmpd.conf.d/dcamp.conf; then: systemctl restart snmpd";
    int connected = doctor->is_here ? machine_has_subagent(root_of(doctor->command)) : -1;
    if (connected == 1)
        return findings_bad(doctor->findings, "view", view_cure,
                            "the user does not see the DCAMP-MIB");
    if (connected == 0)
        return findings_bad(doctor->findings, "dcampd",
                            "systemctl start dcampd; if it does not stay: journalctl -u dcampd",
                            "it is not connected to snmpd");
    return findings_bad(doctor->findings, "dcampd",
                        "dcamp doctor on that machine; or there: systemctl start dcampd; and the "
                        "user in a group that sees the DCAMP-MIB, as dcampPoll of the drop-in",
                        "there is only snmpd: dcampd is not connected, or the user must not see "
                        "the DCAMP-MIB");
}

static bool check_access(struct doctor *doctor)
{
    struct cell name;
    cell_scalar(&name, MIB_dcampNodeName);
    wait_anew(doctor);
    if (!client_get(doctor->client, &name, 1))
        return check_failure(doctor);
    keys_are_good(doctor, true);
    findings_good(doctor->findings, "time window", "snmpd has booted %u times",
                  client_engine(doctor->client)->boots);
    if (name.kind != CELL_TEXT)
        return check_missing(doctor);
    findings_good(doctor->findings, "view", "the user sees the DCAMP-MIB");
    findings_good(doctor->findings, "dcampd", "it is the node %s", name.text);
    return true;
}

/* -- What the node says of itself ------------------------------------------------------------ */

enum { CYCLES, LATE, RECONNECTS, UP_TIME, DIRTY, STATE_ERRORS, SET_ERROR, SET_TIME, SCALARS };

static const enum mib_object scalars[SCALARS] = {
    [CYCLES] = MIB_dcampSelfCycles,         [LATE] = MIB_dcampSelfLateCycles,
    [RECONNECTS] = MIB_dcampSelfReconnects, [UP_TIME] = MIB_dcampNodeUpTime,
    [DIRTY] = MIB_dcampSelfStateDirty,      [STATE_ERRORS] = MIB_dcampSelfStateErrors,
    [SET_ERROR] = MIB_dcampSelfSetError,    [SET_TIME] = MIB_dcampSelfSetErrorTime};

static void check_cycles(struct findings *findings, const struct cell *cells)
{
    int64_t late = cells[LATE].number, cycles = cells[CYCLES].number;
    if (late >= LATE_MIN && late * 100 > cycles * LATE_PERCENT)
        findings_bad(findings, "cycles",
                     "is the machine overloaded, or suspended at times? Longer intervals in "
                     "dcamp.xml; nice and CPUWeight of dcampd.service",
                     "%" PRId64 " of %" PRId64 " were late", late, cycles);
    else
        findings_good(findings, "cycles", "%" PRId64 " of %" PRId64 " were late", late, cycles);
}

static void check_reconnects(struct findings *findings, const struct cell *cells)
{
    int64_t reconnects = cells[RECONNECTS].number, hours = cells[UP_TIME].number / 360000;
    char up[SPAN_SIZE];
    span_format(up, cells[UP_TIME].number * 10);
    if (reconnects > 3 + hours)
        findings_bad(findings, "connection",
                     "agentXTimeout 5 and agentXRetries 0 as in the drop-in; does snmpd restart "
                     "again and again? journalctl -u snmpd -u dcampd",
                     "dcampd lost snmpd %" PRId64 " times in %s", reconnects, up);
    else
        findings_good(findings, "connection", "dcampd lost snmpd %" PRId64 " times in %s",
                      reconnects, up);
}

/* Unless there were errors, the state is unsaved only for a moment. */
static void check_saved(struct findings *findings, const struct cell *cells)
{
    bool dirty =
        cells[DIRTY].kind == CELL_NUMBER && cells[DIRTY].number == dcampSelfStateDirty_true;
    if (dirty && cells[STATE_ERRORS].number > 0)
        findings_bad(findings, "saved state",
                     "room and rights for dcamp in /var/lib/dcamp; journalctl -u dcampd says what "
                     "is missing",
                     "what was set or raised is not on disk; %" PRId64 " attempts failed",
                     cells[STATE_ERRORS].number);
    else
        findings_good(findings, "saved state", "all of it is on disk");
}

static void check_refused(struct findings *findings, const struct cell *cells, int64_t now_ms)
{
    int64_t time_ms;
    bool recent = cells[SET_ERROR].text_len > 0 && cell_date(&cells[SET_TIME], &time_ms) &&
                  now_ms - time_ms < RECENT_MS;
    if (recent)
        findings_bad(findings, "refused SET", "set it anew as the reason says; see dcamp status",
                     "%s", cells[SET_ERROR].text);
    else
        findings_good(findings, "refused SET", "none in the last hour");
}

/* The time of a sample plus its age is what the clock says there. */
static void check_clock(struct doctor *doctor)
{
    struct cell cells[2];
    int64_t time_ms, now_ms = clock_now().wall_ms;
    char span[SPAN_SIZE];
    cell_start(&cells[0], MIB_dcampValueTime);
    cell_start(&cells[1], MIB_dcampValueAge);
    wait_anew(doctor);
    if (!client_get_next(doctor->client, cells, COUNT(cells)) || !cell_date(&cells[0], &time_ms) ||
        cells[1].kind != CELL_NUMBER)
        return; /* a base node has no values */
    int64_t ahead_ms = time_ms + cells[1].number - now_ms;
    int64_t apart_ms = ahead_ms < 0 ? -ahead_ms : ahead_ms;
    span_format(span, apart_ms);
    if (apart_ms > CLOCK_TOLERANCE_MS)
        findings_bad(doctor->findings, "clock",
                     "timedatectl set-ntp true on the one that is wrong; alarms and values carry "
                     "this time",
                     "its clock is %s %s ours", span, ahead_ms > 0 ? "ahead of" : "behind");
    else
        findings_good(doctor->findings, "clock", "its clock and ours are less than 30 s apart");
}

/* The document that the root has given to the node; older nodes are given none. */
static void check_document(struct doctor *doctor, uint32_t kind, const char *check)
{
    static const enum mib_object objects[] = {MIB_dcampDocumentState, MIB_dcampDocumentError};
    struct cell cells[COUNT(objects)];
    for (size_t i = 0; i < COUNT(objects); i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_number(&cells[i], kind);
    }
    wait_anew(doctor);
    if (!client_get(doctor->client, cells, COUNT(cells)) || cells[0].kind != CELL_NUMBER)
        return;
    if (cells[0].number == dcampDocumentState_refused)
        findings_bad(doctor->findings, check,
                     "dcamp config check FILE and dcamp config push at the root; are all dcampd of "
                     "the same version?",
                     "refused: %s", cells[1].kind == CELL_TEXT ? cells[1].text : "");
    else
        findings_good(doctor->findings, check, "%s", cell_label(&cells[0]));
}

/* For a node that has no work, announces itself, and is asked by nobody. */
static void say_unheard(struct doctor *doctor, int64_t times, int64_t unasked_ms)
{
    char span[SPAN_SIZE];
    span_format(span, unasked_ms);
    findings_bad(doctor->findings, "announcement",
                 "there: dcamp init --announce ADDRESS,... of all that may be root; at the root: "
                 "<announcements> in the tree document, with the network of this machine, and "
                 "journalctl -u dcampd says what is dropped; a firewall may drop UDP",
                 "it has announced itself %" PRId64 " times, and no root has asked it for %s",
                 times, span);
}

/* Older nodes do not say whether they announce themselves. */
static void check_announcement(struct doctor *doctor)
{
    enum { PORT, TIMES, UNASKED, SERIAL, CELLS };
    static const enum mib_object objects[CELLS] = {MIB_dcampNodeAnnouncePort,
                                                   MIB_dcampNodeAnnouncements, MIB_dcampNodeUnasked,
                                                   MIB_dcampTreeSerial};
    struct cell cells[CELLS];
    for (size_t i = 0; i < CELLS; i++)
        cell_scalar(&cells[i], objects[i]);
    wait_anew(doctor);
    if (!client_get(doctor->client, cells, CELLS) || cells[PORT].kind != CELL_NUMBER ||
        cells[PORT].number == 0)
        return;
    int64_t times = cells[TIMES].number, unasked_ms = cells[UNASKED].number * 10;
    bool has_work = cells[SERIAL].kind == CELL_NUMBER && cells[SERIAL].number > 0;
    if (has_work)
        findings_good(doctor->findings, "announcement", "a root has given it work");
    else if (times > 0 && unasked_ms > UNASKED_MS)
        say_unheard(doctor, times, unasked_ms);
    else
        findings_good(doctor->findings, "announcement",
                      "it has announced itself %" PRId64 " times, and is yet to get work", times);
}

/* Sinks that are not up, of those that the node has. */
#define SINKS_TOLD 15
struct sinks {
    size_t n, n_bad;
    struct {
        char name[NAME_SIZE];
        int64_t state;
    } bad[SINKS_TOLD];
};

static bool take_sink(void *context, const struct cell *cell)
{
    struct sinks *sinks = context;
    size_t at = 0;
    sinks->n++;
    if (cell->kind != CELL_NUMBER || cell->number == dcampSinkState_up ||
        sinks->n_bad == SINKS_TOLD ||
        !cell_index_text(cell, &at, sinks->bad[sinks->n_bad].name, NAME_SIZE))
        return true;
    sinks->bad[sinks->n_bad++].state = cell->number;
    return true;
}

/* dcamp-publish is a package of its own: a sink that it has never worked for is in order. */
static void say_sink(struct doctor *doctor, const char *name, int64_t state)
{
    enum { ERROR, SINCE, CELLS };
    static const enum mib_object objects[CELLS] = {MIB_dcampSinkError, MIB_dcampSinkSince};
    struct cell cells[CELLS];
    bool absent = state == dcampSinkState_absent;
    for (size_t i = 0; i < CELLS; i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_text(&cells[i], name);
    }
    wait_anew(doctor);
    if (!client_get(doctor->client, cells, CELLS) || cells[ERROR].kind != CELL_TEXT)
        return; /* it is not configured any more */
    if (absent && cells[SINCE].kind != CELL_NUMBER)
        findings_good(doctor->findings, "sink",
                      "%s waits for dcamp-publish: install and start that, or take the sink out of "
                      "dcamp.xml or the tree document",
                      name);
    else
        findings_bad(doctor->findings, "sink",
                     absent ? "there: systemctl status dcamp-publish; journalctl -u dcamp-publish"
                            : "as it says; there: journalctl -u dcamp-publish. Nothing is lost "
                              "while the report ring keeps it",
                     "%s is %s: %s", name, absent ? "absent" : "failing", cells[ERROR].text);
}

/* Older nodes have no sinks. */
static void check_sinks(struct doctor *doctor)
{
    struct sinks sinks = {.n = 0};
    struct cell start;
    cell_start(&start, MIB_dcampSinkState);
    wait_anew(doctor);
    if (!client_walk(doctor->client, &start, 1, take_sink, &sinks) || sinks.n == 0)
        return;
    for (size_t i = 0; i < sinks.n_bad; i++)
        say_sink(doctor, sinks.bad[i].name, sinks.bad[i].state);
    if (sinks.n_bad == 0)
        findings_good(doctor->findings, "sink", "%zu, and all are up", sinks.n);
}

static void check_node(struct doctor *doctor)
{
    struct cell cells[SCALARS];
    for (size_t i = 0; i < SCALARS; i++)
        cell_scalar(&cells[i], scalars[i]);
    wait_anew(doctor);
    if (!client_get(doctor->client, cells, SCALARS)) {
        check_failure(doctor);
        return;
    }
    check_clock(doctor);
    check_cycles(doctor->findings, cells);
    check_reconnects(doctor->findings, cells);
    check_saved(doctor->findings, cells);
    check_refused(doctor->findings, cells, clock_now().wall_ms);
    check_document(doctor, dcampDocumentKind_share, "share");
    check_document(doctor, dcampDocumentKind_tree, "tree document");
    check_announcement(doctor);
    check_sinks(doctor);
}

/* -- All of it ------------------------------------------------------------------------------- */

static void print_findings(struct question *question, const struct findings *findings)
{
    static const struct sheet_column columns[] = {{"check", NULL, SHEET_TEXT},
                                                  {"ok", NULL, SHEET_TRUTH},
                                                  {"found", NULL, SHEET_TEXT},
                                                  {"cure", NULL, SHEET_TEXT},
                                                  {"fixed", NULL, SHEET_TRUTH}};
    struct sheet *sheet = sheet_new(columns, COUNT(columns));
    bool good = sheet != NULL;
    for (size_t i = 0; good && i < findings->n; i++) {
        const struct finding *finding = &findings->list[i];
        const struct sheet_value values[COUNT(columns)] = {
            {true, finding->check, strlen(finding->check), 0},
            {.given = true, .number = finding->ok},
            {true, finding->found, strlen(finding->found), 0},
            {true, finding->cure, strlen(finding->cure), 0},
            {.given = true, .number = finding->fixed}};
        good = sheet_add(sheet, values);
    }
    (void)(good ? question_print(question, sheet) : question_no_memory(question));
    sheet_free(sheet);
}

/* Findings that are bad stand out, with the cure below. */
static void show_findings(struct question *question, const struct findings *findings)
{
    for (size_t i = 0; i < findings->n; i++) {
        const struct finding *finding = &findings->list[i];
        char *found = sheet_clean(finding->found, strlen(finding->found));
        if (!found) {
            question_no_memory(question);
            return;
        }
        fprintf(question->to, "%-4s %-16s %s\n", finding->ok ? "ok" : "BAD", finding->check, found);
        if (!finding->ok)
            fprintf(question->to, "     cure:            %s\n", finding->cure);
        free(found);
    }
}

static void look_at_node(struct doctor *doctor)
{
    if (!check_agent(doctor) || !check_login(doctor) || !check_access(doctor))
        return;
    check_node(doctor);
}

static bool may_fix(const struct doctor *doctor, struct question *question)
{
    return doctor->is_here || !command_has(doctor->command, COMMAND_FIX) ||
           question_fail(question, EXIT_USAGE,
                         "--fix mends only the machine that it runs on, which %s is not",
                         doctor->command->login.address.host);
}

enum exit_status doctor_run(const struct command *command, struct client *client, FILE *to,
                            FILE *errors)
{
    struct question question = {command, client, to, errors, EXIT_GOOD};
    struct findings *findings = calloc(1, sizeof *findings);
    struct doctor doctor = {.command = command, .findings = findings};
    if (!findings) {
        question_no_memory(&question);
        return question.status;
    }
    bool named = check_name(&doctor);
    bool good = !named || (may_fix(&doctor, &question) &&
                           (make_client(&doctor) || question_no_memory(&question)));
    if (doctor.client) {
        if (command->verbose)
            client_trace(doctor.client, errors);
        look_at_node(&doctor);
        client_free(doctor.client);
        if (doctor.is_here)
            machine_check(root_of(command), command_has(command, COMMAND_FIX), findings);
    }
    if (good && command->format == SHEET_TABLE)
        show_findings(&question, findings);
    else if (good)
        print_findings(&question, findings);
    if (question.status == EXIT_GOOD && !findings_all_ok(findings))
        question.status = EXIT_CUT;
    free(findings);
    return question.status;
}

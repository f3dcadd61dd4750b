/* Fuzz target: check_dcamp under an agent that answers what it likes: any type, length and text as
 * the value of what was asked for, any index in a walk, any name now and then; up to the output,
 * which must be one that Nagios reads as it is meant. */
#include "cli/client.h"

#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "main.h"
#include "plugins/run.h"

#define BULK_MAX 40

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* -- The agent ------------------------------------------------------------------------------- */

struct client {
    const uint8_t *data;
    size_t left;
};

static uint8_t octet(struct client *client)
{
    if (client->left == 0)
        return 0;
    client->left--;
    return *client->data++;
}

static size_t octets(struct client *client, uint8_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = octet(client);
    return n;
}

/* A value of a type that the data choose; mostly that of the object. */
static void put(struct client *client, netsnmp_pdu *pdu, const struct cell *cell)
{
    static const u_char others[] = {ASN_OCTET_STR,       ASN_INTEGER,       ASN_UNSIGNED,
                                    ASN_TIMETICKS,       ASN_COUNTER64,     SNMP_NOSUCHOBJECT,
                                    SNMP_NOSUCHINSTANCE, SNMP_ENDOFMIBVIEW, ASN_NULL};
    oid name[OID_MAX];
    uint8_t text[512], how = octet(client);
    u_char type = how < 200 ? (u_char)mib_objects[cell->object].syntax
                            : others[how % (sizeof others / sizeof *others)];
    for (size_t i = 0; i < cell->len; i++)
        name[i] = cell->oid[i];
    if (how == 199)
        name[octet(client) % cell->len]++;
    if (type == ASN_OCTET_STR) {
        size_t len = octets(client, text, octet(client) + (how == 0 ? 256u : 0));
        snmp_pdu_add_variable(pdu, name, cell->len, type, text, len);
    } else if (type == ASN_COUNTER64) {
        struct counter64 counter = {.high = octet(client), .low = octet(client)};
        snmp_pdu_add_variable(pdu, name, cell->len, type, &counter, sizeof counter);
    } else {
        long number = how & 1 ? octet(client) : (long)octet(client) << 24;
        bool has = type == ASN_INTEGER || type == ASN_UNSIGNED || type == ASN_TIMETICKS;
        snmp_pdu_add_variable(pdu, name, cell->len, type, has ? &number : NULL,
                              has ? sizeof number : 0);
    }
}

bool client_get(struct client *client, struct cell *cells, size_t n)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_RESPONSE);
    for (size_t i = 0; i < n; i++)
        put(client, pdu, &cells[i]);
    bool good = answer_get(pdu, cells, n);
    snmp_free_pdu(pdu);
    return good;
}

static void add_index(struct client *client, struct cell *cell)
{
    for (uint8_t n = octet(client) % 70; n > 0; n--)
        cell_add_number(cell, octet(client));
}

bool client_get_next(struct client *client, struct cell *cells, size_t n)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_RESPONSE);
    for (size_t i = 0; i < n; i++) {
        struct cell next = cells[i];
        add_index(client, &next);
        put(client, pdu, &next);
    }
    bool good = answer_next(pdu, cells, n);
    snmp_free_pdu(pdu);
    return good;
}

/* As long as there are octets, and no longer. */
bool client_walk(struct client *client, const struct cell *start, size_t expected,
                 client_take *take, void *context)
{
    static struct cell rows[BULK_MAX];
    struct answer_rows answer = {0};
    bool good = true, more = true;
    (void)expected;
    while (good && more && client->left > 0) {
        netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_RESPONSE);
        for (uint8_t n = octet(client) % (BULK_MAX + 2); n > 0; n--) {
            struct cell row = *start;
            add_index(client, &row);
            put(client, pdu, &row);
        }
        const struct cell *last = answer.n ? &rows[answer.n - 1] : NULL;
        good = answer_bulk(pdu, start, last, rows, BULK_MAX, &answer);
        snmp_free_pdu(pdu);
        more = good && answer.n > 0;
        for (size_t i = 0; more && i < answer.n; i++)
            more = take(context, &rows[i]);
        more = more && !answer.at_end;
    }
    return good;
}

enum client_failure client_failure(const struct client *client)
{
    return client->left & 1 ? CLIENT_SILENT : CLIENT_BROKEN;
}

const char *client_error(const struct client *client)
{
    (void)client;
    return "an answer to what was not asked";
}

/* -- The check ------------------------------------------------------------------------------- */

/* The first line has a status and at most one '|'; no other line has any; nothing is unprintable.
 */
static void check_output(const struct result *result, const char *text)
{
    size_t bars = 0, lines = 0;
    expect(strncmp(text, "DCAMP ", 6) == 0 &&
           strncmp(text + 6, status_name(result->status), 2) == 0);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bars = c == '\n' ? 0 : bars + (c == '|');
        lines += c == '\n';
        expect(c == '\n' || (c >= ' ' && c != 0x7f));
        expect(bars <= (lines == 0));
    }
    expect(lines >= 1 && text[-1] == '\n');
}

static void choose(struct options *options, uint8_t how)
{
    *options = (struct options){.mode = (enum mode)(how % MODE_NONE),
                                .name = "cpu.busy",
                                .instances = how & 8 ? "total" : "*",
                                .statistic = how & 16 ? "p95" : NULL,
                                .max_age_ms = how & 32 ? 1000 : NO_AGE,
                                .below = how & 16,
                                .severity = SEVERITY_INFO,
                                .node = "*",
                                .threshold = "*",
                                .sensor = "*",
                                .silent = STATUS_CRITICAL,
                                .verbose = how >> 6};
    expect(share_read("10:20", &options->warning) && share_read("@5", &options->missing_warning));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const modes[])(struct run *) = {[MODE_SENSOR] = mode_values,
                                                  [MODE_AGGREGATE] = mode_values,
                                                  [MODE_ALARMS] = mode_alarms,
                                                  [MODE_TREE] = mode_tree,
                                                  [MODE_FRESHNESS] = mode_freshness};
    struct client client = {data, size};
    struct options options;
    struct result result;
    struct run run = {&options, &client, &result};
    char *text = NULL;
    size_t len;
    choose(&options, octet(&client));
    expect(result_init(&result, 40));
    modes[options.mode](&run);
    FILE *to = open_memstream(&text, &len);
    expect(to != NULL);
    result_print(&result, to);
    fclose(to);
    check_output(&result, text);
    free(text);
    result_free(&result);
    return 0;
}

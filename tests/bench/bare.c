/* A bare AgentX subagent on Net-SNMP's own helper for tables of data (table_tdata): what the
 * serving of dcampd is measured against.
 *
 *   bare SOCKET TABLE-OID ROWS
 *
 * It serves one table of the shape of dcampValueTable (two text indexes, the value as text in
 * column 2) with the rows that tests/bench/serving makes in dcampd, until SIGTERM ends it. */
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_COLUMN 2 /* dcampValueText */

struct value {
    char text[16];
    size_t len;
};

static void fail(const char *what)
{
    fprintf(stderr, "bare: %s\n", what);
    exit(1);
}

static int answer(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
                  netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
    (void)handler;
    (void)registration;
    if (info->mode != MODE_GET)
        return SNMP_ERR_NOERROR;
    for (netsnmp_request_info *request = requests; request; request = request->next) {
        const struct value *value = netsnmp_tdata_extract_entry(request);
        if (value)
            snmp_set_var_typed_value(request->requestvb, ASN_OCTET_STR, value->text, value->len);
        else
            netsnmp_set_request_error(info, request, SNMP_NOSUCHINSTANCE);
    }
    return SNMP_ERR_NOERROR;
}

static void add_row(netsnmp_tdata *table, long number)
{
    char instance[16];
    struct value *value = calloc(1, sizeof *value);
    netsnmp_tdata_row *row = netsnmp_tdata_create_row();
    if (!value || !row)
        fail("no memory");
    int instance_len = snprintf(instance, sizeof instance, "if%04ld", number);
    value->len = (size_t)snprintf(value->text, sizeof value->text, "%ld", 234500000 + number);
    netsnmp_tdata_row_add_index(row, ASN_OCTET_STR, "bench.00", strlen("bench.00"));
    netsnmp_tdata_row_add_index(row, ASN_OCTET_STR, instance, (size_t)instance_len);
    row->data = value;
    if (netsnmp_tdata_add_row(table, row) != SNMPERR_SUCCESS)
        fail("a row is refused");
}

static void serve_table(const oid *name, size_t len, long rows)
{
    netsnmp_tdata *table = netsnmp_tdata_create_table("bare", 0);
    netsnmp_handler_registration *registration =
        netsnmp_create_handler_registration("bare", answer, name, len, HANDLER_CAN_RONLY);
    netsnmp_table_registration_info *info = SNMP_MALLOC_TYPEDEF(netsnmp_table_registration_info);
    if (!table || !registration || !info)
        fail("no memory");
    for (long i = 0; i < rows; i++)
        add_row(table, i);
    netsnmp_table_helper_add_indexes(info, ASN_OCTET_STR, ASN_OCTET_STR, 0);
    info->min_column = VALUE_COLUMN;
    info->max_column = VALUE_COLUMN;
    if (netsnmp_tdata_register(registration, table, info) != SNMPERR_SUCCESS)
        fail("the table cannot be registered");
}

int main(int argc, char **argv)
{
    oid name[MAX_OID_LEN];
    size_t len = MAX_OID_LEN;
    if (argc != 4)
        fail("usage: bare SOCKET TABLE-OID ROWS");
    snmp_enable_stderrlog();
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_ROLE, 1);
    netsnmp_ds_set_string(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_X_SOCKET, argv[1]);
    if (init_agent("bare") != 0)
        fail("the agent library does not start");
    if (!read_objid(argv[2], name, &len))
        fail("the table's OID is none");
    serve_table(name, len, strtol(argv[3], NULL, 10));
    init_snmp("bare");
    for (;;)
        agent_check_and_process(1);
}

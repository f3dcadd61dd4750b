/* The file of Zabbix's SNMP trapper: "DATE ZBXTRAP ADDRESS" begins a trap. Zabbix looks for that
 * word everywhere, so no text may contain it. What follows is the item's value. */
#include <string.h>
#include <time.h>

#include "dcamp_mib.h"
#include "trapd-handlers/format.h"

#define MARK "ZBXTRAP"

/* A text in one line, without the mark. */
static void put_text(struct buffer *buffer, const char *text)
{
    for (const char *mark; (mark = strstr(text, MARK)); text = mark + 3) {
        char before[TRAP_TEXT_SIZE];
        memcpy(before, text, (size_t)(mark - text) + 3);
        before[mark - text + 3] = '\0';
        buffer_clean(buffer, before, "", ' ');
        buffer_text(buffer, "_");
    }
    buffer_clean(buffer, text, "", ' ');
}

/* The numbers of ASN.1 types are those of mib.h, from RFC 2578. */
static void put_name(struct buffer *buffer, const struct trap *trap, int object, int type)
{
    char name[64];
    struct buffer text = {0};
    buffer_format(&text, "DCAMP-MIB::%s.%u", mib_objects[object].name, trap->index);
    strncpy(name, text.at ? text.at : "", sizeof name - 1);
    name[sizeof name - 1] = '\0';
    buffer->failed |= text.failed;
    buffer_release(&text);
    buffer_format(buffer, "  %-30s type=%-2d value=", name, type);
}

static void put_string(struct buffer *buffer, const struct trap *trap, int object, int text)
{
    put_name(buffer, trap, object, MIB_SYNTAX_OCTETS);
    buffer_text(buffer, "STRING: \"");
    put_text(buffer, trap->text[text]);
    buffer_text(buffer, "\"\n");
}

static void put_enumeration(struct buffer *buffer, const struct trap *trap, int object,
                            const char *name, uint32_t number)
{
    put_name(buffer, trap, object, MIB_SYNTAX_INTEGER);
    buffer_format(buffer, "INTEGER: %s(%u)\n", name, number);
}

static void put_alarm(struct buffer *buffer, const struct trap *trap)
{
    put_string(buffer, trap, MIB_dcampAlarmKey, TRAP_KEY);
    put_string(buffer, trap, MIB_dcampAlarmNode, TRAP_NODE);
    put_string(buffer, trap, MIB_dcampAlarmSensor, TRAP_SENSOR);
    put_string(buffer, trap, MIB_dcampAlarmValueText, TRAP_VALUE);
    put_string(buffer, trap, MIB_dcampAlarmThresholdText, TRAP_LIMIT);
    put_string(buffer, trap, MIB_dcampAlarmSeverityText, TRAP_SEVERITY_TEXT);
    put_enumeration(buffer, trap, MIB_dcampAlarmSeverity, trap_severity_name(trap->severity),
                    trap->severity);
}

void format_zabbix_value(struct buffer *buffer, const struct trap *trap)
{
    buffer_text(buffer, "VARBINDS:\n");
    buffer_format(buffer, "  %-30s type=%-2d value=OID: DCAMP-MIB::%s\n",
                  "SNMPv2-MIB::snmpTrapOID.0", (int)MIB_SYNTAX_OID, trap_name(trap));
    if (trap->event == TRAP_SUPPRESSED)
        put_string(buffer, trap, MIB_dcampAlarmNode, TRAP_NODE);
    else
        put_alarm(buffer, trap);
    put_name(buffer, trap, MIB_dcampAlarmSequence, MIB_SYNTAX_UNSIGNED);
    buffer_format(buffer, "Gauge32: %u\n", trap->sequence);
    put_name(buffer, trap, MIB_dcampAlarmSince, MIB_SYNTAX_OCTETS);
    buffer_text(buffer, "STRING: ");
    format_time(buffer, trap->since_ms ? trap->since_ms : trap->received_ms);
    buffer_text(buffer, "\n");
    put_name(buffer, trap, MIB_dcampAlarmSuppressed, MIB_SYNTAX_UNSIGNED);
    buffer_format(buffer, "Gauge32: %u\n", trap->suppressed);
    put_string(buffer, trap, MIB_dcampAlarmMessage, TRAP_MESSAGE);
    if (trap->event != TRAP_SUPPRESSED) {
        put_string(buffer, trap, MIB_dcampAlarmThreshold, TRAP_THRESHOLD);
        put_string(buffer, trap, MIB_dcampAlarmInstance, TRAP_INSTANCE);
        put_enumeration(buffer, trap, MIB_dcampAlarmEvent, trap_happened_name(trap->happened),
                        trap->happened);
    }
    if (trap->address[0]) {
        buffer_format(buffer, "  %-30s type=%-2d value=IpAddress: ",
                      "SNMP-COMMUNITY-MIB::snmpTrapAddress.0", (int)MIB_SYNTAX_IPADDRESS);
        put_text(buffer, trap->address);
        buffer_text(buffer, "\n");
    }
}

/* The administrator gives the format on the command line. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_date(struct buffer *buffer, time_t seconds, const char *format)
{
    struct tm tm;
    char when[64] = "";
    if (localtime_r(&seconds, &tm) && strftime(when, sizeof when, format, &tm) > 0)
        put_text(buffer, when);
}
#pragma GCC diagnostic pop

void format_zabbix(struct buffer *buffer, const struct trap *trap, const char *address,
                   const char *date)
{
    put_date(buffer, (time_t)(trap->received_ms / 1000), date);
    buffer_text(buffer, " " MARK " ");
    put_text(buffer, address);
    buffer_text(buffer, "\nPDU INFO:\n");
    buffer_format(buffer, "  %-30s %s\n", "notificationtype", "TRAP");
    buffer_format(buffer, "  %-30s ", "receivedfrom");
    put_text(buffer, trap->source);
    buffer_text(buffer, "\n");
    format_zabbix_value(buffer, trap);
}

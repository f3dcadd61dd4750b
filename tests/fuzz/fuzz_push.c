/* Fuzz target: any octets at the port that children push to, or at which nodes announce themselves.
 * The first octet says as what: a whole packet, of which only the envelope is read, or the PDU of
 * one that has turned out authentic. */
#include "snmpv3/envelope.h"
#include "director/look.h"
#include "poller/query.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "main.h"
#include "report/report.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void expect_inside(const u_char *packet, size_t size, const u_char *at, size_t len)
{
    expect(at >= packet && len <= size && (size_t)(at - packet) <= size - len);
}

static void read_envelope(u_char *packet, size_t size)
{
    struct envelope envelope;
    u_char *copy = malloc(size + 1);
    expect(copy != NULL);
    memcpy(copy, packet, size);
    if (envelope_read(packet, size, &envelope)) {
        expect(envelope.model == SNMP_SEC_MODEL_USM);
        expect_inside(packet, size, envelope.engine_id, envelope.engine_id_len);
        expect_inside(packet, size, envelope.user, envelope.user_len);
    }
    expect(memcmp(copy, packet, size) == 0);
    free(copy);
}

static void read_announcement(const netsnmp_pdu *pdu)
{
    struct look_announcement announcement;
    struct look_error error = look_read_announcement(pdu, &announcement);
    size_t len = strnlen(announcement.group, sizeof announcement.group);
    expect((error.failure != 0) == (error.text != NULL));
    if (!error.failure)
        expect(announcement.port > 0 && announcement.port <= UINT16_MAX &&
               text_is_name(announcement.name, strlen(announcement.name)) &&
               (len == 0 || text_is_name(announcement.group, len)));
}

static void read_pdu(u_char *octets, size_t size)
{
    struct query_push push;
    netsnmp_pdu *pdu = calloc(1, sizeof *pdu);
    expect(pdu != NULL);
    if (snmp_pdu_parse(pdu, octets, &size) == SNMPERR_SUCCESS) {
        struct query_error error = query_read_push(pdu, &push);
        expect((error.failure != 0) == (error.text != NULL));
        if (!error.failure)
            expect(push.sequence != 0 && push.len > 0 && push.len <= REPORT_BLOCK_MAX &&
                   push.block != NULL);
        read_announcement(pdu);
    }
    snmp_free_pdu(pdu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool begun;
    if (!begun)
        snmp_disable_log();
    begun = true;
    if (size == 0)
        return 0;
    u_char *octets = malloc(size);
    expect(octets != NULL);
    memcpy(octets, data, size);
    if (data[0] % 2)
        read_envelope(octets + 1, size - 1);
    else
        read_pdu(octets + 1, size - 1);
    free(octets);
    return 0;
}

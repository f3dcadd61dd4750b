/* What children are asked for, as PDUs: the head of the reports with blocks, and entries of the
 * dictionary. Answers are read without trust: any type, length, order or number of varbinds. */
#ifndef DCAMP_POLLER_QUERY_H
#define DCAMP_POLLER_QUERY_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdint.h>

#include "poller/cursor.h"
#include "collect/message.h"
#include "dcamp_mib.h"

/* Series in one GET: 40 varbinds of at most 64 octets. */
#define QUERY_SERIES_MAX 10

/* NULL: no memory. */
netsnmp_pdu *query_poll(uint32_t first, uint32_t n_blocks);
netsnmp_pdu *query_series(const uint32_t *series, uint32_t n);

/* What is wrong with an answer; if failure is 0, nothing is. The text is a constant. */
struct query_error {
    enum poll_failure failure;
    const char *text;
};

struct query_blocks {
    struct cursor_head head;
    uint32_t present; /* bit i is set: block i of those asked for is there */
    struct {
        const u_char *octets; /* in the PDU */
        size_t len;
    } at[CURSOR_BLOCKS_MAX];
};

struct query_error query_read_poll(const netsnmp_pdu *pdu, uint32_t first, uint32_t n_blocks,
                                   struct query_blocks *blocks);

/* Whether the PDU is that notification; objects points to what it carries, in the PDU. */
bool query_is_notification(const netsnmp_pdu *pdu, enum mib_object notification,
                           const netsnmp_variable_list **objects);

/* The content of a notification, dcampReportPushed. block points into the PDU. */
struct query_push {
    struct cursor_head head;
    uint32_t sequence;
    const u_char *block;
    size_t len;
};
struct query_error query_read_push(const netsnmp_pdu *pdu, struct query_push *push);

/* Fills in all of n messages except their heads and ids. */
struct query_error query_read_series(const netsnmp_pdu *pdu, const uint32_t *series, uint32_t n,
                                     struct message_series *entries);

#endif

/* The protocol of zabbix_sender: values for trapper items, over TCP. */
#ifndef DCAMP_TRAP_ZABBIX_SENDER_H
#define DCAMP_TRAP_ZABBIX_SENDER_H

#include "trapd-handlers/target.h"

#define ZABBIX_HEADER_SIZE 13

/* "ZBXD", flags 1, the length of the body and 0, both in four octets, little-endian. */
void zabbix_header(unsigned char header[ZABBIX_HEADER_SIZE], uint32_t len);

/* The length of the body that follows a header; false: it is none, or of a body that is too long
 * for an answer. */
bool zabbix_header_read(const unsigned char header[ZABBIX_HEADER_SIZE], uint32_t *len);

/* The request: one value for each trap, for the item of the host. */
void zabbix_request(struct buffer *buffer, const struct trap *traps, size_t n, const char *host,
                    const char *item);

/* What an answer says. failed: how many values were not taken; they have no item on the server.
 * False: it is not the answer of a Zabbix server. */
bool zabbix_response(const char *body, size_t len, unsigned *processed, unsigned *failed);

enum delivery zabbix_sender_deliver(struct target *target, const struct trap *traps, size_t n,
                                    size_t *done);

#endif

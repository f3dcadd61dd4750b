/* The protocol of zabbix_sender: values for trapper items, over TCP. */
#ifndef DCAMP_TRAP_ZABBIX_SENDER_H
#define DCAMP_TRAP_ZABBIX_SENDER_H

#include "trapd-handlers/target.h"

#define ZABBIX_HEADER_SIZE 13

/* "ZBXD", flags 1, then the length of the body and 0, in four octets each, little-endian. */
void zabbix_header(unsigned char header[ZABBIX_HEADER_SIZE], uint32_t len);

/* Reads the length of the body that follows a header. Returns false if it is not a header, or if
 * the body is too long for an answer. */
bool zabbix_header_read(const unsigned char header[ZABBIX_HEADER_SIZE], uint32_t *len);

/* Writes the request: one value for each trap, for the item of the host. */
void zabbix_request(struct buffer *buffer, const struct trap *traps, size_t n, const char *host,
                    const char *item);

/* Reads an answer. *failed: how many values were not taken, because they have no item on the
 * server. Returns false if it is not the answer of a Zabbix server. */
bool zabbix_response(const char *body, size_t len, unsigned *processed, unsigned *failed);

enum delivery zabbix_sender_deliver(struct target *target, const struct trap *traps, size_t n,
                                    size_t *done);

#endif

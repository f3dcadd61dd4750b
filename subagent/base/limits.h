/* Sizes that several stages share. Each *_SIZE counts the terminating NUL. */
#ifndef DCAMP_BASE_LIMITS_H
#define DCAMP_BASE_LIMITS_H

/* Names of sensors, filters, thresholds, nodes and groups: 1 to 32 of [A-Za-z0-9._-]. They are
 * table indexes, and the short limit keeps every OID below the 128 sub-identifiers of RFC 3416,
 * section 4.1. */
#define NAME_SIZE 33

/* Instances as the kernel names them (eth0, nvme0n1p2, total): up to 64 octets. */
#define INSTANCE_SIZE 65

/* The most octets of an instance in the keys of rows that have further indexes: of a longer
 * instance the key has the end, behind a '~'. With the names of a node and of a sensor, the OID
 * stays below 128 sub-identifiers. */
#define INSTANCE_KEY_MAX 48

/* Instance patterns and other lists of globs. */
#define PATTERN_SIZE 129

/* The address of an agent in numbers: "udp:192.0.2.7:161", "udp6:[2001:db8::7]:161". */
#define PEER_ADDRESS_SIZE 64

/* A value or limit as decimal text: sign, 20 digits, point, 6 digits. */
#define DECIMAL_SIZE 33

/* The stable key of an alarm: 1 to 64 of [A-Za-z0-9._:-]. */
#define ALARM_KEY_SIZE 65

/* The comment of somebody who acknowledges an alarm. */
#define ALARM_COMMENT_SIZE 128

/* The nodes that an alarm came through, from the parent down: "collector1/node7". */
#define ALARM_PATH_SIZE 128

/* One printable line for people. */
#define MESSAGE_SIZE 256

#endif

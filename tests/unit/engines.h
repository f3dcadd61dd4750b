/* For tests: an SNMP engine on loopback, which says what the test wants it to, at whatever level
 * and in whose name. Its messages are made by the simulator's codec and keys, not by Net-SNMP's
 * sessions. */
#ifndef DCAMP_TESTS_ENGINES_H
#define DCAMP_TESTS_ENGINES_H

#include <netinet/in.h>

#include "../sim/codec.h"
#include "../sim/usm.h"

#define ENGINE_AUTH "the digest of an engine"
#define ENGINE_PRIV "the secret of an engine"
#define ENGINE_USER "poller"

/* usmStats of RFC 3414, section 5: the last arc but one of their scalars. */
enum engine_report {
    REPORT_LEVEL = 1,
    REPORT_TIME_WINDOW,
    REPORT_USER,
    REPORT_ENGINE,
    REPORT_DIGEST,
    REPORT_DECRYPTION,
    REPORT_OTHER = 9
};

#define LEVEL_NONE 0
#define LEVEL_AUTH SNMP_MSG_FLAG_AUTH_BIT
#define LEVEL_PRIV (SNMP_MSG_FLAG_AUTH_BIT | SNMP_MSG_FLAG_PRIV_BIT)

struct engine_peer {
    int fd;
    char address[32];
    uint8_t id[64];
    size_t id_len;
    long boots, time;
    const char *user; /* NULL: that of the question */
    struct usm usm;
    struct usm_keys keys;
    /* what was heard last, and from where */
    struct sockaddr_in from;
    uint8_t octets[65536 + CODEC_SLACK];
    struct codec_message message;
    struct codec_pdu pdu;
};

void engine_begin(struct engine_peer *engine);
void engine_end(struct engine_peer *engine);

/* Another engine ID, with the keys for it. */
void engine_name(struct engine_peer *engine, const void *id, size_t len);

/* The next message; false: there is none. One with a digest must have the right one. */
bool engine_hears(struct engine_peer *engine);

/* An answer to that message, or what might be taken for one. */
void engine_says(struct engine_peer *engine, uint8_t type, uint8_t level);

/* An answer with an error status, and the bindings that were put into out. */
void engine_answers(struct engine_peer *engine, struct codec_out *out, long status);

/* A notification that nobody asked for, to where the last message came from: whatever bindings were
 * put into out. */
void engine_notifies(struct engine_peer *engine, struct codec_out *out, uint8_t level);

void engine_reports(struct engine_peer *engine, enum engine_report report, uint8_t level);

#endif

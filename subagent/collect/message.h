/* What the core and its poller processes tell each other, over a pair of SOCK_SEQPACKET sockets.
 *
 * Both ends are the same binary, so that messages are structs as they lie in memory. Still, every
 * length is checked, because a poller talks to strangers and is trusted no further than they are. A
 * packet holds one or more messages, one after the other, each padded to a multiple of 8 octets. */
#ifndef DCAMP_COLLECT_MESSAGE_H
#define DCAMP_COLLECT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "snmpv3/credential.h"

#define MESSAGE_PACKET_MAX 65536
#define POLL_SERIES_MAX 64   /* series numbers in one request for the dictionary */
#define POLL_OBJECTS_MAX 256 /* objects of one device */
#define POLL_SAMPLES_MAX 128 /* in one message */

enum message_kind {
    /* from the core */
    MESSAGE_CREDENTIAL = 1, /* struct message_credential: new, or new secrets */
    MESSAGE_CHILD,          /* struct message_child: new or changed; polling begins */
    MESSAGE_FORGET,         /* struct message_forget: the child is polled no more */
    MESSAGE_LOOK_UP,        /* struct message_look_up: asks for entries of a child's dictionary */
    MESSAGE_MOVE,           /* struct message_move: a block was pushed, or all blocks are read
                             * again */
    MESSAGE_SENDER,         /* struct message_sender: a child may push; to the receiver */
    MESSAGE_OBJECT,         /* struct message_object: what devices may be polled for */
    MESSAGE_DROP_OBJECT,    /* struct message_drop_object: no device will be given it again */
    MESSAGE_OBJECTS,        /* struct message_objects: what a device is polled for */
    /* from the poller */
    MESSAGE_ANSWER, /* struct message_answer: a poll was answered; its blocks follow */
    MESSAGE_SILENT, /* struct message_silent: a poll was not answered, or not as it should be */
    MESSAGE_SERIES, /* struct message_series: one entry of the dictionary, or that there is none */
    MESSAGE_INSTANCE, /* struct message_instance: a series of a device has begun or ended */
    MESSAGE_SAMPLES,  /* struct message_samples: what a device answered */
    MESSAGE_FAULT,    /* struct message_fault: something is wrong with one object of a device */
    MESSAGE_ALIVE,    /* struct message: there was nothing else to say for a while; also of the
                       * receiver */
    /* from the receiver */
    MESSAGE_PUSHED, /* struct message_pushed: an authentic block of a child */
    MESSAGE_DROPPED /* struct message_dropped: packets that were no such block */
};

struct message {
    uint32_t kind;
    uint32_t length; /* of the whole message including this head, without padding */
};

struct message_credential {
    struct message head;
    struct usm_credential credential;
};

struct message_child {
    struct message head;
    uint32_t id; /* chosen by the core; not used again while the daemon runs */
    char address[PEER_ADDRESS_SIZE];
    char credential[NAME_SIZE];
    uint32_t period_ms;
    /* What is known from before; all 0 at first contact. */
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len;
    uint32_t engine_boots;
    uint32_t report_boot; /* the cursor: dcampReportBoot, and the next block to ask for */
    uint32_t next_block;  /* 0: the oldest that the child keeps; of devices, both are 0 */
    bool is_device;       /* not a dCAMP node: struct message_objects says what it is asked for */
    struct localized_keys keys, next_keys; /* where there are both, the child has one of them */
};

struct message_forget {
    struct message head;
    uint32_t id;
};

struct message_look_up {
    struct message head;
    uint32_t id;
    uint32_t n;
    uint32_t series[POLL_SERIES_MAX]; /* the first n count */
};

/* What the core now has of a child, because a block came without being asked for. */
struct message_move {
    struct message head;
    uint32_t id;
    uint32_t report_boot, next_block; /* no block before it is to be asked for any more */
    uint32_t soon;                    /* not 0: there is more, so the next poll must not wait */
    uint32_t again; /* not 0: all blocks of this boot are asked for again, from the oldest on, */
    uint32_t from;  /* or from that block on; 0: from the oldest on */
};

struct message_sender {
    struct message head;
    uint32_t id;
    char credential[NAME_SIZE];
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len; /* 0: not known yet */
    uint32_t engine_boots;
    struct localized_keys keys, next_keys; /* as in message_child */
};

/* One poll: the head of the child's reports, and blocks in their order, without gaps. It is
 * followed by n_blocks times a struct message_block with its octets, each padded to 8. */
struct message_answer {
    struct message head;
    uint32_t id;
    uint32_t round_trip_us;
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len;
    uint32_t engine_boots;
    uint32_t report_boot, first, last;
    uint32_t lost; /* blocks between the cursor and the first block that comes now: the child had
                    * dropped them */
    uint32_t n_blocks;
};

struct message_block {
    uint32_t sequence;
    uint32_t length;
    uint8_t bytes[];
};

struct message_silent {
    struct message head;
    uint32_t id;
    enum poll_failure failure;
    uint32_t in_a_row; /* polls that brought nothing, this one included */
    bool look_up;      /* the request was for the dictionary; the poll before it was answered */
    char text[128];    /* for people */
};

struct message_series {
    struct message head;
    uint32_t id;
    uint32_t report_boot;
    uint32_t series;
    bool exists;
    char sensor[NAME_SIZE];
    char instance[INSTANCE_SIZE];
    char metric[NAME_SIZE];
    char unit[NAME_SIZE];
    /* The path of the node below the child to which the series belongs; "": the child itself. The
     * message ends behind the NUL, because many of them wait at a time: message_series_length(). */
    char path[ALARM_PATH_SIZE];
};

struct message_pushed {
    struct message head;
    uint32_t id;
    uint8_t engine_id[ENGINE_ID_MAX]; /* for which the block is authentic */
    uint32_t engine_id_len;
    uint32_t report_boot, last;
    struct message_block block; /* the last member */
};

/* What was dropped since the last such message. */
struct message_dropped {
    struct message head;
    uint32_t unknown; /* of no child, or not known of which */
    uint32_t refused; /* not authentic, too old, or no block */
};

/* -- Devices: children that are not dCAMP nodes ----------------------------------------------- */

/* To all pollers, or to one that has begun. An object never changes: a changed row of the
 * configuration is a new object. */
struct message_object {
    struct message head;
    uint32_t to; /* a child of the poller; 0: all */
    uint32_t object;
    bool is_scalar;
    char instances[PATTERN_SIZE];
    uint32_t n_oid, n_label; /* n_label 0: it has none */
    uint32_t arcs[];         /* of both, one after the other */
};

struct message_drop_object {
    struct message head;
    uint32_t to; /* 0: all */
    uint32_t object;
};

/* The device begins anew: what was told of it under another generation is not valid any more. */
struct message_objects {
    struct message head;
    uint32_t id;
    uint32_t generation;
    uint32_t n; /* 0 to POLL_OBJECTS_MAX */
    uint32_t objects[];
};

/* In the following, object is the index in struct message_objects, and series is a number that the
 * poller does not use again in this generation. */
struct message_instance {
    struct message head;
    uint32_t id, generation;
    uint32_t series, object;
    bool exists; /* false: it has ended, and nothing else counts */
    char instance[INSTANCE_SIZE];
};

enum sample_type {
    SAMPLE_NONE = 1, /* what was answered is not a number */
    SAMPLE_COUNTER32,
    SAMPLE_COUNTER64,
    SAMPLE_UNSIGNED,
    SAMPLE_SIGNED,
    SAMPLE_REAL
};

struct sample {
    uint32_t series;
    uint32_t type;
    union {
        uint64_t number;
        int64_t integer;
        double real; /* finite */
    };
};

struct message_samples {
    struct message head;
    uint32_t id, generation;
    uint32_t round_trip_us;
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len;
    uint32_t engine_boots;
    uint32_t up_time; /* sysUpTime in this answer, 1/100 s, if it has one */
    uint32_t cycle;   /* how often the device was looked through; each fault is told once in each
                       * cycle */
    bool has_up_time;
    bool is_last; /* of this poll */
    bool is_all;  /* the device was looked through: all of its series have begun */
    uint32_t n;
    uint64_t arrived_ns; /* monotonic */
    struct sample samples[];
};

struct message_fault {
    struct message head;
    uint32_t id, generation;
    uint32_t object;
    uint32_t cycle;
    char text[96]; /* for people */
};

/* Appends a copy of a message to a packet of *used octets in MESSAGE_PACKET_MAX. False: it does not
 * fit; then nothing changed. */
bool message_put(void *packet, size_t *used, const struct message *message);

/* The same for a message that is a struct of size octets followed by len octets. Its length is set
 * here. */
bool message_put_octets(void *packet, size_t *used, struct message *message, size_t size,
                        const void *octets, size_t len);

/* Returns the next message at *at of a packet, aligned and of a length that its kind allows, and
 * moves *at on. NULL: the end; if *at != used, the rest is no message. */
const struct message *message_next(const void *packet, size_t used, size_t *at);

/* -- Kinds ------------------------------------------------------------------------------------ */

/* What a message of one kind must look like. */
struct message_type {
    size_t size; /* of its struct; 0: there is no such kind */
    /* The length that follows from the content; 0: the content makes no sense. NULL: the length is
     * that of the struct. */
    size_t (*length)(const void *message);
    bool (*valid)(const void *message); /* whether the content is valid; NULL: any content is */
    bool goes_on;                       /* what follows its struct is checked by its reader */
};

/* The kinds from first on, in their order. */
struct message_types {
    uint32_t first;
    size_t n;
    const struct message_type *types;
};

/* As message_next, with other kinds. */
const struct message *message_next_of(const struct message_types *known, const void *packet,
                                      size_t used, size_t *at);

/* The length of a message with that path. */
uint32_t message_series_length(const struct message_series *series);

/* Whether a field of size octets contains the NUL that ends its text. */
bool message_is_text(const char *text, size_t size);

/* An octet that is neither 0 nor 1 must not be read as a bool. */
bool message_is_bool(const bool *value);

/* -- Answers ---------------------------------------------------------------------------------- */

/* Appends an answer with as many of its blocks as fit, and returns how many did. If that is 0 of
 * n_blocks > 0, nothing was appended. */
size_t message_put_answer(void *packet, size_t *used, const struct message_answer *answer,
                          const struct message_block *const *blocks);

/* Block i of an answer that message_next gave; NULL from n_blocks on, and where the block is not
 * whole. */
const struct message_block *message_block(const struct message_answer *answer, uint32_t i);

#endif

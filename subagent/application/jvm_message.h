/* What the daemon and the process that looks for JVMs tell each other: packets of a socket of type
 * SOCK_SEQPACKET, read without trust, because the other end may be of another version, or not what
 * it should be. Both are on the same machine: numbers are in its byte order. Pure.
 *
 * The daemon asks; the answer is one packet for each JVM and for each process about which there is
 * something to say, and a last one that says that this was all. Before each file that is opened or
 * read, its process is told, and after the last one, none: so when the next helper is started, it
 * is known with which process this one hung. */
#ifndef DCAMP_APPLICATION_JVM_MESSAGE_H
#define DCAMP_APPLICATION_JVM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "application/jvm.h"
#include "application/owner.h"
#include "base/limits.h"

/* The file descriptor at which the process that looks for JVMs has its end of the socket. */
#define JVM_FD 3

/* How many JVMs of one user, and of all together, are read; and how many further packets an answer
 * may have. */
#define JVM_USER_MAX 128
#define JVM_MAX 256
#define JVM_TROUBLES_MAX 256

/* How many looks at processes may be told in a pass, in addition to the JVMs that are read; how
 * many processes are left alone at a time. */
#define JVM_LOOKS_MAX 512
#define JVM_SHUNNED_MAX 8

enum jvm_message_kind {
    JVM_ASK = 1, /* from the daemon; the others are answers */
    JVM_FOUND,
    JVM_TROUBLE,
    JVM_END,
    JVM_LOOK /* comes before anything that may hang; also after the end of an answer */
};

/* A process; another one that gets its pid later is not the same. */
struct jvm_process {
    pid_t pid;        /* 0: none */
    uint64_t started; /* milliseconds since boot */
};

/* A question names the processes that must be left alone: the helper hung, or ended, at the last
 * look at them. */
struct jvm_ask {
    uint32_t n;
    struct jvm_process shunned[JVM_SHUNNED_MAX];
};

/* One JVM. */
struct jvm {
    pid_t pid;
    uid_t owner;
    uint64_t started; /* milliseconds since boot */
    uint64_t cpu_us, cpu_user_us, cpu_system_us;
    struct jvm_profile profile; /* without a name, it has that of the process */
};

/* Why a process is not read. */
struct jvm_trouble {
    uid_t owner;
    enum owner_problem problem;
    char why[MESSAGE_SIZE]; /* a sentence without its full stop, which names the process */
};

struct jvm_end {
    bool is_privileged; /* it has the capabilities to look at processes of others */
    uint32_t unseen;    /* how many processes it must not look at */
};

struct jvm_message {
    enum jvm_message_kind kind;
    uint32_t pass; /* the number of the question, by which a late answer is recognized */
    union {
        struct jvm_ask ask;
        struct jvm_process look;
        struct jvm found;
        struct jvm_trouble trouble;
        struct jvm_end end;
    };
};

#define JVM_PACKET_MAX 2048

/* Returns the length of the packet. */
size_t jvm_message_put(uint8_t packet[JVM_PACKET_MAX], const struct jvm_message *message);

/* False: this is no message. Texts in it are printable, no name is empty, and no value is above
 * INT64_MAX: a larger one is not known. */
bool jvm_message_take(const uint8_t *packet, size_t size, struct jvm_message *message);

#endif

/* A device: a child that is any SNMP agent. What it is asked next, and what its answers mean. Pure
 * but for memory.
 *
 * An object of a device is a scalar or a column; each of its instances becomes a series once the
 * device has answered for it. Every few minutes, and when a series has ended, the device is looked
 * through: GETBULK walks along the columns that name the instances. In each poll, GETs ask for all
 * instances that are known, many to a PDU. Devices are not trusted: what cannot be an answer is
 * reported as none, and everything is bounded in number. */
#ifndef DCAMP_POLLER_DEVICE_H
#define DCAMP_POLLER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/oid.h"
#include "poller/device_rows.h"
#include "collect/message.h"
#include "poller/object.h"

#define DEVICE_SERIES_MAX 10000 /* of one device; also the limit for rows of one of its tables */
#define DEVICE_VARBINDS_MAX 100 /* in one GET */
#define DEVICE_ROOM 1150        /* octets for varbinds, in a packet of about 1,400 */
#define DEVICE_REPETITIONS 40
#define DEVICE_ROUNDS_MAX                                                                          \
    64 /* GETBULKs in one poll: the rest of a long table waits for the next                        \
        */
#define DEVICE_REFUSALS_MAX 16 /* errors about single objects in one poll */
#define DEVICE_LOOK_NS (300 * NS_PER_S)
#define DEVICE_LOOK_AGAIN_NS (10 * NS_PER_S) /* when a series has ended */

_Static_assert(DEVICE_VARBINDS_MAX <= POLL_SAMPLES_MAX, "an answer fits into a message");

struct device_series {
    uint32_t number;              /* 0: the device has not answered for it yet */
    const struct device_row *row; /* NULL: the series of a scalar */
    bool is_fresh;                /* it has not been asked for since it was found */
    bool is_absent;               /* not there, until the device is looked through again */
    bool is_refused;              /* asking for it is an error, until the device is looked through
                                   * again */
};

/* A column that is walked, on behalf of one object or several. */
struct device_walk {
    const uint32_t *oid;
    uint32_t n_oid;
    bool has_labels; /* its values name the instances; else only their indexes are used */
    struct device_rows rows, found;
};

struct device_object {
    struct object *object;
    struct device_walk *walk; /* NULL: it is a scalar */
    struct device_series *series;
    size_t n;
    bool faulted; /* a fault was told since the device was looked through */
};

enum device_ask { DEVICE_NOTHING, DEVICE_GET, DEVICE_BULK };
enum device_phase { DEVICE_RESTS, DEVICE_GETS, DEVICE_LOOKS, DEVICE_GETS_FRESH };

struct device_place {
    size_t object, series;
};

struct device {
    uint32_t generation;
    uint32_t cycle; /* how often it was looked through */
    struct device_object *objects;
    size_t n_objects;
    struct device_walk *walks;
    size_t n_walks;
    size_t n_series;
    uint32_t numbers; /* the last number that was given to a series */

    /* What to ask; DEVICE_NOTHING when the poll is over. A GET has n_asked varbinds, a GETBULK has
     * one and so many repetitions. */
    enum device_ask ask;
    uint32_t n_asked, repetitions;

    enum device_phase phase;
    bool has_answered; /* in this poll */
    bool fell_silent;  /* within a poll, since the last poll that was answered whole */
    uint32_t passed;   /* varbinds of the largest GET that was answered in this poll */
    bool is_looking;   /* walks[walk] is being walked */
    size_t walk;
    uint64_t look_at;               /* monotonic */
    uint32_t rounds, refusals;      /* in this poll */
    uint32_t limit;                 /* varbinds in a GET */
    struct device_place begin, end; /* of what was asked */
    struct {
        uint16_t object, series;
    } asked[DEVICE_VARBINDS_MAX];
};

struct device_name {
    uint32_t arcs[OID_MAX];
    size_t n;
};

enum device_type {
    DEVICE_MISSING, /* noSuchObject, noSuchInstance, endOfMibView */
    DEVICE_COUNTER32,
    DEVICE_COUNTER64,
    DEVICE_UNSIGNED,
    DEVICE_SIGNED,
    DEVICE_REAL,
    DEVICE_OCTETS,
    DEVICE_OTHER
};

struct device_varbind {
    const unsigned long *name; /* arcs, as Net-SNMP has them */
    size_t n;
    enum device_type type;
    union {
        uint64_t number;
        int64_t integer;
        double real;
        struct {
            const uint8_t *at;
            size_t len;
        } octets;
    };
};

struct device_answer {
    const char *error; /* NULL: none; else its name */
    bool is_too_big;
    long error_index; /* from 1 on */
    const struct device_varbind *varbinds;
    size_t n;
};

/* What an answer brings. object: the index in what was given to device_set. */
struct device_events {
    void *context;
    void (*begun)(void *context, size_t object, uint32_t series, const char *instance);
    void (*ended)(void *context, size_t object, uint32_t series);
    void (*sampled)(void *context, const struct sample *sample);
    void (*faulted)(void *context, size_t object, const char *text);
};

/* NULL: no memory. */
struct device *device_new(void);
void device_free(struct device *device);

/* Sets what it is polled for from now on; it begins anew, without series. False: no memory, or one
 * of the objects is not in all; then it is polled for nothing. */
bool device_set(struct device *device, uint32_t generation, struct object *all,
                const uint32_t *objects, size_t n);

/* Another device has been found at its address: all series end. */
void device_renew(struct device *device, const struct device_events *events);

/* A poll begins. Afterwards there is something to ask. */
void device_begin(struct device *device, uint64_t now);

/* The name of varbind i of the question. */
void device_name(const struct device *device, size_t i, struct device_name *name);

/* Takes the answer to the last question. Returns NULL, or why it is no answer: then the poll has
 * failed, and nothing of the answer was taken. */
const char *device_answer(struct device *device, const struct device_answer *answer,
                          const struct device_events *events, uint64_t now);

/* No answer came. If smaller ones came, a smaller one may come through. If others as large came,
 * this one was lost, unless that happens in one poll after another. */
void device_timed_out(struct device *device);

#endif

/* A child, and all children of a node: the data that the files of this room share. Each part is
 * declared in the header of the file that it belongs to. */
#ifndef DCAMP_CHILDREN_CHILD_H
#define DCAMP_CHILDREN_CHILD_H

#include "alarm/alarm.h"
#include "base/clock.h"
#include "base/index.h"
#include "children/alarms.h"
#include "children/behind.h"
#include "children/blocks.h"
#include "children/bound.h"
#include "children/complaints.h"
#include "children/contact.h"
#include "children/cursor.h"
#include "children/dictionary.h"
#include "children/holders.h"
#include "children/identity.h"
#include "children/objects.h"
#include "children/polling.h"
#include "children/records.h"
#include "children/relaying.h"
#include "children/series.h"
#include "collect/message.h"
#include "config/config.h"
#include "config/state.h"
#include "series/observer.h"

struct child_device;

/* A collector has very many children: texts take no more room than they need, and what few children
 * need is allocated separately. */
struct child {
    struct index_node node;  /* key: name */
    struct index_node by_id; /* key: id */
    uint32_t id;             /* in messages */
    uint32_t period_ms;
    struct child_untold untold;
    bool holds; /* it is one of children->holders */
    RB_ENTRY(child) holder;
    const char *name, *group, *address, *credential; /* behind the struct */
    struct child_behind *behind;                     /* another child, see behind.h; NULL: none */
    struct child_identity identity;
    struct localized_keys *keys;      /* NULL: keys are made of the credential's passphrases */
    struct localized_keys *next_keys; /* while keys are changed, the child has one of the two; or
                                       * NULL */
    struct child_contact contact;
    struct child_cursor cursor;         /* only of a dCAMP node */
    struct child_dictionary dictionary; /* only of a dCAMP node */
    struct child_series_set series;
    struct child_alarms alarms;
    struct child_records *records; /* NULL: none wait */
    struct child_relaying relaying;
    struct child_device *device;  /* NULL: it is a dCAMP node */
    struct complaint *complaints; /* what was last logged; NULL: nothing */
    struct child_cost cost;
    uint32_t key[];
};

static inline bool child_is_lost(const struct child *child)
{
    return child->contact.silent >= CHILD_LOST_AFTER;
}

/* Whether the values of the child are current. */
static inline bool child_is_there(const struct child *child)
{
    return child->contact.state == CHILD_UP || child->contact.state == CHILD_LATE;
}

/* Brings a message to the poller of the child with that id, or to all pollers if id is 0. False:
 * there is no room for it, and it is MESSAGE_CHILD, MESSAGE_OBJECTS or MESSAGE_SENDER, which can be
 * told later: then children_tell_on is called. */
typedef bool child_send_fn(void *context, uint32_t id, const struct message *message);

/* What became of packets with pushed blocks, apart from those that were taken: dcampSelf shows
 * it. */
struct child_pushes {
    uint64_t old, ahead, unknown, refused;
};

struct children {
    struct index index;           /* of struct child, by name */
    struct index by_id;           /* the same, by id: children that began later have higher ids */
    struct child_holders holders; /* the children that have series with a name */
    struct child_behinds behinds; /* the children that are behind others */
    struct index below;           /* of struct child_alarm, by child and number */
    uint32_t alarm_changes;       /* grows with every change in it */
    struct feed *feed;            /* what the parent must be told of these alarms; NULL: nobody is
                                   * told */
    struct series_name *names;    /* the names that any child has */
    uint64_t membership; /* grows when a series is named or ends, and when a child comes or goes */
    uint64_t changes;    /* grows with every change that must be saved */
    uint32_t next_id;
    uint64_t watch_ns; /* monotonic: when children_watch is due */
    uint64_t bound;    /* what one child may cost, in octets and in units of work */
    struct child_pushes pushes;
    const struct record_taker *taker;      /* of records of steps; NULL: nobody takes them */
    const struct block_taker *blocks;      /* of blocks as octets; NULL: nobody takes them */
    const struct relay_taker *relays;      /* of values that are relayed; NULL: none are */
    uint64_t records_lost, records_before; /* totals since the start: see records.h */
    struct alarms *alarms;
    const struct series_observer *observer; /* of series with a name; NULL: nobody. While a child
                                             * replays, it is told only of the latest values, at the
                                             * end */
    struct polled_object *objects;
    uint32_t next_object;
    struct saved_child *saved; /* of the state file, until the first sync */
    size_t n_saved;
    child_send_fn *send; /* NULL: there are no pollers */
    void *context;
};

/* The child of a node of children->by_id; NULL if the node is NULL. */
static inline struct child *child_by_id(struct index_node *node)
{
    return node ? (struct child *)((char *)node - offsetof(struct child, by_id)) : NULL;
}

#define CHILD_ERROR_SIZE 128

/* Makes the path of a node below this one from its path below the child, which is empty for the
 * child itself; the result does not end with a NUL. False: it is too long, as happens with nodes
 * that poll each other in a circle. */
bool child_path(const struct child *child, const char *below, size_t below_len,
                char path[ALARM_PATH_SIZE], size_t *len);

/* Why the state of the child is no better; "": there is no reason to give. */
const char *child_error(const struct child *child);

/* Sets that reason, as much of it as CHILD_ERROR_SIZE has room for, and clears it. It takes so
 * little memory that it is not charged to the child. */
void child_say_error(struct child *child, const char *text);
void child_say_nothing(struct child *child);

/* Gives the child an id that no child had before. */
void child_give_id(struct children *children, struct child *child);

/* NULL: there is no child of that name, or it is not active. */
struct child *children_find(const struct children *children, const char *name);

/* Sends the message to the poller of the child with that id, or to all pollers if id is 0; to
 * nobody if there are no pollers. False: there is no room, see child_send_fn. */
bool children_send(const struct children *children, uint32_t id, const struct message *message);

#endif

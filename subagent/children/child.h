/* What children.c and child_*.c share. */
#ifndef DCAMP_CHILDREN_CHILD_H
#define DCAMP_CHILDREN_CHILD_H

#include "children/children.h"

/* Logs, once a minute for each kind, that a child sends what it should not. Of more kinds than a
 * few in a minute, the further ones are not logged: children may say anything. */
void child_complain(struct child *child, const char *kind, const char *text, struct moment now);

/* Takes a block of the boot that is known; one that was taken before is left out. */
void child_take_block(struct children *children, struct child *child,
                      const struct message_block *block, struct moment now);

/* The blocks are asked for from the oldest on. */
void child_read_again(const struct children *children, const struct child *child);

/* What a pushed block is to a child whose next block (0: not known) and boot are these. */
enum child_push { CHILD_PUSH_NEXT, CHILD_PUSH_OLD, CHILD_PUSH_AHEAD };
enum child_push child_judge_push(uint32_t known_boot, uint32_t next_block, uint32_t boot,
                                 uint32_t sequence);
void child_take_push(struct children *children, struct child *child,
                     const struct message_pushed *pushed, struct moment now);

/* Tells the receiver that the child may push, and what is known of its engine. */
void child_tell_receiver(const struct children *children, const struct child *child);

/* Something that it sent makes no sense: counted, and shown as its error. */
void child_say_bad(struct child *child, const char *kind, const char *text, struct moment now);

/* It has CHILD_SERIES_MAX. */
void child_say_too_many(struct child *child, struct moment now);

/* -- The bound: child_bound.c ----------------------------------------------------------------- */

/* Units of work, of some 20 ns each, roughly: an octet of a block, and what these cost. */
#define WORK_OF_ENTRY 16
#define WORK_OF_COUNTERS 8 /* so many counters that a histogram spans */
#define WORK_OF_SERIES 256 /* begun, or named */
#define WORK_OF_ALARM 128  /* told */
#define WORK_OF_BOOT 16    /* each series that it has, when it says that it has started again */

/* Adds to what it has to work off. */
void child_work(const struct children *children, struct child *child, uint64_t units,
                uint64_t now_ns);

bool child_is_beyond(const struct children *children, const struct child *child);

/* Drops all that it told, raises the alarm, and has it polled no more until child_refused_until().
 * Then child_readmit() has it polled again, on trial; child_pardon() forgets the matter. */
void child_refuse(struct children *children, struct child *child, struct moment now);
void child_readmit(struct children *children, struct child *child, struct moment now);
void child_pardon(struct child *child);
bool child_is_refused(const struct child *child);
bool child_is_on_trial(const struct child *child, uint64_t now_ns);
uint64_t child_refused_until(const struct child *child);

/* Polling begins, and ends: the pollers are told. */
void child_begin_polling(struct children *children, struct child *child);
/* Of its node in children->by_id; NULL of none. */
static inline struct child *child_by_id(struct index_node *node)
{
    return node ? (struct child *)((char *)node - offsetof(struct child, by_id)) : NULL;
}

void child_forget_at_poller(const struct children *children, const struct child *child);

/* It is lost: nothing of it counts, and there is the alarm, with its error as the reason. True:
 * that is news, and was logged. */
bool child_lose(struct children *children, struct child *child, struct moment now);

/* A poll was answered, by this engine; and all of the answer was taken: it is up, unless something
 * is wrong. */
void child_take_head(struct children *children, struct child *child,
                     const struct message_answer *answer, struct moment now);
void child_settle(struct children *children, struct child *child, struct moment now);

/* The alarms of children that there are no more. */
void children_end_alarms(struct children *children, struct moment now);

/* An entry of a block that is known to be good. False: CHILD_SERIES_MAX, it is left out. */
bool child_take_entry(struct children *children, struct child *child,
                      const struct report_entry *entry, struct moment now);

/* The same of a value of a device, if it passes the filter of its object. */
void child_filter_entry(struct children *children, struct child *child,
                        const struct report_entry *entry, struct polled_object *object,
                        struct filter_state *filter, struct moment now);

/* It has replayed all: who watches is told of the latest values. */
void child_end_replay(struct children *children, struct child *child, struct moment now);

/* An entry of the dictionary. NULL, or what is wrong with it. */
const char *child_take_name(struct children *children, struct child *child,
                            const struct message_series *message, struct moment now);

/* The name that a good entry of a dictionary says, for one series more; and for one less. NULL: no
 * memory. */
struct series_name *series_name_use(struct children *children,
                                    const struct message_series *message);
void series_name_drop(struct children *children, struct series_name *name);

/* Asks the dictionary of a child about what is not known and what was long not heard of, unless an
 * answer is due. */
void child_look_up(struct children *children, struct child *child, uint64_t now_ns);

/* The child counts its series from the beginning: what its numbers meant is not valid any more.
 * Rows stay for a while, without values, until their names come again. */
void child_begin_boot(struct children *children, struct child *child, struct moment now);

/* Ends what did not come again. */
void child_end_former(struct children *children, struct child *child, struct moment now);

void child_end_series(struct children *children, struct child *child, const char *why,
                      struct moment now);

/* -- Objects: child_objects.c ---------------------------------------------------------------- */

/* Makes them those of the configuration, and tells all pollers. True: there are new ones, or some
 * are there no more. */
bool children_sync_objects(struct children *children, const struct config *config, uint64_t now_ns);

/* Tells the poller of a child all of them. */
void children_tell_objects(const struct children *children, uint32_t to);
void children_end_objects(struct children *children);

/* One more user of it, and one less. */
struct polled_object *object_hold(struct polled_object *object);
void object_let_go(struct polled_object *object);

/* -- Devices: child_device.c ----------------------------------------------------------------- */

/* False: no memory. It has no objects yet. */
bool child_device_begin(struct child *child);
void child_device_free(struct child *child);

/* Gives it the objects that match it. True: they are others than before; it begins anew. */
bool child_device_choose(struct children *children, struct child *child, struct moment now);

/* Begins anew: what pollers said of its series does not count any more. */
void child_device_renew(struct children *children, struct child *child, struct moment now);

void child_device_tell(const struct children *children, const struct child *child);
void child_device_message(struct children *children, struct child *child,
                          const struct message *message, struct moment now);

#endif

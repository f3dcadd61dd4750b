/* For sample/ and those who provide a source: the slots of the instances of a source, which keep
 * their places while instances come and go. */
#ifndef DCAMP_SAMPLE_SLOT_H
#define DCAMP_SAMPLE_SLOT_H

#include "sample/source.h"

/* Initializes the pool for what sources keep for each of their instances. */
void slot_entries_init(struct pool *pool);

/* Prefetches the memory of the instances that the last pass found. */
void source_prefetch(const struct source *source);

void source_begin(struct source *source);

/* The slot of an instance. A new instance gets a slot whose class is 0, for the sampler to set.
 * NULL: the line is to be skipped, because the name is not valid or came before in this pass, or
 * because there is no memory. If a source lists its instances in the same order each time, this
 * takes only one comparison. */
struct sample_slot *source_slot(struct source *source, const char *name, size_t len);

/* The slot of an instance that was there in the last pass and that nobody wants: it stays, without
 * values, and the rest of its line need not be read. NULL for any other instance. */
struct sample_slot *source_unwanted(struct source *source, const char *name, size_t len);

/* Gives the slot to another instance that has the same name: all that was in it is gone. */
void source_replace(struct source *source, struct sample_slot *slot);

/* For sources whose values come from elsewhere: the slot of an instance that somebody wants. It is
 * given to the instance anew if another one had it; born is never 0, and differs between instances
 * that have the same name. NULL: nobody wants it, or it cannot be shown, because its name is not
 * valid or is already that of another instance; then *hidden grows. */
struct sample_slot *source_slot_of(struct source *source, const char *name,
                                   enum resource_class class, uint64_t born, size_t *hidden);

/* Sets a field that is a double. Returns its bit; 0: the value is not finite, and the field is not
 * valid. */
uint32_t slot_set_real(struct sample_slot *slot, unsigned field, double value);

/* To be called instead of finding a slot for each line: the instances are those of the last pass.
 */
void source_same(struct source *source);

/* Removes instances that did not come in this pass. EBADMSG, and no change: no instance came at
 * all, although the source may not be empty. */
int source_end(struct source *source);
void source_release(struct source *source);

/* Fills the slot of an instance of the machine as a whole with those of the fields that are wanted.
 * If no field is valid, wanted or not, there is no slot. */
void source_fill_node(struct source *source, const char *name, uint32_t valid,
                      const uint64_t *field, unsigned n);

#endif

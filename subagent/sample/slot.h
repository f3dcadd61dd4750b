/* For sample/ and those who provide a source: the slots of the instances of a source, which keep
 * their places while instances come and go. */
#ifndef DCAMP_SAMPLE_SLOT_H
#define DCAMP_SAMPLE_SLOT_H

#include "sample/source.h"

/* The pool of what a source keeps for each of its instances. */
void slot_entries_init(struct pool *pool);

/* Asks memory for the instances that the last pass found. */
void source_prefetch(const struct source *source);

void source_begin(struct source *source);

/* The slot of an instance, a new one if need be: its class is then 0, for the sampler to set.
 * NULL: the line is to be skipped (the name is none, or came before in this pass; no memory).
 * A source lists its instances in the same order each time; that makes this one comparison. */
struct sample_slot *source_slot(struct source *source, const char *name, size_t len);

/* The slot of an instance that the last pass had and that nobody wants: it stays, without values,
 * and the rest of its line need not be read. NULL: any other one. */
struct sample_slot *source_unwanted(struct source *source, const char *name, size_t len);

/* The slot is given to another instance that has the same name: all that was in it is gone. */
void source_replace(struct source *source, struct sample_slot *slot);

/* For sources whose values come from elsewhere: the slot of an instance that somebody wants, given
 * to it anew if another one had it: born is never 0, and not the same for two that have one name.
 * NULL: nobody wants it; *hidden grows where it cannot be shown, since its name is none, or is that
 * of another one. */
struct sample_slot *source_slot_of(struct source *source, const char *name,
                                   enum resource_class class, uint64_t born, size_t *hidden);

/* A field that is a double. Its bit; 0: it is no finite number, and not valid. */
uint32_t slot_set_real(struct sample_slot *slot, unsigned field, double value);

/* Instead of a slot for each line: the instances are those of the last pass. */
void source_same(struct source *source);

/* Instances that did not come in this pass go. EBADMSG, and no change: none came at all, in a
 * source that may not be empty. */
int source_end(struct source *source);
void source_release(struct source *source);

/* The slot of an instance of the machine as a whole, with those of these fields that are wanted;
 * none is valid, wanted or not: no slot. */
void source_fill_node(struct source *source, const char *name, uint32_t valid,
                      const uint64_t *field, unsigned n);

#endif

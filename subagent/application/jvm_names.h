/* What JVMs and their collectors are called as instances: USER/NAME and USER/NAME:COLLECTOR. Pure.
 *
 * NAME is the main class or the archive that a JVM runs. Of several JVMs of one name and user the
 * oldest has it as it is, and the others have their pid behind it: USER/NAME/PID. A class that is
 * too long to be an instance loses its first packages. */
#ifndef DCAMP_APPLICATION_JVM_NAMES_H
#define DCAMP_APPLICATION_JVM_NAMES_H

#include <stddef.h>

#include "application/jvm_message.h"

struct jvm_named {
    struct jvm jvm;
    char name[INSTANCE_SIZE];
};

/* The word for a collector that a JVM calls so: "G1 young" of "G1 young collection pauses". */
void jvm_collector_word(char word[INSTANCE_SIZE], const char *name);

/* The name of a JVM if it is the only one: so much of it that names of its collectors fit, too. */
void jvm_name(struct jvm_named *jvm, const char *user);

/* Gives those of which several have a name their pids, but the oldest of them. They are in an order
 * then that stays as long as they do. */
void jvm_names_resolve(struct jvm_named *jvms, size_t n);

/* The instance of a collector of it. */
void jvm_collector_name(char name[INSTANCE_SIZE], const struct jvm_named *jvm,
                        const struct jvm_collector *collector);

#endif

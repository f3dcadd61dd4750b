/* The names of JVMs and their collectors as instances: USER/NAME and USER/NAME:COLLECTOR. Pure.
 *
 * NAME is the main class or the archive that a JVM runs. If several JVMs have the same name and
 * user, the oldest has it unchanged, and the others have their pid behind it: USER/NAME/PID. The
 * name of a class that is too long for an instance loses its first packages. */
#ifndef DCAMP_APPLICATION_JVM_NAMES_H
#define DCAMP_APPLICATION_JVM_NAMES_H

#include <stddef.h>

#include "application/jvm_message.h"

struct jvm_named {
    struct jvm jvm;
    char name[INSTANCE_SIZE];
};

/* The word for a collector with this name in the JVM: "G1 young" for "G1 young collection
 * pauses". */
void jvm_collector_word(char word[INSTANCE_SIZE], const char *name);

/* The name of a JVM if no other has it: short enough that names of its collectors fit, too. */
void jvm_name(struct jvm_named *jvm, const char *user);

/* If several JVMs have the same name, gives all but the oldest their pids. Afterwards they are in
 * an order that does not change as long as they exist. */
void jvm_names_resolve(struct jvm_named *jvms, size_t n);

/* The instance of one of its collectors. */
void jvm_collector_name(char name[INSTANCE_SIZE], const struct jvm_named *jvm,
                        const struct jvm_collector *collector);

#endif

/* Prints what dCAMP reads in the performance data of a JVM: read-jvm FILE. A line each: the value's
 * name and number, or nothing where it is not known. Status 2: the file was refused, and standard
 * error says why. */
#include <stdio.h>
#include <stdlib.h>

#include "application/jvm.h"

static const char *const names[JVM_VALUES] = {
    "heap.used", "heap.max",       "metaspace.used", "metaspace.capacity",
    "threads",   "threads.daemon", "threads.peak",   "threads.started",
    "classes",   "jit.time",       "safepoint.time", "safepoints",
};

static void print(const struct jvm_profile *profile)
{
    printf("name %s\nlast-collection %d\n", profile->name, profile->heap_is_of_last_collection);
    for (unsigned i = 0; i < JVM_VALUES; i++)
        if (jvm_knows(profile, i))
            printf("%s %llu\n", names[i], (unsigned long long)profile->value[i]);
    for (unsigned i = 0; i < profile->n_collectors; i++)
        printf("collector %llu %llu %s\n", (unsigned long long)profile->collector[i].count,
               (unsigned long long)profile->collector[i].time_ns, profile->collector[i].name);
}

int main(int argc, char **argv)
{
    static uint8_t octets[PERFDATA_SIZE_MAX];
    struct jvm_plan plan = {.is_made = false};
    struct jvm_profile profile;
    char why[MESSAGE_SIZE];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        perror("read-jvm");
        return EXIT_FAILURE;
    }
    size_t size = fread(octets, 1, sizeof octets, file);
    fclose(file);
    if (jvm_read(&plan, octets, size, &profile, why)) {
        fprintf(stderr, "read-jvm: %s\n", why);
        return 2;
    }
    print(&profile);
    return EXIT_SUCCESS;
}

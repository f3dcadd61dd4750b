/* Fuzz target: any octets as the performance data of a JVM. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "application/jvm.h"
#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static int read_once(struct jvm_plan *plan, const uint8_t *data, size_t size,
                     struct jvm_profile *profile)
{
    char why[MESSAGE_SIZE] = "";
    int error = jvm_read(plan, data, size, profile, why);
    expect(error == 0 || error == EBADMSG || error == EPROTONOSUPPORT || error == EAGAIN);
    expect(!error == !why[0]);
    return error;
}

/* What is read by a plan that is kept, or by one of another file, is what a new one reads. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jvm_plan plan = {.is_made = false};
    struct jvm_profile first, again;
    size_t half = size / 2;
    read_once(&plan, data, half, &first);
    int error = read_once(&plan, data + half, size - half, &first);
    expect(error == read_once(&plan, data + half, size - half, &again));
    plan = (struct jvm_plan){.is_made = false};
    error = read_once(&plan, data, size, &first);
    expect(error == read_once(&plan, data, size, &again));
    if (error)
        return 0;
    expect(first.known == again.known && first.n_collectors == again.n_collectors);
    expect(memcmp(first.value, again.value, sizeof first.value) == 0);
    expect(first.n_collectors <= JVM_COLLECTORS && first.known < 1u << JVM_VALUES);
    for (unsigned i = 0; i < first.n_collectors; i++)
        expect(strnlen(first.collector[i].name, INSTANCE_SIZE) < INSTANCE_SIZE);
    expect(strnlen(first.name, INSTANCE_SIZE) < INSTANCE_SIZE);
    return 0;
}

/* Fuzz target: any octets as a packet of dcamp-jvm, which names are then made of. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "application/jvm_message.h"
#include "application/jvm_names.h"
#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void name(const struct jvm *jvm)
{
    char text[INSTANCE_SIZE];
    struct jvm_named named[2] = {{.jvm = *jvm}, {.jvm = *jvm}};
    jvm_name(&named[0], "somebody");
    jvm_name(&named[1], "somebody");
    jvm_names_resolve(named, 2);
    expect(strcmp(named[0].name, named[1].name) != 0);
    for (unsigned i = 0; i < jvm->profile.n_collectors; i++) {
        jvm_collector_name(text, &named[1], &jvm->profile.collector[i]);
        expect(*text && strnlen(text, sizeof text) < sizeof text);
    }
}

/* What was taken is put, and taken again, as it is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t packet[JVM_PACKET_MAX], again[JVM_PACKET_MAX];
    struct jvm_message message, other;
    if (!jvm_message_take(data, size, &message))
        return 0;
    size_t put = jvm_message_put(packet, &message);
    expect(put == size && jvm_message_take(packet, put, &other));
    expect(jvm_message_put(again, &other) == put && memcmp(packet, again, put) == 0);
    if (message.kind == JVM_FOUND)
        name(&message.found);
    return 0;
}

#include "traps.h"

#include <stdio.h>

void traps_set(struct trap *trap, enum trap_text text, const char *to)
{
    snprintf(trap->text[text], TRAP_TEXT_SIZE, "%s", to);
}

struct trap traps_raised(uint32_t sequence)
{
    struct trap trap = {.event = TRAP_RAISED,
                        .received_ms = TRAPS_NOW_MS,
                        .since_ms = TRAPS_SINCE_MS,
                        .index = 5,
                        .severity = 4,
                        .happened = 1,
                        .sequence = sequence,
                        .source = "UDP: [192.0.2.7]:40000->[192.0.2.1]:162",
                        .address = "192.0.2.7"};
    traps_set(&trap, TRAP_KEY, "node1:burner:total");
    traps_set(&trap, TRAP_NODE, "node1");
    traps_set(&trap, TRAP_SENSOR, "niced");
    traps_set(&trap, TRAP_VALUE, "55.2");
    traps_set(&trap, TRAP_LIMIT, "> 20");
    traps_set(&trap, TRAP_SEVERITY_TEXT, "critical");
    traps_set(&trap, TRAP_MESSAGE, "niced is 55.2: somebody burns");
    traps_set(&trap, TRAP_THRESHOLD, "burner");
    traps_set(&trap, TRAP_INSTANCE, "total");
    return trap;
}

struct trap traps_cleared(uint32_t sequence)
{
    struct trap trap = traps_raised(sequence);
    trap.event = TRAP_CLEARED;
    trap.severity = 1;
    trap.happened = 2;
    traps_set(&trap, TRAP_SEVERITY_TEXT, "clear");
    return trap;
}

struct trap traps_summary(uint32_t sequence)
{
    struct trap trap = traps_raised(sequence);
    trap.event = TRAP_SUPPRESSED;
    trap.severity = 3;
    trap.happened = 4;
    trap.suppressed = 12;
    for (int i = 0; i < TRAP_TEXTS; i++)
        if (i != TRAP_NODE && i != TRAP_MESSAGE)
            traps_set(&trap, i, "");
    return trap;
}

/* Traps for the tests of trapd-handlers/. */
#ifndef DCAMP_TESTS_UNIT_TRAPS_H
#define DCAMP_TESTS_UNIT_TRAPS_H

#include <stdio.h>
#include <string.h>

#include "trapd-handlers/trap.h"

#define TRAPS_NOW_MS INT64_C(1795295045250) /* 2026-11-21 21:04:05.25 UTC */
#define TRAPS_SINCE_MS INT64_C(1795295041000)

/* What no text may do to a target: further lines, fields, commands, headers, traps. */
#define TRAPS_NASTY                                                                                \
    "a\n[1] PROCESS_SERVICE_CHECK_RESULT;h;s;0;x\r\nBcc: e@example.org\r\n\r\n.\nFrom x\n"         \
    "1 ZBXTRAP 10.0.0.1\n\",\"x\":\"\\n'`$(id)`|&;\xc2\x85\xe2\x80\xa8\t\x1b[0m\\"

static inline void traps_set(struct trap *trap, enum trap_text text, const char *to)
{
    snprintf(trap->text[text], TRAP_TEXT_SIZE, "%s", to);
}

static inline struct trap traps_raised(uint32_t sequence)
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

static inline struct trap traps_cleared(uint32_t sequence)
{
    struct trap trap = traps_raised(sequence);
    trap.event = TRAP_CLEARED;
    trap.severity = 1;
    trap.happened = 2;
    traps_set(&trap, TRAP_SEVERITY_TEXT, "clear");
    return trap;
}

static inline struct trap traps_summary(uint32_t sequence)
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

#endif

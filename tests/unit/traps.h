/* Traps for the tests of trapd-handlers/. */
#ifndef DCAMP_TESTS_TRAPS_H
#define DCAMP_TESTS_TRAPS_H

#include "trapd-handlers/trap.h"

#define TRAPS_NOW_MS INT64_C(1795295045250) /* 2026-11-21 21:04:05.25 UTC */
#define TRAPS_SINCE_MS INT64_C(1795295041000)

/* What no text may do to a target: further lines, fields, commands, headers, traps. */
#define TRAPS_NASTY                                                                                \
    "a\n[1] PROCESS_SERVICE_CHECK_RESULT;h;s;0;x\r\nBcc: e@example.org\r\n\r\n.\nFrom x\n"         \
    "1 ZBXTRAP 10.0.0.1\n\",\"x\":\"\\n'`$(id)`|&;\xc2\x85\xe2\x80\xa8\t\x1b[0m\\"

void traps_set(struct trap *trap, enum trap_text text, const char *to);
struct trap traps_raised(uint32_t sequence);
struct trap traps_cleared(uint32_t sequence);
struct trap traps_summary(uint32_t sequence);

#endif

/* Each writer, with each text of a trap as nasty as can be. */

#include <stdio.h>
#include <string.h>

#include "traps.h"
#include "unit.h"
#include "writers.h"

static const char *const nasty[] = {
    TRAPS_NASTY,
    "\n",
    "\r\n\r\n.\r\n",
    "x\nBcc: e@example.org",
    ";0;OK",
    "|'a'=1;2;3",
    "\\n\\n[1] PROCESS_HOST_CHECK_RESULT;h;0;x",
    "ZBXTRAP 1.2.3.4",
    "ZBXZBXTRAPTRAP",
    "x\nZBXTRAP 1.2.3.4\nx",
    "\",\"filter\":\"true\",\"x\":\"",
    "\" || true || \"",
    "$(reboot) `reboot` ${IFS} && reboot ; reboot | reboot > /x < /y",
    "'; reboot #",
    "=?UTF-8?B?eA==?=",
    "From root\n.\n",
    "\xc2\x85\xc2\x9b"
    "31m\xe2\x80\xa8\xe2\x80\xa9",
    "\x1b]0;x\x07",
    "{{ .Labels }} %n%s%r%%",
    "",
};
#define NASTY (sizeof nasty / sizeof *nasty)

static struct trap of_event(int event)
{
    struct trap trap = event == TRAP_SUPPRESSED ? traps_summary(1) : traps_raised(1);
    trap.event = (enum trap_event)event;
    return trap;
}

static void check(const struct trap *trap, int text, size_t which)
{
    for (size_t w = 0; w < WRITERS; w++) {
        const char *wrong = writers[w].check(trap);
        if (wrong)
            fail_msg("%s, event %d, text %d, nasty %zu: %s", writers[w].name, (int)trap->event,
                     text, which, wrong);
    }
}

static void test_every_text_of_every_event(void **state)
{
    (void)state;
    for (int event = 0; event < TRAP_EVENTS; event++)
        for (size_t i = 0; i < NASTY; i++) {
            struct trap all = of_event(event);
            for (int text = 0; text < TRAP_TEXTS; text++) {
                struct trap one = of_event(event);
                traps_set(&one, text, nasty[i]);
                traps_set(&all, text, nasty[i]);
                check(&one, text, i);
            }
            check(&all, -1, i);
        }
}

static void test_address_and_source(void **state)
{
    (void)state;
    for (size_t i = 0; i < NASTY; i++) {
        struct trap trap = traps_raised(1);
        snprintf(trap.source, sizeof trap.source, "%s", nasty[i]);
        snprintf(trap.address, sizeof trap.address, "%.30s", i == 16 ? "" : nasty[i]);
        check(&trap, -2, i);
    }
}

/* As long as the MIB has them. */
static const size_t longest[TRAP_TEXTS] = {
    [TRAP_KEY] = ALARM_KEY_SIZE,   [TRAP_NODE] = NAME_SIZE,         [TRAP_SENSOR] = NAME_SIZE,
    [TRAP_VALUE] = DECIMAL_SIZE,   [TRAP_LIMIT] = DECIMAL_SIZE + 4, [TRAP_SEVERITY_TEXT] = 9,
    [TRAP_MESSAGE] = MESSAGE_SIZE, [TRAP_THRESHOLD] = NAME_SIZE,    [TRAP_INSTANCE] = INSTANCE_SIZE,
};

static void test_longest(void **state)
{
    (void)state;
    static const char *const characters[] = {"x", ";", "\n", "\"", "\xc3\xbc", "\xe2\x80\xa8"};
    for (size_t c = 0; c < sizeof characters / sizeof *characters; c++) {
        struct trap trap = traps_raised(1);
        for (int text = 0; text < TRAP_TEXTS; text++) {
            trap.text[text][0] = '\0';
            while (strlen(trap.text[text]) + strlen(characters[c]) < longest[text])
                strcat(trap.text[text], characters[c]);
        }
        check(&trap, -3, c);
    }
}

/* The checks can fail. */
static void test_the_checks(void **state)
{
    (void)state;
    char body[] = "From: a\nTo: b\nBcc: c\n\nx";
    assert_non_null(writers_mail_lines(body));
    assert_non_null(writers_zabbix_lines("x ZBXTRAP y\nPDU INFO:\nx\n"));
    assert_true(writers_controls("a\tb"));
    assert_int_equal(writers_count("a;b;;c", ";"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_text_of_every_event),
        cmocka_unit_test(test_address_and_source),
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_the_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

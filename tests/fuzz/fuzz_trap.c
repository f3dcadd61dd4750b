/* Fuzz target: any octets as what snmptrapd hands on: as a traphandle's input, as a stream, as a
 * record of the spool, as answers of targets. What is taken as a trap goes through every writer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "tests/unit/writers.h"
#include "trapd-handlers/format.h"
#include "trapd-handlers/zabbix_sender.h"
#include "trapd-handlers/record.h"
#include "trapd-handlers/sequence.h"
#include "trapd-handlers/stream.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check_trap(const struct trap *trap)
{
    struct buffer line = {0};
    struct trap again;
    expect(trap->event < TRAP_EVENTS && trap->text[TRAP_NODE][0]);
    for (int i = 0; i < TRAP_TEXTS; i++)
        expect(memchr(trap->text[i], '\0', TRAP_TEXT_SIZE) != NULL);
    record_write(&line, trap);
    expect(!line.failed && record_read(line.at, line.len - 1, &again));
    expect(memchr(line.at, '\n', line.len) == line.at + line.len - 1);
    expect(trap_digest(trap) == trap_digest(&again));
    buffer_release(&line);
    for (size_t i = 0; i < WRITERS; i++)
        expect(writers[i].check(trap) == NULL);
}

static void check_handle(const char *text, size_t size)
{
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    enum trap_result result = trap_parse(&trap, text, size, 1795295045250, error);
    if (result == TRAP_TAKEN)
        check_trap(&trap);
    expect(result != TRAP_BAD || (error[0] && !strchr(error, '\n')));
}

/* In two pieces, cut where the input says. */
static void check_stream(const char *text, size_t size)
{
    struct stream stream = {0};
    const char *record;
    size_t len, cut = size > 0 ? (unsigned char)text[0] % size : 0, taken = 0;
    for (int piece = 0; piece < 2; piece++) {
        size_t from = piece ? cut : 0, n = piece ? size - cut : cut;
        char *room = stream_room(&stream, n);
        if (n > 0)
            memcpy(room, text + from, n);
        stream_added(&stream, n);
        while (stream_next(&stream, piece == 1, &record, &len)) {
            struct trap trap;
            char error[TRAP_ERROR_SIZE];
            taken += len;
            if (trap_parse_record(&trap, record, len, error) == TRAP_TAKEN)
                check_trap(&trap);
        }
    }
    expect(taken <= size);
    stream_release(&stream);
}

static void check_record(const char *text, size_t size)
{
    struct trap trap;
    if (!record_read(text, size, &trap))
        return;
    for (size_t i = 0; i < WRITERS; i++)
        expect(writers[i].check(&trap) == NULL || !trap.text[TRAP_NODE][0] || trap.severity > 4 ||
               trap.severity < 2 || trap.received_ms < 1 ||
               trap.received_ms > INT64_C(253402300799000) || trap.since_ms < 0 ||
               trap.since_ms > INT64_C(253402300799000));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned processed, failed;
    uint32_t len;
    /* Of its own, exactly as long: nothing may look beyond it. */
    char *text = malloc(size ? size : 1);
    expect(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    check_handle(text, size);
    check_stream(text, size);
    check_record(text, size);
    zabbix_response(text, size, &processed, &failed);
    format_icinga_answer(text, size);
    if (size >= ZABBIX_HEADER_SIZE)
        zabbix_header_read((const unsigned char *)text, &len);
    free(text);
    return 0;
}

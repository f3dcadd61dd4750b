#include "plugins/run.h"

#include <stdlib.h>

#include "base/text.h"

bool run_failed(struct run *run)
{
    bool silent = client_failure(run->client) == CLIENT_SILENT;
    result_worsen(run->result, silent ? run->options->silent : STATUS_UNKNOWN);
    result_summary(run->result, "%s", client_error(run->client));
    return false;
}

bool run_no_memory(struct run *run)
{
    result_worsen(run->result, STATUS_UNKNOWN);
    result_summary(run->result, "no memory");
    return false;
}

bool run_get_node(struct run *run, struct cell *cells, size_t n)
{
    cell_scalar(&cells[0], MIB_dcampNodeName);
    if (!client_get(run->client, cells, n))
        return run_failed(run);
    if (cells[0].kind == CELL_TEXT)
        return true;
    result_worsen(run->result, run->options->silent);
    result_summary(run->result, "snmpd answers, but there is no DCAMP-MIB: dcampd is not running, "
                                "or the user must not see it");
    return false;
}

void run_text(char *to, size_t size, const struct cell *cell)
{
    if (cell->kind == CELL_TEXT)
        text_format(to, size, "%s", cell->text);
    else
        text_format(to, size, "%s", cell->kind == CELL_NUMBER ? cell_label(cell) : "");
}

/* RFC 2579: two octets of the year; then month, day, hour, minute, second, tenths of a second; and
 * direction, hours and minutes from UTC. */
void run_date(char to[32], const struct cell *cell)
{
    const unsigned char *at = (const unsigned char *)cell->text;
    to[0] = '\0';
    if (cell->kind != CELL_TEXT || cell->text_len != 11 || (at[8] != '+' && at[8] != '-'))
        return;
    text_format(to, 32, "%04u-%02u-%02u %02u:%02u:%02u%c%02u:%02u", at[0] * 256u + at[1],
                (unsigned)at[2], (unsigned)at[3], (unsigned)at[4], (unsigned)at[5], (unsigned)at[6],
                at[8], (unsigned)at[9], (unsigned)at[10]);
}

void *run_grow(void *array, size_t n, size_t size)
{
    size_t room = 16;
    while (room <= n)
        room *= 2;
    return n == 0 || n == room / 2 ? realloc(array, room * size) : array;
}

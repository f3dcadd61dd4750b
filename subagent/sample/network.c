#include <string.h>

#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

#define NETWORK_COLUMNS 12

/* The columns: bytes packets errs drop fifo frame compressed multicast | bytes packets errs drop
 * ... */
static const uint8_t network_map[NETWORK_FIELDS] = {
    [NETWORK_RX_BYTES] = 0,   [NETWORK_RX_PACKETS] = 1, [NETWORK_RX_ERRORS] = 2,
    [NETWORK_RX_DROPS] = 3,   [NETWORK_TX_BYTES] = 8,   [NETWORK_TX_PACKETS] = 9,
    [NETWORK_TX_ERRORS] = 10, [NETWORK_TX_DROPS] = 11,
};

static const char *last_colon(const char *begin, const char *end)
{
    const char *last = NULL;
    for (const char *p = begin; (p = memchr(p, ':', (size_t)(end - p))); p++)
        last = p;
    return last;
}

/* The last colon ends the name: aliases of old kernels (eth0:1) have one inside, and the numbers
 * have none. There may be no blank behind it ("eth0:123"). The two lines of titles have no colon.
 */
static void parse_line(struct source *source, const struct line *line)
{
    const char *name = scan_blanks(line->begin);
    const char *colon = last_colon(name, line->end);
    if (!colon || scan_word(name) < colon) /* no interface has a blank in its name */
        return;
    if (source_unwanted(source, name, (size_t)(colon - name)))
        return;
    struct columns columns;
    uint64_t field[NETWORK_FIELDS];
    scan_columns(colon + 1, NETWORK_COLUMNS, &columns);
    uint32_t valid = columns_pick(&columns, network_map, NETWORK_FIELDS, field);
    struct sample_slot *slot = valid ? source_slot(source, name, (size_t)(colon - name)) : NULL;
    if (!slot)
        return;
    slot->class = RESOURCE_INTERFACE;
    slot->valid = valid;
    memcpy(slot->field, field, sizeof field);
}

void network_parse(struct source *source)
{
    struct line line;
    for (bool more = line_first(&source->file, &line); more; more = line_next(&source->file, &line))
        parse_line(source, &line);
}

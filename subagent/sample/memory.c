#include <string.h>

#include "sample/scan.h"
#include "sample/slot.h"
#include "sample/sources.h"

struct key {
    const char *text;
    size_t len;
    enum memory_field field;
};

/* clang-format off */
#define KEY(text_, field_) {text_ ":", sizeof(text_), field_}
/* clang-format on */

/* The keys are in the order of fs/proc/meminfo.c. */
static const struct key keys[] = {
    KEY("MemTotal", MEMORY_TOTAL),         KEY("MemFree", MEMORY_FREE),
    KEY("MemAvailable", MEMORY_AVAILABLE), KEY("Buffers", MEMORY_BUFFERS),
    KEY("Cached", MEMORY_CACHED),          KEY("SwapTotal", MEMORY_SWAP_TOTAL),
    KEY("SwapFree", MEMORY_SWAP_FREE),     KEY("Dirty", MEMORY_DIRTY),
};

#define KEYS (sizeof keys / sizeof *keys)
#define ALL_KEYS                                                                                   \
    (1u << MEMORY_TOTAL | 1u << MEMORY_FREE | 1u << MEMORY_AVAILABLE | 1u << MEMORY_BUFFERS |      \
     1u << MEMORY_CACHED | 1u << MEMORY_SWAP_TOTAL | 1u << MEMORY_SWAP_FREE | 1u << MEMORY_DIRTY)

/* The line is "Key:   123 kB"; if a key comes twice, the first line counts. */
static uint32_t parse_line(const struct line *line, uint32_t valid, uint64_t *field)
{
    for (size_t i = 0; i < KEYS; i++) {
        const struct key *key = &keys[i];
        if (valid >> key->field & 1 || strncmp(line->begin, key->text, key->len) != 0)
            continue;
        const char *p = scan_blanks(line->begin + key->len);
        uint64_t number;
        if (scan_digits(&p, &number) && p == scan_word(p)) {
            field[key->field] = number;
            return valid | 1u << key->field;
        }
        return valid;
    }
    return valid;
}

static uint32_t difference(uint32_t valid, uint64_t *field, enum memory_field to,
                           enum memory_field whole, enum memory_field part)
{
    uint32_t both = 1u << whole | 1u << part;
    if ((valid & both) != both || field[part] > field[whole])
        return valid;
    field[to] = field[whole] - field[part];
    return valid | 1u << to;
}

void memory_parse(struct source *source)
{
    struct line line;
    uint64_t field[MEMORY_FIELDS] = {0};
    uint32_t valid = 0;
    for (bool more = line_first(&source->file, &line); more && valid != ALL_KEYS;
         more = line_next(&source->file, &line))
        valid = parse_line(&line, valid, field);
    if (!valid)
        return;
    valid = difference(valid, field, MEMORY_USED, MEMORY_TOTAL, MEMORY_AVAILABLE);
    valid = difference(valid, field, MEMORY_SWAP_USED, MEMORY_SWAP_TOTAL, MEMORY_SWAP_FREE);
    struct sample_slot *slot =
        source_slot(source, METRIC_NODE_INSTANCE, strlen(METRIC_NODE_INSTANCE));
    if (!slot)
        return;
    slot->class = RESOURCE_NODE;
    slot->valid = valid;
    memcpy(slot->field, field, sizeof field);
}

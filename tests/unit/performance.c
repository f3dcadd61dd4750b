#include "performance.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"
#include "unit.h"

/* As in hotspot/share/runtime/perfMemory.hpp and perfData.hpp. */
#define PROLOGUE 32
#define HEADER 20

static bool is_little(const struct performance *made)
{
    return made->octets[4] == 1;
}

static uint64_t get(const struct performance *made, size_t at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | made->octets[at + (is_little(made) ? size - 1 - i : i)];
    return value;
}

void performance_put(struct performance *made, size_t at, unsigned size, uint64_t value)
{
    assert_true(at + size <= made->size);
    for (unsigned i = 0; i < size; i++)
        made->octets[at + (is_little(made) ? i : size - 1 - i)] = (uint8_t)(value >> 8 * i);
}

static void resize(struct performance *made, size_t size)
{
    uint8_t *octets = calloc(1, size);
    assert_non_null(octets);
    if (made->octets)
        memcpy(octets, made->octets, made->size < size ? made->size : size);
    free(made->octets);
    *made = (struct performance){octets, size};
}

struct performance performance_captured(const char *name)
{
    struct performance captured = {NULL, 0};
    char path[PATH_MAX], file[64];
    snprintf(file, sizeof file, "jvm/%s", name);
    fixture_path(path, file);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    resize(&captured, 1 << 16);
    size_t size = fread(captured.octets, 1, captured.size, stream);
    fclose(stream);
    resize(&captured, size);
    return captured;
}

static void swap(struct performance *made, size_t at, unsigned size)
{
    for (unsigned i = 0; i < size / 2; i++) {
        uint8_t octet = made->octets[at + i];
        made->octets[at + i] = made->octets[at + size - 1 - i];
        made->octets[at + size - 1 - i] = octet;
    }
}

/* Sizes and numbers of the prologue and of the entries are turned round, octets and texts are not.
 */
struct performance performance_swapped(const struct performance *captured)
{
    struct performance swapped = {NULL, 0};
    resize(&swapped, captured->size);
    memcpy(swapped.octets, captured->octets, captured->size);
    size_t at = PROLOGUE;
    for (uint64_t i = get(captured, 28, 4); i > 0; i--) {
        if (captured->octets[at + 12] == 'J')
            swap(&swapped, at + get(captured, at + 16, 4), 8);
        for (unsigned j = 0; j < 12; j += 4)
            swap(&swapped, at + j, 4);
        swap(&swapped, at + 16, 4);
        at += get(captured, at, 4);
    }
    static const struct {
        size_t at;
        unsigned size;
    } parts[] = {{8, 4}, {12, 4}, {16, 8}, {24, 4}, {28, 4}};
    for (size_t i = 0; i < N_OF(parts); i++)
        swap(&swapped, parts[i].at, parts[i].size);
    swapped.octets[4] ^= 1;
    return swapped;
}

struct performance performance_new(void)
{
    static const uint8_t prologue[PROLOGUE] = {0xca, 0xfe, 0xc0, 0xc0,     1,
                                               2,    0,    1,    PROLOGUE, [24] = PROLOGUE};
    struct performance made = {NULL, 0};
    resize(&made, PROLOGUE);
    memcpy(made.octets, prologue, PROLOGUE);
    return made;
}

/* Returns where its value is. */
static size_t add(struct performance *made, const char *name, char type, uint8_t unit,
                  uint32_t vector)
{
    size_t at = made->size, width = vector ? vector : 8;
    size_t data = (HEADER + strlen(name) + 1 + 7) / 8 * 8, length = (data + width + 7) / 8 * 8;
    resize(made, at + length);
    performance_put(made, at, 4, length);
    performance_put(made, at + 4, 4, HEADER);
    performance_put(made, at + 8, 4, vector);
    made->octets[at + 12] = (uint8_t)type;
    made->octets[at + 14] = unit;
    performance_put(made, at + 16, 4, data);
    memcpy(made->octets + at + HEADER, name, strlen(name));
    performance_put(made, 8, 4, made->size);
    performance_put(made, 16, 8, get(made, 16, 8) + 1);
    performance_put(made, 28, 4, get(made, 28, 4) + 1);
    return at + data;
}

void performance_add_number(struct performance *made, const char *name, uint8_t unit, int64_t value)
{
    performance_put(made, add(made, name, 'J', unit, 0), 8, (uint64_t)value);
}

void performance_add_octets(struct performance *made, const char *name, const char *octets,
                            uint32_t size)
{
    size_t at = add(made, name, 'B', 5, size);
    memcpy(made->octets + at, octets, size);
}

size_t performance_find(const struct performance *made, const char *name)
{
    size_t at = PROLOGUE;
    for (uint64_t i = get(made, 28, 4); i > 0; i--) {
        if (strcmp((const char *)made->octets + at + get(made, at + 4, 4), name) == 0)
            return at;
        at += get(made, at, 4);
    }
    fail_msg("no entry %s", name);
    return 0;
}

void performance_free(struct performance *made)
{
    free(made->octets);
    *made = (struct performance){NULL, 0};
}

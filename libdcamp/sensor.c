#include "libdcamp/sensor.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* How many words and panels each kind has. */
static const struct {
    uint32_t words, panels;
} size_of_kind[] = {
    [SEGMENT_COUNTER] = {SEGMENT_COUNTER_WORDS, 0},
    [SEGMENT_GAUGE] = {SEGMENT_GAUGE_WORDS, 0},
    [SEGMENT_TIMER] = {SEGMENT_TIMER_WORDS, SEGMENT_PANELS_OF_SIGN},
    [SEGMENT_HISTOGRAM] = {SEGMENT_HISTOGRAM_WORDS, 2 * SEGMENT_PANELS_OF_SIGN},
    [SEGMENT_TOP] = {SEGMENT_TOP_WORDS, SEGMENT_TOP_PANELS},
    [SEGMENT_STEP] = {SEGMENT_STEP_WORDS, SEGMENT_PANELS_OF_SIGN},
};

void dcamp_sensors_init(struct sensors *sensors)
{
    *sensors = (struct sensors){.words = SEGMENT_WORDS_IN_PANEL};
    sensors->end = &sensors->first;
}

/* -- Texts ------------------------------------------------------------------------------------- */

const char *dcamp_sensor_name_fault(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    if (length == 0)
        return "the name is empty";
    if (length > SEGMENT_NAME)
        return "the name has more than 32 characters";
    if (strspn(name, NAME_CHARACTERS) != length)
        return "the name has other characters than A-Z a-z 0-9 . _ -";
    return NULL;
}

/* The number of octets of the character of well-formed UTF-8 (RFC 3629) that begins here; 0 if
 * there is none, or if it is a control character. */
static size_t character(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high; /* ranges of the first octet, and of the second */
        unsigned char size;
    } form[] = {
        {0x20, 0x7e, 0, 0, 1},       {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
        {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        if (at[0] < form[i].first || at[0] > form[i].last)
            continue;
        if (form[i].size > 1 && (at[1] < form[i].low || at[1] > form[i].high))
            return 0;
        for (size_t n = 2; n < form[i].size; n++)
            if (at[n] < 0x80 || at[n] > 0xbf)
                return 0;
        return form[i].size;
    }
    return 0;
}

static bool is_printable(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t size = 1;
    while (*at && size > 0)
        at += size = character(at);
    return *at == '\0';
}

static bool fits(const char *text, size_t size)
{
    return !text || strnlen(text, size + 1) <= size;
}

const char *dcamp_sensor_fault(enum segment_kind kind, const char *name, const char *instance,
                               const char *unit, const char *purpose)
{
    const char *fault = dcamp_sensor_name_fault(name);
    if (fault)
        return fault;
    if (!fits(instance, SEGMENT_INSTANCE))
        return "the instance has more than 64 octets";
    if (!fits(unit, SEGMENT_UNIT))
        return "the unit has more than 16 octets";
    if (kind == SEGMENT_STEP && !fits(purpose, SEGMENT_PURPOSE))
        return "the purpose has more than 32 octets";
    if ((instance && !is_printable(instance)) || (unit && !is_printable(unit)) ||
        (purpose && !is_printable(purpose)))
        return "instance, unit or purpose have control characters, or octets that are not UTF-8";
    return NULL;
}

static bool has_text(const char *field, size_t size, const char *text)
{
    return strncmp(field, text ? text : "", size) == 0;
}

static void put_text(char *field, size_t size, const char *text)
{
    size_t length = text ? strnlen(text, size) : 0;
    if (length > 0)
        memcpy(field, text, length);
}

/* -- The list ---------------------------------------------------------------------------------- */

struct sensor *dcamp_sensors_find(const struct sensors *sensors, enum segment_kind kind,
                                  const char *name, const char *instance, const char *unit,
                                  struct sensor **other)
{
    *other = NULL;
    for (struct sensor *sensor = sensors->first; sensor; sensor = sensor->next) {
        const struct segment_descriptor *is = &sensor->descriptor;
        if (!has_text(is->name, SEGMENT_NAME, name))
            continue;
        if (is->kind != kind || !has_text(is->unit, SEGMENT_UNIT, unit))
            *other = sensor;
        else if (has_text(is->instance, SEGMENT_INSTANCE, instance))
            return sensor;
    }
    return NULL;
}

/* The words of a sensor lie within one panel; words left over at the end of a panel stay unused. */
static int take_numbers(struct sensors *sensors, struct segment_descriptor *descriptor)
{
    uint32_t words = size_of_kind[descriptor->kind].words;
    uint32_t panels = size_of_kind[descriptor->kind].panels;
    bool wants_words = sensors->words + words > SEGMENT_WORDS_IN_PANEL;
    bool wants_ring = descriptor->kind == SEGMENT_STEP && sensors->ring == 0;
    uint32_t wanted = wants_words + panels + (wants_ring ? SEGMENT_RING_PANELS : 0);
    if (sensors->count == SEGMENT_DESCRIPTORS_MAX ||
        wanted > SEGMENT_NUMBERS - sensors->next_number)
        return ENOSPC;
    if (wants_words) {
        sensors->word_panel = sensors->next_number++;
        sensors->words = 0;
    }
    descriptor->first_word = sensors->word_panel * SEGMENT_WORDS_IN_PANEL + sensors->words;
    descriptor->words = words;
    sensors->words += words;
    descriptor->first_panel = panels ? sensors->next_number : 0;
    descriptor->panels = panels;
    sensors->next_number += panels;
    if (wants_ring) {
        sensors->ring = sensors->next_number;
        sensors->next_number += SEGMENT_RING_PANELS;
    }
    return 0;
}

int dcamp_sensors_add(struct sensors *sensors, struct sensor *sensor, enum segment_kind kind,
                      const char *name, const char *instance, const char *unit, const char *purpose)
{
    struct segment_descriptor *is = &sensor->descriptor;
    *is = (struct segment_descriptor){.kind = kind, .generation = 1};
    int error = take_numbers(sensors, is);
    if (error)
        return error;
    put_text(is->name, SEGMENT_NAME, name);
    put_text(is->instance, SEGMENT_INSTANCE, instance);
    put_text(is->unit, SEGMENT_UNIT, unit);
    put_text(is->purpose, SEGMENT_PURPOSE, purpose);
    *sensor->handle = (struct handle){.word_panel = is->first_word / SEGMENT_WORDS_IN_PANEL,
                                      .word = is->first_word % SEGMENT_WORDS_IN_PANEL,
                                      .panel = is->first_panel,
                                      .index = sensors->count++};
    sensor->next = NULL;
    *sensors->end = sensor;
    sensors->end = &sensor->next;
    return 0;
}

/* The panel for words may have been made already: it is kept for the words of the next sensors. */
static void give_numbers_back(struct sensors *sensors, const struct segment_descriptor *descriptor)
{
    uint32_t end = descriptor->first_panel + descriptor->panels;
    if (descriptor->panels > 0 && sensors->ring == end) {
        sensors->ring = 0;
        sensors->next_number -= SEGMENT_RING_PANELS;
    }
    sensors->next_number -= descriptor->panels;
    sensors->words -= descriptor->words;
}

void dcamp_sensors_drop_last(struct sensors *sensors)
{
    struct sensor **last = &sensors->first;
    while (*last && (*last)->next)
        last = &(*last)->next;
    if (!*last)
        return;
    give_numbers_back(sensors, &(*last)->descriptor);
    *last = NULL;
    sensors->end = last;
    sensors->count--;
}

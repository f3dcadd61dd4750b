#include "children/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* "aggregate" or nothing, the sensor, the instance, the unit and the path, each with its NUL. */
#define WORDS_MAX (sizeof SERIES_AGGREGATE + 2 * NAME_SIZE + INSTANCE_SIZE + ALARM_PATH_SIZE)

static char *put_word(char *at, const char *word)
{
    size_t size = strlen(word) + 1;
    memcpy(at, word, size);
    return at + size;
}

static size_t put_words(char room[WORDS_MAX], const struct series_words *words)
{
    bool is_aggregate = strcmp(words->metric, SERIES_AGGREGATE) == 0;
    char *at = put_word(room, is_aggregate ? SERIES_AGGREGATE : "");
    at = put_word(at, words->sensor);
    at = put_word(at, words->instance);
    at = put_word(at, words->unit);
    return (size_t)(put_word(at, words->path) - room);
}

static const char *next_word(const char *word)
{
    return word + strlen(word) + 1;
}

/* Allocates the name together with its words and the end of its key. */
static struct series_name *name_new(const char *words, size_t size)
{
    uint32_t key[NAME_SIZE + INSTANCE_KEY_MAX + 1];
    const char *sensor = next_word(words);
    uint32_t len = index_key_text(key, sensor);
    len += index_key_end(key + len, next_word(sensor), INSTANCE_KEY_MAX);
    size_t key_at = (sizeof(struct series_name) + size + sizeof *key - 1) & ~(sizeof *key - 1);
    struct series_name *name = calloc(1, key_at + len * sizeof *key);
    if (!name)
        return NULL;
    name->size = (uint32_t)(key_at + len * sizeof *key);
    memcpy(name->words, words, size);
    name->is_aggregate = name->words[0] != '\0';
    name->sensor = next_word(name->words);
    name->instance = next_word(name->sensor);
    name->unit = next_word(name->instance);
    name->path = next_word(name->unit);
    name->tail.key = memcpy((char *)name + key_at, key, len * sizeof *key);
    name->tail.len = len;
    return name;
}

const char *series_word(const char *text, size_t size)
{
    return memchr(text, '\0', size) ? text : NULL;
}

/* Instances have whatever names the child's kernel gives them; they only must not be empty. */
const char *series_words_fault(const struct series_words *words)
{
    if (!words->sensor || !text_is_name(words->sensor, strlen(words->sensor)))
        return "a series has no name of a sensor";
    if (!words->instance || !words->instance[0])
        return "a series has no instance";
    if (!words->metric || !text_is_printable(words->metric, strlen(words->metric)))
        return "a series has no name of a metric";
    if (!words->unit || !text_is_printable(words->unit, strlen(words->unit)))
        return "a series has an unprintable unit";
    if (!words->path || !text_is_printable(words->path, strlen(words->path)))
        return "a series has an unprintable path of a node";
    return NULL;
}

struct series_name *series_name_use(struct series_name **names, const struct series_words *words)
{
    char room[WORDS_MAX];
    size_t size = put_words(room, words);
    struct series_name *name;
    HASH_FIND(hh, *names, room, (unsigned)size, name);
    if (!name) {
        name = name_new(room, size);
        if (!name)
            return NULL;
        HASH_ADD(hh, *names, words, (unsigned)size, name);
        if (!table_has(hh, name)) {
            free(name);
            return NULL;
        }
    }
    name->users++;
    return name;
}

void series_name_drop(struct series_name **names, struct series_name *name)
{
    if (--name->users > 0)
        return;
    HASH_DELETE(hh, *names, name);
    free(name);
}

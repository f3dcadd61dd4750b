/* The names of the series of all children: each once, however many have it. */
#include <stdlib.h>
#include <string.h>

#include "children/child.h"

/* "aggregate" or nothing, the sensor, the instance and the unit, each with its NUL. */
#define WORDS_MAX (sizeof SERIES_AGGREGATE + 2 * NAME_SIZE + INSTANCE_SIZE)

static char *put_word(char *at, const char *word)
{
    size_t size = strlen(word) + 1;
    memcpy(at, word, size);
    return at + size;
}

static size_t put_words(char words[WORDS_MAX], const struct message_series *message)
{
    bool is_aggregate = strcmp(message->metric, SERIES_AGGREGATE) == 0;
    char *at = put_word(words, is_aggregate ? SERIES_AGGREGATE : "");
    at = put_word(at, message->sensor);
    at = put_word(at, message->instance);
    return (size_t)(put_word(at, message->unit) - words);
}

static const char *next_word(const char *word)
{
    return word + strlen(word) + 1;
}

/* The name, the words and the end of the key, in one allocation. */
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
    name->tail.key = memcpy((char *)name + key_at, key, len * sizeof *key);
    name->tail.len = len;
    return name;
}

struct series_name *series_name_use(struct children *children, const struct message_series *message)
{
    char words[WORDS_MAX];
    size_t size = put_words(words, message);
    struct series_name *name;
    HASH_FIND(hh, children->names, words, (unsigned)size, name);
    if (!name) {
        name = name_new(words, size);
        if (!name)
            return NULL;
        HASH_ADD(hh, children->names, words, (unsigned)size, name);
        if (!table_has(hh, name)) {
            free(name);
            return NULL;
        }
    }
    name->users++;
    return name;
}

void series_name_drop(struct children *children, struct series_name *name)
{
    if (--name->users > 0)
        return;
    HASH_DELETE(hh, children->names, name);
    free(name);
}

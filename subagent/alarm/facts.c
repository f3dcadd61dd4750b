#include "alarm/facts.h"

#include <string.h>

#include "base/text.h"

/* How many octets the first character has, if it is printable; else 0. */
static size_t printable_octets(const char *text, size_t len)
{
    for (size_t n = 1; n <= len && n <= 4; n++)
        if (text_is_printable(text, n))
            return n;
    return 0;
}

void alarm_text_clean(char *text, size_t size, char instead)
{
    size_t len = strnlen(text, size - 1);
    text[len] = '\0';
    for (size_t i = 0; i < len;) {
        size_t octets = printable_octets(text + i, len - i);
        if (!octets)
            text[i] = instead;
        i += octets ? octets : 1;
    }
}

void alarm_facts_clean(struct alarm_facts *clean, const struct alarm_facts *facts)
{
    *clean = *facts;
    alarm_text_clean(clean->key, sizeof clean->key, '_');
    alarm_text_clean(clean->node, sizeof clean->node, '_');
    alarm_text_clean(clean->threshold, sizeof clean->threshold, '_');
    alarm_text_clean(clean->sensor, sizeof clean->sensor, '_');
    alarm_text_clean(clean->instance, sizeof clean->instance, '_');
    alarm_text_clean(clean->value, sizeof clean->value, '_');
    alarm_text_clean(clean->limit, sizeof clean->limit, '_');
    alarm_text_clean(clean->message, sizeof clean->message, ' ');
}

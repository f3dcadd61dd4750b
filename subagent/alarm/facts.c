#include "alarm/facts.h"

#include "base/text.h"

void alarm_facts_clean(struct alarm_facts *clean, const struct alarm_facts *facts)
{
    *clean = *facts;
    text_clean(clean->key, sizeof clean->key, '_');
    text_clean(clean->node, sizeof clean->node, '_');
    text_clean(clean->threshold, sizeof clean->threshold, '_');
    text_clean(clean->sensor, sizeof clean->sensor, '_');
    text_clean(clean->instance, sizeof clean->instance, '_');
    text_clean(clean->value, sizeof clean->value, '_');
    text_clean(clean->limit, sizeof clean->limit, '_');
    text_clean(clean->message, sizeof clean->message, ' ');
}

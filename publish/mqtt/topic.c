#include "publish/mqtt/topic.h"

#include <string.h>

#include "base/text.h"

static void add_name(struct octets *topic, const char *name)
{
    octets_add_percent(topic, name, strlen(name));
}

static void add_series(struct octets *topic, const struct line *line)
{
    add_name(topic, line->words.sensor);
    octets_add(topic, "/", 1);
    add_name(topic, line->words.instance);
    if (line->kind == LINE_VALUE)
        return;
    octets_add(topic, "/", 1);
    octets_add_text(topic, line_kind_word(line->kind));
}

void topic_add(struct octets *topic, const char *prefix, const struct line *line)
{
    octets_add_text(topic, prefix);
    octets_add(topic, "/", 1);
    add_name(topic, line->node);
    octets_add(topic, "/", 1);
    if (line->kind == LINE_ALARM || line->kind == LINE_ALARM_CLEARED) {
        octets_add_text(topic, "$alarm/");
        octets_add_unsigned(topic, line->alarm_id);
        octets_add_text(topic, "/alarm");
    } else
        add_series(topic, line);
    octets_add(topic, "", 1);
    topic->len -= topic->failed ? 0 : 1;
}

bool topic_is_prefix(const char *prefix)
{
    for (const char *at = prefix; *at;) {
        size_t step = text_utf8_length(at, strlen(at));
        if (step == 0 || (unsigned char)*at < 0x20 || *at == 0x7f)
            return false;
        at += step;
    }
    return *prefix && *prefix != '$' && !strpbrk(prefix, "+#");
}

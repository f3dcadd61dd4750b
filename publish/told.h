/* Which alarms a log has been told of. A node says of each active alarm again what it said before,
 * whenever that would be forgotten (report/feed.h), and of one that is cleared only its number: a
 * log wants each once, and by its name. Pure but for memory. */
#ifndef DCAMP_PUBLISH_TOLD_H
#define DCAMP_PUBLISH_TOLD_H

#include "publish/lines.h"

#define TOLD_MAX 100000 /* alarms; beyond, all are forgotten */

struct told;

struct told *told_new(void); /* NULL: no memory */
void told_free(struct told *told);

/* Whether a line is news, which all are but alarms that were told just so. One of an alarm that was
 * cleared gets its node, sensor and instance, if they are known; words is room for them. Without
 * memory, it is news once more. */
struct told_words {
    char sensor[NAME_SIZE], instance[INSTANCE_SIZE];
};
bool told_is_news(struct told *told, struct line *line, struct told_words *words);

#endif

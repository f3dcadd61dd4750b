/* Which alarms a log has been told of. A node says again what it said of an active alarm, whenever
 * that would be forgotten (report/feed.h), and of a cleared alarm it says only the number. A log
 * wants each alarm once, and by its name. Pure but for memory. */
#ifndef DCAMP_PUBLISH_TOLD_H
#define DCAMP_PUBLISH_TOLD_H

#include "publish/lines.h"

#define TOLD_MAX 100000 /* alarms; if there were more, all are forgotten */

struct told;

struct told *told_new(void); /* NULL: no memory */
void told_free(struct told *told);

/* Whether a line is news: all are, except alarms that were told exactly so before. The line of a
 * cleared alarm gets its node, sensor and instance, if they are known; words is room for them. If
 * memory has run out, an alarm may be news again. */
struct told_words {
    char sensor[NAME_SIZE], instance[INSTANCE_SIZE];
};
bool told_is_news(struct told *told, struct line *line, struct told_words *words);

#endif

#include "publish/refusals.h"

#include <inttypes.h>

#include "base/log.h"
#include "base/text.h"

static void format(const struct refusals *refusals, char text[SINK_ERROR_SIZE])
{
    text_format(text, SINK_ERROR_SIZE, "the server has refused %" PRIu64 " %s: %s", refusals->n,
                refusals->what, refusals->why);
    text_clean(text, SINK_ERROR_SIZE, '?');
}

void refusals_add(struct refusals *refusals, uint64_t n, const char *why, int64_t now_ms)
{
    char text[SINK_ERROR_SIZE];
    if (n == 0)
        return;
    refusals->n += n;
    refusals->last_ms = now_ms;
    text_format(refusals->why, sizeof refusals->why, "%s", why);
    if (refusals->has_said && now_ms - refusals->said_ms < REFUSALS_SAY_MS)
        return;
    refusals->has_said = true;
    refusals->said_ms = now_ms;
    format(refusals, text);
    log_warning("publish", "%s: %s", refusals->sink, text);
}

void refusals_show(const struct refusals *refusals, int64_t now_ms, char text[SINK_ERROR_SIZE])
{
    text[0] = '\0';
    if (refusals->n > 0 && now_ms - refusals->last_ms < REFUSALS_SHOWN_MS)
        format(refusals, text);
}

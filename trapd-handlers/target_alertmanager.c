/* dcamp-trap alertmanager: the HTTP API v2 of Prometheus Alertmanager. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "dcamp_mib.h"
#include "trapd-handlers/format.h"
#include "trapd-handlers/http.h"

#define PATH "/api/v2/alerts"
#define AGAIN_MAX 500 /* alerts in one request */

static struct alert_options options_of(const struct target *target)
{
    return (struct alert_options){.hold_ms = target->options->hold_ms,
                                  .labels = target->options->labels,
                                  .n_labels = target->options->n_labels};
}

static enum delivery post(struct target *target, const struct alerts *alerts)
{
    struct buffer answer = {0};
    enum delivery delivery = DELIVERY_DONE;
    if (format_alerts_count(alerts) == 0)
        return DELIVERY_DONE;
    buffer_clear(&target->text);
    format_alerts(&target->text, alerts);
    long status = http_post(target->own, target, PATH, &answer);
    if (status == 0)
        delivery = DELIVERY_LATER;
    else if (status != 200)
        delivery = http_failure(target, status, answer.at ? answer.at : "");
    buffer_release(&answer);
    return delivery;
}

/* The trap that Alertmanager got last for the alarm of traps[at], in this request or before; NULL
 * if there is none, or if it ended the alarm. */
static const struct trap *find_before(const struct target *target, const struct trap *traps,
                                      size_t at)
{
    const char *key = traps[at].text[TRAP_KEY];
    for (size_t i = at; i-- > 0;)
        if (traps[i].event != TRAP_SUPPRESSED && strcmp(traps[i].text[TRAP_KEY], key) == 0)
            return trap_is_clear(&traps[i]) ? NULL : &traps[i];
    return active_trap(target->active, key);
}

static void add(struct target *target, struct alerts *alerts, const struct trap *traps, size_t at)
{
    const struct alert_options options = options_of(target);
    const struct trap *trap = &traps[at], *before = find_before(target, traps, at);
    uint32_t was = before ? before->severity : dcampAlarmSeverity_clear;
    bool changed = before && was != trap->severity && trap->event != TRAP_SUPPRESSED;
    if (trap_is_clear(trap) || changed)
        format_alert_over(alerts, trap, was, &options);
    if (!trap_is_clear(trap))
        format_alert_firing(alerts, trap, clock_now().wall_ms, &options);
}

/* The active alarms are those that Alertmanager has taken; so if a request fails, it can be made
 * anew from the state before it. */
static enum delivery deliver_some(struct target *target, const struct trap *traps, size_t n)
{
    struct alerts *alerts = format_alerts_new();
    bool good = alerts != NULL;
    for (size_t i = 0; good && i < n; i++)
        add(target, alerts, traps, i);
    enum delivery delivery =
        good ? post(target, alerts) : target_fail(target, DELIVERY_LATER, "no memory");
    format_alerts_free(alerts);
    for (size_t i = 0; delivery == DELIVERY_DONE && i < n; i++)
        if (!active_apply(target->active, &traps[i], ""))
            log_error("alertmanager", "no memory: an alert will not be sent again");
    return delivery;
}

static enum delivery deliver(struct target *target, const struct trap *traps, size_t n,
                             size_t *done)
{
    enum delivery delivery = deliver_some(target, traps, n);
    *done = delivery == DELIVERY_DONE ? n : 0;
    if (delivery != DELIVERY_REFUSED || n == 1)
        return delivery;
    /* It refuses all of them because of one: find out which. */
    do
        delivery = deliver_some(target, &traps[*done], 1);
    while (delivery == DELIVERY_DONE && ++*done < n);
    return delivery;
}

struct again {
    struct target *target;
    struct alerts *alerts;
    int64_t now_ms;
    enum delivery delivery;
};

static bool add_again(void *context, const struct trap *trap)
{
    struct again *again = context;
    const struct alert_options options = options_of(again->target);
    if (!again->alerts)
        again->alerts = format_alerts_new();
    if (!again->alerts)
        return false;
    format_alert_firing(again->alerts, trap, again->now_ms, &options);
    if (format_alerts_count(again->alerts) < AGAIN_MAX)
        return true;
    again->delivery = post(again->target, again->alerts);
    format_alerts_free(again->alerts);
    again->alerts = NULL;
    return again->delivery == DELIVERY_DONE;
}

static enum delivery send_again(struct target *target, int64_t now_ms)
{
    struct again again = {.target = target, .now_ms = now_ms, .delivery = DELIVERY_DONE};
    active_each(target->active, add_again, &again);
    if (again.alerts && again.delivery == DELIVERY_DONE)
        again.delivery = post(target, again.alerts);
    format_alerts_free(again.alerts);
    return again.delivery;
}

static bool open_alertmanager(struct target *target)
{
    target->own = http_open(target);
    return target->own != NULL;
}

static void close_alertmanager(struct target *target)
{
    http_close(target->own);
}

const struct target_kind target_alertmanager = {.name = "alertmanager",
                                                .keeps_active = true,
                                                .batch = 100,
                                                .open = open_alertmanager,
                                                .close = close_alertmanager,
                                                .deliver = deliver,
                                                .again = send_again};

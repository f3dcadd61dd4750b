/* dcamp-trap icinga: the HTTP API of Icinga 2. */
#include <string.h>

#include "base/log.h"
#include "trapd-handlers/http.h"
#include "trapd-handlers/service.h"

#define ACTION "/v1/actions/"

/* Posts target->text to Icinga; *answer is the meaning of its answer. */
static enum delivery post(struct target *target, const char *path, enum answer *answer)
{
    struct buffer buffer = {0};
    enum delivery delivery = DELIVERY_LATER;
    const char *url = target->options->url;
    long status = http_post(target->own, target, path, &buffer);
    const char *body = buffer.at ? buffer.at : "";
    *answer = status ? format_icinga_answer(body, buffer.len) : ANSWER_NONSENSE;
    if (*answer == ANSWER_NOTHING || (*answer == ANSWER_REFUSED && status == 200))
        delivery = target_fail(target, DELIVERY_REFUSED, "%s: %.200s", url, body);
    else if (*answer == ANSWER_FORBIDDEN)
        target_fail(target, DELIVERY_LATER, "%s: %.200s", url, body);
    else if (status != 0 && status != 200)
        delivery = http_failure(target, status, body);
    else if (*answer == ANSWER_TAKEN)
        delivery = DELIVERY_DONE;
    else if (status == 200)
        target_fail(target, DELIVERY_LATER, "%s: answers nonsense: %.200s", url, body);
    buffer_release(&buffer);
    return delivery;
}

static enum delivery post_result(struct target *target)
{
    enum answer answer;
    return post(target, ACTION "process-check-result", &answer);
}

/* Posts what makes Icinga notify. It does not matter if its filter finds nothing. Nor does the
 * result wait if it is forbidden: then refused is set. */
static enum delivery post_telling(struct target *target, const char *path, bool *refused)
{
    enum answer answer;
    enum delivery delivery = post(target, path, &answer);
    if (answer == ANSWER_NOTHING)
        return DELIVERY_DONE;
    if (answer != ANSWER_FORBIDDEN && delivery != DELIVERY_REFUSED)
        return delivery;
    *refused = true;
    return DELIVERY_DONE;
}

static enum delivery unacknowledge(struct target *target, const struct service_result *result,
                                   bool *refused)
{
    if (result->telling != TELL_NEWS)
        return DELIVERY_DONE;
    buffer_clear(&target->text);
    format_icinga_unacknowledge(&target->text, result);
    return post_telling(target, ACTION "remove-acknowledgement", refused);
}

static enum delivery tell(struct target *target, const struct service_result *result, bool *refused)
{
    if (result->telling == TELL_STATE)
        return DELIVERY_DONE;
    buffer_clear(&target->text);
    format_icinga_tell(&target->text, result);
    return post_telling(target, ACTION "delay-notification", refused);
}

static enum delivery post_service(struct target *target, struct service *service,
                                  const struct trap *trap)
{
    const struct service_result *result = &service->result;
    bool refused = false;
    if (!service_take(service, target->active, trap))
        return target_fail(target, DELIVERY_LATER, "no memory");
    enum delivery delivery = unacknowledge(target, result, &refused);
    if (delivery == DELIVERY_DONE) {
        buffer_clear(&target->text);
        format_icinga(&target->text, trap, result);
        delivery = post_result(target);
    }
    if (delivery == DELIVERY_DONE)
        delivery = tell(target, result, &refused);
    if (delivery == DELIVERY_DONE && refused)
        log_warning("icinga",
                    "Icinga may not notify of what \"%s\" of host \"%s\" is told: has the API user "
                    "actions/remove-acknowledgement and actions/delay-notification?",
                    result->service, result->host);
    return delivery;
}

static enum delivery deliver_one(struct target *target, const struct trap *trap)
{
    struct service service = {0};
    const struct options *options = target->options;
    enum delivery delivery = DELIVERY_REFUSED;
    for (int attempt = 0; delivery == DELIVERY_REFUSED &&
                          service_choose(&service, options, target->active, trap, attempt);
         attempt++)
        delivery = post_service(target, &service, trap);
    bool of_host = trap->event == TRAP_LOST || trap->event == TRAP_JOINED;
    if (delivery == DELIVERY_DONE && options->host_check && of_host) {
        buffer_clear(&target->text);
        format_icinga_host(&target->text, trap, service.result.host);
        delivery = post_result(target);
    }
    service_release(&service);
    return delivery;
}

static enum delivery deliver(struct target *target, const struct trap *traps, size_t n,
                             size_t *done)
{
    return target_deliver_each(target, deliver_one, traps, n, done);
}

static bool open_icinga(struct target *target)
{
    target->own = http_open(target);
    return target->own != NULL;
}

static void close_icinga(struct target *target)
{
    http_close(target->own);
}

const struct target_kind target_icinga = {.name = "icinga",
                                          .keeps_active = true,
                                          .batch = 1,
                                          .open = open_icinga,
                                          .close = close_icinga,
                                          .deliver = deliver};

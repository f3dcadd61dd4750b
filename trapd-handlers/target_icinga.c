/* dcamp-trap icinga: the HTTP API of Icinga 2. */
#include <string.h>

#include "trapd-handlers/http.h"
#include "trapd-handlers/service.h"

#define PATH "/v1/actions/process-check-result"

static enum delivery post(struct target *target)
{
    struct buffer answer = {0};
    enum delivery delivery = DELIVERY_DONE;
    long status = http_post(target->own, target, PATH, &answer);
    const char *body = answer.at ? answer.at : "";
    if (status == 0) {
        delivery = DELIVERY_LATER;
    } else if (status != 200) {
        delivery = http_failure(target, status, body);
    } else {
        enum answer said = format_icinga_answer(body, answer.len);
        if (said == ANSWER_REFUSED)
            delivery =
                target_fail(target, DELIVERY_REFUSED, "%s: %.200s", target->options->url, body);
        if (said == ANSWER_NONSENSE)
            delivery = target_fail(target, DELIVERY_LATER, "%s: answers nonsense: %.200s",
                                   target->options->url, body);
    }
    buffer_release(&answer);
    return delivery;
}

static enum delivery post_result(struct target *target, struct service *service,
                                 const struct trap *trap)
{
    if (!service_take(service, target->active, trap))
        return target_fail(target, DELIVERY_LATER, "no memory");
    buffer_clear(&target->text);
    format_icinga(&target->text, trap, &service->result);
    return post(target);
}

static enum delivery deliver_one(struct target *target, const struct trap *trap)
{
    struct service service = {0};
    const struct options *options = target->options;
    enum delivery delivery = DELIVERY_REFUSED;
    for (int attempt = 0; delivery == DELIVERY_REFUSED &&
                          service_choose(&service, options, target->active, trap, attempt);
         attempt++)
        delivery = post_result(target, &service, trap);
    bool of_host = trap->event == TRAP_LOST || trap->event == TRAP_JOINED;
    if (delivery == DELIVERY_DONE && options->host_check && of_host) {
        buffer_clear(&target->text);
        format_icinga_host(&target->text, trap, service.result.host);
        delivery = post(target);
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

#include "tree/directing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

/* How many parts wait in memory: further ones are added when these have been sent. */
#define PARTS_AT_ONCE 2

int directing_open(struct directing *directing, const char *const *options)
{
    *directing = (struct directing){.setup.options = options};
    directing->setup.epoll = epoll_create1(EPOLL_CLOEXEC);
    poller_init(&directing->process, &directing->setup, PROCESS_DIRECTOR, 0);
    return directing->setup.epoll < 0 ? errno : 0;
}

/* Without a document there is nothing to direct. */
static void forget_document(struct directing *directing)
{
    free(directing->text);
    directing->text = NULL;
    directing->tells = directing->dissolves = directing->dissolve_told = false;
    directing->process.wanted = false;
}

void directing_close(struct directing *directing)
{
    struct poller_process *process = &directing->process;
    poller_end_all(&process, 1);
    forget_document(directing);
    if (directing->setup.epoll >= 0)
        close(directing->setup.epoll);
    directing->setup.epoll = -1;
}

int directing_fd(const struct directing *directing)
{
    return directing->setup.epoll;
}

/* -- The document --------------------------------------------------------------------------- */

static void tell_anew(struct directing *directing)
{
    directing->told = 0;
    directing->tells = directing->text != NULL;
    directing->dissolve_told = false;
}

int directing_begin(struct directing *directing, const struct directing_order *order,
                    const char *text, size_t length)
{
    if (length > TREE_DOCUMENT_MAX)
        return E2BIG;
    char *copy = malloc(length + 1);
    if (!copy)
        return ENOMEM;
    memcpy(copy, text, length);
    copy[length] = '\0';
    /* A process that is already dissolving the tree begins anew. */
    directing->process.outdated |= directing->dissolve_told;
    free(directing->text);
    directing->text = copy;
    directing->length = (uint32_t)length;
    directing->order = *order;
    directing->dissolves = false;
    directing->process.wanted = true;
    tell_anew(directing);
    return 0;
}

void directing_end(struct directing *directing, const char *root, uint64_t now_ns)
{
    const struct directing_order *order = &directing->order;
    if (!directing->text || directing->dissolves)
        return;
    if (strcmp(order->root, order->self) != 0 || strcmp(root, order->self) != 0) {
        forget_document(directing);
        return;
    }
    log_info("tree", "all nodes are to become base nodes again");
    directing->dissolves = true;
    directing->dissolve_ns = now_ns + DIRECTING_DISSOLVE_NS;
}

void directing_done(struct directing *directing)
{
    if (!directing->dissolves)
        return;
    log_info("tree", "the tree is dissolved");
    forget_document(directing);
}

/* -- The process ---------------------------------------------------------------------------- */

void directing_blame(struct directing *directing)
{
    directing->process.fault = "said what is no message";
}

bool directing_has_begun(struct directing *directing)
{
    bool begun = directing->process.begun;
    directing->process.begun = false;
    if (begun)
        tell_anew(directing);
    return begun;
}

bool directing_has_ended(struct directing *directing)
{
    bool ended = directing->process.ended;
    directing->process.ended = false;
    return ended;
}

bool directing_receive(struct directing *directing, void *packet, size_t *used, uint64_t now_ns)
{
    return poller_receive(&directing->process, packet, used, now_ns);
}

void directing_known(struct directing *directing, const char *address, const char *group)
{
    struct tree_message_known known = {
        .head = {.kind = TREE_MESSAGE_KNOWN, .length = sizeof known}};
    text_format(known.address, sizeof known.address, "%s", address);
    text_format(known.group, sizeof known.group, "%s", group);
    poller_queue(&directing->process, &known.head);
}

/* False: no memory; then the process must begin anew. */
static bool tell_part(struct directing *directing)
{
    uint32_t rest = directing->length - directing->told;
    uint32_t n = rest < TREE_PART_MAX ? rest : TREE_PART_MAX;
    struct tree_message_document *part = malloc(sizeof *part + n);
    if (!part)
        return false;
    const struct directing_order *order = &directing->order;
    *part = (struct tree_message_document){
        .head = {.kind = TREE_MESSAGE_DOCUMENT, .length = (uint32_t)sizeof *part + n},
        .term = order->term,
        .epoch = order->epoch,
        .length = directing->length,
        .offset = directing->told,
        .n = n};
    memcpy(part->self, order->self, sizeof part->self);
    memcpy(part->root, order->root, sizeof part->root);
    memcpy(part->digest, order->digest, sizeof part->digest);
    memcpy(part->text, directing->text + directing->told, n);
    poller_queue(&directing->process, &part->head);
    free(part);
    directing->told += n;
    directing->tells = directing->told < directing->length;
    return true;
}

/* True: there is something new to send, or the process must end. */
static bool tell(struct directing *directing)
{
    struct poller_process *process = &directing->process;
    size_t queued = process->queued;
    while (directing->tells && !process->fault && process->queued < PARTS_AT_ONCE)
        if (!tell_part(directing))
            process->fault = "cannot be told the tree document for want of memory";
    if (directing->dissolves && !directing->tells && !directing->dissolve_told) {
        const struct message message = {TREE_MESSAGE_DISSOLVE, sizeof message};
        poller_queue(process, &message);
        directing->dissolve_told = true;
    }
    return process->queued > queued || process->fault;
}

static uint64_t watch_dissolving(struct directing *directing, uint64_t now_ns)
{
    if (!directing->dissolves)
        return UINT64_MAX;
    if (now_ns < directing->dissolve_ns)
        return directing->dissolve_ns;
    log_error("tree",
              "the director has not reached all nodes within %d s: some go on working by "
              "their last share",
              (int)(DIRECTING_DISSOLVE_NS / NS_PER_S));
    forget_document(directing);
    return UINT64_MAX;
}

uint64_t directing_step(struct directing *directing, uint64_t now_ns)
{
    uint64_t dissolve_due = watch_dissolving(directing, now_ns);
    uint64_t due = poller_step(&directing->process, now_ns);
    while (directing->process.state == POLLER_RUNNING && !directing->process.begun &&
           tell(directing))
        due = poller_step(&directing->process, now_ns);
    return dissolve_due < due ? dissolve_due : due;
}

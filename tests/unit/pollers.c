#include "pollers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answers.h"
#include "base/text.h"
#include "rings.h"
#include "unit.h"

/* -- The other process ----------------------------------------------------------------------- */

static void say_raw(const void *octets, size_t length)
{
    if (send(POLLER_FD, octets, length, 0) != (ssize_t)length)
        _exit(9);
}

static void say(const struct message *message)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    size_t used = 0;
    if (!message_put(packet, &used, message))
        _exit(7);
    say_raw(packet, used);
}

void fake_poller_says(uint32_t id, const char *text)
{
    struct message_silent silent = {.head = {.kind = MESSAGE_SILENT, .length = sizeof silent},
                                    .id = id,
                                    .failure = POLL_TIMEOUT,
                                    .in_a_row = 1};
    snprintf(silent.text, sizeof silent.text, "%s", text);
    say(&silent.head);
}

static void say_descriptors(uint32_t id)
{
    char text[128] = "";
    for (int fd = 0; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", fd);
    fake_poller_says(id, text);
}

/* The signals that are blocked, and whether its process group is its own. */
static void say_signals(uint32_t id)
{
    char text[128] = "";
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int signal = 1; signal < 32; signal++)
        if (sigismember(&blocked, signal))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", signal);
    snprintf(text + strlen(text), sizeof text - strlen(text), "group of its %s",
             getpgrp() == getpid() ? "own" : "parent");
    fake_poller_says(id, text);
}

/* One block in which series 1 is 42. */
static void say_block(uint32_t id)
{
    struct report_ring *ring = ring_new(7);
    struct answer *answer = answer_new(id, 7);
    ring_value(ring, 1, 42);
    const struct report_block *block = (struct report_block *)index_first(&ring->index);
    answer_add(answer, 1, block->bytes, block->len);
    say(&answer->head.head);
    free(answer);
    ring_free(ring);
}

static void on_child(const struct message_child *child, const char *credentials, const char *fault)
{
    const char *how = child->credential;
    if (strcmp(how, "dies") == 0)
        _exit(3);
    if (strcmp(how, "aborts") == 0)
        raise(SIGKILL);
    if (strcmp(how, "freezes") == 0)
        raise(SIGSTOP);
    if (strcmp(how, "sleeps") == 0)
        sleep(100);
    if (strcmp(how, "descriptors") == 0)
        say_descriptors(child->id);
    if (strcmp(how, "credentials") == 0)
        fake_poller_says(child->id, credentials);
    if (strcmp(how, "fault") == 0)
        fake_poller_says(child->id, fault);
    if (strcmp(how, "signals") == 0)
        say_signals(child->id);
    if (strcmp(how, "echoes") == 0)
        fake_poller_says(child->id, child->address);
    if (strcmp(how, "blocks") == 0)
        say_block(child->id);
    if (strcmp(how, "garbage") == 0)
        say_raw("garbage that is no message at all", 33);
}

static void on_look_up(const struct message_look_up *ask)
{
    for (uint32_t i = 0; i < ask->n; i++) {
        struct message_series series = {.head = {.kind = MESSAGE_SERIES},
                                        .id = ask->id,
                                        .report_boot = 7,
                                        .series = ask->series[i],
                                        .exists = true,
                                        .sensor = "load",
                                        .instance = "total",
                                        .metric = "load.1",
                                        .unit = "tasks"};
        series.head.length = message_series_length(&series);
        say(&series.head);
    }
}

int fake_poller(void)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    char credentials[128] = "", fault[CREDENTIAL_FAULT_SIZE] = "";
    ssize_t n;
    while ((n = recv(POLLER_FD, packet, sizeof packet, 0)) > 0) {
        size_t at = 0;
        const struct message *message;
        while ((message = message_next(packet, (size_t)n, &at))) {
            const struct usm_credential *c =
                &((const struct message_credential *)message)->credential;
            size_t used = strlen(credentials);
            if (message->kind == MESSAGE_CREDENTIAL)
                memcpy(fault, c->fault, sizeof fault);
            if (message->kind == MESSAGE_CREDENTIAL)
                text_format(credentials + used, sizeof credentials - used, "%s=%s/%s/%s/%d%d ",
                            c->name, c->user, c->auth_secret, c->priv_secret, c->auth, c->priv);
            if (message->kind == MESSAGE_CHILD)
                on_child((const struct message_child *)message, credentials, fault);
            if (message->kind == MESSAGE_FORGET)
                fake_poller_says(1, "forgotten");
            if (message->kind == MESSAGE_LOOK_UP)
                on_look_up((const struct message_look_up *)message);
        }
        if (at != (size_t)n)
            return 8;
    }
    return 0;
}

int fake_listener(const char *address)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    ssize_t n;
    fake_poller_says(1, address);
    while ((n = recv(POLLER_FD, packet, sizeof packet, 0)) > 0) {
        size_t at = 0;
        const struct message *message;
        while ((message = message_next(packet, (size_t)n, &at)))
            fake_poller_says(1, message->kind == MESSAGE_SENDER       ? "a sender"
                                : message->kind == MESSAGE_FORGET     ? "forgotten"
                                : message->kind == MESSAGE_CREDENTIAL ? "a credential"
                                                                      : "what is not for it");
    }
    return 0;
}

/* -- Processes ------------------------------------------------------------------------------- */

bool pollers_send_child(struct pollers *pollers, uint32_t id, const char *how)
{
    struct message_child child = {.head = {.kind = MESSAGE_CHILD, .length = sizeof child},
                                  .id = id};
    snprintf(child.credential, sizeof child.credential, "%s", how);
    snprintf(child.address, sizeof child.address, "child %u", id);
    return pollers_send(pollers, id, &child.head);
}

void pollers_send_forget(struct pollers *pollers, uint32_t id)
{
    struct message_forget forget = {.head = {.kind = MESSAGE_FORGET, .length = sizeof forget},
                                    .id = id};
    pollers_send(pollers, id, &forget.head);
}

/* Waits for a packet, on a clock of the test's own. */
static const struct message *pollers_hear(struct pollers *pollers, uint64_t now_ns)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    size_t used = 0, at = 0;
    for (int i = 0; i < 400; i++) {
        struct pollfd fd = {.fd = pollers_fd(pollers), .events = POLLIN};
        if (pollers_receive(pollers, packet, &used, now_ns))
            return message_next(packet, used, &at);
        pollers_step(pollers, now_ns);
        poll(&fd, 1, 50);
    }
    fail_msg("nothing was heard");
    return NULL;
}

const char *pollers_hear_text(struct pollers *pollers, uint64_t now_ns)
{
    const struct message *message = pollers_hear(pollers, now_ns);
    assert_non_null(message);
    assert_int_equal(message->kind, MESSAGE_SILENT);
    return ((const struct message_silent *)message)->text;
}

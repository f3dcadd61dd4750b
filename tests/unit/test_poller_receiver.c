/* The receiver as the core sees it: one more process beside the pollers. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "pollers.h"
#include "unit.h"

/* What it hears of the children, it says; and where it listens, to begin with. */
static int fake_receiver(const char *address)
{
    static uint64_t packet[MESSAGE_PACKET_MAX / 8];
    ssize_t n;
    fake_poller_says(1, address);
    while ((n = recv(POLLER_FD, packet, sizeof packet, 0)) > 0) {
        size_t at = 0;
        const struct message *message;
        while ((message = message_next(packet, (size_t)n, &at))) {
            if (message->kind == MESSAGE_SENDER)
                fake_poller_says(1, ((const struct message_sender *)message)->credential);
            if (message->kind == MESSAGE_FORGET)
                fake_poller_says(1, "forgotten");
        }
    }
    return 0;
}

static void send_sender(struct pollers *pollers, uint32_t id, const char *credential)
{
    struct message_sender sender = {.head = {.kind = MESSAGE_SENDER, .length = sizeof sender},
                                    .id = id};
    snprintf(sender.credential, sizeof sender.credential, "%s", credential);
    pollers_send(pollers, id, &sender.head);
}

static void a_receiver(void **state)
{
    (void)state;
    struct pollers *pollers = pollers_new(NULL);
    assert_int_equal(pollers_listen(pollers, ""), 0);
    assert_int_equal(pollers_step(pollers, 1), UINT64_MAX); /* nobody is needed */
    send_sender(pollers, 1, "nobody hears this");
    assert_int_equal(pollers_listen(pollers, "here"), 0);
    pollers_step(pollers, 1);
    struct poller_process *receiver = pollers_begun(pollers);
    assert_true(poller_receives(receiver));
    assert_string_equal(pollers_hear_text(pollers, 1), "here");
    send_sender(pollers, 1, "lab");
    assert_string_equal(pollers_hear_text(pollers, 1), "lab");
    pollers_send_child(pollers, 1, ""); /* is for a poller, which is another one */
    pollers_step(pollers, 1);
    struct poller_process *poller = pollers_begun(pollers);
    assert_false(poller_receives(poller));
    assert_true(poller_has(poller, 1));
    assert_false(poller_has(receiver, 1));
    pollers_send_forget(pollers, 2); /* which is in no poller */
    assert_string_equal(pollers_hear_text(pollers, 1), "forgotten");
    /* Elsewhere: it begins anew there, after a while. The same place is no news. */
    assert_int_equal(pollers_listen(pollers, "here"), 0);
    pollers_step(pollers, 2);
    assert_null(pollers_ended(pollers));
    assert_int_equal(pollers_listen(pollers, "there"), 0);
    pollers_step(pollers, 2);
    assert_ptr_equal(pollers_ended(pollers), receiver);
    siginfo_t gone; /* the while begins when its end is seen */
    assert_int_equal(waitid(P_ALL, 0, &gone, WEXITED | WNOWAIT), 0);
    for (int i = 0; i < 100; i++, poll(NULL, 0, 1))
        pollers_step(pollers, 3);
    assert_null(pollers_begun(pollers));
    assert_string_equal(pollers_hear_text(pollers, 60 * NS_PER_S), "there");
    assert_ptr_equal(pollers_begun(pollers), receiver);
    assert_int_equal(pollers_listen(pollers, ""), 0);
    pollers_step(pollers, 61 * NS_PER_S);
    assert_ptr_equal(pollers_ended(pollers), receiver);
    pollers_free(pollers);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--poller") == 0)
        return fake_poller();
    if (argc > 2 && strcmp(argv[1], "--receiver") == 0)
        return fake_receiver(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receiver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

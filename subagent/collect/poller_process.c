#include "collect/poller_process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/spawn.h"
#include "base/text.h"
#include "snmpv3/secrets.h"

#define OPTIONS_MAX 8

static const struct {
    const char *name;
    const char *option;    /* the option that makes a dcampd one of them */
    const char *subsystem; /* in the log */
} types[] = {
    [PROCESS_POLLER] = {"poller", "--poller", "collect"},
    [PROCESS_RECEIVER] = {"receiver", "--receiver", "collect"},
    [PROCESS_DIRECTOR] = {"director", "--director", "tree"},
};

void poller_init(struct poller_process *poller, const struct poller_setup *setup,
                 enum process_kind kind, unsigned number)
{
    *poller = (struct poller_process){.setup = setup, .kind = kind, .fd = -1};
    if (number > 0)
        text_format(poller->name, sizeof poller->name, "%s %u", types[kind].name, number);
    else
        text_format(poller->name, sizeof poller->name, "%s", types[kind].name);
    TAILQ_INIT(&poller->queue);
}

/* -- The queue ------------------------------------------------------------------------------ */

static void drop_packet(struct poller_process *poller)
{
    struct queued_packet *packet = TAILQ_FIRST(&poller->queue);
    TAILQ_REMOVE(&poller->queue, packet, link);
    poller->queued--;
    explicit_bzero(packet->bytes, packet->used);
    free(packet);
}

static void drop_queue(struct poller_process *poller)
{
    while (!TAILQ_EMPTY(&poller->queue))
        drop_packet(poller);
    poller->waits = 0;
}

static const char takes_nothing[] = "does not take what it is told";

static bool put_behind_last(struct poller_process *poller, const struct message *message)
{
    struct queued_packet *last = TAILQ_LAST(&poller->queue, queued_packets);
    return last && message_put(last->bytes, &last->used, message);
}

static void put_in_new(struct poller_process *poller, const struct message *message)
{
    struct queued_packet *packet =
        poller->queued < POLLER_QUEUE_MAX ? malloc(sizeof *packet) : NULL;
    if (!packet) {
        poller->fault = takes_nothing;
        return;
    }
    packet->used = 0;
    message_put(packet->bytes, &packet->used, message);
    TAILQ_INSERT_TAIL(&poller->queue, packet, link);
    poller->queued++;
}

void poller_queue(struct poller_process *poller, const struct message *message)
{
    if (!put_behind_last(poller, message))
        put_in_new(poller, message);
}

bool poller_offer(struct poller_process *poller, uint32_t id, const struct message *message)
{
    if (put_behind_last(poller, message))
        return true;
    if (poller->queued < POLLER_PORTION) {
        put_in_new(poller, message);
        return true;
    }
    if (poller->waits == 0 || id < poller->waits)
        poller->waits = id;
    return false;
}

uint32_t poller_waiting(struct poller_process *poller)
{
    uint32_t waits = poller->queued < POLLER_PORTION ? poller->waits : 0;
    if (waits)
        poller->waits = 0;
    return waits;
}

bool poller_is_wanted(const struct poller_process *poller)
{
    switch (poller->kind) {
    case PROCESS_RECEIVER:
        return poller->setup->listen[0] != '\0';
    case PROCESS_DIRECTOR:
        return poller->wanted;
    default:
        return poller->load.children > 0;
    }
}

/* -- One process ---------------------------------------------------------------------------- */

static void watch_socket(struct poller_process *poller, int operation, bool writable)
{
    struct epoll_event event = {.events = writable ? EPOLLIN | EPOLLOUT : EPOLLIN,
                                .data.ptr = poller};
    epoll_ctl(poller->setup->epoll, operation, poller->fd, &event);
    poller->writable_asked = writable;
}

static const char *subsystem(const struct poller_process *poller)
{
    return types[poller->kind].subsystem;
}

static int spawn_process(struct poller_process *poller)
{
    const struct poller_setup *setup = poller->setup;
    const char *argv[OPTIONS_MAX + 4] = {"dcampd", types[poller->kind].option};
    size_t n = 2;
    if (poller->kind == PROCESS_RECEIVER)
        argv[n++] = setup->listen;
    for (size_t i = 0; setup->options && setup->options[i] && i < OPTIONS_MAX; i++)
        argv[n++] = setup->options[i];
    return spawn_with_socket("/proc/self/exe", argv, POLLER_FD, &poller->pid, &poller->fd);
}

/* The reason stands at the end, so the beginning of a long text is left out. */
static void put_fault(char fault[CREDENTIAL_FAULT_SIZE], const char *error)
{
    size_t len = strlen(error), room = CREDENTIAL_FAULT_SIZE - 1;
    if (len <= room)
        text_format(fault, CREDENTIAL_FAULT_SIZE, "%s", error);
    else
        text_format(fault, CREDENTIAL_FAULT_SIZE, "...%s", error + len - (room - 3));
}

static void tell_credential(struct poller_process *poller, const struct credential_source *source,
                            bool complain)
{
    char error[512];
    struct message_credential message = {
        .head = {.kind = MESSAGE_CREDENTIAL, .length = sizeof message},
        .credential = {.auth = source->auth, .priv = source->priv},
    };
    struct usm_credential *credential = &message.credential;
    memcpy(credential->name, source->name, sizeof credential->name);
    memcpy(credential->user, source->user, sizeof credential->user);
    bool good = !source->secrets[0] || secrets_read(source->secrets, credential, error);
    if (!good && complain)
        log_error("collect", "credential \"%s\": %s", source->name, error);
    if (!good)
        put_fault(credential->fault, error);
    poller_queue(poller, &message.head);
    explicit_bzero(&message, sizeof message);
}

void poller_tell_credentials(struct poller_process *poller, bool complain)
{
    const struct poller_setup *setup = poller->setup;
    for (size_t i = 0; i < setup->n_credentials; i++)
        tell_credential(poller, &setup->credentials[i], complain);
}

/* Each start is delayed longer than the one before, unless the process lasted. */
static void postpone(struct poller_process *poller, uint64_t now_ns)
{
    if (now_ns - poller->began_ns >= POLLER_BACKOFF_MAX_NS || poller->backoff_ns == 0)
        poller->backoff_ns = POLLER_BACKOFF_MIN_NS;
    poller->due_ns = now_ns + poller->backoff_ns;
    poller->backoff_ns *= 2;
    if (poller->backoff_ns > POLLER_BACKOFF_MAX_NS)
        poller->backoff_ns = POLLER_BACKOFF_MAX_NS;
}

static void start_process(struct poller_process *poller, uint64_t now_ns)
{
    int code = spawn_process(poller);
    if (code) {
        poller->began_ns = now_ns;
        postpone(poller, now_ns);
        log_error(subsystem(poller), "%s cannot be started: %s", poller->name, strerror(code));
        return;
    }
    poller->state = POLLER_RUNNING;
    poller->began_ns = now_ns;
    poller->heard = (struct poller_sign){now_ns, 0};
    poller->taken = (struct poller_sign){0, 0};
    poller->fault = NULL;
    poller->dismissed = poller->outdated = false;
    poller->begun = true;
    watch_socket(poller, EPOLL_CTL_ADD, false);
    poller_tell_credentials(poller, true);
    log_info(subsystem(poller), "%s is process %d", poller->name, (int)poller->pid);
}

void poller_hang_up(struct poller_process *poller, uint64_t now_ns)
{
    close(poller->fd);
    poller->fd = -1;
    poller->state = POLLER_ENDING;
    poller->due_ns = now_ns + POLLER_KILL_NS;
    poller->begun = false;
    poller->ended = true;
    drop_queue(poller);
}

static void log_end(const struct poller_process *poller, int status)
{
    int pid = (int)poller->pid;
    if (poller->fault)
        return; /* it was logged already */
    if (poller->dismissed)
        log_info(subsystem(poller), "%s (process %d) has ended: it is not needed any more",
                 poller->name, pid);
    else if (WIFSIGNALED(status))
        log_error(subsystem(poller), "%s (process %d) was ended by signal %d (%s)", poller->name,
                  pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        log_error(subsystem(poller), "%s (process %d) has ended with exit status %d", poller->name,
                  pid, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void reap_process(struct poller_process *poller, uint64_t now_ns)
{
    int status = 0;
    pid_t pid = waitpid(poller->pid, &status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR)) {
        if (now_ns >= poller->due_ns)
            kill(poller->pid, SIGKILL);
        return;
    }
    log_end(poller, status);
    poller->state = POLLER_IDLE;
    postpone(poller, now_ns);
}

/* taken: the process has taken something of what waits for it. */
static void note_taken(struct poller_process *poller, bool taken, uint64_t now_ns)
{
    if (poller->queued == 0)
        poller->taken = (struct poller_sign){0, 0};
    else if (taken || poller->taken.last_ns == 0)
        poller->taken = (struct poller_sign){now_ns, 0};
}

static void flush_queue(struct poller_process *poller, uint64_t now_ns)
{
    struct queued_packet *packet;
    size_t queued = poller->queued;
    bool full = false;
    while (!full && (packet = TAILQ_FIRST(&poller->queue))) {
        ssize_t sent = send(poller->fd, packet->bytes, packet->used, MSG_DONTWAIT | MSG_NOSIGNAL);
        full = sent < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == EINTR);
        if (sent < 0 && !full)
            return poller_hang_up(poller, now_ns);
        if (!full)
            drop_packet(poller);
    }
    if (full != poller->writable_asked)
        watch_socket(poller, EPOLL_CTL_MOD, full);
    note_taken(poller, poller->queued < queued, now_ns);
}

/* Returns when the process is to be looked at again. missing: what is wrong with it if the sign is
 * missing. */
static uint64_t check_sign(struct poller_process *poller, struct poller_sign *sign,
                           const char *missing, uint64_t now_ns)
{
    if (sign->last_ns == 0)
        return UINT64_MAX;
    if (sign->doubted_ns == 0 && now_ns >= sign->last_ns + POLLER_SILENT_NS)
        sign->doubted_ns = now_ns;
    if (sign->doubted_ns == 0)
        return sign->last_ns + POLLER_SILENT_NS;
    if (now_ns >= sign->doubted_ns + POLLER_CHANCE_NS)
        poller->fault = missing;
    return sign->doubted_ns + POLLER_CHANCE_NS;
}

static uint64_t check_signs(struct poller_process *poller, uint64_t now_ns)
{
    uint64_t taken_ns = check_sign(poller, &poller->taken, takes_nothing, now_ns);
    uint64_t heard_ns =
        check_sign(poller, &poller->heard, "is alive but silent: it is stopped, or hangs", now_ns);
    return taken_ns < heard_ns ? taken_ns : heard_ns;
}

static void end_process(struct poller_process *poller, uint64_t now_ns)
{
    if (poller->fault) {
        log_error(subsystem(poller), "%s (process %d) %s; it is killed and started anew",
                  poller->name, (int)poller->pid, poller->fault);
        kill(poller->pid, SIGKILL);
    }
    poller->dismissed = !poller->fault;
    poller_hang_up(poller, now_ns);
}

static bool is_to_end(const struct poller_process *poller)
{
    return poller->fault || poller->outdated || !poller_is_wanted(poller);
}

/* Returns when the process is to be looked at again. */
static uint64_t step_running(struct poller_process *poller, uint64_t now_ns)
{
    uint64_t due = UINT64_MAX;
    if (!is_to_end(poller))
        flush_queue(poller, now_ns);
    if (poller->state == POLLER_RUNNING)
        due = check_signs(poller, now_ns);
    if (poller->state == POLLER_RUNNING && is_to_end(poller))
        end_process(poller, now_ns);
    return due;
}

uint64_t poller_step(struct poller_process *poller, uint64_t now_ns)
{
    if (poller->state == POLLER_IDLE && poller_is_wanted(poller) && now_ns >= poller->due_ns)
        start_process(poller, now_ns);
    uint64_t sign_ns = UINT64_MAX;
    if (poller->state == POLLER_RUNNING)
        sign_ns = step_running(poller, now_ns);
    if (poller->state == POLLER_ENDING)
        reap_process(poller, now_ns);
    if (poller->state == POLLER_RUNNING)
        return sign_ns;
    if (poller->state == POLLER_ENDING)
        return now_ns + POLLER_REAP_NS;
    return poller->state == POLLER_IDLE && poller_is_wanted(poller) ? poller->due_ns : UINT64_MAX;
}

bool poller_receive(struct poller_process *poller, void *packet, size_t *used, uint64_t now_ns)
{
    if (poller->state != POLLER_RUNNING)
        return false;
    ssize_t n = recv(poller->fd, packet, MESSAGE_PACKET_MAX, MSG_DONTWAIT);
    if (n > 0) {
        *used = (size_t)n;
        poller->heard = (struct poller_sign){now_ns, 0};
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        poller_hang_up(poller, now_ns);
    return false;
}

/* -- The end -------------------------------------------------------------------------------- */

static bool all_gone(struct poller_process *const *all, size_t n)
{
    bool gone = true;
    for (size_t i = 0; i < n; i++) {
        if (all[i]->state == POLLER_ENDING && waitpid(all[i]->pid, NULL, WNOHANG) != 0)
            all[i]->state = POLLER_IDLE;
        gone &= all[i]->state == POLLER_IDLE;
    }
    return gone;
}

void poller_end_all(struct poller_process *const *all, size_t n)
{
    const struct timespec pause = {.tv_nsec = POLLER_REAP_NS};
    for (size_t i = 0; i < n; i++)
        if (all[i]->state == POLLER_RUNNING)
            poller_hang_up(all[i], 0);
    for (uint64_t waited = 0; !all_gone(all, n) && waited < POLLER_KILL_NS;
         waited += POLLER_REAP_NS)
        nanosleep(&pause, NULL);
    for (size_t i = 0; i < n; i++) {
        if (all[i]->state != POLLER_ENDING)
            continue;
        kill(all[i]->pid, SIGKILL);
        waitpid(all[i]->pid, NULL, 0);
    }
}

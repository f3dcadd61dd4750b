/* Stands in for the core of a node: runs a director, tells it what standard input says, and prints
 * what comes.
 *
 *   director-driver SELF FILE       SELF: the name of the node, FILE: the tree document
 *
 * Input, one line each:
 *   document TERM EPOCH ROOT    the order of the document, which is read anew
 *   dissolve
 * With the end of the input, or after a line "end", the director is told to end, too.
 *
 * Output, one line each:
 *   pid PID                     of the director
 *   row NAME STATE ROLE PARENT LEVEL TERM EPOCH SERIAL [ERROR]      parent "-": none
 *   gone NAME
 *   role root|standby TERM SERIAL ROOT|- REASON
 *   log LEVEL TEXT
 *   done
 *   exit STATUS */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "director/director.h"
#include "tree/message.h"

static const char *const states[] = {[TREE_UNKNOWN] = "unknown", [TREE_UNREACHABLE] = "unreachable",
                                     [TREE_JOINING] = "joining", [TREE_UP] = "up",
                                     [TREE_LOST] = "lost",       [TREE_REFUSED] = "refused",
                                     [TREE_CLONE] = "clone",     [TREE_STOPPING] = "stopping"};
static const char *const roles[] = {"base", "metric", "collector", "root"};

struct driver {
    int fd;
    const char *self, *file;
    char text[TREE_DOCUMENT_MAX];
    size_t length;
    _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
};

static void fail(const char *what)
{
    fprintf(stderr, "director-driver: %s\n", what);
    exit(2);
}

/* -- Input ----------------------------------------------------------------------------------- */

static void read_document(struct driver *driver)
{
    FILE *file = fopen(driver->file, "r");
    if (!file)
        fail(driver->file);
    driver->length = fread(driver->text, 1, sizeof driver->text, file);
    fclose(file);
}

static void make_digest(const struct driver *driver, uint8_t digest[CONFIG_DIGEST])
{
    uLongf len = compressBound(driver->length);
    uint8_t *packed = malloc(len);
    if (!packed || compress2(packed, &len, (const Bytef *)driver->text, driver->length,
                             Z_BEST_COMPRESSION) != Z_OK)
        fail("the document cannot be packed");
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, packed, len);
    SHA256Final(digest, &context);
    free(packed);
}

static void put(struct driver *driver, const struct message *message)
{
    size_t used = 0;
    if (!message_put(driver->packet, &used, message) ||
        send(driver->fd, driver->packet, used, MSG_NOSIGNAL) != (ssize_t)used)
        fail("the director does not take a message");
}

static void tell_document(struct driver *driver, uint32_t term, uint32_t epoch, const char *root)
{
    struct tree_message_document *part = malloc(sizeof *part + TREE_PART_MAX);
    if (!part)
        fail("no memory");
    read_document(driver);
    for (size_t at = 0; at < driver->length; at += part->n) {
        size_t rest = driver->length - at;
        *part = (struct tree_message_document){.term = term,
                                               .epoch = epoch,
                                               .length = (uint32_t)driver->length,
                                               .offset = (uint32_t)at,
                                               .n = (uint32_t)rest};
        if (rest > TREE_PART_MAX)
            part->n = TREE_PART_MAX;
        part->head = (struct message){TREE_MESSAGE_DOCUMENT, (uint32_t)sizeof *part + part->n};
        snprintf(part->self, sizeof part->self, "%s", driver->self);
        snprintf(part->root, sizeof part->root, "%s", root);
        make_digest(driver, part->digest);
        memcpy(part->text, driver->text + at, part->n);
        put(driver, &part->head);
    }
    free(part);
}

/* False: the end. */
static bool take_line(struct driver *driver, const char *line)
{
    uint32_t term, epoch;
    char root[NAME_SIZE];
    if (sscanf(line, "document %" SCNu32 " %" SCNu32 " %32s", &term, &epoch, root) == 3) {
        tell_document(driver, term, epoch, root);
        return true;
    }
    if (strcmp(line, "dissolve\n") == 0) {
        put(driver, &(struct message){TREE_MESSAGE_DISSOLVE, sizeof(struct message)});
        return true;
    }
    if (strcmp(line, "end\n") != 0)
        fail("not a line that it knows");
    return false;
}

/* -- Output ---------------------------------------------------------------------------------- */

static void print_row(const struct tree_message_row *row)
{
    printf("row %s %s %s %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "%s%s\n", row->name,
           states[row->state], roles[row->role], row->parent[0] ? row->parent : "-", row->level,
           row->term, row->epoch, row->serial, row->error[0] ? " " : "", row->error);
}

static void print(const struct message *message)
{
    const void *content = message;
    const struct tree_message_role *role = content;
    const struct tree_message_log *line = content;
    switch (message->kind) {
    case TREE_MESSAGE_ROW:
        print_row(content);
        break;
    case TREE_MESSAGE_GONE:
        printf("gone %s\n", ((const struct tree_message_gone *)content)->name);
        break;
    case TREE_MESSAGE_ROLE:
        printf("role %s %" PRIu32 " %" PRIu32 " %s %s\n", role->is_root ? "root" : "standby",
               role->term, role->serial, role->root[0] ? role->root : "-", role->reason);
        break;
    case TREE_MESSAGE_LOG:
        printf("log %" PRIu32 " %s\n", line->level, line->text);
        break;
    case TREE_MESSAGE_DONE:
        puts("done");
        break;
    case MESSAGE_ALIVE:
        break;
    default:
        fail("a message that a director does not send");
    }
}

/* False: the director closed its end. */
static bool read_packet(struct driver *driver)
{
    ssize_t n = recv(driver->fd, driver->packet, sizeof driver->packet, 0);
    if (n <= 0)
        return false;
    size_t at = 0;
    const struct message *message;
    while ((message = tree_message_next(driver->packet, (size_t)n, &at)))
        print(message);
    if (at != (size_t)n)
        fail("a packet with something that is no message");
    fflush(stdout);
    return true;
}

/* -- The program ----------------------------------------------------------------------------- */

static void drive(struct driver *driver)
{
    char line[256];
    for (;;) {
        struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = driver->fd, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            fail("poll");
        if (fds[1].revents && !read_packet(driver))
            return;
        if (fds[0].revents && (!fgets(line, sizeof line, stdin) || !take_line(driver, line)))
            return;
    }
}

int main(int argc, char **argv)
{
    static struct driver driver;
    int fds[2], status;
    if (argc != 3)
        fail("SELF FILE");
    driver.self = argv[1];
    driver.file = argv[2];
    setvbuf(stdin, NULL, _IONBF, 0); /* poll(2) does not see what stdio has read ahead */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        fail("no sockets");
    pid_t pid = fork();
    if (pid < 0)
        fail("no process");
    if (pid == 0) {
        close(fds[0]);
        exit(director_run(fds[1]));
    }
    close(fds[1]);
    driver.fd = fds[0];
    printf("pid %d\n", (int)pid);
    fflush(stdout);
    drive(&driver);
    close(driver.fd);
    if (waitpid(pid, &status, 0) != pid)
        fail("there is no director to wait for");
    printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return status == 0 ? 0 : 1;
}

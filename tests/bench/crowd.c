/* Processes that do nothing, for others to look at.
 *
 *   crowd PROCESSES [CHURN]
 *
 * So many processes, this one among them, until SIGTERM ends it and with it all of them. With
 * CHURN, so many of the others end in each second, the oldest first, and as many begin. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct crowd {
    size_t count; /* of the children */
    size_t oldest;
    pid_t *children; /* a ring */
};

/* If the parent was killed before the child asked to be told of it, the child ends at once. */
static _Noreturn void idle(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
    for (;;)
        pause();
}

static pid_t begin_child(void)
{
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        idle(parent);
    return child;
}

/* The wait also ends for a child that somebody else has killed. */
static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void end_all(const struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->count; i++)
        kill(crowd->children[i], SIGKILL);
    for (size_t i = 0; i < crowd->count; i++)
        waitpid(crowd->children[i], NULL, 0);
}

static _Noreturn void fail(struct crowd *crowd, const char *what)
{
    perror(what);
    end_all(crowd);
    exit(1);
}

static void begin_all(struct crowd *crowd, size_t wanted)
{
    while (crowd->count < wanted) {
        pid_t child = begin_child();
        if (child < 0)
            fail(crowd, "crowd: fork");
        crowd->children[crowd->count++] = child;
    }
}

static void replace_oldest(struct crowd *crowd)
{
    pid_t child = begin_child();
    if (child < 0)
        fail(crowd, "crowd: fork");
    end_child(crowd->children[crowd->oldest]);
    crowd->children[crowd->oldest] = child;
    crowd->oldest = (crowd->oldest + 1) % crowd->count;
}

/* Replaces children until a signal of the set comes. */
static void churn(struct crowd *crowd, const sigset_t *set, size_t each_second)
{
    const struct timespec second = {.tv_sec = 1};
    while (sigtimedwait(set, NULL, &second) < 0) {
        if (errno != EAGAIN)
            continue;
        for (size_t i = 0; i < each_second; i++)
            replace_oldest(crowd);
    }
}

static size_t number(const char *text, size_t least, size_t greatest)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value < least || value > greatest) {
        fprintf(stderr, "crowd: %s: expected a number from %zu to %zu\n", text, least, greatest);
        exit(1);
    }
    return value;
}

int main(int argc, char **argv)
{
    struct crowd crowd = {0};
    sigset_t set;
    if (argc != 2 && argc != 3) {
        fputs("usage: crowd PROCESSES [CHURN]\n", stderr);
        return 1;
    }
    size_t children = number(argv[1], 1, 100000) - 1;
    size_t each_second = argc == 3 ? number(argv[2], 0, children) : 0;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    crowd.children = calloc(children + 1, sizeof *crowd.children);
    if (!crowd.children)
        fail(&crowd, "crowd");
    begin_all(&crowd, children);
    churn(&crowd, &set, each_second);
    end_all(&crowd);
    free(crowd.children);
    return 0;
}

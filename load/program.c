#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "load/actor.h"
#include "load/process.h"

/* Each operation is a process, which also gets its number, its worker and its data in its
 * environment. */
#define OWN_VARIABLES 3

struct program_hub {
    struct hub hub;
    struct processes processes;
    size_t n_words, n_environ;
};

struct program_actor {
    struct actor actor;
    struct process *process; /* NULL if there is none */
};

/* -- Before the first one -------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat stated;
    return stat(path, &stated) == 0 && S_ISREG(stated.st_mode) && access(path, X_OK) == 0;
}

/* Searches as execvp(3) does. */
static bool can_be_found(const char *name)
{
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return is_program(name);
    for (folders = folders ? folders : "/bin:/usr/bin"; *folders;) {
        size_t len = strcspn(folders, ":");
        text_format(path, sizeof path, "%.*s/%s", (int)(len < INT_MAX ? len : 0), folders, name);
        if (is_program(path))
            return true;
        folders += len + (folders[len] == ':');
    }
    return false;
}

static struct hub *prepare_program(const struct action *action, struct reactor *reactor,
                                   char why[FAILURE_TEXT])
{
    if (!action_varies(action->words[0]) && !can_be_found(action->words[0])) {
        text_format(why, FAILURE_TEXT, "%s: there is no such program", action->words[0]);
        return NULL;
    }
    struct program_hub *hub = calloc(1, sizeof *hub);
    if (!hub || !processes_open(&hub->processes, reactor)) {
        text_format(why, FAILURE_TEXT, "out of memory");
        free(hub);
        return NULL;
    }
    hub->hub = (struct hub){&program_type, action, reactor};
    while (action->words[hub->n_words])
        hub->n_words++;
    while (environ[hub->n_environ])
        hub->n_environ++;
    return &hub->hub;
}

/* -- One process ------------------------------------------------------------------------------ */

static void tell_end(struct actor *actor, int status)
{
    if (WIFSIGNALED(status))
        actor_fail(actor, FAILURE_SIGNAL, "%s: ended by signal %d", actor->hub->action->words[0],
                   WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        actor_fail(actor, FAILURE_STATUS, "%s: exit status %d", actor->hub->action->words[0],
                   WEXITSTATUS(status));
    else
        actor_succeed(actor);
}

static void program_ended(void *context, int status)
{
    struct program_actor *own = context;
    own->process = NULL;
    tell_end(&own->actor, status);
}

/* -- Words and environment of one ------------------------------------------------------------ */

static void free_texts(char **texts, size_t n)
{
    for (size_t i = 0; texts && i < n; i++)
        free(texts[i]);
    free(texts);
}

/* Returns NULL if memory runs out. */
static char **fill_words(const struct program_hub *hub, const struct call *call)
{
    char **words = calloc(hub->n_words + 1, sizeof *words);
    for (size_t i = 0; words && i < hub->n_words; i++)
        if (!(words[i] = action_fill(hub->hub.action->words[i], call, false))) {
            free_texts(words, i);
            return NULL;
        }
    return words;
}

static bool is_own(const char *variable)
{
    return strncmp(variable, "DCAMP_SEQUENCE=", 15) == 0 ||
           strncmp(variable, "DCAMP_WORKER=", 13) == 0 || strncmp(variable, "DCAMP_DATA=", 11) == 0;
}

/* The variables that the list owns come first; the others are shared with the environment of this
 * program. Returns NULL if memory runs out. */
static char **fill_environment(const struct program_hub *hub, const struct call *call)
{
    static const char *const own[OWN_VARIABLES] = {"DCAMP_SEQUENCE={sequence}",
                                                   "DCAMP_WORKER={worker}", "DCAMP_DATA={data}"};
    char **list = calloc(hub->n_environ + OWN_VARIABLES + 1, sizeof *list);
    size_t n = OWN_VARIABLES;
    for (size_t i = 0; list && i < OWN_VARIABLES; i++)
        if (!(list[i] = action_fill(own[i], call, false))) {
            free_texts(list, i);
            return NULL;
        }
    for (size_t i = 0; list && i < hub->n_environ; i++)
        if (!is_own(environ[i]))
            list[n++] = environ[i];
    return list;
}

/* Returns 0 or an errno. */
static int start(struct program_actor *own, const struct call *call)
{
    struct program_hub *hub = (struct program_hub *)own->actor.hub;
    char **words = fill_words(hub, call), **environment = fill_environment(hub, call);
    int error = ENOMEM;
    if (words && environment) {
        const struct process_start start = {words, environment, -1, program_ended, own};
        own->process = process_start(&hub->processes, &start, &error);
    }
    free_texts(words, hub->n_words);
    free_texts(environment, OWN_VARIABLES);
    return error;
}

static void begin_program(struct actor *actor, const struct call *call)
{
    int error = start((struct program_actor *)actor, call);
    if (error != 0)
        actor_fail(actor, error == ENOMEM ? FAILURE_MEMORY : FAILURE_START, "%s: %s",
                   actor->hub->action->words[0], strerror(error));
}

static void cancel_program(struct actor *actor)
{
    struct program_actor *own = (struct program_actor *)actor;
    if (own->process)
        process_give_up(own->process);
    own->process = NULL;
}

static struct actor *open_program(struct hub *hub)
{
    struct program_actor *actor = calloc(1, sizeof *actor);
    if (!actor)
        return NULL;
    actor->actor.hub = hub;
    return &actor->actor;
}

static void close_program(struct actor *actor)
{
    cancel_program(actor);
    free(actor);
}

static void finish_program(struct hub *general)
{
    struct program_hub *hub = (struct program_hub *)general;
    processes_close(&hub->processes);
    free(hub);
}

const struct actor_type program_type = {.prepare = prepare_program,
                                        .finish = finish_program,
                                        .open = open_program,
                                        .begin = begin_program,
                                        .cancel = cancel_program,
                                        .close = close_program};

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

/* These are process-wide by nature, as stderr is. They are set once, before the threads start. */
static bool use_syslog;
static const char *program = "dcampd";
static const char *debug_tokens;

void log_open(bool to_syslog)
{
    use_syslog = to_syslog;
    if (to_syslog)
        openlog(program, LOG_PID, LOG_DAEMON);
}

void log_program(const char *name)
{
    program = name;
}

void log_debug_tokens(const char *tokens)
{
    debug_tokens = tokens;
}

bool log_debugging(const char *subsystem)
{
    if (!debug_tokens)
        return false;
    if (strcmp(debug_tokens, "all") == 0)
        return true;
    size_t len = strlen(subsystem);
    for (const char *at = debug_tokens; *at; at += strspn(at, ",")) {
        size_t n = strcspn(at, ",");
        if (n == len && strncmp(at, subsystem, n) == 0)
            return true;
        at += n;
    }
    return false;
}

bool log_due(uint64_t logged_ns, uint64_t now_ns, uint64_t interval_ns)
{
    return logged_ns == 0 || now_ns - logged_ns >= interval_ns;
}

static void put_message(enum log_level level, const char *text)
{
    static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    if (use_syslog)
        syslog(priorities[level], "%s", text);
    else
        fprintf(stderr, "%s[%d]: %s\n", program, (int)getpid(), text);
}

struct held_message {
    struct held_message *next;
    enum log_level level;
    char text[];
};

/* Each thread has its own, so that none waits for the messages of another. */
static _Thread_local struct {
    unsigned depth;
    struct held_message *first, *last;
} held;

void log_hold(void)
{
    held.depth++;
}

void log_release(void)
{
    if (--held.depth > 0)
        return;
    while (held.first) {
        struct held_message *message = held.first;
        held.first = message->next;
        put_message(message->level, message->text);
        free(message);
    }
    held.last = NULL;
}

static void hold_message(enum log_level level, const char *text)
{
    size_t size = strlen(text) + 1;
    struct held_message *message = malloc(sizeof *message + size);
    if (!message)
        return;
    message->next = NULL;
    message->level = level;
    memcpy(message->text, text, size);
    if (held.last)
        held.last->next = message;
    else
        held.first = message;
    held.last = message;
}

void log_write(enum log_level level, const char *subsystem, const char *format, ...)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    char text[1024];
    int n = snprintf(text, sizeof text, "%s %s: ", names[level], subsystem);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    if (held.depth > 0)
        hold_message(level, text);
    else
        put_message(level, text);
}

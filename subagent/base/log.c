#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

/* Process-wide by nature, as stderr is: set once before the threads start. */
static bool use_syslog;
static const char *debug_tokens;

void log_open(bool to_syslog)
{
    use_syslog = to_syslog;
    if (to_syslog)
        openlog("dcampd", LOG_PID, LOG_DAEMON);
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

void log_write(enum log_level level, const char *subsystem, const char *format, ...)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (use_syslog)
        syslog(priorities[level], "%s: %s: %s", names[level], subsystem, text);
    else
        fprintf(stderr, "dcampd[%d]: %s %s: %s\n", (int)getpid(), names[level], subsystem, text);
}

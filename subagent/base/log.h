/* Messages for people: one line each, "PROGRAM[pid]: LEVEL subsystem: text".
 * Debug messages appear only for the subsystems that -D names. Thread-safe. */
#ifndef DCAMP_BASE_LOG_H
#define DCAMP_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Messages go to stderr or, with to_syslog, to syslog(3) as facility daemon. */
void log_open(bool to_syslog);

/* Sets the name of the program, "dcampd" by default. Call it before log_open(). The text must stay.
 */
void log_program(const char *name);

/* Comma-separated subsystems to debug, or "all". Unknown names are kept: they match nothing. */
void log_debug_tokens(const char *tokens);
bool log_debugging(const char *subsystem);

void log_write(enum log_level level, const char *subsystem, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a message that may come often is to be logged: it is if none was logged within the last
 * interval_ns. logged_ns: when the last one was, monotonic; 0: never. */
bool log_due(uint64_t logged_ns, uint64_t now_ns, uint64_t interval_ns);

/* Between these two calls, messages of the calling thread wait in memory, because a thread that
 * holds a lock must not wait for a terminal or for syslogd. The calls nest. A message is lost if
 * there is no memory for it. */
void log_hold(void);
void log_release(void);

#define log_error(subsystem, ...) log_write(LOG_LEVEL_ERROR, subsystem, __VA_ARGS__)
#define log_warning(subsystem, ...) log_write(LOG_LEVEL_WARNING, subsystem, __VA_ARGS__)
#define log_info(subsystem, ...) log_write(LOG_LEVEL_INFO, subsystem, __VA_ARGS__)
#define log_debug(subsystem, ...)                                                                  \
    do {                                                                                           \
        if (log_debugging(subsystem))                                                              \
            log_write(LOG_LEVEL_DEBUG, subsystem, __VA_ARGS__);                                    \
    } while (0)

#endif

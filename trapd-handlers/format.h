/* The writers: from a trap to what a target reads, into a buffer. Pure. What a trap's texts hold
 * can never end a field, a line or a header of the target, nor begin one. */
#ifndef DCAMP_TRAP_FORMAT_H
#define DCAMP_TRAP_FORMAT_H

#include "trapd-handlers/buffer.h"
#include "trapd-handlers/trap.h"

/* States of a service, as plugins have them. */
enum service_state { SERVICE_OK, SERVICE_WARNING, SERVICE_CRITICAL };

/* clear and info are OK: nobody is to be called. */
enum service_state format_state(uint32_t severity);

/* What a passive check result says of all alarms of a service. */
struct service_result {
    const char *host, *service;
    enum service_state state; /* the worst of those that are active */
    size_t active;            /* how many are */
    const char *worst;        /* the key of a worst one, where it is not the trap's, else NULL */
};

/* A line for the external command file, of at most PIPE_BUF octets. */
void format_nagios(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result);

/* The same as PROCESS_HOST_CHECK_RESULT: down with dcampNodeLost, up with dcampNodeJoined. */
void format_nagios_host(struct buffer *buffer, const struct trap *trap, const char *host);

/* Characters that Nagios and Icinga do not have in the names of objects, or split a command at. */
#define FORMAT_NAGIOS_NAMES "`~!$%^&*|'\"<>?,()=;\\"

/* One trap for the file that Zabbix's trapper reads. date: a format for strftime(3). */
void format_zabbix(struct buffer *buffer, const struct trap *trap, const char *address,
                   const char *date);

/* The varbinds alone, as the value of a trapper item. */
void format_zabbix_value(struct buffer *buffer, const struct trap *trap);

/* Variables of the environment, NAME=VALUE, each ended by a NUL. */
void format_environment(struct buffer *buffer, const struct trap *trap);

/* "2026-11-21T21:04:05.0Z" */
void format_time(struct buffer *buffer, int64_t millis);

#endif

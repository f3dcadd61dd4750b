/* The writers: they turn a trap into what a target reads, in a buffer. Pure. The texts of a trap
 * can never begin or end a field, a line or a header of the target. */
#ifndef DCAMP_TRAP_FORMAT_H
#define DCAMP_TRAP_FORMAT_H

#include "trapd-handlers/buffer.h"
#include "trapd-handlers/trap.h"

/* States of a service, as plugins define them. */
enum service_state { SERVICE_OK, SERVICE_WARNING, SERVICE_CRITICAL };

/* clear and info are OK, because nobody has to be called. */
enum service_state format_state(uint32_t severity);
const char *format_state_name(enum service_state state);

/* Nagios and Icinga notify when a service changes its state. If another alarm has already made it
 * as bad, they have to be told to notify. */
enum service_telling {
    TELL_STATE, /* only if the state changes */
    TELL_AGAIN, /* again, but not if somebody has acknowledged the problem */
    TELL_NEWS   /* an alarm is new, or has become worse */
};

/* What a passive check result says about all alarms of a service. */
struct service_result {
    const char *host, *service;
    enum service_state state; /* that of the worst active alarm */
    enum service_telling telling;
    const char *message; /* of the trap; if its alarm is over, of the worst one that goes on */
    const char *also;    /* which alarms are active, if the message does not say; or NULL */
    size_t alarms, critical, warning, info; /* numbers of active alarms */
};

/* Lines for the external command file, of at most PIPE_BUF octets together. */
void format_nagios(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result);

/* The same for a PROCESS_HOST_CHECK_RESULT: down with dcampNodeLost, up with dcampNodeJoined. */
void format_nagios_host(struct buffer *buffer, const struct trap *trap, const char *host);

/* Characters that Nagios and Icinga do not allow in names of objects, or split a command at. */
#define FORMAT_NAGIOS_NAMES "`~!$%^&*|'\"<>?,()=;\\"

/* Writes a trap for the file that Zabbix's trapper reads. date: a format for strftime(3). */
void format_zabbix(struct buffer *buffer, const struct trap *trap, const char *address,
                   const char *date);

/* Writes only the varbinds, as the value of a trapper item. */
void format_zabbix_value(struct buffer *buffer, const struct trap *trap);

/* Writes environment variables, NAME=VALUE, each ended by a NUL. */
void format_environment(struct buffer *buffer, const struct trap *trap);

/* The body of a process-check-result for the service; format_icinga_host() has that for the
 * host. */
void format_icinga(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result);
/* The bodies of a remove-acknowledgement, which is sent before a result that is news; and of a
 * delay-notification, which is sent after a result and makes Icinga notify of it. */
void format_icinga_unacknowledge(struct buffer *buffer, const struct service_result *result);
void format_icinga_tell(struct buffer *buffer, const struct service_result *result);
void format_icinga_host(struct buffer *buffer, const struct trap *trap, const char *host);

/* What the body of an answer says. NOTHING: the filter finds no object, which some versions of
 * Icinga answer with status 404, and others with 500 and no results. FORBIDDEN: the user has no
 * permission, which some answer with 403, and others with 404 as well. */
enum answer { ANSWER_TAKEN, ANSWER_NOTHING, ANSWER_REFUSED, ANSWER_FORBIDDEN, ANSWER_NONSENSE };
enum answer format_icinga_answer(const char *body, size_t len);

/* A list of alerts for Alertmanager. NULL if memory runs out. */
struct alerts;
struct alert_options {
    uint32_t hold_ms;          /* after how long an alert ends that is not sent again */
    const char *const *labels; /* NAME=VALUE */
    size_t n_labels;
};
struct alerts *format_alerts_new(void);
void format_alerts_free(struct alerts *alerts);
size_t format_alerts_count(const struct alerts *alerts);
void format_alert_firing(struct alerts *alerts, const struct trap *trap, int64_t now_ms,
                         const struct alert_options *options);
/* was: the severity that the alarm had; clear if not known, and then it ends in all severities. */
void format_alert_over(struct alerts *alerts, const struct trap *trap, uint32_t was,
                       const struct alert_options *options);
void format_alerts(struct buffer *buffer, const struct alerts *alerts);

/* Writes one message about n traps, with its headers. */
struct mail_options {
    const char *from;    /* NULL: sendmail chooses */
    const char *subject; /* what the subject begins with */
    char *const *to;
    size_t n_to;
};
void format_mail(struct buffer *buffer, const struct trap *traps, size_t n,
                 const struct mail_options *options, int64_t now_ms);

/* "2026-11-21T21:04:05.0Z" */
void format_time(struct buffer *buffer, int64_t millis);

#endif

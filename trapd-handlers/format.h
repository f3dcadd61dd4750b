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
const char *format_state_name(enum service_state state);

/* Nagios and Icinga notify when a service changes its state. Where it is as bad already, by another
 * alarm, they are told to. */
enum service_telling {
    TELL_STATE, /* as the state has it */
    TELL_AGAIN, /* again, but not of what somebody has acknowledged */
    TELL_NEWS   /* of an alarm that nobody has heard of, or that has become worse */
};

/* What a passive check result says of all alarms of a service. */
struct service_result {
    const char *host, *service;
    enum service_state state; /* the worst of those that are active */
    enum service_telling telling;
    const char *message; /* of the trap; of the worst that goes on, where the trap's is over */
    const char *also;    /* which alarms are active, where the message does not say it; or NULL */
    size_t alarms, critical, warning, info; /* how many are active */
};

/* Lines for the external command file, of at most PIPE_BUF octets. */
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

/* The body of a process-check-result for the service, or for the host. */
void format_icinga(struct buffer *buffer, const struct trap *trap,
                   const struct service_result *result);
/* That of a remove-acknowledgement, which goes before a result that is news; and of a
 * delay-notification that makes Icinga notify of a result, which it follows. */
void format_icinga_unacknowledge(struct buffer *buffer, const struct service_result *result);
void format_icinga_tell(struct buffer *buffer, const struct service_result *result);
void format_icinga_host(struct buffer *buffer, const struct trap *trap, const char *host);

/* What the body of an answer says. NOTHING: the filter finds none, which some versions of Icinga
 * say with the status 404, others with 500 and no results. FORBIDDEN: the user has no permission,
 * which some say with 403, others with 404, too. */
enum answer { ANSWER_TAKEN, ANSWER_NOTHING, ANSWER_REFUSED, ANSWER_FORBIDDEN, ANSWER_NONSENSE };
enum answer format_icinga_answer(const char *body, size_t len);

/* A list of alerts for Alertmanager. NULL: no memory. */
struct alerts;
struct alert_options {
    uint32_t hold_ms;          /* how long an alert goes on that is not sent again */
    const char *const *labels; /* NAME=VALUE */
    size_t n_labels;
};
struct alerts *format_alerts_new(void);
void format_alerts_free(struct alerts *alerts);
size_t format_alerts_count(const struct alerts *alerts);
void format_alert_firing(struct alerts *alerts, const struct trap *trap, int64_t now_ms,
                         const struct alert_options *options);
/* was: the severity that it had; clear: not known, it ends in all of them. */
void format_alert_over(struct alerts *alerts, const struct trap *trap, uint32_t was,
                       const struct alert_options *options);
void format_alerts(struct buffer *buffer, const struct alerts *alerts);

/* One message about n traps, with its headers. */
struct mail_options {
    const char *from;    /* NULL: sendmail's choice */
    const char *subject; /* what its subject begins with */
    char *const *to;
    size_t n_to;
};
void format_mail(struct buffer *buffer, const struct trap *traps, size_t n,
                 const struct mail_options *options, int64_t now_ms);

/* "2026-11-21T21:04:05.0Z" */
void format_time(struct buffer *buffer, int64_t millis);

#endif

/* The daemon: one struct that contains everything, and the one function that connects the stages.
 *
 * Threads: the core thread (the caller of dcampd_run) owns all state and runs every stage; the
 * agent thread serves it over AgentX; the saver thread writes the state file. lock protects what
 * more than one of them touches (marked below) and is held for memory work only. */
#ifndef DCAMP_DAEMON_DCAMPD_H
#define DCAMP_DAEMON_DCAMPD_H

#include <pthread.h>
#include <stdatomic.h>

#include "alarm/alarm.h"
#include "application/jvm_slots.h"
#include "application/endpoints.h"
#include "application/slots.h"
#include "config/config.h"
#include "rollup/aggregates.h"
#include "daemon/audit.h"
#include "children/children.h"
#include "watch/conditions.h"
#include "daemon/costs.h"
#include "daemon/documents.h"
#include "daemon/footprint.h"
#include "daemon/handout.h"
#include "daemon/inventory.h"
#include "daemon/learning.h"
#include "daemon/listed.h"
#include "outlet/outlet.h"
#include "series/measure.h"
#include "daemon/polling.h"
#include "daemon/ranked.h"
#include "daemon/role.h"
#include "daemon/saving.h"
#include "daemon/self.h"
#include "daemon/sink_alarms.h"
#include "daemon/steering.h"
#include "daemon/tidying.h"
#include "watch/inhibition.h"
#include "watch/restart.h"
#include "watch/watches.h"
#include "report/push.h"
#include "report/report.h"
#include "relay/relays.h"
#include "tree/announcing.h"
#include "sample/sample.h"

/* What the command line says. Where a member is empty or NULL, the configuration counts. */
struct dcampd_options {
    const char *config_path;
    const char *agentx_socket;
    const char *state_dir;
    const char *apps_dir;              /* the directory in which programs publish */
    const char *jvm_helper;            /* the helper that looks for JVMs:
                                        * application/jvm_helper.h */
    const char *publish_socket;        /* of the outlet; NULL: nobody can connect */
    const char *root;                  /* the directory below which proc and sys are read */
    const char *const *poller_options; /* also of the director; NULL at the end; they must stay
                                        * valid */
};

struct dcampd;

/* Serves the daemon to the world, in a thread of its own: the agent, or nobody in tests. */
struct dcampd_server {
    /* NULL: it cannot start, and error holds one line. */
    void *(*start)(struct dcampd *daemon, char error[1024]);
    void (*wake)(void *server); /* there is something to tell; any thread */
    void (*stop)(void *server);
};

struct dcampd {
    struct dcampd_options options;
    struct moment started;
    uint32_t boot;

    pthread_mutex_t lock;
    struct config *config;           /* lock */
    uint64_t reloads;                /* lock: how often config was replaced */
    uint64_t commits;                /* lock: SETs whose answer waits until they are saved */
    struct series_observer observer; /* the watches, for everything that has series */
    struct publisher publisher;      /* lock */
    struct measure measure;          /* lock */
    struct watches watches;          /* lock */
    struct alarms alarms;            /* lock */
    struct inhibition inhibition;    /* lock */
    struct conditions conditions;    /* core thread only */
    struct audit audit;              /* lock */
    struct children children;        /* lock */
    struct relays relays;            /* lock */
    struct aggregates aggregates;    /* lock */
    struct report_ring report;       /* lock */
    struct feed feed;                /* lock */
    struct push push;                /* lock */
    struct announcing announcing;    /* lock */
    struct tree_view tree;           /* lock */
    struct inventory inventory;      /* lock */
    struct ranked ranked;            /* lock */
    struct costs costs;              /* lock */
    struct documents documents;      /* as its members say */
    struct role role;                /* as its members say */
    struct outlet outlet;            /* as its members say */
    struct sink_alarms sink_alarms;  /* lock */
    uint64_t sinks_due;              /* lock: when to check again whether publishers work for the
                                      * sinks */
    struct self_counters self;

    struct sampler *sampler;        /* core thread only */
    struct directory *applications; /* core thread only: what programs publish */
    struct application_slots slots; /* core thread only: the same as a source of the sampler */
    struct record_taker records;    /* core thread only: the slots, which take records of the
                                     * children */
    struct endpoints *endpoints;    /* core thread only: what programs say over HTTP */
    struct listed listed;           /* as its members say: the same as rows of tables */
    struct tidying tidying;         /* core thread only: of the same directory */
    struct jvm_slots jvms;          /* core thread only: a source of the sampler, too */
    uint32_t serial;                /* core thread only: that of config when it was last applied */
    uint64_t applied_ns;            /* under the lock: when that was, monotonic */
    uint64_t again_ns;          /* core thread only: when it is applied again, because memory was
                                 * lacking for some of it, or, after a reload, for its settings,
                                 * which serial does not cover; UINT64_MAX: it is applied
                                 * completely */
    uint64_t began_ns;          /* core thread only: when the first cycle ran; 0: none has */
    struct footprint footprint; /* core thread only */
    uint32_t reported;  /* core thread only: the newest block at the end of the last cycle */
    bool settled;       /* core thread only: everything has been read once, without error, and no
                         * child is waited for */
    uint64_t settle_ns; /* core thread only: when to look again whether that is so */
    int state_lock;     /* on the state directory, held from before it is read until everything is
                         * written */
    struct saver *saver;
    struct saving saving;     /* lock */
    struct learning learning; /* lock */
    uint64_t tried;           /* core thread only: of the commits, the last that the saver tried to
                               * save */
    const struct dcampd_server *server;
    void *serving;            /* what server started; NULL: nobody */
    struct handout handout;   /* core thread only */
    struct polling polling;   /* core thread only */
    struct steering steering; /* core thread only */
    int wake_fd;              /* eventfd: the agent tells the core that there was a SET */
    bool ended;               /* nothing happens any more except the last save */
};

/* Whether this process may open as many files as it will need; if not, error holds one line. */
bool dcampd_may_run(char error[1024]);

/* Loads the configuration, takes the state directory for itself and loads the state. NULL: it
 * failed, and error holds one line; then nothing on disk has changed. */
struct dcampd *dcampd_new(const struct dcampd_options *options, char error[1024]);
void dcampd_free(struct dcampd *daemon);

/* Does everything that is due at now: sample, calculate, filter, report, threshold, alarm. Returns
 * the monotonic time at which there is something to do again. */
uint64_t dcampd_cycle(struct dcampd *daemon, struct moment now);

/* Replaces the whole configuration by what the file says now; or keeps the whole old one, and error
 * says why. Rows that were SET are carried over. While a share is in force, all rows stay as they
 * are, and only the settings are replaced. */
bool dcampd_reload(struct dcampd *daemon, char error[1024]);

/* Take and release the lock. What is logged while it is held is written afterwards. */
void dcampd_lock(struct dcampd *daemon);
void dcampd_unlock(struct dcampd *daemon);

/* Whether there is something that the state file does not contain yet. Under the lock. */
bool dcampd_dirty(const struct dcampd *daemon);

/* Makes the text of the state file and hands it to the saver; false: no memory. Under the lock.
 * Once the daemon has ended, this is the last save, after which nothing happens any more. */
bool dcampd_save(struct dcampd *daemon, uint64_t now_ns);

/* Wakes the core thread: there is something new in config. Any thread. */
void dcampd_wake(struct dcampd *daemon);

/* Runs threads and main loop, until TERM or INT, and the server beside them. Returns 0, or an
 * errno, which was logged: a thread could not be started, or the last state is not on disk. */
int dcampd_run(struct dcampd *daemon, const struct dcampd_server *server);

#endif

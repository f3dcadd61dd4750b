/* The nodes that are heard of, each with the stream that counts: that of its newest boot. Pure but
 * for memory. */
#ifndef DCAMP_PUBLISH_OPENMETRICS_NODE_H
#define DCAMP_PUBLISH_OPENMETRICS_NODE_H

#include "publish/openmetrics/alarm.h"
#include "publish/openmetrics/series.h"
#include "publish/sink.h"

struct node {
    UT_hash_handle hh;
    char path[ALARM_PATH_SIZE]; /* the key; "": the publishing node */
    char name[NAME_SIZE], group[NAME_SIZE];
    uint32_t boot;
    uint8_t engine_id[ENGINE_ID_MAX];
    size_t engine_id_len;
    uint32_t next;         /* the next block of that boot */
    int64_t newest_ms;     /* the latest time of what it has told */
    int64_t came_ms;       /* when its last block came */
    int64_t since_ms;      /* when the first block of that boot came */
    bool is_settled;       /* what it kept has been read: see present_settings */
    bool is_silent;        /* when it was last looked at */
    struct series *series; /* by series_key() */
    struct alarm *alarms;  /* by number */
};

struct nodes {
    struct node *by_path;
    struct families families;
    size_t n_alarms;
};

/* Its name, as lines have it. */
const char *node_name(const struct node *node);

/* The node of a stream whose next block has that time, if the stream counts. If it is of a later
 * boot than what was known, it counts from now on, which ends all series and alarms. *node is NULL
 * if it is of an earlier boot. 0 or ENOMEM. */
int node_of(struct nodes *nodes, const struct sink_stream *stream, int64_t wall_ms,
            struct node **node);

/* The node for which just this stream counts; NULL: there is none. */
struct node *node_find(struct nodes *nodes, const struct sink_stream *stream);

/* Removes all its series and alarms. */
void node_clear(struct nodes *nodes, struct node *node);
void node_remove(struct nodes *nodes, struct node *node);

#endif

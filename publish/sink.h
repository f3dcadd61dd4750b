/* A sink: a place to which what passed the filters is written. One process of dcamp-publish works
 * for one sink: it gives blocks to the sink, whose series are named, asks it to commit, and gives
 * them again if that failed.
 *
 * A kind of sinks that needs a library is a module: LIBDIR/dcamp/publish/KIND.so exports
 * const struct sink_type dcamp_sink_type; the others are in a list of publish/sinks.c. */
#ifndef DCAMP_PUBLISH_SINK_H
#define DCAMP_PUBLISH_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outlet/message.h"
#include "report/report.h"

#define SINK_ABI 3
#define SINK_ERROR_SIZE MESSAGE_SIZE

/* The blocks of one boot of one node. */
struct sink_stream {
    uint32_t boot;
    const char *path;  /* names of nodes with "/" between them, from the publishing node down; "":
                          that node itself */
    const char *name;  /* of the node */
    const char *group; /* "": none */
    const uint8_t *engine_id;
    size_t engine_id_len; /* 0: not known */
};

struct sink_words {
    const char *sensor, *instance, *metric, *unit;
    const char *path; /* if the series is relayed, names of nodes, from that of the stream down to
                         that of the series; "": it is of the node of the stream. entries_each() of
                         publish/entries.h puts both paths together */
};

/* A block whose octets report_decode() has accepted. All of it is valid during the call. */
struct sink_block {
    const struct sink_stream *stream;
    uint32_t number;
    const uint8_t *octets;
    size_t len;
    /* What the series of its entries mean; NULL: it is not known, or the sink is not to have them.
     * Such entries are left out; dcamp-publish counts those of unknown series. */
    const struct sink_words *(*words)(const void *context, uint32_t series);
    const void *context;
};

typedef void sink_cursor_fn(void *context, const struct sink_stream *stream, uint32_t next);

struct sink; /* what open() makes; each kind has its own struct */

/* Functions that return int return 0 or an errno; then error has one line. After a failure the sink
 * is closed, which undoes what came since the last commit, as far as the sink can. After a while it
 * is opened and asked for its cursors again: what these do not cover is given again. now_ms: since
 * 1970. */
struct sink_type {
    unsigned abi; /* SINK_ABI */
    const char *kind;
    /* Where the sink writes by default: a name below the state directory of dcamp-publish, which
     * then becomes the location of its settings. NULL: dcamp-publish leaves an empty location as it
     * is. With has_own, "-" and the name of the sink are appended, so that several sinks may be
     * without a location. */
    const char *directory;
    bool has_own;
    int (*open)(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                char error[SINK_ERROR_SIZE]);
    void (*close)(struct sink *sink);
    /* How far each stream is in the sink, by what was committed, including by earlier processes.
     * NULL: the sink does not know; dcamp-publish keeps a file of cursors for it. */
    int (*cursors)(struct sink *sink, sink_cursor_fn *each, void *context,
                   char error[SINK_ERROR_SIZE]);
    int (*block)(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                 char error[SINK_ERROR_SIZE]);
    /* Makes what was given since the last commit permanent. */
    int (*commit)(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE]);
    /* The node has begun to number the blocks of the stream anew, in the same boot. NULL: that
     * makes no difference to the sink. */
    int (*count_anew)(struct sink *sink, const struct sink_stream *stream, int64_t now_ms,
                      char error[SINK_ERROR_SIZE]);
    /* Does what is to be done from time to time, a bounded part of it. *again_ms: when there is
     * more to do. If it returns 0 with a line in error, some of that did not work, which is no
     * reason to take no blocks; the line is shown. NULL: nothing is to be done. */
    int (*step)(struct sink *sink, int64_t now_ms, int64_t *again_ms, char error[SINK_ERROR_SIZE]);
    /* After a failure: for how long, at least, the sink is not to be opened again, as its server
     * has said. 0, or NULL: it has said nothing. */
    int64_t (*wait_ms)(const struct sink *sink);
    /* What is wrong although the sink takes what comes: one line, such as that its server has
     * refused some of it for good; "": nothing. NULL: nothing ever is. */
    void (*trouble)(const struct sink *sink, int64_t now_ms, char text[SINK_ERROR_SIZE]);
};

#endif

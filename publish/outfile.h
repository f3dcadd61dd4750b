/* Files of lines that a sink writes into a directory of its own, and how far it is, exactly.
 *
 * A file is DIRECTORY/NAME-YYYY-MM-DD-NNNN.SUFFIX: of a day in UTC, and counted within it from 0001
 * on. A new one is begun at another day and when a commit would make it larger than `rotate`; what
 * was written before is never changed again, only removed: the oldest, when all would be larger
 * than `limit` together. A commit is one write(2) of whole lines; a reader may meanwhile find only
 * a part of the last line, and its rest right after, since on few file systems a write is one step
 * for readers.
 *
 * DIRECTORY/NAME.state says which file is the current one, how long it is, and which blocks are in
 * it; it is replaced after the lines are on the disk. Whatever the file has beyond that length was
 * not committed, and is cut off before anything else is written: nothing is lost or doubled,
 * whatever ends the process or the machine. The file belongs to the sink alone: another one in its
 * place, as an editor leaves it, one that is shorter, and a symbolic link stay as they are. A
 * file that is gone was taken away by somebody who may do so, such as logrotate. In either case the
 * log says so, and a new one is begun, with what was not confirmed yet. */
#ifndef DCAMP_PUBLISH_OUTFILE_H
#define DCAMP_PUBLISH_OUTFILE_H

#include "publish/positions.h"

struct outfile_settings {
    const char *directory; /* made if it does not exist, but not its parents */
    const char *name;      /* of the sink */
    const char *suffix;    /* "csv" */
    const char *header;    /* the first line of each file, with its end; "": none */
    uint64_t rotate;       /* octets of a file at most, unless a commit alone has more; 0: any */
    uint64_t limit; /* of all files together; 0: none. With it, a file has at most a quarter */
};

struct outfile;

/* 0; EBUSY: another process has this directory; EBADMSG: the state file is not valid; or another
 * errno. error: one line that names the place. */
int outfile_open(const struct outfile_settings *settings, struct outfile **file,
                 char error[SINK_ERROR_SIZE]);
void outfile_close(struct outfile *file);

/* In these it is noted which blocks were taken. They belong to the file. */
struct positions *outfile_positions(const struct outfile *file);

/* Writes lines, each with its end, to the disk, together with the positions. After a failure, which
 * is an errno and one line in error, neither the lines nor the positions are committed. */
int outfile_commit(struct outfile *file, const struct octets *lines, int64_t now_ms,
                   char error[SINK_ERROR_SIZE]);

#endif

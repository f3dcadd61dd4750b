/* The file of what was learnt of seasons, seasons.cbor in the state directory. It is separate from
 * the state, because it is larger, is written seldom, and can be lost without harm to anything
 * else. It is a sequence of CBOR (RFC 8742): an array with the number of the format and the SHA-256
 * of everything that follows; and the models, in the form of watch/learned.h. */
#ifndef DCAMP_DAEMON_LEARNED_FILE_H
#define DCAMP_DAEMON_LEARNED_FILE_H

#include <stddef.h>
#include <stdint.h>

#define LEARNED_FILE "seasons.cbor"

/* No file is larger: a larger one is neither written (EFBIG) nor read. */
#define LEARNED_FILE_MAX (64u << 20)

/* The octets begin with so many unused ones, into which the head is written here. */
#define LEARNED_FILE_HEAD 36

/* 0 or an errno; then the old file is still whole. */
int learned_file_write(const char *dir, uint8_t *octets, size_t n);

/* Reads the octets after the head, malloced, or NULL if there are none. 0; ENOENT: there is no
 * file; EBADMSG: it is damaged, or of another version of dcampd; or another errno. Then, except for
 * ENOENT, error holds one line with the name of the file. */
int learned_file_read(const char *dir, uint8_t **octets, size_t *n, char error[1024]);

/* A damaged file is kept as seasons.cbor.bad. Returns 0, or an errno if that is not possible. */
int learned_file_set_aside(const char *dir);

#endif

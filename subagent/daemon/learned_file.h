/* The file of what was learnt of seasons, seasons.cbor in the state directory. It is beside the
 * state, for it is larger, is written seldom, and can be lost without harm to anything else. A
 * sequence of CBOR (RFC 8742): an array of the number of the format and of the SHA-256 of all that
 * follows; and the models, as watch/learned.h has them. */
#ifndef DCAMP_DAEMON_LEARNED_FILE_H
#define DCAMP_DAEMON_LEARNED_FILE_H

#include <stddef.h>
#include <stdint.h>

#define LEARNED_FILE "seasons.cbor"

/* No file is larger: a larger one is neither written (EFBIG) nor read. */
#define LEARNED_FILE_MAX (64u << 20)

/* The octets begin with so many that are free: they are the head, which is made here. */
#define LEARNED_FILE_HEAD 36

/* 0 or an errno; the old file is then whole. */
int learned_file_write(const char *dir, uint8_t *octets, size_t n);

/* The octets behind the head, malloced, or NULL where there is nothing. 0; ENOENT: there is none;
 * EBADMSG: it is damaged, or of another version of dcampd; or another errno. Then error holds one
 * line with the name of the file, but for ENOENT. */
int learned_file_read(const char *dir, uint8_t **octets, size_t *n, char error[1024]);

/* A file that is damaged is kept as seasons.cbor.bad. 0 or an errno: it cannot be. */
int learned_file_set_aside(const char *dir);

#endif

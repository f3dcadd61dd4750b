/* A document as it is sent to nodes: packed by zlib, and known by the SHA-256 of that. */
#ifndef DCAMP_CLI_PACKED_H
#define DCAMP_CLI_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKED_MAX (1u << 20) /* of the packed document */
#define PACKED_DIGEST 32

struct packed {
    uint8_t *octets; /* malloced */
    size_t len;
    uint8_t digest[PACKED_DIGEST];
};

/* False: error holds one line, and there is nothing to free. */
bool packed_text(struct packed *packed, const char *text, size_t len, char error[512]);

/* The same of a file, whose name the error begins with. */
bool packed_file(struct packed *packed, const char *path, char error[512]);

/* The same, and returns the text of the file, malloced. NULL: error says why. */
char *packed_text_of(struct packed *packed, const char *path, char error[512]);

/* The octets of a file and a NUL behind them, malloced; of a file that is longer than
 * PACKING_TEXT_MAX, that many and one more. NULL: as above. */
char *packed_read(const char *path, size_t *len, char error[512]);

/* Whether so many octets have this digest. */
bool packed_is(const uint8_t *octets, size_t len, const uint8_t digest[PACKED_DIGEST]);

void packed_free(struct packed *packed);

#endif

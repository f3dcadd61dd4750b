/* A document as it is sent to nodes: packed by zlib, and known by the SHA-256 of that. */
#ifndef DCAMP_CLI_PACKED_H
#define DCAMP_CLI_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKED_TEXT_MAX (8u << 20) /* of the text */
#define PACKED_MAX (1u << 20)      /* of what it is packed to */
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

void packed_free(struct packed *packed);

#endif

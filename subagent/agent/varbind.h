/* A varbind of a SET, and the error-status that answers it. */
#ifndef DCAMP_AGENT_VARBIND_H
#define DCAMP_AGENT_VARBIND_H

#include <stddef.h>
#include <stdint.h>

#include "mib/mib.h"

/* error-status of RFC 3416, section 3. */
enum set_error {
    SET_OK = 0,
    SET_GEN_ERR = 5,
    SET_NO_ACCESS = 6,
    SET_WRONG_TYPE = 7,
    SET_WRONG_LENGTH = 8,
    SET_WRONG_ENCODING = 9,
    SET_WRONG_VALUE = 10,
    SET_NO_CREATION = 11,
    SET_INCONSISTENT_VALUE = 12,
    SET_RESOURCE_UNAVAILABLE = 13,
    SET_COMMIT_FAILED = 14,
    SET_UNDO_FAILED = 15,
    SET_NOT_WRITABLE = 17,
    SET_INCONSISTENT_NAME = 18
};

struct set_varbind {
    const uint32_t *oid;
    size_t oid_len;
    enum mib_syntax syntax;
    int64_t number;        /* INTEGER, Unsigned32 ... */
    const uint8_t *octets; /* OCTET STRING, BITS */
    size_t octets_len;
    const uint32_t *arcs; /* OBJECT IDENTIFIER */
    size_t n_arcs;
};

#endif

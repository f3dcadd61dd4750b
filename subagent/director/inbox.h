/* The tree document and its order, as the core tells them in parts. Pure but for memory. */
#ifndef DCAMP_DIRECTOR_INBOX_H
#define DCAMP_DIRECTOR_INBOX_H

#include "tree/message.h"

struct inbox {
    char self[NAME_SIZE];
    uint32_t term, epoch;
    char root[NAME_SIZE];
    uint8_t digest[CONFIG_DIGEST];
    uint32_t length, used;
    char *text; /* length octets and a NUL; NULL: no part has come */
};

enum inbox_result {
    INBOX_PART,  /* more parts will come */
    INBOX_WHOLE, /* the whole text is here */
    INBOX_BAD    /* it is not the part that follows, or there is no memory */
};

enum inbox_result inbox_take(struct inbox *inbox, const struct tree_message_document *part);
void inbox_release(struct inbox *inbox);

#endif

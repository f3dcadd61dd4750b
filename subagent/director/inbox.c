#include "director/inbox.h"

#include <stdlib.h>
#include <string.h>

void inbox_release(struct inbox *inbox)
{
    free(inbox->text);
    *inbox = (struct inbox){.text = NULL};
}

static bool begin(struct inbox *inbox, const struct tree_message_document *part)
{
    inbox_release(inbox);
    inbox->text = malloc((size_t)part->length + 1);
    if (!inbox->text)
        return false;
    memcpy(inbox->self, part->self, sizeof inbox->self);
    memcpy(inbox->root, part->root, sizeof inbox->root);
    memcpy(inbox->digest, part->digest, sizeof inbox->digest);
    inbox->term = part->term;
    inbox->epoch = part->epoch;
    inbox->length = part->length;
    return true;
}

static bool follows(const struct inbox *inbox, const struct tree_message_document *part)
{
    return inbox->text && part->offset == inbox->used && part->length == inbox->length &&
           part->term == inbox->term && part->epoch == inbox->epoch &&
           memcmp(part->digest, inbox->digest, sizeof inbox->digest) == 0;
}

/* It has been checked that a part lies inside the text, and its octets inside the message. */
enum inbox_result inbox_take(struct inbox *inbox, const struct tree_message_document *part)
{
    if (part->offset == 0 ? !begin(inbox, part) : !follows(inbox, part))
        return INBOX_BAD;
    memcpy(inbox->text + inbox->used, part->text, part->n);
    inbox->used += part->n;
    inbox->text[inbox->used] = '\0';
    return inbox->used == inbox->length ? INBOX_WHOLE : INBOX_PART;
}

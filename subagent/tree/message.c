#include "tree/message.h"

#include "base/log.h"
#define IS_TEXT(field) message_is_text(field, sizeof(field))

static bool document_is_valid(const void *message)
{
    const struct tree_message_document *document = message;
    return IS_TEXT(document->self) && IS_TEXT(document->root);
}

/* A part lies inside the text, and only an empty text has an empty part. */
static size_t document_length(const void *message)
{
    const struct tree_message_document *document = message;
    bool fits = document->length <= TREE_DOCUMENT_MAX && document->n <= TREE_PART_MAX &&
                document->offset <= document->length &&
                document->n <= document->length - document->offset &&
                (document->n > 0 || document->length == 0);
    return fits ? sizeof *document + document->n : 0;
}

static bool row_is_valid(const void *message)
{
    const struct tree_message_row *row = message;
    return IS_TEXT(row->name) && row->name[0] && IS_TEXT(row->address) && IS_TEXT(row->parent) &&
           IS_TEXT(row->group) && IS_TEXT(row->digest) && IS_TEXT(row->version) &&
           IS_TEXT(row->error) && row->role <= SHARE_ROOT && row->state >= TREE_UNKNOWN &&
           row->state <= TREE_STOPPING && row->found <= TREE_ANNOUNCED;
}

static bool known_is_valid(const void *message)
{
    const struct tree_message_known *known = message;
    return IS_TEXT(known->address) && known->address[0] && IS_TEXT(known->group);
}

static bool gone_is_valid(const void *message)
{
    return IS_TEXT(((const struct tree_message_gone *)message)->name);
}

static bool role_is_valid(const void *message)
{
    const struct tree_message_role *role = message;
    return message_is_bool(&role->is_root) && IS_TEXT(role->root) && IS_TEXT(role->reason);
}

static bool log_is_valid(const void *message)
{
    const struct tree_message_log *line = message;
    return IS_TEXT(line->text) && line->level <= LOG_LEVEL_DEBUG;
}

/* The first one is the only kind that the director shares with the pollers. */
#define KIND(kind) [(kind)-MESSAGE_ALIVE]
static const struct message_type types[] = {
    KIND(MESSAGE_ALIVE) = {sizeof(struct message)},
    KIND(TREE_MESSAGE_DOCUMENT) = {sizeof(struct tree_message_document), document_length,
                                   document_is_valid},
    KIND(TREE_MESSAGE_DISSOLVE) = {sizeof(struct message)},
    KIND(TREE_MESSAGE_KNOWN) = {sizeof(struct tree_message_known), .valid = known_is_valid},
    KIND(TREE_MESSAGE_ROW) = {sizeof(struct tree_message_row), .valid = row_is_valid},
    KIND(TREE_MESSAGE_GONE) = {sizeof(struct tree_message_gone), .valid = gone_is_valid},
    KIND(TREE_MESSAGE_ROLE) = {sizeof(struct tree_message_role), .valid = role_is_valid},
    KIND(TREE_MESSAGE_DONE) = {sizeof(struct message)},
    KIND(TREE_MESSAGE_LOG) = {sizeof(struct tree_message_log), .valid = log_is_valid},
};

const struct message *tree_message_next(const void *packet, size_t used, size_t *at)
{
    static const struct message_types known = {MESSAGE_ALIVE, sizeof types / sizeof *types, types};
    return message_next_of(&known, packet, used, at);
}

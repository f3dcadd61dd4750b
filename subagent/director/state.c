#include "director/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool director_is_self(const struct director *director, const struct node *node)
{
    return !node->is_leaving && strcmp(node->member.name, director->order.self) == 0;
}

/* A line is lost if there is no room for it. */
void director_log(struct director *director, enum log_level level, uint64_t now, const char *format,
                  ...)
{
    struct tree_message_log message = {.head = {.kind = TREE_MESSAGE_LOG, .length = sizeof message},
                                       .level = level};
    va_list arguments;
    if (outbox_is_full(&director->outbox))
        return;
    va_start(arguments, format);
    int ignored = vsnprintf(message.text, sizeof message.text, format, arguments);
    va_end(arguments);
    (void)ignored;
    outbox_put(&director->outbox, &message.head, now);
}

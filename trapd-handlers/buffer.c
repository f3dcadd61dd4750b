#include "trapd-handlers/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buffer_release(struct buffer *buffer)
{
    free(buffer->at);
    *buffer = (struct buffer){0};
}

void buffer_clear(struct buffer *buffer)
{
    buffer->len = 0;
    buffer->failed = false;
    if (buffer->at)
        buffer->at[0] = '\0';
}

static bool reserve(struct buffer *buffer, size_t more)
{
    if (buffer->failed)
        return false;
    size_t need = buffer->len + more + 1;
    if (need <= buffer->size)
        return true;
    size_t size = buffer->size * 2 > need ? buffer->size * 2 : need + 256;
    char *at = realloc(buffer->at, size);
    if (!at) {
        buffer->failed = true;
        return false;
    }
    buffer->at = at;
    buffer->size = size;
    return true;
}

void buffer_put(struct buffer *buffer, const char *text, size_t len)
{
    if (!reserve(buffer, len))
        return;
    if (len > 0)
        memcpy(buffer->at + buffer->len, text, len);
    buffer->len += len;
    buffer->at[buffer->len] = '\0';
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_put(buffer, text, strlen(text));
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0 || !reserve(buffer, (size_t)len)) {
        buffer->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(buffer->at + buffer->len, (size_t)len + 1, format, args);
    va_end(args);
    buffer->len += (size_t)len;
}

/* How many octets the control character at the text has; 0 if there is none. */
static size_t control_at(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x20 || c[0] == 0x7f)
        return 1;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
        return 2;
    if (c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9))
        return 3;
    return 0;
}

void buffer_clean(struct buffer *buffer, const char *text, const char *set, char replacement)
{
    while (*text) {
        size_t skip = control_at(text);
        if (skip == 0 && strchr(set, *text))
            skip = 1;
        buffer_put(buffer, skip > 0 ? &replacement : text, 1);
        text += skip > 0 ? skip : 1;
    }
}

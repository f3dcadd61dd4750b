/* Text that grows, into which the writers write. Pure except for malloc. */
#ifndef DCAMP_TRAP_BUFFER_H
#define DCAMP_TRAP_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: it is empty. If an allocation fails, the text stays as it is and failed is set, so that
 * callers have to check only once, at the end. at is terminated by a NUL that len does not count;
 * it is NULL while nothing has been written. */
struct buffer {
    char *at;
    size_t len, size;
    bool failed;
};

void buffer_release(struct buffer *buffer);

/* Empties it and keeps the memory. */
void buffer_clear(struct buffer *buffer);

void buffer_put(struct buffer *buffer, const char *text, size_t len);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends the text, with replacement for every character of the set and for every control
 * character, including those of UTF-8 (U+0080 to U+009F) and the separators U+2028 and U+2029. */
void buffer_clean(struct buffer *buffer, const char *text, const char *set, char replacement);

#endif

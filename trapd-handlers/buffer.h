/* Text that grows: what the writers write into. Pure but for malloc. */
#ifndef DCAMP_TRAP_BUFFER_H
#define DCAMP_TRAP_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is empty. After a failed allocation it stays as it is and failed says so: callers look
 * once, at the end. at is terminated by a NUL that len does not count; NULL while it is empty. */
struct buffer {
    char *at;
    size_t len, size;
    bool failed;
};

void buffer_release(struct buffer *buffer);

/* Empty again; the memory stays. */
void buffer_clear(struct buffer *buffer);

void buffer_put(struct buffer *buffer, const char *text, size_t len);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* text, with a replacement for every character of the set and for every control character, those
 * of UTF-8 (U+0080 to U+009F) and the line separators U+2028 and U+2029 too. */
void buffer_clean(struct buffer *buffer, const char *text, const char *set, char replacement);

#endif

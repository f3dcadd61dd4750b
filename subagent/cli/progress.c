#include "cli/progress.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/clock.h"

#define PATIENCE_NS NS_PER_S
#define PAUSE_NS (NS_PER_S / 10)
#define CLEAR_LINE "\r\x1b[K" /* ECMA-48: the cursor to the left, erase to the end */

struct progress progress_begin(FILE *to, uint64_t now_ns)
{
    int fd = fileno(to);
    return (struct progress){.to = fd >= 0 && isatty(fd) ? to : NULL, .began_ns = now_ns};
}

void progress_show(struct progress *progress, uint64_t now_ns, const char *format, ...)
{
    if (!progress->to || now_ns < progress->began_ns + PATIENCE_NS ||
        (progress->shown_ns && now_ns < progress->shown_ns + PAUSE_NS))
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs(CLEAR_LINE, progress->to);
    vfprintf(progress->to, format, arguments);
    fflush(progress->to);
    va_end(arguments);
    progress->shown_ns = now_ns;
}

void progress_end(struct progress *progress)
{
    if (progress->to && progress->shown_ns) {
        fputs(CLEAR_LINE, progress->to);
        fflush(progress->to);
    }
    progress->shown_ns = 0;
}

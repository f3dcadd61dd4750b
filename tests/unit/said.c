#include "said.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

static int before = -1;
static off_t asked; /* what is before that has been asked for */

void said_begin(void)
{
    int file = memfd_create("said", MFD_CLOEXEC);
    assert_true(file >= 0);
    fflush(stderr);
    before = dup(STDERR_FILENO);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    close(file);
    asked = 0;
}

/* What nobody has asked for is shown after all: it may be why a test fails. */
void said_end(void)
{
    char text[4096];
    fflush(stderr);
    ssize_t n = pread(STDERR_FILENO, text, sizeof text, asked);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    if (n > 0)
        fwrite(text, 1, (size_t)n, stderr);
}

/* "dcampd[pid]: " of each line. */
static void cut_program(char *text)
{
    char *to = text;
    while (*text) {
        size_t len = strcspn(text, "\n"), cut = strcspn(text, " ");
        len += text[len] == '\n';
        cut = cut < len ? cut + 1 : 0;
        memmove(to, text + cut, len - cut);
        to += len - cut;
        text += len;
    }
    *to = '\0';
}

/* The file is not emptied: another thread may write into it at that moment. */
const char *said_now(void)
{
    static char text[8192];
    fflush(stderr);
    ssize_t n = pread(STDERR_FILENO, text, sizeof text - 1, asked);
    assert_true(n >= 0);
    text[n] = '\0';
    asked += n;
    cut_program(text);
    return text;
}

#include "scarce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct {
    bool counts, failed;
    size_t count, nth;
} scarce;

void scarce_fail(size_t nth)
{
    scarce.counts = true;
    scarce.failed = false;
    scarce.count = 0;
    scarce.nth = nth;
}

bool scarce_stop(void)
{
    scarce.counts = false;
    return scarce.failed;
}

void scarce_go_on(void)
{
    scarce.counts = true;
}

size_t scarce_count(void)
{
    return scarce.count;
}

bool scarce_fails(void)
{
    if (!scarce.counts || ++scarce.count != scarce.nth)
        return false;
    scarce.failed = true;
    errno = ENOMEM;
    return true;
}

/* The names that the linker puts in the place of malloc() and so on, and those it gives to the real
 * ones: see --wrap in ld(1). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_reallocarray(void *memory, size_t n, size_t size);
char *__real_strdup(const char *text);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_reallocarray(void *memory, size_t n, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return scarce_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return scarce_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return scarce_fails() ? NULL : __real_realloc(memory, size);
}

void *__wrap_reallocarray(void *memory, size_t n, size_t size)
{
    return scarce_fails() ? NULL : __real_reallocarray(memory, n, size);
}

char *__wrap_strdup(const char *text)
{
    return scarce_fails() ? NULL : __real_strdup(text);
}

#include "application/jvm_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* At least so much of a name is always kept, and a collector takes at most so much room from it. */
#define NAME_MIN 3
#define COLLECTOR_MAX 20

#define PID_SIZE 12 /* "/1234567" */

static size_t without(const char *text, size_t len, const char *end)
{
    size_t n = strlen(end);
    return len > n && memcmp(text + len - n, end, n) == 0 ? len - n : len;
}

void jvm_collector_word(char word[INSTANCE_SIZE], const char *name)
{
    size_t len = without(name, strlen(name), " pauses");
    text_instance(word, name, without(name, len, " collection"));
}

static size_t longest_collector(const struct jvm_profile *profile)
{
    char word[INSTANCE_SIZE];
    size_t longest = 0;
    for (unsigned i = 0; i < profile->n_collectors; i++) {
        jvm_collector_word(word, profile->collector[i].name);
        size_t len = 1 + strlen(word);
        longest = len > longest ? len : longest;
    }
    return longest < COLLECTOR_MAX ? longest : COLLECTOR_MAX;
}

static bool is_archive(const char *name, size_t len)
{
    return without(name, len, ".jar") < len || without(name, len, ".war") < len;
}

/* The name of a class loses whole packages; if it is still too long, its end is kept. */
static void put_name(char to[INSTANCE_SIZE], const char *name, size_t room)
{
    size_t len = strlen(name);
    const char *point;
    while (len > room && !is_archive(name, len) && (point = strchr(name, '.')) && point[1]) {
        len -= (size_t)(point + 1 - name);
        name = point + 1;
    }
    if (len > room)
        text_format(to, INSTANCE_SIZE, "~%s", text_tail(name, len, room - 1));
    else
        text_format(to, INSTANCE_SIZE, "%s", name);
}

static void make_name(struct jvm_named *jvm, const char *user, size_t user_len, const char *pid)
{
    char name[INSTANCE_SIZE], whole[3 * INSTANCE_SIZE];
    size_t taken =
        user_len + 1 + strlen(pid) + longest_collector(&jvm->jvm.profile) + 1 /* its end */;
    size_t room = taken + NAME_MIN <= INSTANCE_SIZE ? INSTANCE_SIZE - taken : NAME_MIN;
    put_name(name, jvm->jvm.profile.name, room);
    text_format(whole, sizeof whole, "%.*s/%s%s", (int)user_len, user, name, pid);
    text_instance(jvm->name, whole, strlen(whole));
}

void jvm_name(struct jvm_named *jvm, const char *user)
{
    make_name(jvm, user, strlen(user), "");
}

static int order(const void *one, const void *other)
{
    const struct jvm_named *a = one, *b = other;
    int names = strcmp(a->name, b->name);
    if (names != 0)
        return names;
    if (a->jvm.started != b->jvm.started)
        return a->jvm.started < b->jvm.started ? -1 : 1;
    return (a->jvm.pid > b->jvm.pid) - (a->jvm.pid < b->jvm.pid);
}

void jvm_names_resolve(struct jvm_named *jvms, size_t n)
{
    char first[INSTANCE_SIZE] = "", user[INSTANCE_SIZE], pid[PID_SIZE];
    if (n > 0)
        qsort(jvms, n, sizeof *jvms, order);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(jvms[i].name, first) != 0) {
            memcpy(first, jvms[i].name, sizeof first);
            continue;
        }
        memcpy(user, first, sizeof user);
        text_format(pid, sizeof pid, "/%u", (unsigned)jvms[i].jvm.pid);
        make_name(&jvms[i], user, strcspn(user, "/"), pid);
    }
}

void jvm_collector_name(char name[INSTANCE_SIZE], const struct jvm_named *jvm,
                        const struct jvm_collector *collector)
{
    char word[INSTANCE_SIZE], whole[2 * INSTANCE_SIZE];
    jvm_collector_word(word, collector->name);
    text_format(whole, sizeof whole, "%s:%s", jvm->name, word);
    text_instance(name, whole, strlen(whole));
}

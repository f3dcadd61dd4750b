#include "config/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/atomicfile.h"
#include "base/directory.h"
#include "base/text.h"
#include "config/state_fields.h"

void state_release(struct state *state)
{
    free(state->series);
    free(state->children);
    for (size_t i = 0; i < DOCUMENT_KINDS; i++)
        ordered_release(&state->documents[i]);
    *state = (struct state){.boot = state->boot};
}

int state_add_series(struct state *state, const struct saved_series *series)
{
    if (state->n_series == state->series_room) {
        size_t room = state->series_room ? state->series_room * 2 : 16;
        struct saved_series *more = reallocarray(state->series, room, sizeof *more);
        if (!more)
            return ENOMEM;
        state->series = more;
        state->series_room = room;
    }
    state->series[state->n_series++] = *series;
    return 0;
}

int state_add_child(struct state *state, const struct saved_child *child)
{
    if (state->n_children == state->children_room) {
        size_t room = state->children_room ? state->children_room * 2 : 16;
        struct saved_child *more = reallocarray(state->children, room, sizeof *more);
        if (!more)
            return ENOMEM;
        state->children = more;
        state->children_room = room;
    }
    state->children[state->n_children++] = *child;
    return 0;
}

/* The text of an errno does not always tell what helps. */
static void write_cure(char *cure, size_t size, int code, const char *dir)
{
    char account[ACCOUNT_SIZE], user[ACCOUNT_NAME_SIZE];
    if (code == EACCES || code == EPERM)
        text_format(cure, size, "; dcampd runs as %s: chown -R %s: %s", account_text(account),
                    account_user(user), dir);
    else if (code == ENOENT)
        text_format(cure, size, "; make it: install -d -m 0750 -o %s %s", account_user(user), dir);
    else if (code == EIO)
        text_format(cure, size, "; the disk or its file system fails, dmesg(1) may tell why");
    else if (code == ELOOP)
        text_format(cure, size, "; remove the symbolic link");
    else if (code == EINVAL)
        text_format(cure, size, "; move it away");
    else if (code == ENOTSUP)
        text_format(cure, size,
                    "; a newer dcampd wrote it: run that one, or move the state files away, which "
                    "begins with nothing");
    else if (code == EROFS)
        text_format(cure, size, "; choose another directory: --state-dir");
}

void state_add_cure(char error[1024], int code, const char *dir)
{
    size_t len = strlen(error);
    write_cure(error + len, 1024 - len, code, dir);
}

int state_claim(const char *dir, int *lock, char error[1024])
{
    pid_t holder;
    int code = directory_lock(dir, lock, &holder);
    if (code == EBUSY && holder)
        text_format(error, 1024, "another dcampd (pid %d) uses %s", (int)holder, dir);
    else if (code == EBUSY)
        text_format(error, 1024, "another process uses %s: lslocks(8) shows it", dir);
    else if (code == EINVAL || code == ELOOP)
        text_format(error, 1024, "%s/" DIRECTORY_LOCK " is not an ordinary file", dir);
    else if (code)
        text_format(error, 1024, "the state directory %s cannot be used: %s", dir, strerror(code));
    if (code)
        state_add_cure(error, code, dir);
    return code;
}

int state_write(const char *dir, const char *text, size_t len)
{
    if (len > STATE_SIZE_MAX)
        return EFBIG;
    return atomicfile_write(dir, STATE_FILE, text, len, true);
}

#include "daemon/learning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "daemon/learned_file.h"

#define EVERY_NS (3600 * NS_PER_S)

static void say_lost(const char *dir, const char *error, int aside)
{
    if (aside)
        log_error("state", "%s, and cannot be renamed: %s; thresholds on deviations learn anew",
                  error, strerror(aside));
    else
        log_error("state",
                  "%s; it is kept as %s/" LEARNED_FILE ".bad, and thresholds on deviations "
                  "learn anew",
                  error, dir);
}

void learning_read(struct learning *learning, struct watches *watches, const char *dir)
{
    char error[1024];
    uint8_t *octets;
    size_t n = 0;
    int code = learned_file_read(dir, &octets, &n, error);
    if (code == 0) {
        code = learned_unpack(&watches->learned, octets, n);
        text_format(error, sizeof error, "%s/" LEARNED_FILE ": %s", dir,
                    code == ENOMEM ? strerror(ENOMEM) : "is damaged");
    }
    free(octets);
    learning->is_on_disk = code == 0;
    if (code == EBADMSG) {
        int aside = learned_file_set_aside(dir);
        learning->is_unreadable = aside != 0;
        say_lost(dir, error, aside);
    } else if (code != 0 && code != ENOENT) {
        learning->is_unreadable = true;
        log_error("state",
                  "%s; thresholds on deviations learn anew, and what they learn is not "
                  "saved, until it can be read at a start",
                  error);
    }
}

static void say_left_out(struct learning *learning, size_t models)
{
    if (models > 0 && !learning->is_full)
        log_error("state",
                  LEARNED_FILE " has no room for %zu models of seasons: it holds at most %u MiB; "
                               "these learn anew after a restart",
                  models, LEARNED_FILE_MAX >> 20);
    learning->is_full = models > 0;
}

void learning_save(struct learning *learning, const struct watches *watches, struct saver *saver)
{
    if (learning->is_unreadable)
        return;
    struct octets octets = {
        .n = LEARNED_FILE_HEAD, .room = LEARNED_FILE_HEAD, .most = LEARNED_FILE_MAX};
    octets.at = calloc(1, LEARNED_FILE_HEAD);
    int error = octets.at ? watches_pack_learned(watches, &octets) : ENOMEM;
    bool has_any = octets.n > LEARNED_FILE_HEAD;
    if (saver_status(saver).learned_failed)
        learning->is_on_disk = true; /* the file that was to be overwritten is still there */
    if (error)
        log_error("state", "no memory to save what was learnt of seasons; trying again in an hour");
    if (error || (!has_any && !learning->is_on_disk)) {
        free(octets.at);
        return;
    }
    learning->is_on_disk = has_any;
    say_left_out(learning, octets.left_out);
    saver_submit_learned(saver, octets.at, octets.n);
}

void learning_step(struct learning *learning, struct watches *watches, struct saver *saver,
                   struct moment now)
{
    if (learning->due_ns == 0)
        learning->due_ns = now.mono_ns + EVERY_NS;
    if (now.mono_ns < learning->due_ns)
        return;
    learning->due_ns = now.mono_ns + EVERY_NS;
    learned_forget_old(&watches->learned, now.wall_ms);
    learning_save(learning, watches, saver);
}

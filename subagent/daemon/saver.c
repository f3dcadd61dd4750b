#include "daemon/saver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rotatefile.h"
#include "base/text.h"
#include "config/state.h"
#include "daemon/learned_file.h"

struct saver {
    char dir[256];
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    saver_done_fn *done;
    void *context;
    char *text; /* waits to be written */
    size_t len;
    struct save_mark mark; /* of the text */
    char *lines;           /* lines that wait to be appended, or are being appended */
    size_t lines_len;
    char lines_path[256];
    uint64_t lines_most;
    bool appending, append_failed;
    bool append_said; /* the failure was logged */
    uint8_t *learned; /* waits to be written */
    size_t learned_n;
    bool writing, stopping;
    int error; /* of the last attempt to write the state */
    struct saver_status status;
};

static void write_one(struct saver *saver)
{
    char *text = saver->text;
    size_t len = saver->len;
    struct save_mark mark = saver->mark;
    saver->text = NULL;
    saver->writing = true;
    pthread_mutex_unlock(&saver->lock);
    int error = state_write(saver->dir, text, len);
    free(text);
    pthread_mutex_lock(&saver->lock);
    saver->writing = false;
    if (error && !saver->status.failed)
        log_error("state", "%s/state.xml: %s; the last good one is kept", saver->dir,
                  strerror(error));
    saver->error = error;
    saver->status.failed = error != 0;
    saver->status.errors += error != 0;
    saver->status.tried = mark;
    if (!error) {
        saver->status.saved = mark;
        saver->status.saved_ms = clock_now().wall_ms;
    }
    pthread_mutex_unlock(&saver->lock);
    saver->done(saver->context);
    pthread_mutex_lock(&saver->lock);
}

static void write_learned(struct saver *saver)
{
    uint8_t *octets = saver->learned;
    size_t n = saver->learned_n;
    saver->learned = NULL;
    pthread_mutex_unlock(&saver->lock);
    int error = learned_file_write(saver->dir, octets, n);
    free(octets);
    pthread_mutex_lock(&saver->lock);
    if (error && !saver->status.learned_failed)
        log_error("state", "%s/" LEARNED_FILE ": %s; the last good one is kept", saver->dir,
                  strerror(error));
    saver->status.learned_failed = error != 0;
}

void saver_submit_learned(struct saver *saver, uint8_t *octets, size_t n)
{
    pthread_mutex_lock(&saver->lock);
    free(saver->learned);
    saver->learned = octets;
    saver->learned_n = n;
    pthread_cond_signal(&saver->changed);
    pthread_mutex_unlock(&saver->lock);
}

static void append_some(struct saver *saver)
{
    saver->appending = true;
    pthread_mutex_unlock(&saver->lock);
    int error =
        rotatefile_append(saver->lines_path, saver->lines_most, saver->lines, saver->lines_len);
    pthread_mutex_lock(&saver->lock);
    saver->appending = false;
    if (error && !saver->append_said)
        log_error("alarm", "%s: %s; its lines wait", saver->lines_path, strerror(error));
    saver->append_failed = saver->append_said = error != 0;
    if (error)
        return;
    free(saver->lines);
    saver->lines = NULL;
}

bool saver_wants_lines(struct saver *saver)
{
    pthread_mutex_lock(&saver->lock);
    bool wants = !saver->lines;
    if (saver->append_failed && !saver->appending) {
        saver->append_failed = false;
        pthread_cond_signal(&saver->changed);
    }
    pthread_mutex_unlock(&saver->lock);
    return wants;
}

void saver_append(struct saver *saver, const char *path, uint64_t most, char *lines, size_t len)
{
    pthread_mutex_lock(&saver->lock);
    saver->lines = lines;
    saver->lines_len = len;
    saver->lines_most = most;
    text_format(saver->lines_path, sizeof saver->lines_path, "%s", path);
    pthread_cond_signal(&saver->changed);
    pthread_mutex_unlock(&saver->lock);
}

static bool has_lines(const struct saver *saver)
{
    return saver->lines && !saver->append_failed;
}

static void *saver_main(void *context)
{
    struct saver *saver = context;
    pthread_mutex_lock(&saver->lock);
    for (;;) {
        while (!saver->text && !has_lines(saver) && !saver->learned && !saver->stopping)
            pthread_cond_wait(&saver->changed, &saver->lock);
        if (has_lines(saver))
            append_some(saver);
        else if (saver->text)
            write_one(saver);
        else if (saver->learned)
            write_learned(saver);
        else
            break;
    }
    pthread_mutex_unlock(&saver->lock);
    return NULL;
}

struct saver *saver_start(const char *dir, saver_done_fn *done, void *context)
{
    struct saver *saver = calloc(1, sizeof *saver);
    if (!saver)
        return NULL;
    text_format(saver->dir, sizeof saver->dir, "%s", dir);
    saver->done = done;
    saver->context = context;
    pthread_mutex_init(&saver->lock, NULL);
    pthread_cond_init(&saver->changed, NULL);
    if (pthread_create(&saver->thread, NULL, saver_main, saver) != 0) {
        free(saver);
        return NULL;
    }
    return saver;
}

void saver_submit(struct saver *saver, char *text, size_t len, struct save_mark mark)
{
    pthread_mutex_lock(&saver->lock);
    free(saver->text);
    saver->text = text;
    saver->len = len;
    saver->mark = mark;
    pthread_cond_signal(&saver->changed);
    pthread_mutex_unlock(&saver->lock);
}

struct saver_status saver_status(struct saver *saver)
{
    pthread_mutex_lock(&saver->lock);
    struct saver_status status = saver->status;
    status.busy = saver->writing || saver->text;
    pthread_mutex_unlock(&saver->lock);
    return status;
}

int saver_stop(struct saver *saver)
{
    if (!saver)
        return 0;
    pthread_mutex_lock(&saver->lock);
    saver->stopping = true;
    pthread_cond_signal(&saver->changed);
    pthread_mutex_unlock(&saver->lock);
    pthread_join(saver->thread, NULL);
    int error = saver->error;
    free(saver->lines);
    pthread_mutex_destroy(&saver->lock);
    pthread_cond_destroy(&saver->changed);
    free(saver);
    return error;
}

#include "cli/keep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/watch.h"

/* -- What is told ---------------------------------------------------------------------------- */

static bool has_line(const char *text, const char *line, size_t len)
{
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\n") + 1;
        if (n == len && memcmp(text, line, len) == 0)
            return true;
        if (!text[n - 1])
            break;
    }
    return false;
}

void keep_news(const char *before, const char *now, FILE *to)
{
    for (size_t n; *now; now += n) {
        n = strcspn(now, "\n");
        n += now[n] == '\n';
        if (!has_line(before, now, n))
            fwrite(now, 1, n, to);
    }
}

/* -- Rounds ---------------------------------------------------------------------------------- */

struct keeper {
    struct question *question;
    keep_apply *apply;
    void *context;
    struct census census;
    char *told; /* what went wrong in the round before; NULL: nothing */
};

static void tell_root(struct keeper *keeper, const char *before)
{
    const struct census_head *head = &keeper->census.head;
    if (before[0] && strcmp(before, head->root) != 0)
        fprintf(keeper->question->errors,
                "dcamp: the root of the tree is %s now, in term %" PRIu32 "\n", head->root,
                head->term);
}

static void ask_and_apply(struct keeper *keeper, struct question *round)
{
    char before[NAME_SIZE];
    text_format(before, sizeof before, "%s", keeper->census.head.root);
    if (!census_follow(&keeper->census, round))
        return;
    tell_root(keeper, before);
    keeper->apply(keeper->context, round, &keeper->census, keeper->question->errors);
    keeper->census.turned = true; /* the client may have asked other nodes, too */
}

static void run_round(struct keeper *keeper)
{
    struct question round = *keeper->question;
    char *said = NULL;
    size_t len;
    round.status = EXIT_GOOD;
    round.errors = open_memstream(&said, &len);
    if (!round.errors) {
        question_no_memory(keeper->question);
        return;
    }
    ask_and_apply(keeper, &round);
    if (fclose(round.errors) != 0 || !said) {
        free(said);
        question_no_memory(keeper->question);
        return;
    }
    keep_news(keeper->told ? keeper->told : "", said, keeper->question->errors);
    fflush(keeper->question->errors);
    free(keeper->told);
    keeper->told = said;
    if (round.status == EXIT_GOOD)
        said[0] = '\0'; /* what went wrong on the way to another root is over */
    keeper->question->status = round.status;
}

static void run_rounds(struct keeper *keeper)
{
    const struct command *command = keeper->question->command;
    uint64_t start = clock_mono_ns();
    for (uint32_t round = 1;; round++) {
        run_round(keeper);
        if (round == command->count)
            break;
        uint64_t now = clock_mono_ns();
        question_sleep(watch_next(start, command->interval_ms * NS_PER_MS, now) - now);
    }
}

enum exit_status keep_run(struct question *question, keep_apply *apply, void *context)
{
    struct keeper keeper = {.question = question, .apply = apply, .context = context};
    if (command_has(question->command, COMMAND_WATCH))
        run_rounds(&keeper);
    else if (census_ask(&keeper.census, question))
        apply(context, question, &keeper.census, question->errors);
    census_free(&keeper.census);
    free(keeper.told);
    return question->status;
}

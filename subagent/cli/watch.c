#include "cli/watch.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

/* -- Pure ------------------------------------------------------------------------------------ */

bool watch_is_change(const struct value_row *row, const struct value_list *before)
{
    const struct value_row *old = values_find(before, row);
    return !old || strcmp(row->text, old->text) != 0 || strcmp(row->unit, old->unit) != 0 ||
           strcmp(row->state, old->state) != 0;
}

uint64_t watch_next(uint64_t start, uint64_t interval, uint64_t now)
{
    return start + ((now - start) / interval + 1) * interval;
}

/* -- Rounds ---------------------------------------------------------------------------------- */

struct watcher {
    struct question question;
    struct value_choice choice;
    struct value_list before; /* of the last round that was answered */
    struct sheet *sheet;
    uint64_t start; /* of the first round */
};

static bool print_round(struct watcher *watcher, const struct value_list *now)
{
    struct question *question = &watcher->question;
    bool all = !command_has(question->command, COMMAND_CHANGES);
    for (size_t i = 0; i < now->n; i++)
        if ((all || watch_is_change(&now->rows[i], &watcher->before)) &&
            !values_add(watcher->sheet, &now->rows[i]))
            return question_no_memory(question);
    if (!question_print(question, watcher->sheet))
        return false;
    sheet_clear(watcher->sheet);
    return fflush(question->to) == 0 && !ferror(question->to);
}

/* False: it is no use to go on. */
static bool run_round(struct watcher *watcher, bool first)
{
    struct question *question = &watcher->question;
    struct value_list now = {0};
    question->status = EXIT_GOOD;
    bool answered =
        (!first || question_is_dcamp(question)) && values_read(question, &watcher->choice, &now);
    if (answered && first && now.n == 0)
        values_explain(question, &watcher->choice);
    if (!answered || question->status != EXIT_GOOD) {
        values_free(&now);
        return !first && question->status == EXIT_SILENT;
    }
    bool good = print_round(watcher, &now);
    values_free(&watcher->before);
    watcher->before = now;
    return good;
}

static void sleep_until(uint64_t moment)
{
    struct timespec at = {.tv_sec = (time_t)(moment / NS_PER_S), .tv_nsec = moment % NS_PER_S};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

static void run_rounds(struct watcher *watcher)
{
    const struct command *command = watcher->question.command;
    watcher->start = clock_mono_ns();
    for (uint32_t round = 1; run_round(watcher, round == 1) && round != command->count; round++)
        sleep_until(watch_next(watcher->start, command->interval_ms * NS_PER_MS, clock_mono_ns()));
}

enum exit_status watch_run(const struct command *command, struct client *client, FILE *to,
                           FILE *errors)
{
    struct watcher watcher = {.question = {command, client, to, errors, EXIT_GOOD},
                              .choice = choice_of(command)};
    struct sheet_column columns[VALUE_COLUMNS];
    values_columns(columns, watcher.choice.below, true);
    watcher.sheet = sheet_new(columns, VALUE_COLUMNS);
    if (watcher.sheet)
        run_rounds(&watcher);
    else
        question_no_memory(&watcher.question);
    values_free(&watcher.before);
    sheet_free(watcher.sheet);
    return watcher.question.status;
}

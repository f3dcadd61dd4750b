/* dcamp export, once or with --watch again and again: asks for the tree, has it applied, and tells
 * each error once, however often it occurs. */
#ifndef DCAMP_CLI_KEEP_H
#define DCAMP_CLI_KEEP_H

#include "cli/census.h"

/* Does with the tree what is to be done. question->status says how it went; its errors are those of
 * the round. changes: where a line is told of each change. */
typedef void keep_apply(void *context, struct question *question, const struct census *census,
                        FILE *changes);

/* Does one round; or, with --watch, one in each such time, command->count in all, 0: until a signal
 * ends the process. The signal may do so at any time, except where output.h says otherwise. */
enum exit_status keep_run(struct question *question, keep_apply *apply, void *context);

/* Writes those lines of a text that another one does not have; both end in '\n', or are empty. */
void keep_news(const char *before, const char *now, FILE *to);

#endif

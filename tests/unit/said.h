/* For tests: what the program says on stderr. */
#ifndef DCAMP_TESTS_SAID_H
#define DCAMP_TESTS_SAID_H

/* From here on stderr is kept for the test; until said_end. */
void said_begin(void);
void said_end(void);

/* What was said since the last call, without what stands before the level; good until the next. */
const char *said_now(void);

#endif

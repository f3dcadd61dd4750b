/* For tests: memory that is not given back, in a build without sanitizers as well. */
#ifndef DCAMP_TESTS_HEAP_H
#define DCAMP_TESTS_HEAP_H

/* Plays a scenario many times; fails if the heap holds more afterwards. */
void assert_keeps_nothing(void (*play)(void));

#endif

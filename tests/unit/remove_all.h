/* For tests that have made a directory. */
#ifndef DCAMP_TESTS_REMOVE_ALL_H
#define DCAMP_TESTS_REMOVE_ALL_H

/* Removes a directory with all that is in it, as far as that is allowed; symbolic links are not
 * followed. */
void remove_all(const char *directory);

#endif

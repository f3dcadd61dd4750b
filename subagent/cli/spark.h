/* A curve in one line of text. Pure. */
#ifndef DCAMP_CLI_SPARK_H
#define DCAMP_CLI_SPARK_H

#include <stdbool.h>
#include <stddef.h>

#define SPARK_OCTETS 3 /* of a character, at most */

/* Whether texts are UTF-8 by the variables of the locale (locale(7)), any of which may be NULL. */
bool spark_is_utf8(const char *lc_all, const char *lc_ctype, const char *lang);

/* n characters from the lowest value to the highest, a blank for what is not a number; if all
 * values are equal, the lowest. text must have room for SPARK_OCTETS n + 1 octets. */
void spark_format(const double *values, size_t n, bool is_utf8, char *text);

#endif

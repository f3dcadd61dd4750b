/* Places in the text of an XML document that people have written, so that something can be put
 * there and all else stays as it is. */
#ifndef DCAMP_CLI_MARKUP_H
#define DCAMP_CLI_MARKUP_H

/* A copy, malloced, of the same length, with blanks in place of comments, CDATA sections and
 * processing instructions (XML 1.0, sections 2.5 to 2.7): what they hold is no element. NULL: no
 * memory. */
char *markup_plain(const char *text);

#endif

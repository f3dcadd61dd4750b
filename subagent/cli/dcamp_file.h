/* The text of dcamp.xml, as far as "dcamp init" changes it: an element is put there, and all else,
 * comments too, stays as somebody wrote it. Pure but for memory. */
#ifndef DCAMP_CLI_DCAMP_FILE_H
#define DCAMP_CLI_DCAMP_FILE_H

/* The text with an <announce> of this port, as the first element; malloced. NULL: there is one
 * already, outside of comments (errno EEXIST), there is no start of <dcamp> that could have
 * elements (EBADMSG), or no memory (ENOMEM). */
char *dcamp_file_announce(const char *text, unsigned port);

#endif

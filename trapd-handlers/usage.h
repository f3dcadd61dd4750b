/* The text of --help. */
#ifndef DCAMP_TRAP_USAGE_H
#define DCAMP_TRAP_USAGE_H

extern const char usage_text[];

#endif

/* A comparison as one page of HTML that needs no other files, so that it can be mailed. */
#ifndef DCAMP_RUNS_PAGE_H
#define DCAMP_RUNS_PAGE_H

#include "runs/print.h"

#define PAGE_ERROR_SIZE 512

/* Writes the file; an existing one stays as it is until the new one is complete. On false, error
 * says why. */
bool page_write(const struct print_subject *subject, const char *path, char error[PAGE_ERROR_SIZE]);

#endif

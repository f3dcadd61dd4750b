/* A comparison as one page of HTML that needs nothing else: it can be mailed. */
#ifndef DCAMP_RUNS_PAGE_H
#define DCAMP_RUNS_PAGE_H

#include "runs/print.h"

#define PAGE_ERROR_SIZE 512

/* Writes the file; one that was there stays as it was until the new one is whole. False: error says
 * why. */
bool page_write(const struct print_subject *subject, const char *path, char error[PAGE_ERROR_SIZE]);

#endif

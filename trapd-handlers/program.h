/* Runs a program, without a shell, for a limited time. */
#ifndef DCAMP_TRAP_PROGRAM_H
#define DCAMP_TRAP_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Its standard input is input_fd, its standard output goes to standard error, and its environment
 * is variables, terminated by NULL. When the time is over, its process group is killed. Returns its
 * exit status, or 128 plus the number of the signal that ended it; -1 with errno if it could not be
 * run, which is ETIMEDOUT if it was killed. */
int program_run(char *const argv[], char *const variables[], int input_fd, uint32_t timeout_ms);

/* The same, with len octets as its standard input. */
int program_run_with(char *const argv[], char *const variables[], const char *input, size_t len,
                     uint32_t timeout_ms);

#endif

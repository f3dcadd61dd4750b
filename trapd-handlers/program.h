/* Runs a program, without a shell, for a time that is limited. */
#ifndef DCAMP_TRAP_PROGRAM_H
#define DCAMP_TRAP_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Its standard input is input_fd, its standard output goes to standard error, its environment is
 * variables, NULL-terminated. When the time is over, its process group is killed. Returns its exit
 * status, 128 and more for a signal; -1 with errno: it could not be run; ETIMEDOUT: it was killed.
 */
int program_run(char *const argv[], char *const variables[], int input_fd, uint32_t timeout_ms);

/* The same, with len octets as its standard input. */
int program_run_with(char *const argv[], char *const variables[], const char *input, size_t len,
                     uint32_t timeout_ms);

#endif

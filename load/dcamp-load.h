/* Operations of dcamp load as functions of a shared object: dcamp load --object FILE.so[:SYMBOL].
 *
 *     #include <dcamp-load.h>
 *
 *     int dcamp_load_operation(const struct dcamp_load_call *call, char why[DCAMP_LOAD_WHY])
 *     {
 *         return look_up(call->data) ? 0 : 1;
 *     }
 *
 *     cc -shared -fPIC -o lookup.so lookup.c
 *     dcamp load 'loop(1000)' --object ./lookup.so --data words --workers 8
 *
 * Each worker has a process of its own, which loads the object before its first operation and then
 * calls the function for one operation after the other, always in the same thread: what the
 * function keeps in variables belongs to that worker alone, and needs no lock. It may block: other
 * workers do not wait for it. If it has not returned when the time of --timeout is over, the
 * operation has failed; the process is ended by SIGKILL together with what it has started, and the
 * next operation of the worker gets a new process. The same holds if the function crashes or ends
 * its process. What has to be done before all operations is done by a constructor of the object
 * (__attribute__((constructor))).
 *
 * The process has no input; its standard output is thrown away, and its standard error is that of
 * dcamp load. See dcamp-load(1). */
#ifndef DCAMP_LOAD_H
#define DCAMP_LOAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DCAMP_LOAD_WHY 512 /* octets, with the NUL */

/* What is different from one operation to the next. New members may be added after these. */
struct dcamp_load_call {
    uint64_t sequence; /* number of the operation, from 1 on; no other one of the test has it */
    uint32_t worker;   /* number of the worker, from 0 on */
    const char *data;  /* its line of the test data without the end of the line, at most 65,535
                          octets; "": there are none. Valid until the function returns */
};

/* Does the operation, and returns when it is done. 0 means success; any other number means failure,
 * and the function may then write one line for people into why, which is shown with the number.
 * Before the call, why is the empty text. */
typedef int dcamp_load_function(const struct dcamp_load_call *call, char why[DCAMP_LOAD_WHY]);

/* The function that is called unless there is a SYMBOL. */
dcamp_load_function dcamp_load_operation;

#ifdef __cplusplus
}
#endif
#endif

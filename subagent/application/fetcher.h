/* Inside application/: the thread that asks endpoints, all of them at a time, by libcurl. Only this
 * machine is asked, whatever a name or an answer says; no answer leads anywhere else. */
#ifndef DCAMP_APPLICATION_FETCHER_H
#define DCAMP_APPLICATION_FETCHER_H

struct endpoints;
struct fetcher;

/* NULL: no memory, no descriptor or no thread. */
struct fetcher *fetcher_start(struct endpoints *endpoints);

/* Endpoints or wishes have changed. Under the lock, or not. */
void fetcher_wake(struct fetcher *fetcher);

/* Ends the thread; whom it asks is not waited for. NULL is allowed. */
void fetcher_stop(struct fetcher *fetcher);

#endif

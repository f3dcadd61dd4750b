/* Inside application/: the thread that asks endpoints, all of them concurrently, by libcurl. Only
 * this machine is asked, whatever a name or an answer says; no answer can redirect it elsewhere. */
#ifndef DCAMP_APPLICATION_FETCHER_H
#define DCAMP_APPLICATION_FETCHER_H

struct endpoints;
struct fetcher;

/* NULL: no memory, no descriptor or no thread. */
struct fetcher *fetcher_start(struct endpoints *endpoints);

/* Endpoints or wishes have changed. May be called with or without the lock. */
void fetcher_wake(struct fetcher *fetcher);

/* Ends the thread, without waiting for answers. NULL is allowed. */
void fetcher_stop(struct fetcher *fetcher);

#endif

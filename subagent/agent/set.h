/* SET over the table engine: one transaction is the varbinds of one PDU, all or nothing.
 * RowStatus and StorageType behave as RFC 2579 says, for every configuration table.
 *
 * AgentX drives it (RFC 2741, section 7.2.4): test, then commit or cleanup, after a commit undo or
 * cleanup. A master whose patience ends before the answer comes sends a request again: each phase
 * may come any number of times and in any order, and does its work once. All memory is taken in
 * test, so that commit and undo cannot fail for lack of it. The caller holds the lock in each
 * call. */
#ifndef DCAMP_AGENT_SET_H
#define DCAMP_AGENT_SET_H

#include "agent/engine.h"
#include "agent/view.h"

/* The requests of RowStatus, RFC 2579, that are no states. */
enum set_request { SET_CREATE_AND_GO = 4, SET_CREATE_AND_WAIT = 5, SET_DESTROY = 6 };

struct set_transaction;

/* Tests the varbinds; the view is of what they are to change. SET_OK: *out is the transaction, to
 * be ended by set_cleanup. Else *index is the varbind at fault, from 1, nothing is left behind, and
 * the reason is kept: see agent/refusal.h. */
enum set_error set_test(const struct engine *engine, const struct view *view,
                        const struct set_varbind *varbinds, size_t n, struct set_transaction **out,
                        size_t *index);

/* SET_OK as well if it is committed already. SET_COMMIT_FAILED: the configuration was reloaded
 * since the test, an alarm that is acknowledged has ended, a document has changed, there is no
 * memory, or the transaction was undone; nothing is changed. */
enum set_error set_commit(struct set_transaction *transaction, struct moment now);

/* SET_OK as well if there is nothing to undo. Afterwards it cannot be committed any more.
 * SET_UNDO_FAILED: the configuration was reloaded since the test; what was committed stays. */
enum set_error set_undo(struct set_transaction *transaction, struct moment now);

/* NULL is allowed: it is not committed. */
bool set_is_committed(const struct set_transaction *transaction);

/* Its number among the commits of the core, all of which are to be saved; 0: it is not committed,
 * or nothing of it outlives the daemon. */
uint64_t set_commit_number(const struct set_transaction *transaction);

/* Ends the transaction as it is: committed, or without any effect. NULL is allowed. */
void set_cleanup(struct set_transaction *transaction);

#endif

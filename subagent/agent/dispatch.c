#include "agent/dispatch.h"

#include <stdlib.h>

#include "agent/refusal.h"
#include "base/log.h"
#include "daemon/dcampd.h"

/* Net-SNMP has sub-identifiers that are longs. False: there are too many of them for an OID. */
static bool narrow_oid(const oid *name, size_t len, struct mib_oid *out)
{
    if (len > OID_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        out->id[i] = (uint32_t)name[i];
    out->len = len;
    return true;
}

static void widen_oid(const uint32_t *arcs, size_t len, oid wide[OID_MAX])
{
    for (size_t i = 0; i < len; i++)
        wide[i] = arcs[i];
}

/* The put_ functions return false if there is no memory; the variable is of no use then. */
static bool put_name(netsnmp_variable_list *var, const struct mib_oid *name)
{
    oid wide[OID_MAX];
    widen_oid(name->id, name->len, wide);
    return snmp_set_var_objid(var, wide, name->len) == 0;
}

static bool put_typed(netsnmp_variable_list *var, u_char type, const void *value, size_t size)
{
    return snmp_set_var_typed_value(var, type, value, size) == 0;
}

static bool put_oid(netsnmp_variable_list *var, const uint32_t *arcs, size_t len)
{
    oid wide[OID_MAX];
    widen_oid(arcs, len, wide);
    return put_typed(var, ASN_OBJECT_ID, wide, len * sizeof *wide);
}

static bool put_counter64(netsnmp_variable_list *var, uint64_t number)
{
    struct counter64 wide = {.high = (u_long)(number >> 32), .low = (u_long)(number & UINT32_MAX)};
    return put_typed(var, ASN_COUNTER64, &wide, sizeof wide);
}

static bool put_value(netsnmp_variable_list *var, const struct mib_value *value)
{
    if (value->syntax == MIB_SYNTAX_OCTETS)
        return put_typed(var, ASN_OCTET_STR, value->octets.at, value->octets.len);
    if (value->syntax == MIB_SYNTAX_OID)
        return put_oid(var, value->oid.at, value->oid.len);
    if (value->syntax == MIB_SYNTAX_COUNTER64)
        return put_counter64(var, value->number);
    if (value->syntax == MIB_SYNTAX_INTEGER) {
        long number = (long)value->integer;
        return put_typed(var, ASN_INTEGER, &number, sizeof number);
    }
    u_long number = (u_long)(uint32_t)value->number;
    return put_typed(var, (u_char)value->syntax, &number, sizeof number);
}

static bool put_exception(netsnmp_variable_list *var, u_char exception)
{
    return put_typed(var, exception, NULL, 0);
}

static bool put_answer(netsnmp_variable_list *var, enum engine_status status,
                       const struct mib_value *value)
{
    if (status == ENGINE_OK)
        return put_value(var, value);
    return put_exception(var,
                         status == ENGINE_NO_INSTANCE ? SNMP_NOSUCHINSTANCE : SNMP_NOSUCHOBJECT);
}

/* Answers the next variables, as many as the engine finds at once, and returns the one after them.
 * *whole becomes false if there is no memory for one of them, as in answer_next. */
static netsnmp_variable_list *answer_get(struct dispatch *dispatch, netsnmp_variable_list *first,
                                         const struct view *view, bool *whole)
{
    struct mib_oid names[ENGINE_CELLS];
    struct engine_cell cells[ENGINE_CELLS];
    struct mib_value value;
    size_t n = 0;
    netsnmp_variable_list *var = first;
    do {
        if (!narrow_oid(var->name, var->name_length, &names[n]))
            names[n].len = 0;
        var = var->next_variable;
    } while (++n < ENGINE_CELLS && var);
    engine_find(&dispatch->engine, names, n, view, cells);
    var = first;
    for (size_t i = 0; i < n; i++, var = var->next_variable)
        *whole &= put_answer(var, engine_read(&dispatch->engine, &cells[i], view, &value), &value);
    return var;
}

/* The search range: the name is where it starts, the value where it ends (RFC 2741, 5.2). */
static netsnmp_variable_list *answer_next(struct dispatch *dispatch, netsnmp_variable_list *var,
                                          const struct view *view, bool *whole)
{
    struct mib_oid start, end, found;
    struct mib_value value;
    size_t end_len = var->val.objid ? var->val_len / sizeof(oid) : 0;
    enum engine_status status = ENGINE_END;
    /* The null OID, "no end", arrives as the two sub-identifiers 0.0. */
    if (end_len == 2 && var->val.objid[0] == 0 && var->val.objid[1] == 0)
        end_len = 0;
    if (narrow_oid(var->name, var->name_length, &start) &&
        narrow_oid(var->val.objid, end_len, &end))
        status =
            engine_next(&dispatch->engine, start.id, start.len, var->type == ASN_PRIV_INCL_RANGE,
                        end.id, end.len, view, &found, &value);
    if (status != ENGINE_OK)
        *whole &= put_exception(var, SNMP_ENDOFMIBVIEW);
    else
        *whole &= put_name(var, &found) && put_value(var, &value);
    return var->next_variable;
}

/* The variables of the request become those of the answer. If there is no memory for one of them,
 * the answer is an error. */
static void answer_read(struct dispatch *dispatch, struct agentx *agentx, netsnmp_pdu *pdu)
{
    struct dcampd *core = dispatch->core;
    bool whole = true;
    dcampd_lock(core);
    /* The clock is read under the lock, so that no sample is later than this. */
    struct view view = view_of(core, clock_now());
    netsnmp_variable_list *var = pdu->variables;
    while (var)
        var = pdu->command == AGENTX_GET ? answer_get(dispatch, var, &view, &whole)
                                         : answer_next(dispatch, var, &view, &whole);
    dcampd_unlock(core);
    if (!whole) {
        agentx_answer(agentx, pdu, NULL, SET_GEN_ERR, 1);
        return;
    }
    netsnmp_variable_list *variables = pdu->variables;
    pdu->variables = NULL;
    agentx_answer(agentx, pdu, variables, 0, 0);
}

static bool is_number(u_char type)
{
    return type == ASN_INTEGER || type == ASN_UNSIGNED || type == ASN_TIMETICKS ||
           type == ASN_COUNTER;
}

/* oids gets the OIDs that the varbinds point to: two for each, its name and its value. */
static size_t take_varbinds(const netsnmp_pdu *pdu, struct set_varbind *varbinds,
                            struct mib_oid *oids)
{
    size_t n = 0;
    for (const netsnmp_variable_list *var = pdu->variables; var; var = var->next_variable, n++) {
        struct mib_oid *name = &oids[2 * n], *value = &oids[2 * n + 1];
        if (!narrow_oid(var->name, var->name_length, name))
            name->len = 0;
        varbinds[n] = (struct set_varbind){
            .oid = name->id, .oid_len = name->len, .syntax = (enum mib_syntax)var->type};
        if (var->type == ASN_OCTET_STR) {
            varbinds[n].octets = var->val.string;
            varbinds[n].octets_len = var->val_len;
        } else if (var->type == ASN_OBJECT_ID) {
            bool fits = narrow_oid(var->val.objid, var->val_len / sizeof(oid), value);
            varbinds[n].arcs = value->id;
            varbinds[n].n_arcs = fits ? value->len : 0;
        } else if (is_number(var->type)) {
            varbinds[n].number = var->type == ASN_INTEGER ? (int64_t)*var->val.integer
                                                          : (int64_t)(uint32_t)*var->val.integer;
        }
    }
    return n;
}

static size_t number_of_varbinds(const netsnmp_pdu *pdu)
{
    size_t n = 0;
    for (const netsnmp_variable_list *var = pdu->variables; var; var = var->next_variable)
        n++;
    return n;
}

/* Frees the commit that waits: it is answered, or the master has gone on or is gone. */
static void forget_commit(struct dispatch *dispatch)
{
    if (dispatch->commit)
        snmp_free_pdu(dispatch->commit);
    dispatch->commit = NULL;
}

static void end_transaction(struct dispatch *dispatch)
{
    forget_commit(dispatch);
    set_cleanup(dispatch->transaction);
    dispatch->transaction = NULL;
}

/* Another transaction that is still open is ended: its cleanup was lost, or was never sent. */
static long test_set(struct dispatch *dispatch, const netsnmp_pdu *pdu, struct moment now,
                     size_t *index)
{
    size_t n = number_of_varbinds(pdu);
    struct set_varbind *varbinds = calloc(n + 1, sizeof *varbinds);
    struct mib_oid *oids = calloc(n + 1, 2 * sizeof *oids);
    long error = SET_RESOURCE_UNAVAILABLE;
    *index = 1;
    end_transaction(dispatch);
    dispatch->transaction_id = pdu->transid;
    dispatch->test_id = pdu->reqid;
    const struct view view = view_of(dispatch->core, now);
    if (varbinds && oids)
        error = set_test(&dispatch->engine, &view, varbinds, take_varbinds(pdu, varbinds, oids),
                         &dispatch->transaction, index);
    free(oids);
    free(varbinds);
    return error;
}

/* Whether a request is a commit that is answered only when it is on disk. */
static bool waits_for_save(const struct dispatch *dispatch, const netsnmp_pdu *pdu)
{
    return pdu->command == AGENTX_COMMITSET && set_commit_number(dispatch->transaction);
}

/* Keeps a commit until it is answered. If it is sent again, it waits for the same save. False:
 * there is no memory for it. */
static bool keep_commit(struct dispatch *dispatch, const netsnmp_pdu *pdu, uint64_t now_ns)
{
    netsnmp_pdu *commit = snmp_clone_pdu((netsnmp_pdu *)pdu);
    if (commit && !dispatch->commit)
        dispatch->commit_ns = now_ns;
    if (commit)
        forget_commit(dispatch);
    dispatch->commit = commit ? commit : dispatch->commit;
    return dispatch->commit != NULL;
}

/* Undoes a commit that cannot be saved. SET_COMMIT_FAILED: nothing has changed. SET_UNDO_FAILED:
 * the change stays, and nobody waits until it is saved. */
static enum set_error give_up_commit(struct dispatch *dispatch, const char *why, struct moment now)
{
    log_error("set", "a SET cannot be saved");
    enum set_error error = set_undo(dispatch->transaction, now);
    if (error)
        return error;
    refusal_note(&dispatch->core->self.refusal, NULL, SET_COMMIT_FAILED, why, now);
    return SET_COMMIT_FAILED;
}

/* One phase of a SET (RFC 2741, section 7.2.4). Any of these requests may be sent again. */
static long take_phase(struct dispatch *dispatch, const netsnmp_pdu *pdu, struct moment now,
                       size_t *index)
{
    bool ours = dispatch->transaction && dispatch->transaction_id == pdu->transid;
    bool again = ours && dispatch->test_id == pdu->reqid;
    switch (pdu->command) {
    case AGENTX_TESTSET:
        /* The test of a transaction that is committed would fail now, because the row that it makes
         * is there already. */
        return again && set_is_committed(dispatch->transaction)
                   ? 0
                   : test_set(dispatch, pdu, now, index);
    case AGENTX_COMMITSET:
        return ours ? set_commit(dispatch->transaction, now) : AGENTX_PROCESSING_ERROR;
    case AGENTX_UNDOSET:
        forget_commit(dispatch);
        return ours ? set_undo(dispatch->transaction, now) : AGENTX_PROCESSING_ERROR;
    default:
        if (ours)
            end_transaction(dispatch);
        return 0;
    }
}

static void answer_set(struct dispatch *dispatch, struct agentx *agentx, netsnmp_pdu *pdu)
{
    struct dcampd *core = dispatch->core;
    size_t index = 1; /* snmpd turns an error without an index into genErr */
    dcampd_lock(core);
    struct moment now = clock_now();
    long error = take_phase(dispatch, pdu, now, &index);
    bool waits = !error && waits_for_save(dispatch, pdu);
    if (waits && !keep_commit(dispatch, pdu, now.mono_ns)) {
        error = give_up_commit(dispatch, "no memory", now);
        waits = false;
    }
    dcampd_unlock(core);
    if (pdu->command != AGENTX_CLEANUPSET && !waits) /* RFC 2741, section 7.2.4.3: no answer */
        agentx_answer(agentx, pdu, NULL, error, error ? (long)index : 0);
    log_debug("set", "type %d transaction %ld: error %ld at %zu", pdu->command, pdu->transid, error,
              index);
    if (pdu->command != AGENTX_TESTSET)
        dcampd_wake(core);
}

uint64_t dispatch_tick(struct dispatch *dispatch, struct agentx *agentx)
{
    struct dcampd *core = dispatch->core;
    if (!dispatch->commit)
        return UINT64_MAX;
    struct saver_status status = saver_status(core->saver);
    enum set_error error = SET_OK;
    dcampd_lock(core);
    struct moment now = clock_now();
    enum saving_verdict verdict = saving_of_commit(
        &status, set_commit_number(dispatch->transaction), dispatch->commit_ns, now.mono_ns);
    if (verdict == SAVING_FAILED)
        error =
            give_up_commit(dispatch, "it cannot be saved; dcampSelfStateErrors counts that", now);
    dcampd_unlock(core);
    if (verdict == SAVING_WAITS)
        return dispatch->commit_ns + SAVING_COMMIT_NS;
    agentx_answer(agentx, dispatch->commit, NULL, error, error ? 1 : 0);
    forget_commit(dispatch);
    if (error)
        dcampd_wake(core);
    return UINT64_MAX;
}

void dispatch_request(struct dispatch *dispatch, struct agentx *agentx, netsnmp_pdu *pdu)
{
    dispatch->core->self.requests++;
    switch (pdu->command) {
    case AGENTX_GET:
    case AGENTX_GETNEXT:
        answer_read(dispatch, agentx, pdu);
        break;
    case AGENTX_TESTSET:
    case AGENTX_COMMITSET:
    case AGENTX_UNDOSET:
    case AGENTX_CLEANUPSET:
        answer_set(dispatch, agentx, pdu);
        break;
    default:
        /* GetBulk among them: RFC 2741, section 7.2.3.3 allows the answer to be shorter than
         * asked, but the masters in the field send GetNext. */
        log_debug("agentx", "request of type %d is not served", pdu->command);
        agentx_answer(agentx, pdu, NULL, SET_GEN_ERR, 0);
    }
}

void dispatch_reset(struct dispatch *dispatch)
{
    dcampd_lock(dispatch->core);
    end_transaction(dispatch);
    dcampd_unlock(dispatch->core);
}

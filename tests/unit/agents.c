#include "agents.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define OCTETS_MAX 1100
#define BINDINGS_MAX 200

struct agent_cell {
    oid name[OID_MAX];
    size_t len;
    uint8_t type;
    int64_t number;
    uint8_t octets[OCTETS_MAX];
    size_t n_octets;
};

/* -- Cells ----------------------------------------------------------------------------------- */

static int by_name(const void *left, const void *right)
{
    const struct agent_cell *one = left, *other = right;
    return snmp_oid_compare(one->name, one->len, other->name, other->len);
}

static struct agent_cell *cell_at(struct agent_peer *agent, const struct cell *cell)
{
    struct agent_cell wanted = {.len = cell->len};
    for (size_t i = 0; i < cell->len; i++)
        wanted.name[i] = cell->oid[i];
    for (size_t i = 0; i < agent->n; i++)
        if (by_name(&agent->cells[i], &wanted) == 0)
            return &agent->cells[i];
    if (agent->n == agent->room) {
        agent->room = agent->room * 2 + 64;
        agent->cells = realloc(agent->cells, agent->room * sizeof *agent->cells);
        assert_non_null(agent->cells);
    }
    agent->ordered = false;
    agent->cells[agent->n] = wanted;
    return &agent->cells[agent->n++];
}

void agent_typed(struct agent_peer *agent, const struct cell *cell, uint8_t type, int64_t number)
{
    struct agent_cell *at = cell_at(agent, cell);
    at->type = type;
    at->number = number;
}

void agent_number(struct agent_peer *agent, const struct cell *cell, int64_t number)
{
    agent_typed(agent, cell, (uint8_t)mib_objects[cell->object].syntax, number);
}

void agent_octets(struct agent_peer *agent, const struct cell *cell, const void *octets, size_t len)
{
    struct agent_cell *at = cell_at(agent, cell);
    assert_in_range(len, 0, OCTETS_MAX);
    at->type = ASN_OCTET_STR;
    memcpy(at->octets, octets, len);
    at->n_octets = len;
}

void agent_text(struct agent_peer *agent, const struct cell *cell, const char *text)
{
    agent_octets(agent, cell, text, strlen(text));
}

void agent_drop_rows(struct agent_peer *agent, uint32_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < agent->n; i++)
        if (agent->cells[i].name[agent->cells[i].len - 1] != number)
            agent->cells[kept++] = agent->cells[i];
    agent->n = kept;
}

void agent_drop_all(struct agent_peer *agent)
{
    agent->n = 0;
}

/* -- Answers --------------------------------------------------------------------------------- */

/* The cell of this name, or the first behind it; NULL: there is none. */
static const struct agent_cell *find_cell(const struct agent_peer *agent, const oid *name,
                                          size_t len, bool behind)
{
    if (agent->always_first)
        return agent->cells;
    for (size_t i = 0; i < agent->n; i++) {
        const struct agent_cell *cell = &agent->cells[i];
        int order = snmp_oid_compare(cell->name, cell->len, name, len);
        if (order == 0 ? !behind : behind && order > 0)
            return cell;
    }
    return NULL;
}

static void put_value(struct codec_out *out, const struct agent_cell *cell)
{
    if (cell->type == ASN_OCTET_STR)
        codec_put_octets(out, cell->octets, cell->n_octets);
    else if (cell->type == ASN_INTEGER)
        codec_put_int(out, (long)cell->number);
    else if (cell->type == ASN_COUNTER64)
        codec_put_counter64(out, (uint64_t)cell->number);
    else if (cell->type & 0x80) /* an exception */
        codec_put_null(out, cell->type);
    else
        codec_put_unsigned(out, cell->type, (uint64_t)cell->number);
}

struct answer_list {
    struct agent_cell cells[BINDINGS_MAX];
    size_t n;
};

/* An exception has the name that was asked for. */
static const struct agent_cell *add_cell(struct answer_list *list, const struct agent_cell *found,
                                         const oid *name, size_t len, uint8_t exception)
{
    assert_in_range(list->n, 0, BINDINGS_MAX - 1);
    struct agent_cell *cell = &list->cells[list->n++];
    *cell = (struct agent_cell){.len = len, .type = exception};
    memcpy(cell->name, name, len * sizeof *name);
    if (found)
        *cell = *found;
    return cell;
}

static void look_up(struct agent_peer *agent, struct answer_list *list)
{
    const struct codec_pdu *pdu = &agent->engine.pdu;
    struct codec_span bindings = pdu->bindings;
    struct codec_binding binding;
    bool bad = false, get = pdu->type == SNMP_MSG_GET || pdu->type == SNMP_MSG_SET;
    long times = pdu->type == SNMP_MSG_GETBULK ? pdu->b : 1;
    while (codec_next_binding(&bindings, &binding, &bad)) {
        struct agent_cell last = {.len = binding.id_len};
        memcpy(last.name, binding.id, binding.id_len * sizeof *binding.id);
        for (long i = 0; i < times; i++)
            last = *add_cell(list, find_cell(agent, last.name, last.len, !get), last.name, last.len,
                             get ? SNMP_NOSUCHINSTANCE : SNMP_ENDOFMIBVIEW);
    }
}

static void put_cell(struct codec_out *out, const struct agent_cell *cell)
{
    size_t from = out->used;
    put_value(out, cell);
    codec_put_oid(out, cell->name, cell->len);
    codec_wrap(out, CODEC_SEQUENCE, from);
}

static void answer(struct agent_peer *agent)
{
    static uint8_t octets[65536];
    static struct answer_list list;
    struct codec_out out = {.bytes = octets, .size = sizeof octets};
    list.n = 0;
    look_up(agent, &list);
    bool too_big = agent->most > 0 && list.n > agent->most;
    long status = agent->status;
    if (too_big && agent->engine.pdu.type == SNMP_MSG_GETBULK) {
        list.n = agent->most;
    } else if (too_big) {
        list.n = 0;
        status = SNMP_ERR_TOOBIG;
    }
    list.n -= agent->one_too_few && list.n > 0;
    for (size_t i = list.n; i-- > 0;)
        put_cell(&out, &list.cells[i]);
    if (agent->one_too_many && list.n > 0)
        put_cell(&out, &list.cells[0]);
    engine_answers(&agent->engine, &out, status);
}

/* -- The thread ------------------------------------------------------------------------------ */

static void take_request(struct agent_peer *agent)
{
    const struct codec_message *message = &agent->engine.message;
    if (!agent->ordered)
        qsort(agent->cells, agent->n, sizeof *agent->cells, by_name);
    agent->ordered = true;
    if (message->engine.len == 0 && agent->deaf > 0)
        agent->deaf--;
    else if (message->engine.len == 0)
        engine_reports(&agent->engine, REPORT_ENGINE, LEVEL_NONE);
    else if (agent->wrong_digests)
        engine_reports(&agent->engine, REPORT_DIGEST, LEVEL_NONE);
    else if (message->boots != agent->engine.boots)
        engine_reports(&agent->engine, REPORT_TIME_WINDOW, LEVEL_AUTH);
    else if (++agent->asked && (!agent->before || agent->before(agent)))
        answer(agent);
}

static void *agent_thread(void *context)
{
    struct agent_peer *agent = context;
    while (!agent->stopping) {
        struct pollfd readable = {.fd = agent->engine.fd, .events = POLLIN};
        if (poll(&readable, 1, 10) > 0 && engine_hears(&agent->engine))
            take_request(agent);
    }
    return NULL;
}

void agent_begin(struct agent_peer *agent)
{
    memset(agent, 0, sizeof *agent);
    engine_begin(&agent->engine);
    assert_int_equal(pthread_create(&agent->thread, NULL, agent_thread, agent), 0);
}

void agent_end(struct agent_peer *agent)
{
    agent->stopping = true;
    pthread_join(agent->thread, NULL);
    engine_end(&agent->engine);
    free(agent->cells);
}

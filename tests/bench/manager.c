/* The manager's side of the benchmarks: asks subagents through their masters, in turns, and says
 * what it cost.
 *
 *   manager get OID ROUNDS VARBINDS AGENT...     CPU time per varbind of GETs of 40 random cells
 *   manager walk OID ROUNDS ROWS AGENT...        CPU time per row of walks by GETBULK
 *   manager set OID SETS PAUSE-MS AGENT...       time until a SET of text is answered
 *
 * An AGENT is one argument: a name, the PID of the subagent, then what snmpget(1) takes up to and
 * with the address of the master. OID is a column for get and walk, a cell for set.
 *
 * For get and walk it prints a line for each agent: the name, the rows that it has, and the
 * median, least and greatest of the rounds, in nanoseconds. For set: the name, the number of SETs,
 * and the median, least and greatest time, in nanoseconds too. */
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VARBINDS_PER_GET 40
#define REPETITIONS 20
#define WORDS_MAX 32

struct name {
    oid *id;
    size_t len;
};

struct agent {
    char *words[WORDS_MAX];
    int n_words;
    pid_t pid;
    void *session;
    struct name *rows; /* the cells of the column */
    size_t n_rows;
    int64_t *results; /* of each round */
};

struct job {
    oid column[MAX_OID_LEN];
    size_t column_len;
    size_t rounds;
    size_t amount; /* of one round */
    struct agent *agents;
    size_t n_agents;
};

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("manager: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        fail("no memory");
    return memory;
}

static int64_t time_of(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        fail("a clock stopped: did the subagent end?");
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The CPU time of all threads of a process. */
static int64_t cpu_time(pid_t pid)
{
    clockid_t clock;
    if (clock_getcpuclockid(pid, &clock) != 0)
        fail("there is no process %d", (int)pid);
    return time_of(clock);
}

/* -- Questions ------------------------------------------------------------------------------- */

static void ignore_option(int argc, char *const *argv, int option)
{
    (void)argc;
    (void)argv;
    (void)option;
}

/* snmp_parse_args expects the name of a program first: that of the agent is put there, in the place
 * of the PID. */
static void open_agent(struct agent *agent, char *text)
{
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        if (agent->n_words == WORDS_MAX)
            fail("too many words for an agent");
        agent->words[agent->n_words++] = word;
    }
    if (agent->n_words < 3)
        fail("an agent needs a name, a PID and an address");
    agent->pid = (pid_t)strtol(agent->words[1], NULL, 10);
    netsnmp_session session;
    agent->words[1] = agent->words[0];
    if (snmp_parse_args(agent->n_words - 1, agent->words + 1, &session, "", ignore_option) < 0)
        fail("%s: bad SNMP options", agent->words[0]);
    agent->session = snmp_sess_open(&session);
    if (!agent->session)
        fail("%s: %s", agent->words[0], snmp_api_errstring(snmp_errno));
}

/* Sends a request and waits; fails if the answer is not a success. */
static netsnmp_pdu *ask(const struct agent *agent, netsnmp_pdu *pdu)
{
    netsnmp_pdu *response = NULL;
    if (!pdu)
        fail("no memory");
    int status = snmp_sess_synch_response(agent->session, pdu, &response);
    if (status != STAT_SUCCESS || !response)
        fail("%s: no answer", agent->words[0]);
    if (response->errstat != SNMP_ERR_NOERROR)
        fail("%s: %s", agent->words[0], snmp_errstring((int)response->errstat));
    return response;
}

static netsnmp_pdu *ask_bulk(const struct agent *agent, const oid *name, size_t len)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GETBULK);
    if (pdu) {
        pdu->non_repeaters = 0;
        pdu->max_repetitions = REPETITIONS;
        snmp_add_null_var(pdu, name, len);
    }
    return ask(agent, pdu);
}

static bool in_column(const struct job *job, const netsnmp_variable_list *var)
{
    return var->type == ASN_OCTET_STR &&
           snmp_oidtree_compare(var->name, var->name_length, job->column, job->column_len) == 0;
}

typedef void take_cell(struct agent *agent, const netsnmp_variable_list *var);

/* Walks the column, but not much further than limit; returns the number of rows. */
static size_t walk(const struct job *job, struct agent *agent, size_t limit, take_cell *take)
{
    oid at[MAX_OID_LEN];
    size_t len = job->column_len, rows = 0;
    memcpy(at, job->column, len * sizeof *at);
    for (bool more = true; more && rows < limit;) {
        netsnmp_pdu *response = ask_bulk(agent, at, len);
        more = response->variables != NULL;
        for (netsnmp_variable_list *var = response->variables; var; var = var->next_variable) {
            more = in_column(job, var);
            if (!more)
                break;
            if (take)
                take(agent, var);
            len = var->name_length;
            memcpy(at, var->name, len * sizeof *at);
            rows++;
        }
        snmp_free_pdu(response);
    }
    return rows;
}

static void keep_name(struct agent *agent, const netsnmp_variable_list *var)
{
    if ((agent->n_rows & (agent->n_rows - 1)) == 0) { /* full: room for twice as many */
        size_t room = agent->n_rows ? 2 * agent->n_rows : 1;
        agent->rows = realloc(agent->rows, room * sizeof *agent->rows);
    }
    if (!agent->rows)
        fail("no memory");
    struct name *name = &agent->rows[agent->n_rows++];
    name->len = var->name_length;
    name->id = allocate(name->len, sizeof *name->id);
    memcpy(name->id, var->name, name->len * sizeof *name->id);
}

static void get_random_cells(const struct agent *agent)
{
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    for (size_t i = 0; pdu && i < VARBINDS_PER_GET; i++) {
        const struct name *name = &agent->rows[(size_t)random() % agent->n_rows];
        snmp_add_null_var(pdu, name->id, name->len);
    }
    netsnmp_pdu *response = ask(agent, pdu);
    size_t n = 0;
    for (const netsnmp_variable_list *var = response->variables; var; var = var->next_variable, n++)
        if (var->type != ASN_OCTET_STR)
            fail("%s: an answer without a value", agent->words[0]);
    if (n != VARBINDS_PER_GET)
        fail("%s: %zu varbinds came back", agent->words[0], n);
    snmp_free_pdu(response);
}

/* -- Rounds ---------------------------------------------------------------------------------- */

static int64_t round_of_gets(const struct job *job, struct agent *agent)
{
    size_t varbinds = 0;
    int64_t before = cpu_time(agent->pid);
    for (; varbinds < job->amount; varbinds += VARBINDS_PER_GET)
        get_random_cells(agent);
    return (cpu_time(agent->pid) - before) / (int64_t)varbinds;
}

static int64_t round_of_walks(const struct job *job, struct agent *agent)
{
    size_t rows = 0;
    int64_t before = cpu_time(agent->pid);
    while (rows < job->amount)
        rows += walk(job, agent, job->amount - rows, NULL);
    return (cpu_time(agent->pid) - before) / (int64_t)rows;
}

static int64_t one_set(const struct job *job, struct agent *agent, size_t round)
{
    char text[32];
    int len = snprintf(text, sizeof text, "SET %zu", round);
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_SET);
    if (pdu)
        snmp_pdu_add_variable(pdu, job->column, job->column_len, ASN_OCTET_STR, text, (size_t)len);
    int64_t before = time_of(CLOCK_MONOTONIC);
    snmp_free_pdu(ask(agent, pdu));
    int64_t taken = time_of(CLOCK_MONOTONIC) - before;
    struct timespec pause = {.tv_sec = (time_t)(job->amount / 1000),
                             .tv_nsec = (long)(job->amount % 1000 * 1000000)};
    nanosleep(&pause, NULL);
    return taken;
}

static int64_t one_round(const char *verb, const struct job *job, struct agent *agent, size_t round)
{
    if (strcmp(verb, "get") == 0)
        return round_of_gets(job, agent);
    if (strcmp(verb, "walk") == 0)
        return round_of_walks(job, agent);
    return one_set(job, agent, round);
}

/* Agents take turns, so that a disturbance of the machine disturbs all of them. The first round
 * warms up caches and branch predictors and is not kept. */
static void run(const char *verb, struct job *job)
{
    for (size_t round = 0; round <= job->rounds; round++)
        for (size_t i = 0; i < job->n_agents; i++) {
            int64_t result = one_round(verb, job, &job->agents[i], round);
            if (round > 0)
                job->agents[i].results[round - 1] = result;
        }
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print(const struct job *job, bool is_set)
{
    size_t n = job->rounds;
    for (const struct agent *agent = job->agents; agent < job->agents + job->n_agents; agent++) {
        qsort(agent->results, n, sizeof *agent->results, by_size);
        printf("%s %zu %lld %lld %lld\n", agent->words[0], is_set ? n : agent->n_rows,
               (long long)agent->results[n / 2], (long long)agent->results[0],
               (long long)agent->results[n - 1]);
    }
}

static size_t number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || value == 0)
        fail("%s: expected a number", text);
    return value;
}

int main(int argc, char **argv)
{
    struct job job = {.column_len = MAX_OID_LEN};
    const char *verb = argc > 1 ? argv[1] : "";
    bool is_set = strcmp(verb, "set") == 0;
    if (argc < 6 || (!is_set && strcmp(verb, "get") != 0 && strcmp(verb, "walk") != 0))
        fail("usage: manager get|walk|set OID ROUNDS AMOUNT AGENT...");
    init_snmp("manager"); /* read_objid needs it */
    if (!read_objid(argv[2], job.column, &job.column_len))
        fail("%s: expected an OID", argv[2]);
    job.rounds = number(argv[3]);
    job.amount = number(argv[4]);
    job.n_agents = (size_t)argc - 5;
    job.agents = allocate(job.n_agents, sizeof *job.agents);
    for (size_t i = 0; i < job.n_agents; i++) {
        struct agent *agent = &job.agents[i];
        open_agent(agent, argv[5 + i]);
        agent->results = allocate(job.rounds, sizeof *agent->results);
        if (!is_set && walk(&job, agent, SIZE_MAX, keep_name) == 0)
            fail("%s: there are no rows", agent->words[0]);
    }
    run(verb, &job);
    print(&job, is_set);
    for (size_t i = 0; i < job.n_agents; i++)
        snmp_sess_close(job.agents[i].session);
    return 0;
}

#include "asking.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#include "unit.h"

void asking_begin(struct asking *asking)
{
    memset(asking, 0, sizeof *asking);
    agent_begin(&asking->agent);
    const struct usm_credential told = {.name = "site",
                                        .user = ENGINE_USER,
                                        .auth = AUTH_SHA256,
                                        .priv = PRIV_AES128,
                                        .auth_secret = ENGINE_AUTH,
                                        .priv_secret = ENGINE_PRIV};
    asking->client = client_new(asking->agent.engine.address, &told, clock_mono_ns());
    assert_non_null(asking->client);
    asking->command = (struct command){.timeout_s = 100, .interval_ms = 100};
    asking_scalar_text(asking, MIB_dcampNodeName, "lap");
}

void asking_end(struct asking *asking)
{
    client_free(asking->client);
    agent_end(&asking->agent);
    free(asking->out);
    free(asking->said);
}

int asking_set_up(void **state)
{
    asking_begin(*state);
    return 0;
}

int asking_tear_down(void **state)
{
    asking_end(*state);
    return 0;
}

static bool hear(struct agent_peer *agent)
{
    struct asking *asking = (struct asking *)agent; /* which it is the first member of */
    struct codec_span bindings = agent->engine.pdu.bindings;
    struct codec_binding binding;
    bool bad = false, is_set = agent->engine.pdu.type == SNMP_MSG_SET;
    agent->status = is_set ? asking->refusal : 0;
    asking->sets += is_set;
    while (is_set && codec_next_binding(&bindings, &binding, &bad))
        asking->bindings++;
    if (is_set && asking->on_set)
        asking->on_set(asking);
    return !(is_set && asking->is_silent);
}

int asking_set_up_for_sets(void **state)
{
    struct asking *asking = *state;
    asking_begin(asking);
    asking->agent.before = hear;
    return 0;
}

void asking_set(struct asking *asking, unsigned given, int n, const char *const *words)
{
    assert_in_range(n, 0, N_OF(asking->words));
    for (int i = 0; i < n; i++)
        asking->words[i] = (char *)words[i];
    asking->command.words = asking->words;
    asking->command.n_words = n;
    asking->command.given = given;
}

enum exit_status asking_run(struct asking *asking, subcommand_run *run, enum sheet_format format)
{
    size_t out_size, said_size;
    free(asking->out);
    free(asking->said);
    FILE *out = open_memstream(&asking->out, &out_size);
    FILE *said = open_memstream(&asking->said, &said_size);
    asking->command.format = format;
    enum exit_status status = run(&asking->command, asking->client, out, said);
    fclose(out);
    fclose(said);
    return status;
}

struct cell asking_cell(enum mib_object object, const char *first, const char *second,
                        const char *third)
{
    struct cell cell;
    cell_start(&cell, object);
    if (first)
        cell_add_text(&cell, first);
    if (second)
        cell_add_text(&cell, second);
    if (third)
        cell_add_text(&cell, third);
    return cell;
}

void asking_text(struct asking *asking, enum mib_object object, const char *first,
                 const char *second, const char *text)
{
    struct cell cell = asking_cell(object, first, second, NULL);
    agent_text(&asking->agent, &cell, text);
}

void asking_number(struct asking *asking, enum mib_object object, const char *first,
                   const char *second, int64_t number)
{
    struct cell cell = asking_cell(object, first, second, NULL);
    agent_number(&asking->agent, &cell, number);
}

void asking_scalar_text(struct asking *asking, enum mib_object object, const char *text)
{
    struct cell cell;
    cell_scalar(&cell, object);
    agent_text(&asking->agent, &cell, text);
}

void asking_scalar(struct asking *asking, enum mib_object object, int64_t number)
{
    struct cell cell;
    cell_scalar(&cell, object);
    agent_number(&asking->agent, &cell, number);
}

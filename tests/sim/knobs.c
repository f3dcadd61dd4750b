#include "knobs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "base/text.h"
#include "child.h"
#include "flood.h"
#include "values.h"

#define WORDS_MAX 8

struct command {
    struct sim *sim;
    struct moment now;
    char *words[WORDS_MAX];
    size_t n;
    uint32_t first, last; /* children, if it begins with these */
    char why[160];
};

static bool fail(struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command->why, sizeof command->why, format, arguments);
    va_end(arguments);
    return false;
}

/* -- Words ----------------------------------------------------------------------------------- */

bool knobs_number(const char *text, uint32_t low, uint32_t high, uint32_t *number)
{
    double value;
    if (!text_to_decimal(text, strlen(text), &value) || value < low || value > high ||
        value != floor(value))
        return false;
    *number = (uint32_t)value;
    return true;
}

bool knobs_percent(const char *text, uint32_t *percent)
{
    char digits[8];
    size_t len = strlen(text);
    if (len > 0 && text[len - 1] == '%')
        len--;
    if (len >= sizeof digits)
        return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    return knobs_number(digits, 0, 100, percent);
}

bool knobs_rate(const char *text, uint32_t *period_ms)
{
    double rate;
    if (!text_to_decimal(text, strlen(text), &rate) || rate < 0 || rate > 1000 ||
        (rate > 0 && rate < 0.0001))
        return false;
    *period_ms = rate > 0 ? (uint32_t)lround(1000 / rate) : 0;
    return true;
}

bool knobs_address(const char *text, uint32_t *address)
{
    struct in_addr found;
    if (inet_pton(AF_INET, text, &found) != 1 || ntohl(found.s_addr) >> 24 != IN_LOOPBACKNET)
        return false;
    *address = ntohl(found.s_addr);
    return true;
}

/* "7", "5-10" or "all". */
static bool parse_children(struct command *command, char *text)
{
    uint32_t n = command->sim->options.children;
    char *dash = strchr(text, '-');
    command->first = 1;
    command->last = n;
    if (strcmp(text, "all") == 0)
        return true;
    if (dash)
        *dash = '\0';
    bool good = knobs_number(text, 1, n, &command->first) &&
                knobs_number(dash ? dash + 1 : text, command->first, n, &command->last);
    if (dash)
        *dash = '-';
    return good || fail(command, "%s: not children of 1-%u: 7, 5-10 or all", text, n);
}

static struct sim_child *child_of(const struct command *command, uint32_t number)
{
    return &command->sim->children[number - 1];
}

#define EACH(command, child)                                                                       \
    struct sim_child *child = child_of(command, (command)->first);                                 \
    child <= child_of(command, (command)->last);                                                   \
    child++

/* -- Commands: words[1] are the children, if it has any -------------------------------------- */

static bool set_delay(struct command *command)
{
    uint32_t delay_ms;
    if (!text_to_millis(command->words[2], strlen(command->words[2]), &delay_ms))
        return fail(command, "%s: not a duration like 200ms", command->words[2]);
    for (EACH(command, child))
        child->delay_ms = delay_ms;
    return true;
}

static bool set_loss(struct command *command)
{
    uint32_t percent;
    if (!knobs_percent(command->words[2], &percent))
        return fail(command, "%s: not a share from 0%% to 100%%", command->words[2]);
    for (EACH(command, child))
        child->loss = percent;
    return true;
}

static bool set_largest(struct command *command)
{
    uint32_t octets;
    if (!knobs_number(command->words[2], 0, 65507, &octets))
        return fail(command, "%s: not octets from 0 to 65507", command->words[2]);
    for (EACH(command, child))
        child->largest = octets;
    return true;
}

static bool set_dead(struct command *command)
{
    for (EACH(command, child))
        child->dead = true;
    return true;
}

static bool set_living(struct command *command)
{
    for (EACH(command, child))
        child->dead = false;
    return true;
}

static bool worked(struct command *command, const struct sim_child *child, int error)
{
    return error == 0 || fail(command, "child %u: %s", child->number, strerror(error));
}

static bool reboot(struct command *command)
{
    for (EACH(command, child))
        if (!worked(command, child,
                    child_start(command->sim, child, child->engine_boots + 1, child->boot + 1,
                                command->now)))
            return false;
    return true;
}

static bool restore(struct command *command)
{
    for (EACH(command, child))
        if (child->engine_boots <= 1 || child->boot <= 1)
            return fail(command, "child %u has no boots before this one", child->number);
    for (EACH(command, child))
        if (!worked(command, child,
                    child_start(command->sim, child, child->engine_boots - 1, child->boot - 1,
                                command->now)))
            return false;
    return true;
}

static bool rekey(struct command *command)
{
    const char *auth = command->n > 2 ? command->words[2] : "another-auth-secret";
    const char *priv = command->n > 3 ? command->words[3] : "another-priv-secret";
    if (command->n > 3 && (strlen(auth) < 8 || strlen(priv) < 8))
        return fail(command, "a passphrase has at least 8 characters");
    if (command->n == 3)
        return fail(command, "two passphrases or none");
    for (EACH(command, child))
        if (!worked(command, child, child_rekey(command->sim, child, auth, priv)))
            return false;
    return true;
}

static bool new_engine(struct command *command)
{
    for (EACH(command, child)) {
        int error = child_new_engine(command->sim, child);
        if (error == 0)
            error = child_start(command->sim, child, 1, 1, command->now);
        if (!worked(command, child, error))
            return false;
    }
    return true;
}

static bool set_garbage(struct command *command)
{
    enum garbage kind = garbage_find(command->words[2]);
    if (kind == GARBAGE_KINDS)
        return fail(command, "%s: no such kind of garbage; see --help", command->words[2]);
    for (EACH(command, child))
        child->garbage = kind;
    return true;
}

static bool set_clone(struct command *command)
{
    uint32_t to;
    if (command->first != command->last ||
        !knobs_number(command->words[2], 1, command->sim->options.children, &to))
        return fail(command, "one child and another one of 1-%u are needed",
                    command->sim->options.children);
    child_clone(child_of(command, to), child_of(command, command->first));
    return true;
}

static bool set_rate(struct command *command)
{
    uint32_t period_ms;
    if (!knobs_rate(command->words[2], &period_ms))
        return fail(command, "%s: not a number of reports per second, 0 or 0.0001 to 1000",
                    command->words[2]);
    for (EACH(command, child))
        child_set_period(command->sim, child, period_ms, command->now);
    return true;
}

static bool set_replay(struct command *command)
{
    uint32_t times = 1;
    if (command->n > 2 && !knobs_number(command->words[2], 1, UINT32_MAX, &times))
        return fail(command, "%s: not a number of times", command->words[2]);
    for (EACH(command, child))
        child->replay.left = times;
    return true;
}

static bool flood(struct command *command)
{
    uint32_t address, port, n;
    if (!knobs_address(command->words[1], &address))
        return fail(command, "%s: not an address in 127.0.0.0/8", command->words[1]);
    if (!knobs_number(command->words[2], 1, UINT16_MAX, &port))
        return fail(command, "%s: not a port", command->words[2]);
    if (!knobs_number(command->words[3], 1, UINT32_MAX, &n))
        return fail(command, "%s: not a number of packets", command->words[3]);
    const struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(address),
    };
    return flood_start(command->sim, &to, n, command->now) == 0 || fail(command, "no memory");
}

static bool show(struct command *command)
{
    for (EACH(command, child)) {
        printf("child %u: engine ", child->number);
        for (size_t i = 0; i < child->engine_id_len; i++)
            printf("%02x", child->engine_id[i]);
        printf(" boots %u time %u boot %u first %u last %u requests %llu reports",
               child->engine_boots, child_engine_time(child, command->now), child->boot,
               child->ring.first, child->ring.last, (unsigned long long)child->requests);
        for (int stat = 1; stat < USM_STATS; stat++)
            printf(" %u", child->usm_stats[stat]);
        printf(" dead %d delay %ums loss %u%% garbage %s\n", child->dead, child->delay_ms,
               child->loss, garbage_name(child->garbage));
    }
    return true;
}

static bool show_values(struct command *command)
{
    for (EACH(command, child))
        for (uint32_t place = 0; place < command->sim->options.series; place++) {
            struct sim_series series;
            char text[DECIMAL_SIZE];
            int64_t at = child_reported(command->sim, child, place);
            sim_series(place, &series);
            text_from_decimal(text, sim_value(child->number, place, at));
            printf("value %u %s %s %lld %s\n", child->number, series.sensor, series.instance,
                   (long long)at, text);
        }
    return true;
}

static bool record(struct command *command)
{
    uint32_t period_ms;
    if (!text_to_millis(command->words[2], strlen(command->words[2]), &period_ms) || !period_ms)
        return fail(command, "%s: not a duration like 200ms", command->words[2]);
    arrivals_record(command->sim, child_of(command, command->first),
                    child_of(command, command->last), period_ms);
    return true;
}

static bool show_polls(struct command *command)
{
    arrivals_print(command->sim);
    return true;
}

static bool total(struct command *command)
{
    const struct sim *sim = command->sim;
    printf("total: requests %llu answers %llu malformed %llu\n", (unsigned long long)sim->requests,
           (unsigned long long)sim->answers, (unsigned long long)sim->malformed);
    return true;
}

static bool quit(struct command *command)
{
    command->sim->stop = true;
    return true;
}

static const struct knob {
    const char *name;
    bool children; /* its first argument */
    const char *arguments;
    size_t least, most; /* words, with the name */
    bool (*apply)(struct command *command);
    const char *meaning;
} knobs[] = {
    {"delay", true, "DURATION", 3, 3, set_delay, "answer that much later"},
    {"loss", true, "PERCENT", 3, 3, set_loss, "lose that share of the requests"},
    {"largest", true, "OCTETS", 3, 3, set_largest, "larger answers are tooBig; 0: as asked for"},
    {"die", true, "", 2, 2, set_dead, "answer nothing"},
    {"return", true, "", 2, 2, set_living, "answer again"},
    {"reboot", true, "", 2, 2, reboot, "next engine boots and dcampd boot; blocks from 1"},
    {"restore", true, "", 2, 2, restore,
     "the engine boots and the dcampd boot before; blocks from 1"},
    {"rekey", true, "[AUTH PRIV]", 2, 4, rekey, "other passphrases"},
    {"engine", true, "", 2, 2, new_engine, "a new engine ID, boots 1"},
    {"garbage", true, "KIND", 3, 3, set_garbage, "spoil the answers; KIND is one of those below"},
    {"clone", true, "CHILD", 3, 3, set_clone, "CHILD takes the engine ID and the keys"},
    {"rate", true, "REPORTS", 3, 3, set_rate, "reports per second; 0: no more"},
    {"replay", true, "[TIMES]", 2, 3, set_replay,
     "keep the next answer, send it again after others"},
    {"show", true, "", 2, 2, show, "a line for each child"},
    {"values", true, "", 2, 2, show_values, "what each series reported last, and when"},
    {"record", true, "PERIOD", 3, 3, record, "note when they are polled; forget what was noted"},
    {"polls", false, "", 1, 1, show_polls, "how far apart from the period the noted polls were"},
    {"flood", false, "ADDRESS PORT PACKETS", 4, 4, flood, "send what nobody asked for"},
    {"total", false, "", 1, 1, total, "requests, answers, malformed requests"},
    {"quit", false, "", 1, 1, quit, "end"},
};
#define N_KNOBS (sizeof knobs / sizeof *knobs)

void knobs_usage(FILE *to)
{
    fputs("\nCommands, one per line on standard input; CHILDREN is 7, 5-10 or all:\n", to);
    for (size_t i = 0; i < N_KNOBS; i++) {
        char left[64];
        text_format(left, sizeof left, "%s%s%s%s", knobs[i].name,
                    knobs[i].children ? " CHILDREN" : "", *knobs[i].arguments ? " " : "",
                    knobs[i].arguments);
        fprintf(to, "  %-30s %s\n", left, knobs[i].meaning);
    }
    fputs("\nKinds of garbage:\n", to);
    for (enum garbage kind = 0; kind < GARBAGE_KINDS; kind++)
        fprintf(to, "  %-30s %s\n", garbage_name(kind), garbage_meaning(kind));
}

static const struct knob *find(const char *name)
{
    for (size_t i = 0; i < N_KNOBS; i++)
        if (strcmp(knobs[i].name, name) == 0)
            return &knobs[i];
    return NULL;
}

static bool run(struct command *command)
{
    const struct knob *knob = find(command->words[0]);
    if (!knob)
        return fail(command, "no such command; see --help");
    if (command->n < knob->least || command->n > knob->most)
        return fail(command, "usage: %s%s %s", knob->name, knob->children ? " CHILDREN" : "",
                    knob->arguments);
    if (knob->children && !parse_children(command, command->words[1]))
        return false;
    return knob->apply(command);
}

bool knobs_command(struct sim *sim, char *line, struct moment now)
{
    struct command command = {.sim = sim, .now = now};
    char *rest = NULL, *text = strdup(line);
    if (!text)
        return false;
    for (char *word = strtok_r(line, " \t\r", &rest); word && command.n < WORDS_MAX;
         word = strtok_r(NULL, " \t\r", &rest))
        command.words[command.n++] = word;
    bool good = command.n == 0 || run(&command);
    if (!good)
        printf("error: %s: %s\n", text, command.why);
    else if (command.n)
        printf("ok: %s\n", text);
    free(text);
    return good;
}

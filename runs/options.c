#include "runs/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runs/compare.h"

#define WAIT_S 30
#define WAIT_MOST 3600
#define LEVEL 0.95
#define LIMIT 2 /* percent */
#define SEED 1

enum {
    OPT_ALL = 256,
    OPT_BY,
    OPT_DIRECTORY,
    OPT_HTML,
    OPT_INTERRUPTED,
    OPT_JSON,
    OPT_LEVEL,
    OPT_LIMIT,
    OPT_MAP,
    OPT_NODES,
    OPT_RUNS,
    OPT_SEED,
    OPT_TAG,
    OPT_WAIT
};

static const struct option long_options[] = {{"all", no_argument, NULL, OPT_ALL},
                                             {"by", required_argument, NULL, OPT_BY},
                                             {"directory", required_argument, NULL, OPT_DIRECTORY},
                                             {"html", required_argument, NULL, OPT_HTML},
                                             {"interrupted", no_argument, NULL, OPT_INTERRUPTED},
                                             {"json", no_argument, NULL, OPT_JSON},
                                             {"level", required_argument, NULL, OPT_LEVEL},
                                             {"limit", required_argument, NULL, OPT_LIMIT},
                                             {"map", required_argument, NULL, OPT_MAP},
                                             {"nodes", required_argument, NULL, OPT_NODES},
                                             {"runs", required_argument, NULL, OPT_RUNS},
                                             {"seed", required_argument, NULL, OPT_SEED},
                                             {"tag", required_argument, NULL, OPT_TAG},
                                             {"wait", required_argument, NULL, OPT_WAIT},
                                             {"version", no_argument, NULL, 'V'},
                                             {NULL, 0, NULL, 0}};

static const struct {
    const char *name;
    int least, most; /* number of names after it */
    const char *expected;
} actions[] = {[RUNS_START] = {"start", 1, 1, "start NAME"},
               [RUNS_STOP] = {"stop", 0, 1, "stop [NAME]"},
               [RUNS_LIST] = {"list", 0, 0, "list"},
               [RUNS_DELETE] = {"delete", 1, 1, "delete NAME"},
               [RUNS_COMPARE] = {"compare", 2, 2, "compare A B"}};

static int complain(const char *what, const char *text, const char *expected)
{
    fprintf(stderr, "dcamp: %s%s%s: expected %s\n", what, *text ? " " : "", text, expected);
    return RUNS_USAGE;
}

/* -- Values of options ----------------------------------------------------------------------- */

static int take_percent(const char *text, double *percent)
{
    size_t len = strlen(text);
    len -= len > 0 && text[len - 1] == '%';
    return text_to_decimal(text, len, percent) && *percent >= 0 && *percent <= 1e6
               ? -1
               : complain("--limit", text, "a number of percent, such as 5%");
}

static int take_level(const char *text, double *level)
{
    return text_to_decimal(text, strlen(text), level) && *level >= 0.5 && *level <= 0.9999
               ? -1
               : complain("--level", text, "a probability of 0.5 to 0.9999");
}

static int take_number(const char *option, const char *text, uint64_t most, uint64_t *number)
{
    size_t len = strlen(text);
    errno = 0;
    *number = strtoull(text, NULL, 10);
    return len > 0 && strspn(text, "0123456789") == len && errno == 0 && *number <= most
               ? -1
               : complain(option, text, "a whole number in its range");
}

static int take_wait(const char *text, unsigned *wait_s)
{
    uint64_t number;
    int status = take_number("--wait", text, WAIT_MOST, &number);
    if (status < 0)
        *wait_s = (unsigned)number;
    return status;
}

static int take_tag(const char *text, struct options *options)
{
    size_t key = strcspn(text, "=");
    if (!text_is_name(text, key) || !text[key] || strlen(text + key + 1) > RUN_TEXT_MAX ||
        !text_is_printable(text + key + 1, strlen(text + key + 1)))
        return complain("--tag", text, "NAME=VALUE of printable characters");
    if (options->n_tags == RUN_TAGS_MAX)
        return complain("--tag", text, "at most 64 of them");
    options->tags[options->n_tags++] = text;
    return -1;
}

static int take_statistics(const char *text, unsigned *statistics)
{
    static const enum compare_statistic known[] = {COMPARE_MEAN, COMPARE_P50, COMPARE_P99};
    *statistics = 0;
    for (const char *word = text; *word;) {
        size_t len = strcspn(word, ",");
        unsigned before = *statistics;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            const char *name = compare_statistic_name(known[i]);
            if (strlen(name) == len && strncmp(name, word, len) == 0)
                *statistics |= compare_bit(known[i]);
        }
        if (*statistics == before)
            return complain("--by", text, "some of mean,p50,p99");
        word += len + (word[len] == ',');
    }
    return *statistics ? -1 : complain("--by", text, "some of mean,p50,p99");
}

static int take_folder(const char *text, struct options *options)
{
    if (!*text || strlen(text) >= sizeof options->folder - 2 * RUN_NAME_MAX)
        return complain("--runs", text, "a directory");
    text_format(options->folder, sizeof options->folder, "%s", text);
    return -1;
}

static int take_option(int option, struct options *options)
{
    switch (option) {
    case OPT_ALL:
        options->has_all = true;
        return -1;
    case OPT_BY:
        return take_statistics(optarg, &options->statistics);
    case OPT_DIRECTORY:
        options->directory = optarg;
        return -1;
    case OPT_HTML:
        options->html = optarg;
        return -1;
    case OPT_INTERRUPTED:
        options->is_interrupted = true;
        return -1;
    case OPT_JSON:
        options->is_json = true;
        return -1;
    case OPT_LEVEL:
        return take_level(optarg, &options->level);
    case OPT_LIMIT:
        return take_percent(optarg, &options->limit);
    case OPT_MAP:
        options->map = optarg;
        return -1;
    case OPT_NODES:
        options->nodes = optarg;
        return -1;
    case OPT_RUNS:
        return take_folder(optarg, options);
    case OPT_SEED:
        return take_number("--seed", optarg, UINT64_MAX, &options->seed);
    case OPT_TAG:
        return take_tag(optarg, options);
    case OPT_WAIT:
        return take_wait(optarg, &options->wait_s);
    case 'V':
        puts("dcamp-runs " PACKAGE_VERSION);
        return RUNS_ALIKE;
    default: /* getopt_long(3) has reported it */
        return RUNS_USAGE;
    }
}

/* -- Words ----------------------------------------------------------------------------------- */

static int take_words(int n, char **words, struct options *options)
{
    size_t action = 0;
    while (n > 0 && action < sizeof actions / sizeof *actions &&
           strcmp(actions[action].name, words[0]) != 0)
        action++;
    if (n == 0 || action == sizeof actions / sizeof *actions)
        return complain(n > 0 ? words[0] : "arguments", "", "start, stop, list, delete or compare");
    if (n - 1 < actions[action].least || n - 1 > actions[action].most)
        return complain("arguments", "", actions[action].expected);
    options->action = (enum runs_action)action;
    options->name = n > 1 ? words[1] : NULL;
    options->other = n > 2 ? words[2] : NULL;
    return -1;
}

static int find_folder(struct options *options)
{
    if (options->folder[0] ||
        folder_default(getenv("XDG_STATE_HOME"), getenv("HOME"), options->folder))
        return -1;
    return complain("--runs", "", "a directory, for neither XDG_STATE_HOME nor HOME is set");
}

int options_read(int argc, char **argv, struct options *options)
{
    int status = -1;
    *options = (struct options){.wait_s = WAIT_S,
                                .limit = LIMIT,
                                .level = LEVEL,
                                .statistics = compare_bit(COMPARE_MEAN) | compare_bit(COMPARE_P50),
                                .seed = SEED};
    optind = 0; /* makes getopt(3) start anew */
    for (int option;
         status < 0 && (option = getopt_long(argc, argv, "V", long_options, NULL)) != -1;)
        status = take_option(option, options);
    if (status < 0)
        status = take_words(argc - optind, argv + optind, options);
    return status < 0 ? find_folder(options) : status;
}

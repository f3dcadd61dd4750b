/* Fuzz target: any octets as an expression of load, then the way through it; and as a command with
 * words. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "load/action.h"
#include "load/walk.h"
#include "main.h"

#define STEPS_MAX 2000

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check_tree(const struct scenario *scenario)
{
    const struct scenario_node *root = scenario_root(scenario);
    expect(root->least <= root->most && isfinite(root->mean));
    expect(scenario->depth >= 1 && scenario->depth <= SCENARIO_DEPTH_MAX);
    expect(scenario->n_names >= 1 && scenario->n_names <= SCENARIO_NAMES_MAX);
    expect(!root->is_idle || root->most == 0);
    for (uint32_t i = 0; i < scenario->n_names; i++)
        expect(text_is_name(scenario->name[i].text, strlen(scenario->name[i].text)));
}

/* As many operations as it stands for, or more than anybody waits for. */
static void walk_through(const struct scenario *scenario, uint64_t seed)
{
    struct walk walk;
    uint64_t n_operations = 0, what;
    enum walk_step step = WALK_PAUSE;
    expect(walk_open(&walk, scenario, seed));
    for (int i = 0; i < STEPS_MAX && (step = walk_next(&walk, &what)) != WALK_END; i++) {
        expect(step == WALK_PAUSE ? what <= SCENARIO_PAUSE_MAX : what < scenario->n_names);
        n_operations += step == WALK_OPERATION;
    }
    expect(n_operations <= scenario_root(scenario)->most);
    expect(step != WALK_END || n_operations >= scenario_root(scenario)->least);
    walk_close(&walk);
}

static void check_command(const char *text)
{
    const struct call call = {.sequence = 1, .data = "&"};
    int error;
    char **words = action_split(text, &error);
    expect(words ? error == 0 && words[0] : error == EINVAL);
    for (size_t i = 0; words && words[i]; i++) {
        char *filled = action_fill(words[i], &call, true);
        expect(filled && (action_varies(words[i]) || strcmp(filled, words[i]) == 0));
        free(filled);
    }
    action_free_words(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scenario scenario;
    struct scenario_error error;
    char *text = malloc(size + 1);
    expect(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (scenario_parse(&scenario, (const char *)data, size, &error) == 0) {
        check_tree(&scenario);
        walk_through(&scenario, size);
        scenario_release(&scenario);
    } else {
        expect(error.line >= 1 && error.column >= 1 && error.line + error.column <= size + 2);
        expect(error.text[0] && !strpbrk(error.text, "\n\r\x1b"));
    }
    check_command(text);
    free(text);
    return 0;
}

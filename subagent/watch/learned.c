#include "watch/learned.h"

#include <cbor.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "threshold/season_pack.h"

struct learned_model {
    struct saved_series name;
    struct season *season;
};

/* The pause between two searches: very many series may end at once, and a search goes through all
 * models. */
#define TIDY_NS (60 * NS_PER_S)

/* -- The store ------------------------------------------------------------------------------- */

static void model_free(struct learned_model *model)
{
    season_free(model->season);
    free(model);
}

void learned_release(struct learned *learned)
{
    for (size_t i = 0; i < learned->n; i++)
        model_free(learned->models[i]);
    free(learned->models);
    *learned = (struct learned){.n = 0};
}

/* The place where it is, or would be. */
static size_t place_of(const struct learned *learned, const struct saved_series *name, bool *found)
{
    size_t low = 0, high = learned->n;
    *found = false;
    while (low < high && !*found) {
        size_t middle = low + (high - low) / 2;
        int order = saved_compare(name, &learned->models[middle]->name);
        *found = order == 0;
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

static struct season *take_out(struct learned *learned, size_t place)
{
    struct learned_model *model = learned->models[place];
    struct season *season = model->season;
    learned->n--;
    memmove(learned->models + place, learned->models + place + 1,
            (learned->n - place) * sizeof(struct learned_model *));
    free(model);
    return season;
}

static bool make_room(struct learned *learned)
{
    if (learned->n < learned->room)
        return true;
    size_t room = learned->room ? learned->room * 2 : 16;
    struct learned_model **more =
        reallocarray(learned->models, room, sizeof(struct learned_model *));
    if (!more)
        return false;
    learned->models = more;
    learned->room = room;
    return true;
}

/* If there are two models of one name, the later one stays. False: no memory, or there are already
 * as many models of other names as most allows; then the season still belongs to the caller. */
static bool put(struct learned *learned, const struct saved_series *name, struct season *season,
                size_t most)
{
    bool found;
    size_t place = place_of(learned, name, &found);
    if (found) {
        season_free(learned->models[place]->season);
        learned->models[place]->season = season;
        return true;
    }
    struct learned_model *model = learned->n < most ? malloc(sizeof *model) : NULL;
    if (!model || !make_room(learned)) {
        free(model);
        return false;
    }
    *model = (struct learned_model){*name, season};
    memmove(learned->models + place + 1, learned->models + place,
            (learned->n - place) * sizeof(struct learned_model *));
    learned->models[place] = model;
    learned->n++;
    return true;
}

void learned_keep(struct learned *learned, const struct saved_series *name, struct season *season)
{
    if (!put(learned, name, season, SIZE_MAX))
        season_free(season);
}

void learned_keep_ended(struct learned *learned, const struct saved_series *name,
                        struct season *season, struct moment now)
{
    if (learned->n >= LEARNED_MAX && now.mono_ns >= learned->tidy_ns) {
        learned_forget_old(learned, now.wall_ms);
        learned->tidy_ns = now.mono_ns + TIDY_NS;
    }
    if (!put(learned, name, season, LEARNED_MAX))
        season_free(season);
}

struct season *learned_take(struct learned *learned, const struct watch_rule *rule,
                            const struct series_view *view)
{
    if (learned->n == 0)
        return NULL;
    bool found;
    const struct saved_series name = saved_name(rule, view);
    size_t place = place_of(learned, &name, &found);
    if (!found || season_span(learned->models[place]->season) != rule_season_ms(rule))
        return NULL;
    return take_out(learned, place);
}

/* -- What is of no use any more -------------------------------------------------------------- */

typedef bool useless_fn(const struct learned_model *model, const void *context);

static void forget(struct learned *learned, useless_fn *is_useless, const void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < learned->n; i++)
        if (is_useless(learned->models[i], context))
            model_free(learned->models[i]);
        else
            learned->models[kept++] = learned->models[i];
    learned->n = kept;
}

static bool is_of_rule(const struct learned_model *model, const void *name)
{
    return strcmp(model->name.threshold, name) == 0;
}

void learned_forget_rule(struct learned *learned, const char *name)
{
    forget(learned, is_of_rule, name);
}

static bool is_no_use_to(const struct learned_model *model, const void *context)
{
    const struct watch_rule *rule = context;
    return is_of_rule(model, rule->row.row.name) &&
           (rule->row.source != INPUT_DEVIATION ||
            season_span(model->season) != rule_season_ms(rule) ||
            strcmp(model->name.sensor, rule->row.sensor) != 0);
}

void learned_forget_others(struct learned *learned, const struct watch_rule *rule)
{
    forget(learned, is_no_use_to, rule);
}

static bool is_old(const struct learned_model *model, const void *wall_ms)
{
    return season_is_over(model->season, *(const int64_t *)wall_ms);
}

void learned_forget_old(struct learned *learned, int64_t wall_ms)
{
    forget(learned, is_old, &wall_ms);
}

/* -- Octets ---------------------------------------------------------------------------------- */

#define NAMES 4
#define ONE_MAX (SEASON_PACKED_MAX + sizeof(struct saved_series) + (NAMES + 1) * ITEM_HEAD_MAX)

/* Makes room for one more model, as far as the limit of the octets allows. False: no memory. */
static bool have_room(struct octets *octets)
{
    if (octets->room - octets->n >= ONE_MAX)
        return true;
    size_t room = octets->room * 2 + ONE_MAX;
    if (room > octets->most)
        room = octets->most;
    uint8_t *more = realloc(octets->at, room);
    if (!more)
        return false;
    octets->at = more;
    octets->room = room;
    return true;
}

static size_t put_name(uint8_t *at, size_t room, const char *name)
{
    size_t len = strlen(name), n = cbor_encode_bytestring_start(len, at, room);
    memcpy(at + n, name, len);
    return n + len;
}

int learned_pack_one(const struct saved_series *name, const struct season *season,
                     struct octets *octets)
{
    const char *const names[NAMES] = {name->threshold, name->node, name->sensor, name->instance};
    if (octets->most - octets->n < ONE_MAX) {
        octets->left_out++;
        return 0;
    }
    if (!have_room(octets))
        return ENOMEM;
    uint8_t *at = octets->at + octets->n;
    size_t n = cbor_encode_array_start(NAMES + 1, at, ONE_MAX);
    for (size_t i = 0; i < NAMES; i++)
        n += put_name(at + n, ONE_MAX - n, names[i]);
    size_t model = season_pack(season, at + n, ONE_MAX - n);
    octets->n += model ? n + model : 0;
    return 0;
}

int learned_pack(const struct learned *learned, struct octets *octets)
{
    int error = 0;
    for (size_t i = 0; i < learned->n && !error; i++)
        error = learned_pack_one(&learned->models[i]->name, learned->models[i]->season, octets);
    return error;
}

static bool take_name(struct item_reader *reader, char *name, size_t size)
{
    struct item item;
    if (item_take(reader, &item) != 0 || item.kind != ITEM_OCTETS || item.number >= size ||
        memchr(item.text, '\0', item.number))
        return false;
    memcpy(name, item.text, item.number);
    name[item.number] = '\0';
    return true;
}

static int take_one(struct learned *learned, struct item_reader *reader)
{
    struct item item;
    struct saved_series name = {.taken = false};
    if (item_take(reader, &item) != 0 || item.kind != ITEM_ARRAY || item.number != NAMES + 1 ||
        !take_name(reader, name.threshold, sizeof name.threshold) ||
        !take_name(reader, name.node, sizeof name.node) ||
        !take_name(reader, name.sensor, sizeof name.sensor) ||
        !take_name(reader, name.instance, sizeof name.instance))
        return EBADMSG;
    struct season *season = season_unpack(reader);
    if (!season)
        return errno;
    if (put(learned, &name, season, SIZE_MAX))
        return 0;
    season_free(season);
    return ENOMEM;
}

int learned_unpack(struct learned *learned, const uint8_t *octets, size_t n)
{
    struct item_reader reader = {octets, n};
    int error = 0;
    while (reader.left > 0 && !error)
        error = take_one(learned, &reader);
    if (error)
        learned_release(learned);
    return error;
}

#include "publish/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/places.h"

/* After so long, a number that nobody knew is asked for again; nothing waits for it any more. */
#define LATER_NS NAMES_WAIT_NS

struct name {
    uint32_t number;
    uint32_t used; /* struct names, used: of the last block that had it */
    enum names_meaning meaning;
    uint64_t since_ns; /* when it was first wanted */
    uint64_t again_ns; /* when it is to be asked for; NAMES_NEVER: not any more */
    struct sink_words *words;
};

void names_release(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->at[i].words);
    free(names->at);
    *names = (struct names){0};
}

/* The place where it is, or would be. */
static size_t place_of(const struct names *names, uint32_t number)
{
    return places_of_number(names->at, names->n, sizeof *names->at, number);
}

static struct name *find(const struct names *names, uint32_t number)
{
    size_t place = place_of(names, number);
    return place < names->n && names->at[place].number == number ? &names->at[place] : NULL;
}

static void be_due(struct names *names, uint64_t when_ns)
{
    if (when_ns == NAMES_NEVER || (names->is_due && names->due_ns <= when_ns))
        return;
    names->due_ns = when_ns;
    names->is_due = true;
}

static void settle(struct names *names, struct name *name, enum names_meaning meaning)
{
    if (name->meaning == NAMES_AWAITED)
        names->awaited--;
    name->meaning = meaning;
    name->again_ns = NAMES_NEVER;
}

/* Removes the names whose last use is at least as long ago as the mean: never one of this block. */
static void make_room(struct names *names)
{
    uint64_t ages = 0;
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++)
        ages += names->used - names->at[i].used;
    uint64_t mean = ages / names->n;
    for (size_t i = 0; i < names->n; i++) {
        struct name *name = &names->at[i];
        uint32_t age = names->used - name->used;
        if (age > 0 && age >= mean && name->meaning != NAMES_AWAITED)
            free(name->words);
        else
            names->at[n++] = *name;
    }
    names->n = n;
}

void names_begin(struct names *names)
{
    names->used++;
    if (names->n >= NAMES_MAX)
        make_room(names);
}

static int add(struct names *names, size_t place, const struct name *name)
{
    if (names->n == names->room) {
        size_t room = names->room ? 2 * names->room : 32;
        void *larger = reallocarray(names->at, room, sizeof *names->at);
        if (!larger)
            return ENOMEM;
        names->at = larger;
        names->room = room;
    }
    memmove(&names->at[place + 1], &names->at[place], (names->n - place) * sizeof *names->at);
    names->at[place] = *name;
    names->n++;
    names->awaited++;
    be_due(names, name->again_ns);
    return 0;
}

int names_want(struct names *names, uint32_t number, uint64_t now_ns, enum names_meaning *meaning)
{
    size_t place = place_of(names, number);
    *meaning = NAMES_AWAITED;
    if (place < names->n && names->at[place].number == number) {
        names->at[place].used = names->used;
        *meaning = names->at[place].meaning;
        return 0;
    }
    return add(names, place,
               &(struct name){.number = number,
                              .used = names->used,
                              .meaning = NAMES_AWAITED,
                              .since_ns = now_ns,
                              .again_ns = now_ns});
}

#define TEXTS 5

/* Makes one piece of memory: the words, and their texts behind them. */
static struct sink_words *words_of(const struct outlet_name *name)
{
    const char *texts[] = {name->sensor, name->instance, name->metric, name->unit, name->path};
    const char *copies[TEXTS];
    size_t size = sizeof(struct sink_words);
    for (int i = 0; i < TEXTS; i++)
        size += strlen(texts[i]) + 1;
    struct sink_words *words = malloc(size);
    if (!words)
        return NULL;
    char *end = (char *)(words + 1);
    for (int i = 0; i < TEXTS; i++) {
        copies[i] = end;
        end = stpcpy(end, texts[i]) + 1;
    }
    *words = (struct sink_words){copies[0], copies[1], copies[2], copies[3], copies[4]};
    return words;
}

int names_take(struct names *names, const struct outlet_name *answer, const char *sensors,
               uint64_t now_ns)
{
    struct name *name = find(names, answer->series);
    if (!name || name->again_ns == NAMES_NEVER)
        return 0;
    if (answer->answer == OUTLET_NAMELESS) {
        settle(names, name, NAMES_NAMELESS);
    } else if (answer->answer == OUTLET_NOT_YET) {
        if (name->meaning == NAMES_AWAITED)
            name->again_ns = now_ns + NAMES_AGAIN_NS;
    } else if (answer->answer == OUTLET_ELSEWHERE ||
               (sensors[0] && !text_matches(sensors, answer->sensor))) {
        settle(names, name, NAMES_UNWANTED);
    } else {
        struct sink_words *words = words_of(answer);
        name->again_ns = now_ns + NAMES_AGAIN_NS;
        be_due(names, name->again_ns);
        if (!words)
            return ENOMEM;
        name->words = words;
        settle(names, name, NAMES_KNOWN);
    }
    be_due(names, name->again_ns);
    return 0;
}

/* Whether it is to be asked for now; if so, sets when it is asked for the next time. */
static bool is_to_ask(struct names *names, struct name *name, uint64_t now_ns)
{
    if (name->again_ns > now_ns)
        return false;
    bool is_late = now_ns - name->since_ns >= NAMES_WAIT_NS;
    if (is_late)
        settle(names, name, NAMES_NAMELESS);
    name->again_ns = now_ns + (is_late ? LATER_NS : NAMES_AGAIN_NS);
    return true;
}

size_t names_ask(struct names *names, uint64_t now_ns, uint32_t *numbers, size_t most)
{
    size_t n = 0;
    if (!names->is_due || names->due_ns > now_ns)
        return 0;
    names->is_due = false;
    for (size_t i = 0; i < names->n; i++) {
        struct name *name = &names->at[i];
        if (n < most && is_to_ask(names, name, now_ns))
            numbers[n++] = name->number;
        be_due(names, name->again_ns);
    }
    return n;
}

void names_ask_anew(struct names *names, uint64_t now_ns)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->at[i].again_ns != NAMES_NEVER)
            names->at[i].again_ns = now_ns;
    if (names->awaited > 0)
        be_due(names, now_ns);
}

const struct sink_words *names_words(const struct names *names, uint32_t number)
{
    const struct name *name = find(names, number);
    return name && name->meaning == NAMES_KNOWN ? name->words : NULL;
}

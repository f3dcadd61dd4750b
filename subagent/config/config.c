#include "config/config.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"

/* There may be only few conditions, because each looks at all thresholds. */
size_t config_rows_max(enum row_kind kind)
{
    static const size_t most[ROW_KINDS] = {
        [ROW_SENSOR] = 10000,  [ROW_FILTER] = 1000,      [ROW_THRESHOLD] = 10000,
        [ROW_CHILD] = 10000,   [ROW_AGGREGATE] = 1000,   [ROW_OBJECT] = 1000,
        [ROW_CONDITION] = 100, [ROW_MAINTENANCE] = 1000, [ROW_RELAY] = 50,
        [ROW_ENDPOINT] = 100,  [ROW_SINK] = SINKS_MAX,
    };
    return most[kind];
}

struct config *config_new(void)
{
    struct config *config = calloc(1, sizeof *config);
    if (!config)
        return NULL;
    for (int kind = 0; kind < ROW_KINDS; kind++)
        index_init(&config->rows[kind]);
    index_init(&config->deviations);
    settings_reset(config);
    config_touch(config);
    return config;
}

void config_free(struct config *config)
{
    if (!config)
        return;
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        struct index_node *node;
        while ((node = index_first(&config->rows[kind]))) {
            config_remove(config, (struct row *)node);
            row_free((struct row *)node);
        }
        index_release(&config->rows[kind]);
    }
    index_release(&config->deviations);
    free(config);
}

struct row *config_find(const struct config *config, enum row_kind kind, const char *name)
{
    uint32_t key[NAME_SIZE];
    if (strnlen(name, NAME_SIZE) == NAME_SIZE)
        return NULL;
    size_t len = index_key_text(key, name);
    return (struct row *)index_find(&config->rows[kind], key, len);
}

struct filter_rule config_filter(const struct config *config, const char *name)
{
    struct filter_rule rule = {.gate = COMPARE_NONE};
    const struct row *row = config_find(config, ROW_FILTER, name);
    if (row && row->status == ROW_ACTIVE)
        config_filter_rule((const struct filter_row *)row, &rule);
    return rule;
}

/* The numbers that DcampRowKind of the MIB gives to the kinds; keys begin with them. */
static const uint32_t kind_numbers[ROW_KINDS] = {
    [ROW_SENSOR] = 1,    [ROW_FILTER] = 2,      [ROW_THRESHOLD] = 3,
    [ROW_CHILD] = 4,     [ROW_AGGREGATE] = 5,   [ROW_OBJECT] = 6,
    [ROW_CONDITION] = 7, [ROW_MAINTENANCE] = 8, [ROW_RELAY] = 9,
};

bool config_kind(uint32_t number, enum row_kind *kind)
{
    for (int i = 0; i < ROW_KINDS; i++)
        if (kind_numbers[i] == number && number > 0) {
            *kind = (enum row_kind)i;
            return true;
        }
    return false;
}

static void list_deviation(struct config *config, struct row *row)
{
    struct deviation *deviation = &row->deviation;
    if (!row_deviates(row))
        return;
    deviation->name = (struct index_tail){row->node.key, row->node.key_len};
    deviation->node = (struct index_node){
        .key = &kind_numbers[row->kind], .key_len = 1, .tail = &deviation->name};
    deviation->listed = index_add(&config->deviations, &deviation->node);
    config->locals += deviation->listed && row->local == TRUTH_TRUE;
}

bool config_add(struct config *config, struct row *row)
{
    row->digested = false;
    free(row->saved);
    row->saved = NULL;
    row->version = ++config->versions;
    if (!index_add(&config->rows[row->kind], &row->node))
        return false;
    list_deviation(config, row);
    return true;
}

void config_remove(struct config *config, struct row *row)
{
    index_remove(&config->rows[row->kind], &row->node);
    if (!row->deviation.listed)
        return;
    index_remove(&config->deviations, &row->deviation.node);
    row->deviation.listed = false;
    config->locals -= row->local == TRUTH_TRUE;
}

static void add_digest(void *context, const char *text, size_t len)
{
    SHA256Update(context, (const uint8_t *)text, len);
}

/* libmd computes it, because the providers of OpenSSL 3 would take 2 MB of memory for the same 32
 * octets. */
static const uint8_t *row_digest(struct row *row)
{
    SHA2_CTX context;
    if (row->digested)
        return row->digest;
    SHA256Init(&context);
    row_canonical(row, true, add_digest, &context);
    SHA256Final(row->digest, &context);
    row->digested = true;
    return row->digest;
}

static void make_digest(struct config *config)
{
    SHA2_CTX context;
    SHA256Init(&context);
    for (int kind = 0; kind < ROW_KINDS; kind++)
        for (struct index_node *node = index_first(&config->rows[kind]); node;
             node = index_next(node))
            SHA256Update(&context, row_digest((struct row *)node), CONFIG_DIGEST);
    SHA256Final(config->digest, &context);
    config->digest_is_old = false;
}

/* The digest adds nothing to what the configuration says, it is only computed later: therefore the
 * configuration is const for those who ask. */
void config_digest(const struct config *config, uint8_t digest[CONFIG_DIGEST])
{
    if (config->digest_is_old)
        make_digest((struct config *)config);
    memcpy(digest, config->digest, CONFIG_DIGEST);
}

void config_touch(struct config *config)
{
    config->serial++;
    config->digest_is_old = true;
}

static bool stays(const struct row *row, const struct row *in_file)
{
    return row->local == TRUTH_TRUE && row_deviates(row) && !(row->kind == ROW_CHILD && in_file);
}

/* A change is carried over as long as the file says what it said before the change. */
static bool carries_over(const struct row *row, const struct row *in_file)
{
    if (stays(row, in_file))
        return true;
    if (!in_file)
        return row->origin == 0;
    return row->origin != 0 && row->changed && row->origin == in_file->origin;
}

/* From now on the row is a change of in_file; if that is NULL, it is a row that was made, which a
 * SET can remove again. */
static void base_on(struct row *row, const struct row *in_file)
{
    row->changed = true;
    row->origin = in_file ? in_file->origin : 0;
    if (in_file)
        row->storage = in_file->storage;
    else if (row->storage == STORAGE_PERMANENT)
        row->storage = STORAGE_NONVOLATILE;
}

/* Puts the row in the place of the one that is there, if any. The row is not in a configuration
 * yet. */
static void put_row(struct config *to, struct row *row, struct row *in_file)
{
    if (row->local == TRUTH_TRUE)
        base_on(row, in_file);
    if (in_file)
        config_remove(to, in_file);
    row_free(in_file);
    config_add(to, row);
}

static void carry_row(struct config *to, struct row *row, void (*dropped)(const struct row *row))
{
    struct row *in_file = config_find(to, row->kind, row->name);
    if (carries_over(row, in_file)) {
        put_row(to, row, in_file);
        return;
    }
    if (dropped && row_deviates(row))
        dropped(row);
    row_free(row);
}

/* Gives each row a version that no row has had before. */
static void number_anew(struct config *config, uint64_t versions)
{
    config->versions = versions;
    for (int kind = 0; kind < ROW_KINDS; kind++)
        for (struct index_node *node = index_first(&config->rows[kind]); node;
             node = index_next(node))
            ((struct row *)node)->version = ++config->versions;
}

/* Continues the numbers of the configuration from, which to replaces. before: the digest that from
 * had. */
static void go_on_from(struct config *to, const struct config *from,
                       const uint8_t before[CONFIG_DIGEST])
{
    uint8_t after[CONFIG_DIGEST];
    number_anew(to, from->versions);
    config_touch(to);
    config_digest(to, after);
    to->serial = from->serial + (memcmp(before, after, CONFIG_DIGEST) != 0);
}

void config_succeed(struct config *from, struct config *to, void (*dropped)(const struct row *row))
{
    uint8_t before[CONFIG_DIGEST];
    config_digest(from, before);
    struct index_node *node = index_first(&from->deviations), *next;
    for (; node; node = next) {
        next = index_next(node);
        struct row *row = (struct row *)row_of_deviation(node);
        struct row *in_file = config_find(to, row->kind, row->name);
        if (stays(row, in_file)) {
            config_remove(from, row);
            put_row(to, row, in_file);
        } else if (dropped) {
            dropped(row);
        }
    }
    go_on_from(to, from, before);
}

void config_take_rows(struct config *to, struct config *from)
{
    struct config was = *to;
    *to = *from;
    *from = was;
    config_take_settings(from, to);
    config_take_settings(to, &was);
}

void config_take_settings(struct config *to, const struct config *from)
{
    memcpy(to, from, offsetof(struct config, rows));
}

void config_carry_over(struct config *from, struct config *to,
                       void (*dropped)(const struct row *row))
{
    uint8_t before[CONFIG_DIGEST];
    config_digest(from, before);
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        struct index_node *node;
        while ((node = index_first(&from->rows[kind]))) {
            config_remove(from, (struct row *)node);
            carry_row(to, (struct row *)node, dropped);
        }
    }
    go_on_from(to, from, before);
}

#include "fingerprint.h"

#include <stddef.h>
#include <string.h>

#include "sets.h"

static uint64_t mix(uint64_t sum, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return sum;
}

/* Of what the row says, and not of where it keeps that. */
static uint64_t mix_row(uint64_t sum, const struct row *row)
{
    const struct row_type *type = row_type(row->kind);
    const size_t from = offsetof(struct row, kind);
    char text[MESSAGE_SIZE];
    sum = mix(sum, (const char *)row + from, sizeof *row - from);
    for (size_t i = 0; i < type->n_fields; i++)
        sum = mix(sum, text, field_text(row, &type->fields[i], text) + 1);
    return sum;
}

uint64_t rows_fingerprint(struct node *node)
{
    const struct config *config = node->daemon->config;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        for (struct index_node *row = index_first(&config->rows[kind]); row; row = index_next(row))
            sum = mix_row(sum, (const struct row *)row);
        sum = mix(sum, &config->rows[kind].count, sizeof config->rows[kind].count);
    }
    return sum;
}

uint64_t walk_fingerprint(struct node *node)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < N_OF(kits); k++) {
        struct mib_oid at = cell_of(kits[k].table, NULL, NULL), end, found;
        struct mib_value value;
        at.len--;
        end = at;
        end.id[end.len - 1]++;
        while (node_next(node, &at, false, &end, &found, &value) == ENGINE_OK) {
            bool octets = value.syntax == MIB_SYNTAX_OCTETS;
            sum = mix(sum, found.id, found.len * sizeof *found.id);
            if (value.syntax == MIB_SYNTAX_OID) {
                sum = mix(sum, value.oid.at, value.oid.len * sizeof *value.oid.at);
                at = found;
                continue;
            }
            sum = mix(sum, octets ? value.octets.at : &value.number,
                      octets ? value.octets.len : sizeof value.number);
            at = found;
        }
    }
    return sum;
}

struct fingerprint fingerprint(struct node *node)
{
    const struct config *config = node->daemon->config;
    struct fingerprint print = {.rows = rows_fingerprint(node),
                                .walk = walk_fingerprint(node),
                                .sets = node->daemon->self.sets,
                                .serial = config->serial};
    config_digest(config, print.digest);
    return print;
}

void assert_same_rows(struct node *node, const struct fingerprint *before)
{
    struct fingerprint now = fingerprint(node);
    assert_true(now.rows == before->rows);
    assert_true(now.walk == before->walk);
    assert_memory_equal(now.digest, before->digest, sizeof now.digest);
}

void assert_nothing_changed(struct node *node, const struct fingerprint *before)
{
    assert_same_rows(node, before);
    assert_int_equal(node->daemon->config->serial, before->serial);
    assert_int_equal(node->daemon->self.sets, before->sets);
}

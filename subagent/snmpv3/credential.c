#include "snmpv3/credential.h"

#include <stdlib.h>
#include <string.h>

void localized_keys_drop(struct localized_keys **kept)
{
    if (*kept)
        explicit_bzero(*kept, sizeof **kept);
    free(*kept);
    *kept = NULL;
}

bool localized_keys_keep(struct localized_keys **kept, const struct localized_keys *keys)
{
    struct localized_keys *copy = NULL;
    if (keys && keys->engine_id_len > 0) {
        copy = malloc(sizeof *copy);
        if (!copy)
            return false;
        *copy = *keys;
    }
    localized_keys_drop(kept);
    *kept = copy;
    return true;
}

bool localized_keys_keep_two(struct localized_keys **kept, const struct localized_keys *keys,
                             struct localized_keys **kept_next, const struct localized_keys *next)
{
    struct localized_keys *copy = NULL;
    if (!localized_keys_keep(&copy, next))
        return false;
    if (!localized_keys_keep(kept, keys)) {
        localized_keys_drop(&copy);
        return false;
    }
    localized_keys_drop(kept_next);
    *kept_next = copy;
    return true;
}

static bool is_same(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

bool localized_keys_same(const struct localized_keys *a, const struct localized_keys *b)
{
    size_t a_len = a ? a->engine_id_len : 0, b_len = b ? b->engine_id_len : 0;
    if (a_len == 0 || b_len == 0)
        return a_len == b_len;
    return is_same(a->engine_id, a_len, b->engine_id, b_len) &&
           is_same(a->auth, a->auth_len, b->auth, b->auth_len) &&
           is_same(a->priv, a->priv_len, b->priv, b->priv_len);
}

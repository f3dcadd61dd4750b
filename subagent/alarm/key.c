/* The stable key of an alarm. */
#include <stdio.h>
#include <string.h>

#include "alarm/alarm.h"
#include "base/hex.h"

#define KEY_HASH_LEN 9 /* ':' and eight hexadecimal digits */

static bool key_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

/* FNV-1a with 32 bits (draft-eastlake-fnv), over the text and its NUL, which separates the parts.
 */
static uint32_t fnv1a(uint32_t hash, const char *text)
{
    size_t len = strlen(text) + 1;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
    return hash;
}

struct key_draft {
    char *text;
    size_t len; /* of all that was to be put; at most ALARM_KEY_SIZE - 1 of it fits */
    bool exact; /* nothing was replaced or cut off */
};

static void key_put(struct key_draft *draft, char c)
{
    if (draft->len < ALARM_KEY_SIZE - 1)
        draft->text[draft->len] = c;
    else
        draft->exact = false;
    draft->len++;
}

static void key_part(struct key_draft *draft, const char *part, bool colons)
{
    for (; *part; part++) {
        bool fits = key_char((unsigned char)*part) || (colons && *part == ':');
        key_put(draft, fits ? *part : '_');
        draft->exact &= fits;
    }
}

static bool key_looks_hashed(const char *key, size_t len)
{
    return len >= KEY_HASH_LEN && key[len - KEY_HASH_LEN] == ':' &&
           strspn(key + len - KEY_HASH_LEN + 1, HEX_LOWER) == KEY_HASH_LEN - 1;
}

void alarm_key(char key[ALARM_KEY_SIZE], const char *node, const char *threshold,
               const char *instance)
{
    struct key_draft draft = {.text = key, .exact = true};
    key_part(&draft, node, false);
    key_put(&draft, ':');
    key_part(&draft, threshold, false);
    key_put(&draft, ':');
    key_part(&draft, instance, true);
    size_t len = draft.len < ALARM_KEY_SIZE ? draft.len : ALARM_KEY_SIZE - 1;
    key[len] = '\0';
    if (draft.exact && !key_looks_hashed(key, len))
        return;
    const uint32_t basis = UINT32_C(2166136261);
    uint32_t hash = fnv1a(fnv1a(fnv1a(basis, node), threshold), instance);
    size_t kept = len < ALARM_KEY_SIZE - 1 - KEY_HASH_LEN ? len : ALARM_KEY_SIZE - 1 - KEY_HASH_LEN;
    snprintf(key + kept, ALARM_KEY_SIZE - kept, ":%08x", hash);
}

#include "director/etcd_json.h"

#include <jansson.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define TEXT_MAX 64 /* the longest key or value */
#define BASE64_MAX ((TEXT_MAX + 2) / 3 * 4 + 1)
#define UNAUTHENTICATED 16 /* a status code of gRPC */
#define INVALID_ARGUMENT 3 /* what etcd says if a token is missing */

static const char *const paths[] = {
    [CLAIM_LOGIN] = "/v3/auth/authenticate", [CLAIM_READ] = "/v3/kv/range",
    [CLAIM_GRANT] = "/v3/lease/grant",       [CLAIM_TAKE] = "/v3/kv/txn",
    [CLAIM_RENEW] = "/v3/lease/keepalive",   [CLAIM_RAISE] = "/v3/kv/txn",
    [CLAIM_GIVE_BACK] = "/v3/lease/revoke"};

const char *etcd_path(enum claim_ask ask)
{
    return paths[ask];
}

/* -- Base64 ---------------------------------------------------------------------------------- */

static void encode(char to[BASE64_MAX], const char *text)
{
    EVP_EncodeBlock((unsigned char *)to, (const unsigned char *)text, (int)strlen(text));
}

/* The length is that of whole groups, of which padding may be a part. False: it is no base64, too
 * long, or contains a NUL. */
static bool decode(char to[TEXT_MAX + 3], const char *base64)
{
    size_t len = strlen(base64);
    to[0] = '\0';
    if (len > BASE64_MAX - 1 || len % 4 != 0)
        return false;
    int n = len ? EVP_DecodeBlock((unsigned char *)to, (const unsigned char *)base64, (int)len) : 0;
    if (n < 0)
        return false;
    size_t padding = len == 0 ? 0 : (base64[len - 1] == '=') + (size_t)(base64[len - 2] == '=');
    to[(size_t)n - padding] = '\0';
    return strlen(to) == (size_t)n - padding;
}

/* -- Questions ------------------------------------------------------------------------------- */

struct keys {
    char root[BASE64_MAX], term[BASE64_MAX], end[BASE64_MAX];
};

static void name_keys(struct keys *keys, const char *prefix)
{
    char name[TEXT_MAX];
    text_format(name, sizeof name, "%s/root", prefix);
    encode(keys->root, name);
    text_format(name, sizeof name, "%s/term", prefix);
    encode(keys->term, name);
    text_format(name, sizeof name, "%s/term0", prefix);
    encode(keys->end, name);
}

/* In the JSON mapping of protocol buffers, 64-bit numbers are text. */
static json_t *number(int64_t value)
{
    return json_sprintf("%lld", (long long)value);
}

/* The range from one key to the other; what is kept of the tree is not between them. */
static json_t *range(const struct keys *keys)
{
    return json_pack("{s:s, s:s}", "key", keys->root, "range_end", keys->end);
}

static json_t *put(const char *key, const char *text, int64_t lease_id)
{
    char value[BASE64_MAX];
    encode(value, text);
    return json_pack("{s:{s:s, s:s, s:o}}", "request_put", "key", key, "value", value, "lease",
                     number(lease_id));
}

static json_t *put_term(const struct keys *keys, uint32_t term)
{
    char text[16];
    text_format(text, sizeof text, "%u", (unsigned)term);
    return put(keys->term, text, 0);
}

static json_t *unchanged_term(const struct keys *keys, int64_t revision)
{
    return json_pack("{s:s, s:s, s:s, s:o}", "key", keys->term, "target", "MOD", "result", "EQUAL",
                     "mod_revision", number(revision));
}

static json_t *take(const struct claim_question *question, const struct keys *keys,
                    const char *self)
{
    json_t *nobody = json_pack("{s:s, s:s, s:s, s:s}", "key", keys->root, "target", "CREATE",
                               "result", "EQUAL", "create_revision", "0");
    return json_pack("{s:[o, o], s:[o, o, {s:o}], s:[{s:o}]}", "compare", nobody,
                     unchanged_term(keys, question->revision), "success",
                     put(keys->root, self, question->lease_id), put_term(keys, question->term),
                     "request_range", range(keys), "failure", "request_range", range(keys));
}

static json_t *own_root(const struct keys *keys, int64_t lease_id)
{
    return json_pack("{s:s, s:s, s:s, s:o}", "key", keys->root, "target", "LEASE", "result",
                     "EQUAL", "lease", number(lease_id));
}

static json_t *raise_term(const struct claim_question *question, const struct keys *keys)
{
    json_t *own = own_root(keys, question->lease_id);
    return json_pack("{s:[o, o], s:[o, {s:o}], s:[{s:o}]}", "compare", own,
                     unchanged_term(keys, question->revision), "success",
                     put_term(keys, question->term), "request_range", range(keys), "failure",
                     "request_range", range(keys));
}

static json_t *make(const struct claim_question *question, const struct etcd_names *names)
{
    struct keys keys;
    name_keys(&keys, names->prefix);
    switch (question->ask) {
    case CLAIM_LOGIN:
        return json_pack("{s:s, s:s}", "name", names->user, "password", names->password);
    case CLAIM_READ:
        return range(&keys);
    case CLAIM_GRANT:
        return json_pack("{s:o}", "TTL", number((int64_t)(question->ttl_ns / NS_PER_S)));
    case CLAIM_RENEW:
    case CLAIM_GIVE_BACK:
        return json_pack("{s:o}", "ID", number(question->lease_id));
    case CLAIM_TAKE:
        return take(question, &keys, names->self);
    case CLAIM_RAISE:
        return raise_term(question, &keys);
    default:
        return NULL;
    }
}

static char *dump(json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

char *etcd_question(const struct claim_question *question, const struct etcd_names *names)
{
    return dump(make(question, names));
}

void etcd_forget(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

/* -- Answers --------------------------------------------------------------------------------- */

static bool wrong(struct etcd_result *result, const char *what)
{
    text_format(result->error, sizeof result->error, "what it answers cannot be used: %s", what);
    return false;
}

static bool read_decimal(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 19)
        return false;
    unsigned long long number = strtoull(text, &end, 10);
    if (*end || number > (uint64_t)most || number < (uint64_t)least)
        return false;
    *value = (int64_t)number;
    return true;
}

/* A number that is at least least; it is absent from the JSON if it is 0. */
static bool read_number(const json_t *object, const char *name, int64_t least, int64_t *value)
{
    const json_t *member = json_object_get(object, name);
    *value = 0;
    if (!member)
        return least <= 0;
    if (json_is_integer(member)) {
        *value = json_integer_value(member);
        return *value >= least;
    }
    return json_is_string(member) &&
           read_decimal(json_string_value(member), least, INT64_MAX, value);
}

static bool read_text(const json_t *object, const char *name, char to[TEXT_MAX + 3])
{
    const json_t *member = json_object_get(object, name);
    to[0] = '\0';
    return json_is_string(member) && decode(to, json_string_value(member));
}

static bool read_root(struct etcd_result *result, const json_t *pair, const char *value)
{
    struct claim_keys *keys = &result->answer.keys;
    if (!text_is_name(value, strlen(value)))
        return wrong(result, "the key of the root has no name of a node");
    text_format(keys->holder, sizeof keys->holder, "%s", value);
    return read_number(pair, "lease", 0, &keys->lease_id) ||
           wrong(result, "the lease of the root is no number");
}

static bool read_term(struct etcd_result *result, const json_t *pair, const char *value)
{
    int64_t term;
    if (!read_decimal(value, 1, UINT32_MAX, &term))
        return wrong(result, "the key of the term has no number from 1 to 4294967295");
    result->answer.keys.term = (uint32_t)term;
    return read_number(pair, "mod_revision", 1, &result->answer.keys.revision) ||
           wrong(result, "the key of the term has no revision");
}

static bool read_keys(struct etcd_result *result, const json_t *range, const char *prefix)
{
    char key[TEXT_MAX + 3], value[TEXT_MAX + 3], root[TEXT_MAX], term[TEXT_MAX];
    const json_t *pairs = json_object_get(range, "kvs"), *pair;
    size_t i;
    text_format(root, sizeof root, "%s/root", prefix);
    text_format(term, sizeof term, "%s/term", prefix);
    if (!json_is_object(range) || (pairs && !json_is_array(pairs)))
        return wrong(result, "there are no keys");
    json_array_foreach(pairs, i, pair)
    {
        bool is_root = read_text(pair, "key", key) && strcmp(key, root) == 0;
        if (!is_root && strcmp(key, term) != 0)
            continue; /* the key belongs to somebody else */
        if (!read_text(pair, "value", value))
            return wrong(result, "a key has no value that is text");
        if (is_root ? !read_root(result, pair, value) : !read_term(result, pair, value))
            return false;
    }
    return true;
}

/* The keys are in the last one of the responses. */
static bool read_transaction(struct etcd_result *result, const json_t *json, const char *prefix)
{
    const json_t *responses = json_object_get(json, "responses");
    size_t n = json_array_size(responses);
    if (n == 0)
        return wrong(result, "a transaction without responses");
    result->answer.is_done = json_is_true(json_object_get(json, "succeeded"));
    return read_keys(result, json_object_get(json_array_get(responses, n - 1), "response_range"),
                     prefix);
}

static bool read_ttl(struct etcd_result *result, const json_t *json, int64_t least)
{
    int64_t seconds;
    if (!read_number(json, "TTL", least, &seconds) ||
        (uint64_t)seconds > LEASE_TTL_MAX_NS / NS_PER_S)
        return wrong(result, "the lease has no time to live of 0 to 86400 s");
    result->answer.ttl_ns = (uint64_t)seconds * NS_PER_S;
    return true;
}

static bool read_token(struct etcd_result *result, const json_t *json)
{
    const char *token = json_string_value(json_object_get(json, "token"));
    if (!token || !token[0] || strlen(token) >= sizeof result->token ||
        !text_is_printable(token, strlen(token)))
        return wrong(result, "there is no token");
    text_format(result->token, sizeof result->token, "%s", token);
    return true;
}

static bool read_good(const struct claim_question *question, const char *prefix, const json_t *json,
                      struct etcd_result *result)
{
    switch (question->ask) {
    case CLAIM_LOGIN:
        return read_token(result, json);
    case CLAIM_READ:
        return read_keys(result, json, prefix);
    case CLAIM_GRANT:
        return (read_number(json, "ID", 1, &result->answer.lease_id) ||
                wrong(result, "the lease has no number")) &&
               read_ttl(result, json, 1);
    case CLAIM_RENEW:
        json = json_object_get(json, "result");
        return json_is_object(json) ? read_ttl(result, json, 0)
                                    : wrong(result, "a renewal without a result");
    case CLAIM_TAKE:
    case CLAIM_RAISE:
        return read_transaction(result, json, prefix);
    default:
        return true;
    }
}

/* {"error": TEXT, "code": NUMBER}, or the same within "error", as in streams. */
static void read_error(const json_t *json, long status, struct etcd_result *result)
{
    const json_t *error = json_object_get(json, "error");
    const json_t *from = json_is_object(error) ? error : json;
    const char *text = json_string_value(json_object_get(from, "message"));
    json_int_t code =
        json_integer_value(json_object_get(from, json_is_object(error) ? "grpc_code" : "code"));
    if (!text)
        text = json_string_value(error);
    text_format(result->error, sizeof result->error, "it answers with status %ld: %.150s", status,
                text && text_is_printable(text, strlen(text)) ? text : "and no reason");
    result->wants_login = status == 401 || code == UNAUTHENTICATED ||
                          (code == INVALID_ARGUMENT && text && strstr(text, "user name is empty"));
}

/* The JSON of an answer that is no error; NULL: the result says what is wrong. */
static json_t *read_answer(long status, const char *text, size_t len, struct etcd_result *result)
{
    json_error_t fault;
    json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault);
    memset(result, 0, sizeof *result);
    if (!json_is_object(json))
        text_format(result->error, sizeof result->error,
                    "it answers with status %ld and no object of JSON", status);
    else if (status != 200 || json_object_get(json, "error"))
        read_error(json, status, result);
    else
        return json;
    json_decref(json);
    return NULL;
}

void etcd_answer(const struct claim_question *question, const struct etcd_names *names, long status,
                 const char *text, size_t len, struct etcd_result *result)
{
    json_t *json = read_answer(status, text, len, result);
    if (json)
        result->is_good = read_good(question, names->prefix, json, result);
    json_decref(json);
}

/* -- Errands --------------------------------------------------------------------------------- */

const char *etcd_errand_path(const struct etcd_errand *errand)
{
    return errand->kind == ETCD_FETCH ? paths[CLAIM_READ] : paths[CLAIM_TAKE];
}

static void name_key(char key[BASE64_MAX], const struct etcd_names *names, const char *name)
{
    char text[TEXT_MAX];
    text_format(text, sizeof text, "%s/%s", names->prefix, name);
    encode(key, text);
}

static json_t *put_value(const struct etcd_errand *errand, const struct etcd_names *names)
{
    char key[BASE64_MAX];
    size_t len = strlen(errand->value);
    char *base64 = malloc((len + 2) / 3 * 4 + 1);
    if (!base64)
        return NULL;
    EVP_EncodeBlock((unsigned char *)base64, (const unsigned char *)errand->value, (int)len);
    name_key(key, names, errand->key);
    json_t *json = json_pack("[{s:{s:s, s:s}}]", "request_put", "key", key, "value", base64);
    free(base64);
    return json;
}

static json_t *remove_kept(const struct etcd_names *names)
{
    char document[BASE64_MAX], assignments[BASE64_MAX];
    name_key(document, names, ETCD_DOCUMENT);
    name_key(assignments, names, ETCD_ASSIGNMENTS);
    return json_pack("[{s:{s:s}}, {s:{s:s}}]", "request_delete_range", "key", document,
                     "request_delete_range", "key", assignments);
}

char *etcd_errand_question(const struct etcd_errand *errand, const struct etcd_names *names)
{
    char key[BASE64_MAX];
    struct keys keys;
    name_keys(&keys, names->prefix);
    if (errand->kind == ETCD_FETCH) {
        name_key(key, names, errand->key);
        return dump(json_pack("{s:s}", "key", key));
    }
    json_t *changes = errand->kind == ETCD_PUT ? put_value(errand, names) : remove_kept(names);
    json_t *own = own_root(&keys, errand->lease_id);
    return dump(json_pack("{s:[o], s:o}", "compare", own, "success", changes));
}

/* False: it is no base64, or no memory. */
static bool decode_value(struct etcd_errand *errand, const char *base64, size_t len)
{
    if (len % 4 != 0)
        return false;
    char *value = malloc(len / 4 * 3 + 1);
    int n = value && len
                ? EVP_DecodeBlock((unsigned char *)value, (const unsigned char *)base64, (int)len)
                : 0;
    if (!value || n < 0) {
        free(value);
        return false;
    }
    size_t padding = len == 0 ? 0 : (base64[len - 1] == '=') + (size_t)(base64[len - 2] == '=');
    errand->found = value;
    errand->found_len = (size_t)n - padding;
    value[errand->found_len] = '\0';
    return true;
}

/* An empty value is absent from the JSON. */
static bool read_value(struct etcd_errand *errand, const json_t *json, struct etcd_result *result)
{
    const json_t *pairs = json_object_get(json, "kvs");
    const json_t *value = json_object_get(json_array_get(pairs, 0), "value");
    if (json_array_size(pairs) == 0)
        return !pairs || json_is_array(pairs) || wrong(result, "there are no keys");
    if (!json_is_string(value))
        return decode_value(errand, "", 0) || wrong(result, "there is no memory for a value");
    return decode_value(errand, json_string_value(value), json_string_length(value)) ||
           wrong(result, "a value is no base64, or there is no memory for it");
}

void etcd_errand_answer(struct etcd_errand *errand, long status, const char *text, size_t len,
                        struct etcd_result *result)
{
    json_t *json = read_answer(status, text, len, result);
    if (!json)
        return;
    result->is_good = errand->kind != ETCD_FETCH || read_value(errand, json, result);
    errand->is_over = result->is_good;
    errand->is_done =
        errand->kind == ETCD_FETCH || json_is_true(json_object_get(json, "succeeded"));
    json_decref(json);
}

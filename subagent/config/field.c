#include "config/field.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/hex.h"
#include "base/oid.h"
#include "base/text.h"
#include "calculate/calculate.h"
#include "calculate/expression.h"
#include "metric/metric.h"

typedef enum field_status put_fn(void *at, const struct field *field, const char *text, size_t len);
typedef size_t get_fn(const void *at, const struct field *field, char *text);

static bool may_be_empty(const struct field *field)
{
    return field->initial && field->initial[0] == '\0';
}

static size_t room_of(const struct field *field)
{
    switch (field->type) {
    case FIELD_NAME:
    case FIELD_METRIC:
        return NAME_SIZE;
    case FIELD_PATTERN:
        return PATTERN_SIZE;
    case FIELD_DECIMAL:
        return DECIMAL_SIZE;
    case FIELD_PEER:
        return PEER_ADDRESS_SIZE;
    case FIELD_OID:
        return OID_TEXT_SIZE;
    default:
        return field->size;
    }
}

static enum field_status check_expression(const char *text, size_t len)
{
    char copy[EXPRESSION_TEXT_MAX + 1];
    struct expression *expression = NULL;
    struct expression_error error;
    if (len >= sizeof copy || !text_is_printable(text, len))
        return FIELD_WRONG_VALUE;
    memcpy(copy, text, len);
    copy[len] = '\0';
    int code = expression_parse(copy, &expression, &error);
    expression_free(expression);
    return code == 0 ? FIELD_OK : code == ENOMEM ? FIELD_NO_MEMORY : FIELD_WRONG_VALUE;
}

/* Whether it is "udp:192.0.2.7:161" or "udp6:[2001:db8::7]:161": no resolver must be needed for it.
 */
static bool is_peer(const char *text)
{
    char host[PEER_ADDRESS_SIZE], digits[6];
    int end = 0;
    struct in6_addr address;
    bool v6 = sscanf(text, "udp6:[%63[0-9a-fA-F:.]]:%5[0-9]%n", host, digits, &end) == 2;
    if (!v6 && sscanf(text, "udp:%63[0-9.]:%5[0-9]%n", host, digits, &end) != 2)
        return false;
    unsigned long port = strtoul(digits, NULL, 10);
    return text[end] == '\0' && port > 0 && port <= UINT16_MAX &&
           inet_pton(v6 ? AF_INET6 : AF_INET, host, &address) == 1;
}

/* Checks a copy of the text that ends with a NUL, by functions that need one. */
static bool check_copy(enum field_type type, const char *text, size_t len)
{
    char copy[MESSAGE_SIZE];
    if (len >= sizeof copy)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    struct in_addr address;
    switch (type) {
    case FIELD_METRIC:
        return metric_find(copy) != NULL;
    case FIELD_PEER:
        return is_peer(copy);
    default:
        return inet_pton(AF_INET, copy, &address) == 1;
    }
}

static bool has_glob(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ')
            return true;
    return false;
}

static bool is_right(const struct field *field, const char *text, size_t len)
{
    switch (field->type) {
    case FIELD_NAME:
        return text_is_name(text, len);
    case FIELD_METRIC:
        return text_is_name(text, len) && check_copy(FIELD_METRIC, text, len);
    case FIELD_ADDRESS:
        return text_is_printable(text, len) && check_copy(FIELD_ADDRESS, text, len);
    case FIELD_PEER:
        return text_is_printable(text, len) && check_copy(FIELD_PEER, text, len);
    case FIELD_PATTERN:
        return text_is_printable(text, len) && has_glob(text, len);
    case FIELD_PATH:
        return text_is_printable(text, len) && text[0] == '/';
    default:
        return text_is_printable(text, len);
    }
}

static enum field_status put_string(void *at, const struct field *field, const char *text,
                                    size_t len)
{
    if (len >= room_of(field) || (len == 0 && !may_be_empty(field)))
        return FIELD_WRONG_LENGTH;
    enum field_status status = FIELD_OK;
    if (len > 0 && field->type == FIELD_EXPRESSION)
        status = check_expression(text, len);
    else if (len > 0 && !is_right(field, text, len))
        status = FIELD_WRONG_VALUE;
    if (status != FIELD_OK)
        return status;
    char *to = at;
    if (len > 0)
        memcpy(to, text, len);
    to[len] = '\0';
    return FIELD_OK;
}

/* Stores one spelling of each OID: without a dot before it, and "" for none. */
static enum field_status put_oid(void *at, const struct field *field, const char *text, size_t len)
{
    if (len >= OID_TEXT_SIZE)
        return FIELD_WRONG_LENGTH;
    if (len > 0 && oid_from_text(text, len, NULL) == 0)
        return FIELD_WRONG_VALUE;
    size_t dot = len > 0 && text[0] == '.';
    bool none = len - dot == 3 && memcmp(text + dot, "0.0", 3) == 0;
    return put_string(at, field, text + dot, none ? 0 : len - dot);
}

static enum field_status put_decimal(void *at, const struct field *field, const char *text,
                                     size_t len)
{
    struct decimal decimal = {.value = 0};
    if (len >= sizeof decimal.text || (len == 0 && !may_be_empty(field)))
        return FIELD_WRONG_LENGTH;
    if (len > 0 && !text_to_decimal(text, len, &decimal.value))
        return FIELD_WRONG_VALUE;
    if (decimal.value < (double)field->min || decimal.value > (double)field->max)
        return FIELD_WRONG_VALUE;
    if (len > 0)
        memcpy(decimal.text, text, len);
    memcpy(at, &decimal, sizeof decimal);
    return FIELD_OK;
}

static enum field_status put_u32(void *at, const struct field *field, int64_t number)
{
    if (number == 0 && field->zero) {
        memset(at, 0, sizeof(uint32_t));
        return FIELD_OK;
    }
    if (number < field->min || number > field->max || number < 0 || number > UINT32_MAX)
        return FIELD_WRONG_VALUE;
    memcpy(at, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    return FIELD_OK;
}

static bool is_zero_word(const struct field *field, const char *text, size_t len)
{
    return field->zero && strlen(field->zero) == len && memcmp(field->zero, text, len) == 0;
}

static enum field_status put_millis(void *at, const struct field *field, const char *text,
                                    size_t len)
{
    uint32_t millis;
    if (is_zero_word(field, text, len))
        return put_u32(at, field, 0);
    /* "0s" is not accepted as another way of writing the word. */
    if (!text_to_millis(text, len, &millis) || (field->zero && millis == 0))
        return FIELD_WRONG_VALUE;
    return put_u32(at, field, millis);
}

static enum field_status put_seconds(void *at, const struct field *field, const char *text,
                                     size_t len)
{
    uint32_t seconds;
    if (is_zero_word(field, text, len))
        return put_u32(at, field, 0);
    if (!text_to_seconds(text, len, &seconds) || (field->zero && seconds == 0))
        return FIELD_WRONG_VALUE;
    return put_u32(at, field, seconds);
}

static enum field_status put_size(void *at, const struct field *field, const char *text, size_t len)
{
    uint64_t octets = 0;
    if (!is_zero_word(field, text, len) &&
        (!text_to_size(text, len, &octets) || octets < (uint64_t)field->min ||
         octets > (uint64_t)field->max))
        return FIELD_WRONG_VALUE;
    memcpy(at, &octets, sizeof octets);
    return FIELD_OK;
}

static bool to_integer(const char *text, size_t len, int64_t *number)
{
    char copy[24];
    if (len == 0 || len >= sizeof copy)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    /* strtoll would accept blanks and a plus, too. */
    if (!isdigit((unsigned char)copy[copy[0] == '-']))
        return false;
    char *end;
    errno = 0;
    *number = strtoll(copy, &end, 10);
    return errno == 0 && end == copy + len;
}

static enum field_status put_count(void *at, const struct field *field, const char *text,
                                   size_t len)
{
    int64_t number;
    if (len == 0 && may_be_empty(field)) {
        memcpy(at, &(uint32_t){COUNT_NOT_GIVEN}, sizeof(uint32_t));
        return FIELD_OK;
    }
    return to_integer(text, len, &number) ? put_u32(at, field, number) : FIELD_WRONG_VALUE;
}

static enum field_status put_integer(void *at, const struct field *field, const char *text,
                                     size_t len)
{
    int64_t number;
    if (!to_integer(text, len, &number) || number < field->min || number > field->max)
        return FIELD_WRONG_VALUE;
    memcpy(at, &number, sizeof number);
    return FIELD_OK;
}

/* A time before 1970 is of no use here. */
static enum field_status put_date(void *at, const struct field *field, const char *text, size_t len)
{
    int64_t wall_ms = 0;
    if ((len == 0 && !may_be_empty(field)) ||
        (len > 0 && (!date_from_text(text, len, &wall_ms) || wall_ms <= 0)))
        return FIELD_WRONG_VALUE;
    memcpy(at, &wall_ms, sizeof wall_ms);
    return FIELD_OK;
}

static enum field_status put_mask(void *at, const struct field *field, const char *text, size_t len)
{
    (void)field;
    uint64_t bits = 0;
    if (len == 0 || len > 16)
        return FIELD_WRONG_VALUE;
    for (size_t i = 0; i < len; i++) {
        if (!memchr(HEX_LOWER, text[i], strlen(HEX_LOWER)))
            return FIELD_WRONG_VALUE;
        bits = bits << 4 | (uint64_t)hex_digit(text[i]);
    }
    memcpy(at, &bits, sizeof bits);
    return FIELD_OK;
}

/* The number of a label; n_labels: there is none of that name. */
static size_t find_label(const struct field *field, const char *text, size_t len)
{
    for (size_t i = 0; i < field->n_labels; i++) {
        const char *label = field->labels[i];
        if (label && strlen(label) == len && memcmp(label, text, len) == 0)
            return i;
    }
    return field->n_labels;
}

static enum field_status put_enum(void *at, const struct field *field, const char *text, size_t len)
{
    size_t label = find_label(field, text, len);
    if (label == field->n_labels)
        return FIELD_WRONG_VALUE;
    memcpy(at, &(int){(int)label}, sizeof(int));
    return FIELD_OK;
}

static enum field_status put_bits(void *at, const struct field *field, const char *text, size_t len)
{
    uint32_t bits = 0;
    for (size_t i = 0, end; i < len; i = end) {
        for (end = i; end < len && text[end] != ' ';)
            end++;
        size_t label = find_label(field, text + i, end - i);
        if (end == i)
            end++; /* skip a blank */
        else if (label == field->n_labels)
            return FIELD_WRONG_VALUE;
        else
            bits |= UINT32_C(1) << label;
    }
    memcpy(at, &bits, sizeof bits);
    return FIELD_OK;
}

/* Accepts only the digits that get_octets writes, so that each text has only one form. */
static int upper_digit(char c)
{
    return islower((unsigned char)c) ? -1 : hex_digit(c);
}

/* Percent-encoding of RFC 3986, section 2.1. It is needed because instances are named by whoever
 * plugs things in, and XML cannot carry every octet. */
static enum field_status put_octets(void *at, const struct field *field, const char *text,
                                    size_t len)
{
    char octets[MESSAGE_SIZE];
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (n + 1 >= field->size)
            return FIELD_WRONG_LENGTH;
        if (text[i] == '\0')
            return FIELD_WRONG_VALUE;
        if (text[i] != '%') {
            octets[n++] = text[i];
            continue;
        }
        int high = len - i > 2 ? upper_digit(text[i + 1]) : -1;
        int low = len - i > 2 ? upper_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0)
            return FIELD_WRONG_VALUE;
        octets[n++] = (char)(high * 16 + low);
        i += 2;
    }
    if (n == 0 && !may_be_empty(field))
        return FIELD_WRONG_LENGTH;
    octets[n++] = '\0';
    memcpy(at, octets, n);
    return FIELD_OK;
}

/* The octets behind the value are set to 0, so that equal values are equal in all octets. */
static enum field_status put_hex(void *at, const struct field *field, const char *text, size_t len)
{
    uint8_t *to = at;
    if (len > 2 * (field->size - 1) || (len == 0 && !may_be_empty(field)))
        return FIELD_WRONG_LENGTH;
    if (len % 2 != 0)
        return FIELD_WRONG_VALUE;
    for (size_t i = 0; i < len; i++)
        if (hex_digit(text[i]) < 0)
            return FIELD_WRONG_VALUE;
    explicit_bzero(to, field->size);
    to[0] = (uint8_t)(len / 2);
    for (size_t i = 0; i < len; i += 2)
        to[1 + i / 2] = (uint8_t)(hex_digit(text[i]) << 4 | hex_digit(text[i + 1]));
    return FIELD_OK;
}

static uint8_t *key_at(const void *at)
{
    uint8_t *key;
    memcpy(&key, at, sizeof key);
    return key;
}

/* Returns NULL if there is no memory. */
static uint8_t *copy_key(const uint8_t *key)
{
    uint8_t *copy = malloc(1u + key[0]);
    return copy ? memcpy(copy, key, 1u + key[0]) : NULL;
}

static void set_key(void *at, uint8_t *key)
{
    uint8_t *was = key_at(at);
    if (was)
        explicit_bzero(was + 1, was[0]);
    free(was);
    memcpy(at, &key, sizeof key);
}

static enum field_status put_key(void *at, const struct field *field, const char *text, size_t len)
{
    uint8_t octets[UINT8_MAX + 1], *key;
    if (len == 0 && may_be_empty(field)) {
        set_key(at, NULL);
        return FIELD_OK;
    }
    enum field_status status = put_hex(octets, field, text, len);
    if (status != FIELD_OK)
        return status;
    key = copy_key(octets);
    explicit_bzero(octets, field->size);
    if (!key)
        return FIELD_NO_MEMORY;
    set_key(at, key);
    return FIELD_OK;
}

static size_t get_string(const void *at, const struct field *field, char *text)
{
    size_t len = strnlen(at, room_of(field) - 1);
    memcpy(text, at, len);
    text[len] = '\0';
    return len;
}

static uint32_t u32_at(const void *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static size_t get_millis(const void *at, const struct field *field, char *text)
{
    uint32_t millis = u32_at(at);
    if (millis == 0 && field->zero)
        return (size_t)snprintf(text, MESSAGE_SIZE, "%s", field->zero);
    return text_from_millis(text, millis);
}

static size_t get_seconds(const void *at, const struct field *field, char *text)
{
    uint32_t seconds = u32_at(at);
    if (seconds == 0 && field->zero)
        return (size_t)snprintf(text, MESSAGE_SIZE, "%s", field->zero);
    return text_from_seconds(text, seconds);
}

static size_t get_size(const void *at, const struct field *field, char *text)
{
    uint64_t octets;
    memcpy(&octets, at, sizeof octets);
    if (octets == 0 && field->zero)
        return (size_t)snprintf(text, MESSAGE_SIZE, "%s", field->zero);
    return text_from_size(text, octets);
}

static size_t get_count(const void *at, const struct field *field, char *text)
{
    if (may_be_empty(field) && u32_at(at) == COUNT_NOT_GIVEN) {
        text[0] = '\0';
        return 0;
    }
    return (size_t)snprintf(text, MESSAGE_SIZE, "%" PRIu32, u32_at(at));
}

static size_t get_integer(const void *at, const struct field *field, char *text)
{
    (void)field;
    int64_t number;
    memcpy(&number, at, sizeof number);
    return (size_t)snprintf(text, MESSAGE_SIZE, "%" PRId64, number);
}

static size_t get_date(const void *at, const struct field *field, char *text)
{
    (void)field;
    int64_t wall_ms;
    memcpy(&wall_ms, at, sizeof wall_ms);
    return date_to_text(text, wall_ms);
}

static size_t get_bits(const void *at, const struct field *field, char *text)
{
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < field->n_labels; i++)
        if (u32_at(at) & UINT32_C(1) << i)
            len += (size_t)snprintf(text + len, MESSAGE_SIZE - len, "%s%s", len ? " " : "",
                                    field->labels[i]);
    return len;
}

static size_t get_mask(const void *at, const struct field *field, char *text)
{
    (void)field;
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return (size_t)snprintf(text, MESSAGE_SIZE, "%" PRIx64, bits);
}

static int enum_at(const void *at)
{
    int number;
    memcpy(&number, at, sizeof number);
    return number;
}

static size_t get_enum(const void *at, const struct field *field, char *text)
{
    int number = enum_at(at);
    bool known = number >= 0 && (size_t)number < field->n_labels && field->labels[number];
    return (size_t)snprintf(text, MESSAGE_SIZE, "%s", known ? field->labels[number] : "");
}

static size_t get_octets(const void *at, const struct field *field, char *text)
{
    const unsigned char *octets = at;
    size_t n = 0;
    for (size_t i = 0; i < field->size - 1 && octets[i] && n + 4 <= MESSAGE_SIZE; i++) {
        bool plain = octets[i] > 0x20 && octets[i] < 0x7f && octets[i] != '%';
        n += (size_t)snprintf(text + n, MESSAGE_SIZE - n, plain ? "%c" : "%%%02X", octets[i]);
    }
    text[n] = '\0';
    return n;
}

static size_t get_hex(const void *at, const struct field *field, char *text)
{
    const uint8_t *octets = at;
    size_t n = octets[0] < field->size ? octets[0] : 0;
    hex_from_octets(text, octets + 1, n, HEX_LOWER);
    return 2 * n;
}

static size_t get_key(const void *at, const struct field *field, char *text)
{
    (void)field;
    const uint8_t *key = key_at(at);
    hex_from_octets(text, key ? key + 1 : NULL, key_length(key), HEX_LOWER);
    return 2u * key_length(key);
}

static const struct {
    put_fn *put;
    get_fn *get;
    size_t size; /* of the value; 0: the value is a text */
} types[] = {
    [FIELD_NAME] = {put_string, get_string, 0},
    [FIELD_METRIC] = {put_string, get_string, 0},
    [FIELD_PATTERN] = {put_string, get_string, 0},
    [FIELD_TEXT] = {put_string, get_string, 0},
    [FIELD_EXPRESSION] = {put_string, get_string, 0},
    [FIELD_PEER] = {put_string, get_string, 0},
    [FIELD_OID] = {put_oid, get_string, 0},
    [FIELD_PATH] = {put_string, get_string, 0},
    [FIELD_ADDRESS] = {put_string, get_string, 0},
    [FIELD_OCTETS] = {put_octets, get_octets, 0},
    [FIELD_HEX] = {put_hex, get_hex, 0},
    [FIELD_KEY] = {put_key, get_key, 0},
    [FIELD_DECIMAL] = {put_decimal, get_string, 0},
    [FIELD_MILLIS] = {put_millis, get_millis, sizeof(uint32_t)},
    [FIELD_COUNT] = {put_count, get_count, sizeof(uint32_t)},
    [FIELD_ENUM] = {put_enum, get_enum, sizeof(int)},
    [FIELD_BITS] = {put_bits, get_bits, sizeof(uint32_t)},
    [FIELD_SECONDS] = {put_seconds, get_seconds, sizeof(uint32_t)},
    [FIELD_SIZE] = {put_size, get_size, sizeof(uint64_t)},
    [FIELD_INTEGER] = {put_integer, get_integer, sizeof(int64_t)},
    [FIELD_DATE] = {put_date, get_date, sizeof(int64_t)},
    [FIELD_MASK] = {put_mask, get_mask, sizeof(uint64_t)},
};

/* The text of a struct decimal is read as a string at the field's offset. */
_Static_assert(offsetof(struct decimal, text) == 0, "text comes first");
_Static_assert(sizeof(enum calculation) == sizeof(int), "enums are stored as int");

enum field_status field_put(void *base, const struct field *field, const char *text, size_t len)
{
    return types[field->type].put((char *)base + field->offset, field, text, len);
}

size_t field_get(const void *base, const struct field *field, char text[MESSAGE_SIZE])
{
    return types[field->type].get((const char *)base + field->offset, field, text);
}

static bool is_same_key(const uint8_t *a, const uint8_t *b)
{
    return key_length(a) == key_length(b) && (!a || !b || memcmp(a, b, 1u + a[0]) == 0);
}

bool field_same(const void *a, const void *b, const struct field *field)
{
    const char *of_a = (const char *)a + field->offset, *of_b = (const char *)b + field->offset;
    size_t size = types[field->type].size;
    if (field->type == FIELD_KEY)
        return is_same_key(key_at(of_a), key_at(of_b));
    if (field->type == FIELD_HEX)
        size = field->size;
    if (size > 0)
        return memcmp(of_a, of_b, size) == 0;
    return strncmp(of_a, of_b, room_of(field)) == 0;
}

void fields_reset(void *base, const struct field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i].initial)
            field_put(base, &fields[i], fields[i].initial, strlen(fields[i].initial));
}

void fields_free_keys(void *base, const struct field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i].type == FIELD_KEY)
            set_key((char *)base + fields[i].offset, NULL);
}

/* After a failure the struct does not refer to any key of the other struct, so that those are not
 * freed. */
bool fields_copy_keys(void *base, const struct field *fields, size_t n)
{
    bool whole = true;
    for (size_t i = 0; i < n; i++) {
        void *at = (char *)base + fields[i].offset;
        if (fields[i].type != FIELD_KEY || !key_at(at))
            continue;
        uint8_t *copy = whole ? copy_key(key_at(at)) : NULL;
        memcpy(at, &copy, sizeof copy);
        whole &= copy != NULL;
    }
    if (!whole)
        fields_free_keys(base, fields, n);
    return whole;
}

const struct field *fields_find(const struct field *fields, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

enum field_status field_put_number(void *base, const struct field *field, int64_t number)
{
    void *at = (char *)base + field->offset;
    if (field->type == FIELD_MILLIS || field->type == FIELD_COUNT)
        return put_u32(at, field, number);
    if (field->type == FIELD_DATE) {
        number -= number % 1000; /* in whole seconds, as it is written */
        if (number < 0 || (number == 0 && !may_be_empty(field)))
            return FIELD_WRONG_VALUE;
        memcpy(at, &number, sizeof number);
        return FIELD_OK;
    }
    if (field->type == FIELD_BITS) {
        if (number < 0 || number >> field->n_labels != 0)
            return FIELD_WRONG_VALUE;
        memcpy(at, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
        return FIELD_OK;
    }
    if (field->type != FIELD_ENUM || number < 0 || (uint64_t)number >= field->n_labels ||
        !field->labels[number])
        return FIELD_WRONG_VALUE;
    memcpy(at, &(int){(int)number}, sizeof(int));
    return FIELD_OK;
}

int64_t field_get_number(const void *base, const struct field *field)
{
    const char *at = (const char *)base + field->offset;
    if (field->type == FIELD_MILLIS || field->type == FIELD_COUNT || field->type == FIELD_BITS)
        return u32_at(at);
    int64_t date = 0;
    if (field->type == FIELD_DATE)
        memcpy(&date, at, sizeof date);
    return field->type == FIELD_ENUM ? enum_at(at) : date;
}

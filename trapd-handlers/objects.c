#include "trapd-handlers/objects.h"

#include <string.h>

#include "dcamp_mib.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Labels of other modules: those after which a name may go on in numbers, and those of objects of
 * other modules that are in notifications. */
static const struct label {
    const char *name;
    const uint32_t *oid;
    size_t len;
} labels[] = {
    {"iso", oid_iso, COUNT(oid_iso)},
    {"enterprises", oid_enterprises, COUNT(oid_enterprises)},
    {"snmpModules", oid_snmpModules, COUNT(oid_snmpModules)},
    {"snmpTrapOID", oid_snmpTrapOID, COUNT(oid_snmpTrapOID)},
    {"snmpTrapAddress", oid_snmpTrapAddress, COUNT(oid_snmpTrapAddress)},
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void start_from(struct object_name *name, const uint32_t *oid, size_t len)
{
    memcpy(name->oid, oid, len * sizeof *oid);
    name->len = len;
    name->known = true;
}

static bool same(const char *label, const char *text, size_t len)
{
    return strlen(label) == len && memcmp(label, text, len) == 0;
}

static void take_label(struct object_name *name, const char *text, size_t len)
{
    name->known = false;
    name->len = 0;
    for (size_t i = 0; i < COUNT(labels); i++)
        if (same(labels[i].name, text, len)) {
            start_from(name, labels[i].oid, labels[i].len);
            return;
        }
    for (size_t i = 0; i < MIB_OBJECTS; i++)
        if (same(mib_objects[i].name, text, len)) {
            start_from(name, mib_objects[i].oid, mib_objects[i].oid_len);
            return;
        }
}

static bool take_number(struct object_name *name, const char *text, size_t len)
{
    uint64_t number = 0;
    if (len > 10)
        return false;
    for (size_t i = 0; i < len; i++)
        number = number * 10 + (uint64_t)(text[i] - '0');
    if (number > UINT32_MAX || name->len == OID_MAX)
        return false;
    name->oid[name->len++] = (uint32_t)number;
    return true;
}

/* The length of the label or number at the start of the text; 0 if there is none. */
static size_t part_length(const char *text, size_t len)
{
    size_t n = 0;
    if (len == 0)
        return 0;
    if (is_letter(text[0]))
        while (n < len && (is_letter(text[n]) || is_digit(text[n]) || text[n] == '-'))
            n++;
    else
        while (n < len && is_digit(text[n]))
            n++;
    return n;
}

/* The length of what is between two parts: ".", "[", "].", "][", "::" after a module; last, "]". */
static size_t separator_length(const char *text, size_t len, size_t *depth)
{
    size_t n = 0;
    if (len >= 2 && text[0] == ':' && text[1] == ':')
        return 2;
    if (*depth > 0 && text[0] == ']') {
        *depth = 0;
        n = 1;
    }
    if (n < len && text[n] == '[' && *depth == 0) {
        *depth = 1;
        return n + 1;
    }
    return n < len && text[n] == '.' ? n + 1 : n;
}

bool object_parse(const char *text, size_t len, struct object_name *name)
{
    size_t at = 0, depth = 0, parts = 0;
    name->len = 0;
    name->known = true;
    if (len > 0 && text[0] == '.')
        at++;
    while (at < len) {
        size_t n = part_length(text + at, len - at);
        if (n == 0)
            return false;
        if (is_letter(text[at]))
            take_label(name, text + at, n);
        else if (!take_number(name, text + at, n))
            return false;
        at += n;
        parts++;
        if (at == len)
            break;
        n = separator_length(text + at, len - at, &depth);
        if (n == 0)
            return false;
        at += n;
        if (at == len && text[at - 1] != ']')
            return false;
    }
    return depth == 0 && parts > 0;
}

static bool starts_with(const struct object_name *name, const uint32_t *oid, size_t len)
{
    return name->known && name->len >= len && memcmp(name->oid, oid, len * sizeof *oid) == 0;
}

static int compare(const struct object_name *name, const struct mib_info *info)
{
    for (size_t i = 0; i < name->len && i < info->oid_len; i++)
        if (name->oid[i] != info->oid[i])
            return name->oid[i] < info->oid[i] ? -1 : 1;
    return name->len < info->oid_len ? -1 : name->len > info->oid_len;
}

/* The objects are in the order of their OIDs: an instance comes after its object and before the
 * next object. */
int object_find(const struct object_name *name, size_t *instance_len)
{
    int low = 0, high = MIB_OBJECTS; /* the object, if there is one, is before index high */
    *instance_len = 0;
    while (name->known && low < high) {
        int middle = low + (high - low) / 2;
        if (compare(name, &mib_objects[middle]) < 0)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || !starts_with(name, mib_objects[low - 1].oid, mib_objects[low - 1].oid_len))
        return -1;
    *instance_len = name->len - mib_objects[low - 1].oid_len;
    return low - 1;
}

bool object_is_scalar(const struct object_name *name, const uint32_t *oid, size_t len)
{
    return name->len == len + 1 && starts_with(name, oid, len) && name->oid[len] == 0;
}

#include "publish/ucum.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *unit, *code;
} units[] = {
    {"bytes", "By"}, {"octets", "By"}, {"bits", "bit"}, {"%", "%"},         {"1", "1"},
    {"B", "By"},     {"bit", "bit"},   {"kB", "kBy"},   {"MB", "MBy"},      {"GB", "GBy"},
    {"KiB", "KiBy"}, {"MiB", "MiBy"},  {"GiB", "GiBy"}, {"ns", "ns"},       {"us", "us"},
    {"ms", "ms"},    {"s", "s"},       {"min", "min"},  {"h", "h"},         {"d", "d"},
    {"Hz", "Hz"},    {"kHz", "kHz"},   {"MHz", "MHz"},  {"GHz", "GHz"},     {"V", "V"},
    {"mV", "mV"},    {"A", "A"},       {"mA", "mA"},    {"W", "W"},         {"mW", "mW"},
    {"J", "J"},      {"K", "K"},       {"C", "Cel"},    {"\u00b0C", "Cel"}, {"dBm", "dB[mW]"},
    {"m", "m"},      {"g", "g"},       {"kg", "kg"},
};

/* Adds one of the parts between "/". */
static void add_part(char text[UCUM_SIZE], const char *part, size_t len)
{
    size_t used = strlen(text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].unit) == len && memcmp(units[i].unit, part, len) == 0) {
            text_format(text + used, UCUM_SIZE - used, "%s", units[i].code);
            return;
        }
    /* An annotation has printable ASCII without braces. */
    if (used + len + sizeof "{}" > UCUM_SIZE)
        len = used + sizeof "{}" < UCUM_SIZE ? UCUM_SIZE - used - sizeof "{}" : 0;
    if (len == 0)
        return;
    text[used++] = '{';
    for (size_t i = 0; i < len; i++)
        text[used++] =
            part[i] > ' ' && part[i] <= '~' && part[i] != '{' && part[i] != '}' ? part[i] : '_';
    text[used++] = '}';
    text[used] = '\0';
}

void ucum_from_unit(char text[UCUM_SIZE], const char *unit)
{
    text[0] = '\0';
    for (const char *part = unit;;) {
        size_t len = strcspn(part, "/");
        add_part(text, part, len);
        if (!part[len])
            return;
        text_format(text + strlen(text), UCUM_SIZE - strlen(text), "/");
        part += len + 1;
    }
}

#include "trapd-handlers/template.h"

#include <string.h>

bool template_check(const char *template, const char **at)
{
    for (*at = template; (*at = strchr(*at, '%')); *at += 2)
        if (!(*at)[1] || !strchr("nriskaSeE%", (*at)[1]))
            return false;
    return true;
}

static void put_letter(struct buffer *buffer, char letter, const struct trap *trap, const char *set)
{
    switch (letter) {
    case 'n':
        buffer_clean(buffer, trap->text[TRAP_NODE], set, '_');
        break;
    case 'r':
        buffer_clean(buffer, trap_rule(trap), set, '_');
        break;
    case 'i':
        buffer_clean(buffer, trap->text[TRAP_INSTANCE], set, '_');
        break;
    case 's':
        buffer_clean(buffer, trap->text[TRAP_SENSOR], set, '_');
        break;
    case 'k':
        buffer_clean(buffer, trap->text[TRAP_KEY], set, '_');
        break;
    case 'a':
        buffer_clean(buffer, trap->address, set, '_');
        break;
    case 'S':
        buffer_text(buffer, trap_severity_name(trap->severity));
        break;
    case 'e':
        buffer_text(buffer, trap_name(trap));
        break;
    case 'E':
        buffer_text(buffer, trap_happened_name(trap->happened));
        break;
    default:
        buffer_put(buffer, &letter, 1);
    }
}

void template_write(struct buffer *buffer, const char *template, const struct trap *trap,
                    const char *set)
{
    for (const char *c = template; *c; c++) {
        if (*c == '%' && c[1])
            put_letter(buffer, *++c, trap, set);
        else
            buffer_put(buffer, c, 1);
    }
}

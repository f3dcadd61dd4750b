#include "cli/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* If there is no room, the last one in the list is replaced: nobody reads so many. */
static struct finding *add(struct findings *findings, const char *check, bool ok)
{
    size_t at = findings->n < FINDINGS_MAX ? findings->n++ : FINDINGS_MAX - 1;
    struct finding *finding = &findings->list[at];
    *finding = (struct finding){.check = check, .ok = ok};
    return finding;
}

void findings_good(struct findings *findings, const char *check, const char *format, ...)
{
    struct finding *finding = add(findings, check, true);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
}

bool findings_bad(struct findings *findings, const char *check, const char *cure,
                  const char *format, ...)
{
    struct finding *finding = add(findings, check, false);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
    text_format(finding->cure, sizeof finding->cure, "%s", cure);
    return false;
}

void findings_fixed(struct findings *findings, const char *what)
{
    struct finding *finding = &findings->list[findings->n - 1];
    size_t len = strlen(finding->found);
    finding->fixed = finding->ok;
    text_format(finding->found + len, sizeof finding->found - len, "; mended: %s", what);
}

bool findings_all_ok(const struct findings *findings)
{
    for (size_t i = 0; i < findings->n; i++)
        if (!findings->list[i].ok)
            return false;
    return true;
}

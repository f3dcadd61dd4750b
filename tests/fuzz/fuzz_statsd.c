/* Fuzz target: any octets as a line of statsd. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "main.h"
#include "statsd/line.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* What has so many octets, and zeros behind them. */
static size_t padded(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    for (size_t i = length; i < size; i++)
        expect(text[i] == '\0');
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct statsd_line line;
    struct statsd_value value;
    double carry = 0;
    size_t prefix = statsd_line_prefix(text, size), values = 0;
    expect(prefix == 0 || (prefix + 1 < size && text[prefix] == '.' && text_is_name(text, prefix)));
    enum statsd_verdict verdict = statsd_line_parse(text, size, &line);
    expect(verdict <= STATSD_LONG && *statsd_verdict_name(verdict));
    if (verdict != STATSD_COUNTED)
        return 0;
    size_t name = padded(line.name, sizeof line.name);
    size_t instance = padded(line.instance, sizeof line.instance);
    expect(name <= SEGMENT_NAME && text_is_name(line.name, name));
    expect(instance <= SEGMENT_INSTANCE && text_is_printable(line.instance, instance));
    expect(line.rate >= STATSD_RATE_MIN && line.rate <= 1);
    bool is_positive = line.kind == STATSD_COUNTER || line.kind == STATSD_TIMER;
    for (; statsd_line_value(&line, &value); values++) {
        expect(isfinite(value.number) && (!is_positive || value.number >= 0));
        statsd_whole(&carry, fabs(value.number) / line.rate);
        expect(carry >= 0 && carry < 1);
    }
    expect(values > 0 && line.values == line.values_end);
    return 0;
}

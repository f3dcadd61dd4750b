/* Where axes have their marks, and what stands there. Pure, but for the time zone of this machine.
 */
#ifndef DCAMP_PLOT_TICKS_H
#define DCAMP_PLOT_TICKS_H

#include <stddef.h>
#include <stdint.h>

#define TICKS_MAX 64
#define TICKS_TEXT 48

/* An axis of values from least to largest, which are among its marks. */
struct ticks_values {
    double least, largest, step;
    double scale;  /* values are divided by this; it belongs to the prefix of the unit */
    int decimals;  /* of the texts */
    char unit[64]; /* "GiB", "kops/s"; "" */
};

/* Makes about so many marks at most. 0 is among them unless that would waste more than half of the
 * axis. If least == largest, the axis gets a span around it. */
void ticks_of_values(struct ticks_values *ticks, double least, double largest, const char *unit,
                     int most);

/* How many marks there are, and the place of each. */
int ticks_count(const struct ticks_values *ticks);
double ticks_place(const struct ticks_values *ticks, int tick);
void ticks_text(const struct ticks_values *ticks, int tick, char text[TICKS_TEXT]);

struct ticks_time {
    int64_t ms;
    char text[TICKS_TEXT];  /* the time of the day, or the day */
    char below[TICKS_TEXT]; /* the day, or the year, where it differs from that of the mark before;
                               else "" */
};

/* The marks of a span of time, at most most and TICKS_MAX, at round times of the time zone of this
 * machine. Returns how many. */
size_t ticks_of_time(struct ticks_time *ticks, int64_t from_ms, int64_t to_ms, size_t most);

/* The same for times since 0, which are not negative: "0 s", "90 s", "2 min", "3 h". */
size_t ticks_of_elapsed(struct ticks_time *ticks, int64_t from_ms, int64_t to_ms, size_t most);

/* The same for thousandths of a percent: "50 %". */
size_t ticks_of_percent(struct ticks_time *ticks, int64_t from, int64_t to, size_t most);

#endif

#include "publish/integers.h"

#define WIDTHS 4     /* that a list has */
#define WIDTH_BITS 7 /* of a width, 0 to 64 */
#define ORDERS 3
#define WIDTH_VALUES 65

static const unsigned prefix_bits[WIDTHS] = {1, 2, 3, 3};
static const unsigned prefix[WIDTHS] = {0, 2, 6, 7};

/* How a list is written. */
struct plan {
    unsigned order;
    unsigned width[WIDTHS]; /* ascending, each used or the same as the next */
    uint64_t bits;          /* that it takes */
};

/* Overflow wraps: the sum of what was subtracted is right again. */
static uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

static uint64_t unfold(uint64_t folded)
{
    return folded >> 1 ^ (uint64_t) - (int64_t)(folded & 1);
}

static unsigned width_of(uint64_t number)
{
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* What came before, to subtract and to add again. */
struct before {
    uint64_t integer, difference;
};

static uint64_t step(struct before *before, unsigned order, uint64_t integer)
{
    uint64_t difference = integer - before->integer, second = difference - before->difference;
    before->integer = integer;
    before->difference = difference;
    return fold(order == 0 ? integer : order == 1 ? difference : second);
}

static uint64_t step_back(struct before *before, unsigned order, uint64_t folded)
{
    uint64_t number = unfold(folded);
    if (order == 2)
        number = before->difference += number;
    if (order >= 1)
        number = before->integer += number;
    return number;
}

/* -- The plan -------------------------------------------------------------------------------- */

/* The widths that occur in a list, ascending. */
struct occurring {
    unsigned n;
    unsigned width[WIDTH_VALUES];
    uint32_t below[WIDTH_VALUES + 1]; /* how many integers have smaller ones */
};

static void find_occurring(struct occurring *occurring, const uint32_t counts[WIDTH_VALUES])
{
    occurring->n = 0;
    occurring->below[0] = 0;
    for (unsigned width = 0; width < WIDTH_VALUES; width++) {
        if (counts[width] == 0)
            continue;
        occurring->width[occurring->n] = width;
        occurring->below[occurring->n + 1] = occurring->below[occurring->n] + counts[width];
        occurring->n++;
    }
}

/* What the integers with the widths from i to last take when all are written in the latter. */
static uint64_t cost(const struct occurring *occurring, unsigned i, unsigned last, unsigned class)
{
    uint64_t n = occurring->below[last + 1] - occurring->below[i];
    return n * (occurring->width[last] + prefix_bits[class]);
}

/* Dynamic programming: best[c][i] is the least that the widths from i on take in the classes from c
 * on, and to[c][i] the last width in class c then. */
static void choose_widths(const struct occurring *occurring, struct plan *plan)
{
    uint64_t best[WIDTHS][WIDTH_VALUES + 1];
    unsigned to[WIDTHS][WIDTH_VALUES + 1], last = occurring->n - 1;
    for (unsigned c = WIDTHS; c-- > 0;) {
        best[c][occurring->n] = 0;
        to[c][occurring->n] = last;
        for (unsigned i = 0; i < occurring->n; i++) {
            best[c][i] = cost(occurring, i, last, c);
            to[c][i] = last;
            for (unsigned j = i; c + 1 < WIDTHS && j < last; j++) {
                uint64_t bits = cost(occurring, i, j, c) + best[c + 1][j + 1];
                if (bits < best[c][i]) {
                    best[c][i] = bits;
                    to[c][i] = j;
                }
            }
        }
    }
    plan->bits = best[0][0];
    for (unsigned c = 0, i = 0; c < WIDTHS; c++) {
        plan->width[c] = occurring->width[to[c][i]];
        i = to[c][i] + 1;
    }
}

static struct plan plan_of(const int64_t *integers, size_t n)
{
    uint32_t counts[ORDERS][WIDTH_VALUES] = {{0}};
    struct before before = {0, 0};
    for (size_t i = 0; i < n; i++) {
        struct before at = before;
        for (unsigned order = 0; order < ORDERS; order++) {
            before = at;
            counts[order][width_of(step(&before, order, (uint64_t)integers[i]))]++;
        }
    }
    struct plan best = {.bits = UINT64_MAX};
    for (unsigned order = 0; order < ORDERS; order++) {
        struct occurring occurring;
        struct plan plan = {.order = order};
        find_occurring(&occurring, counts[order]);
        choose_widths(&occurring, &plan);
        if (plan.bits < best.bits)
            best = plan;
    }
    return best;
}

/* -- The list -------------------------------------------------------------------------------- */

void integers_put(struct bit_writer *writer, const int64_t *integers, size_t n)
{
    struct plan plan = plan_of(integers, n);
    struct before before = {0, 0};
    bits_put(writer, plan.order, 2);
    for (unsigned c = 0; c < WIDTHS; c++)
        bits_put(writer, plan.width[c], WIDTH_BITS);
    for (size_t i = 0; i < n; i++) {
        uint64_t folded = step(&before, plan.order, (uint64_t)integers[i]);
        unsigned c = 0, width = width_of(folded);
        while (plan.width[c] < width)
            c++;
        bits_put(writer, prefix[c], prefix_bits[c]);
        bits_put(writer, folded, plan.width[c]);
    }
}

static unsigned take_class(struct bit_reader *reader)
{
    unsigned ones = (unsigned)(bits_peek(reader) >> 61);
    unsigned c = ones < 4 ? 0 : ones < 6 ? 1 : ones - 4;
    bits_take_few(reader, prefix_bits[c]);
    return c;
}

bool integers_take(struct bit_reader *reader, int64_t *integers, size_t n)
{
    struct plan plan = {.order = (unsigned)bits_take(reader, 2)};
    struct before before = {0, 0};
    for (unsigned c = 0; c < WIDTHS; c++) {
        plan.width[c] = (unsigned)bits_take(reader, WIDTH_BITS);
        if (plan.width[c] >= WIDTH_VALUES)
            return false;
    }
    if (plan.order >= ORDERS)
        return false;
    for (size_t i = 0; i < n && !reader->is_short; i++) {
        uint64_t folded = bits_take(reader, plan.width[take_class(reader)]);
        integers[i] = (int64_t)step_back(&before, plan.order, folded);
    }
    return !reader->is_short;
}

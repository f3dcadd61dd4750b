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

/* Folds the sign in. Overflow wraps: adding up the differences gives the right integers again. */
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

/* The integer and the difference before, which are subtracted, and added again. */
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
    uint32_t below[WIDTH_VALUES + 1]; /* how many integers have smaller widths */
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

/* The bits for the integers with the widths from i to last, if all are written in the latter. */
static uint64_t cost(const struct occurring *occurring, unsigned i, unsigned last, unsigned class)
{
    uint64_t n = occurring->below[last + 1] - occurring->below[i];
    return n * (occurring->width[last] + prefix_bits[class]);
}

/* Dynamic programming: best[c][i] is the least number of bits that the widths from i on need in the
 * classes from c on, and to[c][i] is the last width in class c then. */
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

/* How many integers have each width, in each order. */
static void count_widths(const int64_t *integers, size_t n, uint32_t counts[ORDERS][WIDTH_VALUES])
{
    struct before before = {0, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t integer = (uint64_t)integers[i], difference = integer - before.integer;
        counts[0][width_of(fold(integer))]++;
        counts[1][width_of(fold(difference))]++;
        counts[2][width_of(fold(difference - before.difference))]++;
        before = (struct before){integer, difference};
    }
}

/* The least number of bits for them: each in its own width, and in the first class. */
static uint64_t least_bits(const uint32_t counts[WIDTH_VALUES])
{
    uint64_t bits = 0;
    for (unsigned width = 0; width < WIDTH_VALUES; width++)
        bits += (uint64_t)counts[width] * (width + prefix_bits[0]);
    return bits;
}

/* Most orders cannot be the best one; this is known without choosing their widths. */
static struct plan plan_of(const int64_t *integers, size_t n)
{
    uint32_t counts[ORDERS][WIDTH_VALUES] = {{0}};
    uint64_t least[ORDERS];
    unsigned first = 0;
    struct plan best = {.bits = UINT64_MAX};
    count_widths(integers, n, counts);
    for (unsigned order = 0; order < ORDERS; order++) {
        least[order] = least_bits(counts[order]);
        first = least[order] < least[first] ? order : first;
    }
    for (unsigned i = 0; i < ORDERS; i++) {
        unsigned order = (first + i) % ORDERS;
        struct occurring occurring;
        struct plan plan = {.order = order};
        if (least[order] >= best.bits)
            continue;
        find_occurring(&occurring, counts[order]);
        choose_widths(&occurring, &plan);
        if (plan.bits < best.bits)
            best = plan;
    }
    return best;
}

/* -- The list -------------------------------------------------------------------------------- */

/* An integer of at most so many bits is written and read together with its prefix. */
#define AT_ONCE 53

/* The first class that is wide enough for each width. */
static void find_classes(const struct plan *plan, uint8_t class[WIDTH_VALUES])
{
    unsigned c = 0;
    for (unsigned width = 0; width < WIDTH_VALUES && width <= plan->width[WIDTHS - 1]; width++) {
        while (plan->width[c] < width)
            c++;
        class[width] = (uint8_t)c;
    }
}

void integers_put(struct bit_writer *writer, const int64_t *integers, size_t n)
{
    struct plan plan = plan_of(integers, n);
    struct before before = {0, 0};
    uint8_t class[WIDTH_VALUES];
    find_classes(&plan, class);
    bits_put(writer, plan.order, 2);
    for (unsigned c = 0; c < WIDTHS; c++)
        bits_put(writer, plan.width[c], WIDTH_BITS);
    for (size_t i = 0; i < n; i++) {
        uint64_t folded = step(&before, plan.order, (uint64_t)integers[i]);
        unsigned c = class[width_of(folded)], width = plan.width[c];
        if (width <= AT_ONCE) {
            bits_put_few(writer, (uint64_t)prefix[c] << width | folded, prefix_bits[c] + width);
        } else {
            bits_put_few(writer, prefix[c], prefix_bits[c]);
            bits_put(writer, folded, width);
        }
    }
}

static const uint8_t class_of[] = {0, 0, 0, 0, 1, 1, 2, 3}; /* by its first three bits */

static uint64_t take_one(struct bit_reader *reader, const struct plan *plan)
{
    unsigned c = class_of[bits_peek(reader) >> 61];
    bits_take_few(reader, prefix_bits[c]);
    return bits_take(reader, plan->width[c]);
}

static uint64_t word_at(const uint8_t *octets)
{
    uint64_t word;
    memcpy(&word, octets, sizeof word);
    return be64toh(word);
}

/* Takes as many as are whole in eight octets that can be read at once: nearly all. The next bits,
 * `held` of them, are the highest of a word; each time, as many octets are added to it as have
 * room. So the next integer waits for one look-up of the length of the one before, not for a load
 * of the octets at its place. See F. Giesen, Reading bits in far too many ways, part 2, 2018,
 * variant 4. */
static size_t take_most(struct bit_reader *reader, const struct plan *plan, int64_t *integers,
                        size_t n)
{
    const uint8_t *end = reader->at + reader->length, *at = reader->at + reader->place / 8;
    unsigned length[sizeof class_of], order = plan->order, held = 0;
    struct before before = {0, 0};
    uint64_t word = 0;
    size_t i = 0;
    for (size_t first = 0; first < sizeof class_of; first++)
        length[first] = prefix_bits[class_of[first]] + plan->width[class_of[first]];
    if (end - at >= (ptrdiff_t)sizeof word) {
        word = word_at(at) << reader->place % 8;
        held = 56 - (unsigned)(reader->place % 8);
        at += 7;
    }
    for (; i < n && end - at >= (ptrdiff_t)sizeof word; i++) {
        word |= word_at(at) >> held;
        at += (63 - held) / 8;
        held |= 56;
        size_t first = word >> 61;
        unsigned c = class_of[first], width = plan->width[c];
        if (width > AT_ONCE)
            break;
        /* In two steps, since the width may be 0. */
        uint64_t folded = word << prefix_bits[c] >> 1 >> (63 - width);
        integers[i] = (int64_t)step_back(&before, order, folded);
        word <<= length[first];
        held -= length[first];
    }
    if (i > 0)
        reader->place = 8 * (size_t)(at - reader->at) - held;
    return i;
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
    size_t i = take_most(reader, &plan, integers, n);
    if (i > 0)
        before.integer = (uint64_t)integers[i - 1];
    if (i > 0)
        before.difference = before.integer - (i > 1 ? (uint64_t)integers[i - 2] : 0);
    for (; i < n && !reader->is_short; i++)
        integers[i] = (int64_t)step_back(&before, plan.order, take_one(reader, &plan));
    return !reader->is_short;
}

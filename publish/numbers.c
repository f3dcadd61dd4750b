#include "publish/numbers.h"

#include <math.h>

#define FORM_BITS 5
#define SHIFT_BITS 6
#define FORM_OF_BITS (NUMBERS_DECIMALS_MAX + 1)

/* Above that, not every integer is a double. */
#define INTEGER_MAX 9007199254740992.0 /* 2^53 */

static const double power_of_ten[NUMBERS_DECIMALS_MAX + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

double numbers_power_of_ten(unsigned decimals)
{
    return power_of_ten[decimals];
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* -- Writing --------------------------------------------------------------------------------- */

/* Whether so many decimals are enough for the number; for -0.0, no number of them is. */
static bool has_decimals(double number, unsigned decimals, int64_t *integer)
{
    double scaled = number * power_of_ten[decimals];
    if (fabs(scaled) > INTEGER_MAX)
        return false;
    *integer = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
    return bits_of((double)*integer / power_of_ten[decimals]) == bits_of(number);
}

/* The least number of decimals, from *decimals on, with which the number is an integer. False:
 * there is none. */
static bool find_decimals(double number, unsigned *decimals, int64_t *integer)
{
    while (!has_decimals(number, *decimals, integer))
        if (++*decimals > NUMBERS_DECIMALS_MAX)
            return false;
    return true;
}

/* What so many decimals are enough for can be written with more, too, unless it has too many digits
 * then. False: there is no number of decimals with which all are integers. */
static bool take_decimals(const double *numbers, size_t n, unsigned *decimals, int64_t *integers)
{
    size_t again = 0; /* the numbers before this one were found with fewer decimals */
    *decimals = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned before = *decimals;
        if (!find_decimals(numbers[i], decimals, &integers[i]))
            return false;
        again = *decimals > before ? i : again;
    }
    for (size_t i = 0; i < again; i++)
        if (!has_decimals(numbers[i], *decimals, &integers[i]))
            return false;
    return true;
}

#define SIGN_BIT (UINT64_C(1) << 63)

static void take_bits(const double *numbers, size_t n, int64_t *integers)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = bits_of(numbers[i]);
        int64_t magnitude = (int64_t)(bits & ~SIGN_BIT);
        integers[i] = (bits & SIGN_BIT) ? ~magnitude : magnitude;
    }
}

/* Leaves out the zero bits that all of them have at their end. Returns how many. */
static unsigned shorten(int64_t *integers, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= (uint64_t)integers[i];
    unsigned shift = all ? (unsigned)__builtin_ctzll(all) : 0;
    for (size_t i = 0; shift > 0 && i < n; i++)
        integers[i] /= INT64_C(1) << shift;
    return shift;
}

unsigned numbers_put(struct bit_writer *writer, const double *numbers, size_t n)
{
    int64_t integers[NUMBERS_MAX];
    unsigned form;
    if (!take_decimals(numbers, n, &form, integers)) {
        form = FORM_OF_BITS;
        take_bits(numbers, n, integers);
    }
    bits_put(writer, form, FORM_BITS);
    bits_put(writer, shorten(integers, n), SHIFT_BITS);
    integers_put(writer, integers, n);
    return form;
}

/* -- Reading --------------------------------------------------------------------------------- */

static bool of_integers(const int64_t *integers, size_t n, unsigned shift, double *numbers)
{
    bool are_finite = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t integer = (uint64_t)integers[i] << shift;
        numbers[i] = of_bits(integer & SIGN_BIT ? ~integer | SIGN_BIT : integer);
        are_finite &= isfinite(numbers[i]) != 0;
    }
    return are_finite;
}

static void divide(const int64_t *integers, size_t n, unsigned shift, double by, double *numbers)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = (double)(int64_t)((uint64_t)integers[i] << shift) / by;
}

bool numbers_take(struct bit_reader *reader, double *numbers, size_t n, unsigned *decimals)
{
    int64_t integers[NUMBERS_MAX];
    unsigned form = (unsigned)bits_take(reader, FORM_BITS);
    unsigned shift = (unsigned)bits_take(reader, SHIFT_BITS);
    *decimals = form;
    if (form > FORM_OF_BITS || !integers_take(reader, integers, n))
        return false;
    if (form == FORM_OF_BITS)
        return of_integers(integers, n, shift, numbers);
    divide(integers, n, shift, power_of_ten[form], numbers);
    return true;
}

#include "heap.h"

#include <malloc.h>
#include <stdint.h>

#include "unit.h"

/* malloc(3) keeps some of what it gets back, sooner or later. What is lost is lost in each round.
 */
#define ROUNDS 12
#define TIMES 50
/* Of each time less than the smallest piece there is. */
#define SLACK (TIMES * 8)

static size_t held(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void assert_keeps_nothing(void (*play)(void))
{
    size_t least = SIZE_MAX;
    play();
    for (int round = 0; round < ROUNDS && least > SLACK; round++) {
        size_t before = held();
        for (int i = 0; i < TIMES; i++)
            play();
        size_t after = held(), more = after > before ? after - before : 0;
        least = more < least ? more : least;
    }
    assert_in_range(least, 0, SLACK);
}

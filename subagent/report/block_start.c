#include <cbor.h>

#include "base/item.h"
#include "report/block.h"

size_t block_put_start(uint8_t at[BLOCK_START_MAX], const struct block_before *before,
                       uint32_t series, int32_t dt)
{
    size_t n = cbor_encode_array_start(3, at, BLOCK_START_MAX);
    n += item_put_int(at + n, BLOCK_START_MAX - n, (int64_t)series - before->series);
    return n + item_put_int(at + n, BLOCK_START_MAX - n, dt);
}

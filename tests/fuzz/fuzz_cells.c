/* Fuzz target: any octets as a row of cells. */
#include "publish/cells.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* What was accepted can be packed, and is the same then. */
static void check_packing(const struct cells *cells)
{
    struct cells again = {0};
    const char *why;
    size_t len = cells_pack(cells, NULL, 0);
    uint8_t *octets = malloc(len + CELLS_SLACK), *twice = malloc(len + CELLS_SLACK);
    expect(octets && twice && cells_pack(cells, octets, len + CELLS_SLACK) == len);
    expect(cells_add(&again, octets, len, &why) == 0);
    expect(cells_pack(&again, twice, len + CELLS_SLACK) == len && memcmp(octets, twice, len) == 0);
    cells_release(&again);
    free(octets);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cells cells = {0};
    const char *why = NULL;
    int error = cells_add(&cells, data, size, &why);
    expect((error == EBADMSG) == (why != NULL));
    if (!error)
        check_packing(&cells);
    cells_release(&cells);
    return 0;
}

/* Fuzz target: any octets as a report block. With -DFUZZ_MAIN it runs over files instead. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check_entry(void *context, const struct report_entry *entry)
{
    const struct report_header *header = context;
    if (header->version != 1 || header->sequence == 0)
        abort();
    if (entry->result.state < RESULT_VALID || entry->result.state > RESULT_UNAVAILABLE ||
        !isfinite(entry->result.value))
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report_header header = {0};
    const char *why = NULL;
    int error = report_decode(data, size, &header, check_entry, &header, &why);
    if (!error != !why)
        abort();
    return 0;
}

#ifdef FUZZ_MAIN
/* The copy ends where its memory ends, so that a sanitizer sees any octet too far. */
static int run_file(const char *path)
{
    const size_t room = 1 << 20;
    FILE *file = fopen(path, "rb");
    uint8_t *buffer = malloc(room), *exact = NULL;
    int rc = -1;
    if (file && buffer) {
        size_t size = fread(buffer, 1, room, file);
        exact = realloc(buffer, size ? size : 1);
        if (exact && !ferror(file))
            rc = LLVMFuzzerTestOneInput(exact, size);
    }
    if (rc != 0)
        perror(path);
    free(exact ? exact : buffer);
    if (file)
        fclose(file);
    return rc;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= run_file(argv[i]) != 0;
    return failed;
}
#endif

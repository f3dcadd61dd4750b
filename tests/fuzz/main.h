/* For fuzz targets. With -DFUZZ_MAIN a target is a program that runs over the files that are its
 * arguments: for a compiler without libFuzzer, and to see what a crash is about. */
#ifndef DCAMP_TESTS_FUZZ_MAIN_H
#define DCAMP_TESTS_FUZZ_MAIN_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef FUZZ_MAIN
#include <stdio.h>
#include <stdlib.h>

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

#endif

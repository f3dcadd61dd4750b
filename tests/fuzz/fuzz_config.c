/* Fuzz target: any octets as dcamp.xml. They load, or there is one line of error. With -DFUZZ_MAIN
 * it runs over the files that are its arguments. DCAMP_SCHEMA_DIR names the directory of
 * dcamp.xsd. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was loaded is whole: every row can be published, taken again and is without fault. */
static void check_row(const struct row *row)
{
    struct row *copy = row_clone(row);
    if (!copy || row_fault(row))
        abort();
    for (size_t i = 0; i < row_type(row->kind)->n_fields; i++) {
        const struct field *field = &row_type(row->kind)->fields[i];
        char text[MESSAGE_SIZE];
        size_t len = field_text(row, field, text);
        if (field_set_text(copy, field, text, len) != FIELD_OK)
            abort();
    }
    row_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[CONFIG_ERROR_SIZE];
    struct config *config = config_load_memory("f.xml", (const char *)data, size, error);
    if (!config != (error[0] != '\0') || strchr(error, '\n'))
        abort();
    for (int kind = 0; config && kind < ROW_KINDS; kind++)
        for (struct index_node *node = index_first(&config->rows[kind]); node;
             node = index_next(node))
            check_row((struct row *)node);
    config_free(config);
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

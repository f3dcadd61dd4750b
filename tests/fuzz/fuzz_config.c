/* Fuzz target: any octets as dcamp.xml. They load, or there is one line of error.
 * DCAMP_SCHEMA_DIR names the directory of dcamp.xsd. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/load.h"
#include "main.h"

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

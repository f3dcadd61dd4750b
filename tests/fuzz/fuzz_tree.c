/* Fuzz target: any octets as a tree document and as a share. They load, or there is one line of
 * error; and every share that is made of a tree document loads. DCAMP_SCHEMA_DIR names the
 * directory of the schemas. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/tree_config.h"
#include "main.h"

static void check_error(bool loaded, const char *error)
{
    if (!loaded != (error[0] != '\0') || strchr(error, '\n'))
        abort();
}

static void check_share(const struct tree_config *tree, enum share_role role, const char *group)
{
    struct assignment assignment = {.role = role, .level = role != SHARE_ROOT, .root = "r"};
    char error[CONFIG_ERROR_SIZE];
    size_t len;
    memset(assignment.digest, '0', sizeof assignment.digest - 1);
    strcpy(assignment.parent, role != SHARE_ROOT ? "r" : "");
    strcpy(assignment.group, group);
    char *text = share_make(tree, &assignment, NULL, 0, &len);
    struct config *config = text ? share_load("share", text, len, &assignment, error) : NULL;
    if (!config || strcmp(assignment.group, group) != 0)
        abort();
    config_free(config);
    free(text);
}

static void check_tree(const struct tree_config *tree)
{
    if (tree->n_candidates == 0 || tree->n_nodes == 0)
        abort();
    for (size_t i = 0; i <= tree->n_groups; i++)
        for (int role = SHARE_METRIC; role <= SHARE_ROOT; role++)
            check_share(tree, (enum share_role)role,
                        i < tree->n_groups ? tree->groups[i].name : "default");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[CONFIG_ERROR_SIZE];
    struct assignment assignment;
    struct tree_config *tree = tree_config_load("f.xml", (const char *)data, size, error);
    check_error(tree, error);
    if (tree)
        check_tree(tree);
    tree_config_free(tree);
    struct config *config = share_load("f.xml", (const char *)data, size, &assignment, error);
    check_error(config, error);
    config_free(config);
    return 0;
}

/* For tests: a file tree of their own under a temporary directory, and the fixtures. */
#ifndef DCAMP_TESTS_TREE_H
#define DCAMP_TESTS_TREE_H

#include <limits.h>
#include <stddef.h>

#include "unit.h"

struct tree {
    char root[PATH_MAX / 2];
};

void fixture_path(char path[PATH_MAX], const char *name);
void tree_new(struct tree *tree);

/* Removes a path below the root and all that is in it; "" is the whole tree. */
void tree_remove(const struct tree *tree, const char *path);

/* The full name of a path, whose directories are made. */
void tree_path(const struct tree *tree, const char *path, char full[PATH_MAX]);

/* Writes in place, so that open handles see the new text. */
void tree_write_bytes(const struct tree *tree, const char *path, const char *bytes, size_t n);
void tree_write(const struct tree *tree, const char *path, const char *text);
void tree_link(const struct tree *tree, const char *path, const char *target);

/* A whole file, NUL-terminated, to be freed. */
char *file_text(const char *path, size_t *length);
void tree_copy(const struct tree *tree, const char *fixture);

/* As setup and teardown of a test: its state is then a struct tree. */
int tree_setup(void **state);
int tree_teardown(void **state);

#define tree_test(test) cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown)

#endif

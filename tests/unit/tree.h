/* For tests: a file tree of their own under a temporary directory, and the fixtures. */
#ifndef DCAMP_TESTS_TREE_H
#define DCAMP_TESTS_TREE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char root[PATH_MAX / 2];
};

static inline void fixture_path(char path[PATH_MAX], const char *name)
{
    const char *source = getenv("srcdir");
    snprintf(path, PATH_MAX, "%s/tests/fixtures/%s", source ? source : ".", name);
    if (access(path, R_OK) != 0)
        fail_msg("%s: no such fixture (srcdir is the top directory of the source)", path);
}

static inline void tree_new(struct tree *tree)
{
    strcpy(tree->root, "/tmp/dcamp-test-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
}

static inline FTS *tree_walk(char *root)
{
    char *roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    assert_non_null(walk);
    return walk;
}

/* Removes a path below the root and all that is in it; "" is the whole tree. */
static inline void tree_remove(const struct tree *tree, const char *path)
{
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", tree->root, path);
    FTS *walk = tree_walk(full);
    for (FTSENT *entry; (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_accpath);
    fts_close(walk);
}

/* The full name of a path, whose directories are made. */
static inline void tree_path(const struct tree *tree, const char *path, char full[PATH_MAX])
{
    snprintf(full, PATH_MAX, "%s%s", tree->root, path);
    for (char *p = full + strlen(tree->root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0700);
        *p = '/';
    }
}

/* Writes in place, so that open handles see the new text. */
static inline void tree_write_bytes(const struct tree *tree, const char *path, const char *bytes,
                                    size_t n)
{
    char full[PATH_MAX];
    tree_path(tree, path, full);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static inline void tree_write(const struct tree *tree, const char *path, const char *text)
{
    tree_write_bytes(tree, path, text, strlen(text));
}

static inline void tree_link(const struct tree *tree, const char *path, const char *target)
{
    char full[PATH_MAX];
    tree_path(tree, path, full);
    unlink(full);
    assert_int_equal(symlink(target, full), 0);
}

/* A whole file, NUL-terminated, to be freed. */
static inline char *file_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = NULL;
    size_t size = 0;
    ssize_t got = getdelim(&text, &size, EOF, file);
    *length = got > 0 ? (size_t)got : 0;
    fclose(file);
    return text;
}

static inline void tree_copy_entry(const struct tree *tree, const FTSENT *entry, const char *path)
{
    char target[PATH_MAX];
    size_t length;
    ssize_t got;
    switch (entry->fts_info) {
    case FTS_F:;
        char *text = file_text(entry->fts_accpath, &length);
        tree_write_bytes(tree, path, text, length);
        free(text);
        break;
    case FTS_SL:
    case FTS_SLNONE:
        got = readlink(entry->fts_accpath, target, sizeof target - 1);
        assert_true(got > 0);
        target[got] = '\0';
        tree_link(tree, path, target);
        break;
    default:
        break;
    }
}

static inline void tree_copy(const struct tree *tree, const char *fixture)
{
    char from[PATH_MAX];
    fixture_path(from, fixture);
    FTS *walk = tree_walk(from);
    for (FTSENT *entry; (entry = fts_read(walk));)
        tree_copy_entry(tree, entry, entry->fts_path + strlen(from));
    fts_close(walk);
}

/* As setup and teardown of a test: its state is then a struct tree. */
static inline int tree_setup(void **state)
{
    struct tree *tree = malloc(sizeof *tree);
    tree_new(tree);
    *state = tree;
    return 0;
}

static inline int tree_teardown(void **state)
{
    tree_remove(*state, "");
    free(*state);
    return 0;
}

#define tree_test(test) cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown)

#endif

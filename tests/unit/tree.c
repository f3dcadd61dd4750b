#include "tree.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fixture_path(char path[PATH_MAX], const char *name)
{
    const char *source = getenv("srcdir");
    snprintf(path, PATH_MAX, "%s/tests/fixtures/%s", source ? source : ".", name);
    if (access(path, R_OK) != 0)
        fail_msg("%s: no such fixture (srcdir is the top directory of the source)", path);
}

void tree_new(struct tree *tree)
{
    strcpy(tree->root, "/tmp/dcamp-test-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
}

static FTS *tree_walk(char *root)
{
    char *roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    assert_non_null(walk);
    return walk;
}

void tree_remove(const struct tree *tree, const char *path)
{
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", tree->root, path);
    FTS *walk = tree_walk(full);
    for (FTSENT *entry; (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_accpath);
    fts_close(walk);
}

void tree_path(const struct tree *tree, const char *path, char full[PATH_MAX])
{
    snprintf(full, PATH_MAX, "%s%s", tree->root, path);
    for (char *p = full + strlen(tree->root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0700);
        *p = '/';
    }
}

void tree_write_bytes(const struct tree *tree, const char *path, const char *bytes, size_t n)
{
    char full[PATH_MAX];
    tree_path(tree, path, full);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

void tree_write(const struct tree *tree, const char *path, const char *text)
{
    tree_write_bytes(tree, path, text, strlen(text));
}

void tree_link(const struct tree *tree, const char *path, const char *target)
{
    char full[PATH_MAX];
    tree_path(tree, path, full);
    unlink(full);
    assert_int_equal(symlink(target, full), 0);
}

char *file_text(const char *path, size_t *length)
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

static void tree_copy_entry(const struct tree *tree, const FTSENT *entry, const char *path)
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

void tree_copy(const struct tree *tree, const char *fixture)
{
    char from[PATH_MAX];
    fixture_path(from, fixture);
    FTS *walk = tree_walk(from);
    for (FTSENT *entry; (entry = fts_read(walk));)
        tree_copy_entry(tree, entry, entry->fts_path + strlen(from));
    fts_close(walk);
}

int tree_setup(void **state)
{
    struct tree *tree = malloc(sizeof *tree);
    tree_new(tree);
    *state = tree;
    return 0;
}

int tree_teardown(void **state)
{
    tree_remove(*state, "");
    free(*state);
    return 0;
}

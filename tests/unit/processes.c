#include "processes.h"

#include <stdio.h>

void fake_put(const struct tree *tree, const struct fake *fake)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", fake->pid);
    snprintf(text, sizeof text,
             "%d (%s) %c 1 2 3 4 -1 4194560 %u 9 %u 9 %u %u 99 99 20 0 %u 0 %u 40960 5 6\n",
             fake->pid, fake->comm, fake->state ? fake->state : 'S', fake->minor, fake->major,
             fake->user, fake->system, fake->threads ? fake->threads : 1, fake->started);
    tree_write(tree, path, text);
    snprintf(path, sizeof path, "/proc/%d/io", fake->pid);
    tree_write(tree, path, "rchar: 5\nwchar: 6\nread_bytes: 4096\nwrite_bytes: 8192\n");
    snprintf(path, sizeof path, "/proc/%d/fd/0", fake->pid);
    tree_link(tree, path, "/dev/null");
    snprintf(path, sizeof path, "/proc/%d/exe", fake->pid);
    if (fake->exe)
        tree_link(tree, path, fake->exe);
    else
        tree_remove(tree, path);
}

void fake_unit(const struct tree *tree, int pid, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
    tree_write(tree, path, text);
}

void fake_gone(const struct tree *tree, int pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", pid);
    tree_remove(tree, path);
}

struct sampler *processes_sampler(const char *root, const char *pattern)
{
    struct sampler *sampler = sampler_new(root);
    assert_non_null(sampler);
    assert_int_equal(sampler_select(sampler, SOURCE_PROCESS, &pattern, 1, SAMPLE_ALL_FIELDS), 0);
    return sampler;
}

void processes_pass(struct sampler *sampler, uint64_t now_ns)
{
    assert_int_equal(sampler_read(sampler, SOURCE_PROCESS, now_ns), 0);
}

const struct sample_slot *processes_slot(const struct sampler *sampler, const char *name)
{
    return slot_named(sampler_set(sampler, SOURCE_PROCESS), name);
}

uint64_t processes_value(const struct sampler *sampler, const char *name, unsigned field)
{
    const struct sample_slot *slot = processes_slot(sampler, name);
    if (!slot)
        fail_msg("%s is missing", name);
    if (!(slot->valid >> field & 1))
        fail_msg("%s: field %u is not valid", name, field);
    return slot->field[field];
}

#include "metric/list.h"

#include <stdbool.h>
#include <string.h>

#include "metric/metric.h"

static const char *const kinds[] = {[METRIC_COUNTER] = "counter", [METRIC_GAUGE] = "gauge"};

static const char *const classes[] = {
    [RESOURCE_NODE] = "machine",
    [RESOURCE_CPU] = "CPU",
    [RESOURCE_DISK] = "disk",
    [RESOURCE_PARTITION] = "partition",
    [RESOURCE_INTERFACE] = "interface",
    [RESOURCE_FILESYSTEM] = "file system",
    [RESOURCE_HARDWARE] = "hwmon input",
    [RESOURCE_CGROUP] = "control group",
    [RESOURCE_PROCESS] = "process",
    [RESOURCE_PROGRAM] = "selection of processes",
    [RESOURCE_APPLICATION] = "application",
    [RESOURCE_APPLICATION_SENSOR] = "sensor of an application",
    [RESOURCE_JVM] = "JVM",
    [RESOURCE_JVM_COLLECTOR] = "collector of a JVM",
    [RESOURCE_ENDPOINT] = "endpoint",
    [RESOURCE_ENDPOINT_SERIES] = "series of an endpoint",
};

#define CLASSES (sizeof classes / sizeof *classes)

static void put_classes(FILE *to, unsigned of)
{
    bool first = true;
    for (unsigned class = 0; class < CLASSES; class ++) {
        if (!(of >> class & 1))
            continue;
        fprintf(to, "%s%s", first ? "" : ", ", classes[class]);
        first = false;
    }
}

static void put_metric(FILE *to, const struct metric *metric)
{
    fprintf(to, "| `%s` | %s | %s | ", metric->name, metric->unit, kinds[metric->kind]);
    put_classes(to, metric->classes);
    fprintf(to, " | %s | %s | %s |\n", metric->base == BASE_NONE ? "" : "yes", metric->meaning,
            metric->origin);
}

/* The length of the family and its point: "cpu." of "cpu.busy". */
static size_t family(const struct metric *metric)
{
    return strcspn(metric->name, ".") + 1;
}

static void put_heading(FILE *to, const struct metric *metric)
{
    fprintf(to,
            "\n## %.*s\n\n"
            "| metric | unit | kind | instances | %% | meaning | source |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n",
            (int)family(metric) - 1, metric->name);
}

static const char head[] =
    "# Metrics\n"
    "\n"
    "What a sensor can measure. This list is made from the registry by `dcampd --list-metrics`.\n"
    "\n"
    "The unit is that of the calculation `basic`; `rate` is per second, `delta` between two\n"
    "samples. A counter only grows: use `rate` or `delta`. The calculations `average` and\n"
    "`percent` are there where the column % says so. The source is the kernel's file and, in\n"
    "parentheses, the function that prints it.\n";

static const char tail[] =
    "\n"
    "## What can be looked up\n"
    "\n"
    "| question | where |\n"
    "| --- | --- |\n"
    "| which CPUs, disks, partitions, network interfaces, file systems, hwmon inputs and control "
    "groups are there, and how many | `dcampResourceTable`, one row each, by class and name |\n"
    "| which disk a partition lies on | `dcampResourceParent` |\n"
    "| how large a disk, partition or file system is; how fast an interface | "
    "`dcampResourceSize` |\n"
    "| which processes take the CPU now | `dcampProcessRankTable`, or `dcamp top` |\n"
    "| which process has this pid | `dcampProcessIdentifier`, by name and pid |\n"
    "| which pids a program has | `dcampProcessTable`, whose index begins with the name: walk "
    "`dcampProcessIdentifier.\"NAME\"` |\n"
    "| since when a process runs | `dcampProcessStarted` |\n";

/* A meaning that does not fit into its column goes on in the next line, below itself. */
#define TABLE_WIDTH 100
#define MEANING_WIDTH (TABLE_WIDTH - MEANING_AT)
enum { NAME_WIDTH = 27, UNIT_WIDTH = 13, KIND_WIDTH = 9 };
#define MEANING_AT (NAME_WIDTH + UNIT_WIDTH + KIND_WIDTH)

static size_t fitting(const char *text, size_t width)
{
    size_t len = strlen(text);
    if (len <= width)
        return len;
    for (len = width; len > 0 && text[len] != ' '; len--)
        ;
    return len > 0 ? len : width;
}

static void put_row(FILE *to, const char *name, const char *unit, const char *kind,
                    const char *meaning)
{
    size_t len = fitting(meaning, MEANING_WIDTH);
    fprintf(to, "%-*s%-*s%-*s%.*s\n", NAME_WIDTH, name, UNIT_WIDTH, unit, KIND_WIDTH, kind,
            (int)len, meaning);
    for (meaning += len; *meaning; meaning += len) {
        meaning += strspn(meaning, " ");
        len = fitting(meaning, MEANING_WIDTH);
        fprintf(to, "%*s%.*s\n", MEANING_AT, "", (int)len, meaning);
    }
}

void metric_table(FILE *to)
{
    put_row(to, "METRIC", "UNIT", "KIND", "MEANING");
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric *metric = &metric_registry[i];
        put_row(to, metric->name, metric->unit, kinds[metric->kind], metric->meaning);
    }
    fputs("\nWith instances and sources, as a document: dcampd --list-metrics | cat\n", to);
}

void metric_list(FILE *to)
{
    fputs(head, to);
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric *metric = &metric_registry[i];
        const struct metric *before = i > 0 ? metric - 1 : NULL;
        if (!before || family(before) != family(metric) ||
            memcmp(before->name, metric->name, family(metric)) != 0)
            put_heading(to, metric);
        put_metric(to, metric);
    }
    fputs(tail, to);
}

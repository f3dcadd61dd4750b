/* A history of many nodes over a long time, made fast by a simulated clock, and then checked:
 *
 *   week write DIRECTORY NODES HOURS              stores it, by a writer that is killed meanwhile
 *   week check DIRECTORY NODES HOURS              reads all of it, and compares
 *   week ask DIRECTORY NODES HOURS                times questions
 *   week values NODE SERIES FIRST END             what a series tells from one step to another
 *
 * Results are lines of a name and a number. */
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "tests/bench/rounds.h"
#include "tests/week/asker.h"
#include "tests/week/checker.h"
#include "tests/week/world.h"
#include "tests/week/writer.h"

static void write_all(const char *directory, size_t nodes, size_t steps)
{
    struct writer_done *done =
        mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (done == MAP_FAILED)
        fail("no memory");
    writer_run(directory, nodes, steps, done);
    printf("kills %u\nreads %u\nblocks %llu\ndoubles %llu\nns %llu\n", done->kills, done->reads,
           (unsigned long long)done->blocks, (unsigned long long)done->doubles,
           (unsigned long long)done->ns);
    munmap(done, sizeof *done);
}

static int run(const char *what, char **arguments)
{
    size_t nodes = number_of(arguments[1]), steps = number_of(arguments[2]) * WORLD_HOUR;
    memory_keep(); /* as the sink sqlite and dcamp-web do */
    if (strcmp(what, "write") == 0)
        write_all(arguments[0], nodes, steps);
    else if (strcmp(what, "check") == 0)
        checker_run(arguments[0], nodes, steps);
    else if (strcmp(what, "ask") == 0)
        asker_run(arguments[0], nodes, steps);
    else
        fail("usage: week write|check|ask DIRECTORY NODES HOURS");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "values") == 0) {
        checker_print(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                      strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
        return 0;
    }
    if (argc != 5)
        fail("usage: week write|check|ask DIRECTORY NODES HOURS");
    return run(argv[1], argv + 2);
}

/* How far streams are in a batch; those of which nothing comes any more cost nothing. */
#include "publish/progress.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

struct seen {
    unsigned n;
    uint32_t boot, next;
    char path[32], name[32];
    int answer;
};

/* A progress_fn. */
static int see(void *context, const struct sink_stream *stream, uint32_t next)
{
    struct seen *seen = context;
    seen->n++;
    seen->boot = stream->boot;
    seen->next = next;
    snprintf(seen->path, sizeof seen->path, "%s", stream->path);
    snprintf(seen->name, sizeof seen->name, "%s", stream->name);
    return seen->answer;
}

static struct sink_stream stream_of(uint32_t boot, const char *path)
{
    return (struct sink_stream){.boot = boot,
                                .path = path,
                                .name = path,
                                .group = "",
                                .engine_id = (const uint8_t *)"engine",
                                .engine_id_len = 6};
}

static unsigned count(const struct progress *progress)
{
    struct seen seen = {0};
    assert_int_equal(progress_each(progress, see, &seen), 0);
    return seen.n;
}

static void a_batch(void **state)
{
    struct progress *progress = progress_new();
    struct seen seen = {0};
    struct sink_stream stream = stream_of(3, "node1");
    (void)state;
    assert_int_equal(count(progress), 0);
    assert_int_equal(progress_take(progress, &stream, 7), 0);
    assert_int_equal(progress_take(progress, &stream, 8), 0);
    assert_int_equal(progress_each(progress, see, &seen), 0);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.boot, 3);
    assert_int_equal(seen.next, 9);
    assert_string_equal(seen.path, "node1");
    assert_string_equal(seen.name, "node1");
    progress_committed(progress);
    assert_int_equal(count(progress), 0);
    struct sink_stream others[] = {stream_of(4, "node1"), stream_of(3, "node2"), stream};
    others[2].engine_id_len = 5;
    for (size_t i = 0; i < N_OF(others); i++)
        assert_int_equal(progress_take(progress, &others[i], 1), 0);
    assert_int_equal(count(progress), N_OF(others));
    assert_int_equal(progress_count(progress), N_OF(others) + 1);
    seen = (struct seen){.answer = 5};
    assert_int_equal(progress_each(progress, see, &seen), 5);
    assert_int_equal(seen.n, 1);
    progress_free(progress);
    progress_free(NULL);
}

/* Nodes begin again and again; one goes on, and one comes seldom. */
static void streams_that_end(void **state)
{
    struct progress *progress = progress_new();
    const struct sink_stream always = stream_of(1, "always"), seldom = stream_of(1, "seldom");
    (void)state;
    for (uint32_t boot = 0; boot < 5 * PROGRESS_IDLE_MAX; boot++) {
        const struct sink_stream stream = stream_of(boot, "node1");
        bool comes = boot % (PROGRESS_IDLE_MAX - 1) == 0;
        assert_int_equal(progress_take(progress, &stream, 1), 0);
        assert_int_equal(progress_take(progress, &always, boot), 0);
        if (comes)
            assert_int_equal(progress_take(progress, &seldom, boot), 0);
        assert_int_equal(count(progress), comes ? 3 : 2);
        progress_committed(progress);
        assert_in_range(progress_count(progress), 1, PROGRESS_IDLE_MAX + 2);
    }
    progress_free(progress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch),
        cmocka_unit_test(streams_that_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

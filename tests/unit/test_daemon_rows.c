/* Rows of endpoints and sinks, and what runs on them: the daemon copies their fields one by one, so
 * each is given another value here, by the table of fields. A field that nobody copies fails, and
 * one of which what runs on the row makes something else than .change says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "application/endpoint.h"
#include "daemon/exposing.h"
#include "daemon/publishing.h"
#include "unit.h"

struct scene {
    struct config *config;
    struct measure measure;
    struct endpoints *endpoints;
    struct outlet outlet;
    uint64_t processes; /* that have begun to work for the sink */
};

/* What runs on a row. All octets that are not used are 0. */
struct running {
    const char *name; /* of the row */
    uint64_t born;    /* another one, once it has begun anew */
    union {
        struct endpoint_setup endpoint;
        struct outlet_sink sink;
        char octets[2048];
    } setup;
};

_Static_assert(sizeof((struct running *)0)->setup == sizeof((struct running *)0)->setup.octets,
               "all of a setup is compared");

static int begin(void **state)
{
    const struct outlet_neighbours nobody = {0};
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->config = config_new();
    scene->endpoints = endpoints_new();
    assert_true(scene->config && scene->endpoints);
    measure_open(&scene->measure, NULL);
    outlet_open(&scene->outlet, NULL, NULL, &nobody);
    *state = scene;
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    outlet_close(&scene->outlet);
    endpoints_free(scene->endpoints);
    measure_close(&scene->measure);
    config_free(scene->config);
    free(scene);
    return 0;
}

static void run_endpoint(struct scene *scene, struct running *running)
{
    assert_true(exposing_sync(scene->endpoints, scene->config, &scene->measure));
    const struct endpoint *endpoint = LIST_FIRST(&scene->endpoints->all);
    assert_non_null(endpoint);
    assert_null(LIST_NEXT(endpoint, link));
    running->name = endpoint->setup.name;
    running->born = endpoint->born;
    memcpy(&running->setup, &endpoint->setup, sizeof endpoint->setup);
}

/* A process comes whenever there is none. */
static void run_sink(struct scene *scene, struct running *running)
{
    assert_true(publishing_sync(&scene->outlet, scene->config));
    assert_int_equal(scene->outlet.sinks.count, 1);
    struct outlet_sink_row *sink = (struct outlet_sink_row *)index_first(&scene->outlet.sinks);
    scene->processes += !sink->connected;
    sink->connected = true;
    running->name = sink->settings.name;
    running->born = scene->processes;
    memcpy(&running->setup, &sink->settings, sizeof sink->settings);
}

static struct running run(struct scene *scene, struct row *row)
{
    struct running running;
    memset(&running, 0, sizeof running);
    assert_true(config_add(scene->config, row));
    (row->kind == ROW_SINK ? run_sink : run_endpoint)(scene, &running);
    assert_string_equal(running.name, row->name);
    config_remove(scene->config, row);
    return running;
}

static bool is_same(const struct running *a, const struct running *b)
{
    return memcmp(&a->setup, &b->setup, sizeof a->setup) == 0;
}

/* A value that is allowed, and no default. */
static void set_another(struct row *row, const struct field *field)
{
    char text[64] = "other";
    long long most = field->max;
    switch (field->type) {
    case FIELD_NAME:
    case FIELD_PATTERN:
    case FIELD_TEXT:
        break;
    case FIELD_PATH:
        snprintf(text, sizeof text, "/other");
        break;
    case FIELD_ENUM:
        snprintf(text, sizeof text, "%s", field->labels[field->n_labels - 1]);
        break;
    case FIELD_MILLIS:
        snprintf(text, sizeof text, "%lldms", most);
        break;
    case FIELD_SECONDS:
        snprintf(text, sizeof text, "%llds", most);
        break;
    case FIELD_COUNT:
    case FIELD_SIZE:
        snprintf(text, sizeof text, "%lld", most);
        break;
    default:
        fail_msg("%s: set_another knows no value of its type", field->name);
    }
    if (field_set_text(row, field, text, strlen(text)) != FIELD_OK)
        fail_msg("%s: %s is not allowed", field->name, text);
}

static void each_field(struct scene *scene, enum row_kind kind)
{
    const struct row_type *type = row_type(kind);
    for (size_t i = 0; i < type->n_fields; i++) {
        const struct field *field = &type->fields[i];
        struct row *was = row_new(kind, "row"), *is = row_new(kind, "row");
        assert_true(was && is);
        was->status = is->status = ROW_ACTIVE;
        set_another(is, field);
        if (field_same(was, is, field))
            fail_msg("%s %s: set_another has set the default", type->element, field->name);
        struct running before = run(scene, was), same = run(scene, was), after = run(scene, is);
        assert_true(is_same(&before, &same) && before.born == same.born);
        if (is_same(&before, &after))
            fail_msg("%s %s: another value has no effect", type->element, field->name);
        if ((after.born != before.born) != row_restarts(was, is))
            fail_msg("%s %s: what runs on the row %s, but .change says that it %s", type->element,
                     field->name, after.born != before.born ? "began anew" : "went on",
                     row_restarts(was, is) ? "restarts" : "continues");
        row_free(was);
        row_free(is);
    }
}

static void endpoints(void **state)
{
    each_field(*state, ROW_ENDPOINT);
}

static void sinks(void **state)
{
    each_field(*state, ROW_SINK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(endpoints, begin, end),
        cmocka_unit_test_setup_teardown(sinks, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What can be said about a series: the same answer as that of dcamp analyse (analysis/review.h). */
#include <errno.h>
#include <stdlib.h>

#include "analysis/review.h"
#include "publish/curve.h"
#include "publish/database.h"
#include "web/question.h"

#define RANGE_MS HOUR_MS

/* The same object as that of the command. NULL: no memory. */
static json_t *review_object(const struct review *review, const struct curve_question *of,
                             const char *unit, int64_t from_ms, int64_t step_ms)
{
    json_t *object = review_json(review, from_ms, step_ms);
    if (object && json_object_set_new(object, "node", question_text(of->paths[0])) == 0 &&
        json_object_set_new(object, "sensor", question_text(of->sensor)) == 0 &&
        json_object_set_new(object, "instance", question_text(of->instance)) == 0 &&
        json_object_set_new(object, "unit", question_text(unit)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* Even without any value there is something to say: that there are too few. */
static json_t *review_curve(struct question *question, const struct curve_question *of,
                            const struct curve *curve, const char *unit)
{
    struct review review = {0};
    size_t n, first;
    double *values = curve_means(curve, &n, &first);
    json_t *answer = NULL;
    if ((values || n == 0) && review_of(values, n, &review) == 0)
        answer = review_object(&review, of, unit, n ? curve->slots[first].start_ms : of->from_ms,
                               curve->step_ms);
    review_release(&review);
    free(values);
    return answer ? answer : question_failed(question, ENOMEM);
}

static json_t *read_analysis(struct question *question, const struct curve_question *of)
{
    size_t place = follow_find(question->follow, of->paths[0], of->sensor, of->instance);
    const struct follow_series *known =
        place == SIZE_MAX ? NULL : follow_series(question->follow, place);
    struct curve curve = {0};
    json_t *answer = NULL;
    bool has_read = question_has_read(question, curve_read(question->history, of, &curve));
    if (has_read && curve.n_values == 0 && !known)
        question_no_series(question, of->sensor, of->instance);
    else if (has_read)
        answer = review_curve(question, of, &curve, known ? known->unit : "");
    curve_release(&curve);
    return answer;
}

json_t *answer_analysis(struct question *question)
{
    struct request *request = question->request;
    const char *path = question_node(question, request_text(request, "node", ""));
    if (!path)
        return NULL;
    struct curve_question of = {.paths = &path, .n_paths = 1, .most = REVIEW_SPANS};
    of.sensor = request_text(request, "sensor", NULL);
    of.instance = request_text(request, "instance", "");
    of.step_ms = request_span(request, "step", 0);
    request_range(request, RANGE_MS, &of.from_ms, &of.to_ms);
    if (!of.sensor)
        request_fail(request, "sensor is missing");
    /* Other requests wait while it is computed, so its size is limited. */
    if (of.step_ms && (of.to_ms - of.from_ms) / of.step_ms > REVIEW_SPANS)
        request_fail(request, "step: more than %d spans of it are in the range", REVIEW_SPANS);
    return request_end(request) ? read_analysis(question, &of) : NULL;
}

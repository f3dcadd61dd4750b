#include "publish/batch.h"

#include "base/text.h"

static bool refuses_content(const struct poster_answer *answer)
{
    return answer->status == 400 || answer->status == 413 || answer->status == 422;
}

/* Posts no parts to a server that has refused one and has taken none so far: is it well otherwise?
 */
static int ask_to_take_none(const struct batch *batch, bool *taken)
{
    struct poster_answer answer;
    int failed = batch->protocol->post(batch->context, 0, 0, &answer, batch->error);
    if (failed)
        return failed;
    *taken = batch->protocol->is_well(&answer);
    return *taken ? 0 : poster_refusal(batch->poster, &answer, batch->error);
}

static int count_one(const struct batch *batch, const struct poster_answer *answer, bool *taken)
{
    char why[256];
    int failed = *taken ? 0 : ask_to_take_none(batch, taken);
    if (failed)
        return failed;
    text_format(why, sizeof why, "HTTP status %ld: %s", answer->status, answer->text);
    refusals_add(batch->refusals, 1, why, batch->now_ms);
    return 0;
}

/* *taken: the server has taken some part of this batch. */
static int post(const struct batch *batch, size_t from, size_t to, bool *taken)
{
    struct poster_answer answer;
    uint64_t refused = 0;
    char why[256] = "";
    int failed = batch->protocol->post(batch->context, from, to, &answer, batch->error);
    if (failed)
        return failed;
    if (batch->protocol->takes(&answer, &refused, why)) {
        refusals_add(batch->refusals, refused, why, batch->now_ms);
        *taken = true;
        return 0;
    }
    if (!refuses_content(&answer))
        return poster_refusal(batch->poster, &answer, batch->error);
    if (to - from <= 1)
        return count_one(batch, &answer, taken);
    size_t half = from + (to - from) / 2;
    failed = post(batch, from, half, taken);
    return failed ? failed : post(batch, half, to, taken);
}

int batch_post(const struct batch *batch, size_t n)
{
    bool taken = false;
    return n > 0 ? post(batch, 0, n, &taken) : 0;
}

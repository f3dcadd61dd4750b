#include "analysis/nelder_mead.h"

#include <math.h>
#include <string.h>

struct corner {
    double at[NELDER_MEAD_MOST];
    double value;
};

struct simplex {
    nelder_mead_function *function;
    void *context;
    size_t n, calls;
    struct corner corners[NELDER_MEAD_MOST + 1]; /* ascending by value */
};

static void evaluate(struct simplex *simplex, struct corner *corner)
{
    corner->value = simplex->function(corner->at, simplex->context);
    if (isnan(corner->value))
        corner->value = INFINITY;
    simplex->calls++;
}

static void sort(struct simplex *simplex)
{
    struct corner *corners = simplex->corners;
    for (size_t i = 1; i <= simplex->n; i++)
        for (size_t j = i; j > 0 && corners[j].value < corners[j - 1].value; j--) {
            struct corner moved = corners[j];
            corners[j] = corners[j - 1];
            corners[j - 1] = moved;
        }
}

/* Reflects the worst corner through the middle of the others; beyond: how far, as a multiple of its
 * distance to that middle. */
static struct corner moved(struct simplex *simplex, double beyond)
{
    struct corner corner = {{0}, 0};
    const struct corner *worst = &simplex->corners[simplex->n];
    for (size_t i = 0; i < simplex->n; i++) {
        double middle = 0;
        for (size_t j = 0; j < simplex->n; j++)
            middle += simplex->corners[j].at[i] / (double)simplex->n;
        corner.at[i] = middle + beyond * (middle - worst->at[i]);
    }
    evaluate(simplex, &corner);
    return corner;
}

static void shrink(struct simplex *simplex)
{
    for (size_t j = 1; j <= simplex->n; j++) {
        struct corner *corner = &simplex->corners[j];
        for (size_t i = 0; i < simplex->n; i++)
            corner->at[i] = (corner->at[i] + simplex->corners[0].at[i]) / 2;
        evaluate(simplex, corner);
    }
}

static void step(struct simplex *simplex)
{
    struct corner *worst = &simplex->corners[simplex->n], tried = moved(simplex, 1);
    if (tried.value < simplex->corners[0].value) {
        struct corner further = moved(simplex, 2);
        *worst = further.value < tried.value ? further : tried;
    } else if (tried.value < worst[-1].value) {
        *worst = tried;
    } else {
        struct corner nearer = moved(simplex, tried.value < worst->value ? 0.5 : -0.5);
        if (nearer.value < fmin(tried.value, worst->value))
            *worst = nearer;
        else
            shrink(simplex);
    }
}

double nelder_mead(nelder_mead_function *function, void *context, double *at, size_t n,
                   double length, double tolerance, size_t calls)
{
    struct simplex simplex = {.function = function, .context = context, .n = n};
    for (size_t j = 0; j <= n; j++) {
        memcpy(simplex.corners[j].at, at, n * sizeof *at);
        if (j > 0)
            simplex.corners[j].at[j - 1] += length;
        evaluate(&simplex, &simplex.corners[j]);
    }
    sort(&simplex);
    while (simplex.calls < calls && !(simplex.corners[n].value - simplex.corners[0].value <=
                                      tolerance * fabs(simplex.corners[0].value))) {
        step(&simplex);
        sort(&simplex);
    }
    memcpy(at, simplex.corners[0].at, n * sizeof *at);
    return simplex.corners[0].value;
}

/* At which load a resource is full, from how busy it was at lower loads. This is computed by the
 * utilisation law, U = X S (Denning, Buzen, Computing Surveys 10, 1978), with X operations a
 * second, each of which needs the resource for S seconds. Whether the law may be applied is
 * checked. Pure. */
#ifndef DCAMP_ANALYSIS_CAPACITY_H
#define DCAMP_ANALYSIS_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing is said of fewer windows. */
#define CAPACITY_LEAST 8
/* The loads of a run differ enough if the largest is so many times the least; and the resource was
 * busy enough if its largest utilisation is at least this share of full. */
#define CAPACITY_SPREAD 1.5
#define CAPACITY_REACHED 0.3

struct capacity {
    bool is_known;       /* otherwise, of the members below, only why is set */
    const char *why;     /* why it is not known; otherwise NULL */
    size_t n;            /* windows that were used */
    double demand;       /* S: utilisation per throughput */
    double demand_error; /* its standard error */
    double idle;         /* utilisation without load */
    double idle_error;
    double load;      /* the throughput at which utilisation, including idle, is full */
    double low, high; /* the 95 % interval of load; high may be infinite */
    double most;      /* the largest throughput that was seen */
    double
        determined; /* R^2: the share of the variance of utilisation that throughput accounts for */

    /* The assumptions. If one of them is false, load is no more than a guess. */
    bool is_spread;       /* loads differ enough, CAPACITY_SPREAD */
    bool is_reached;      /* the resource was busy enough, CAPACITY_REACHED */
    bool is_linear;       /* a parabola is no better than the line (5 %) */
    bool is_proportional; /* without load, the resource is idle: the line goes through 0 (5 %) */

    /* The law of a single queue, R = D / (1 - U). NAN without response times. */
    double response_demand;     /* D: the response time without waiting */
    double response_determined; /* R^2 of this law; below 0, the mean fits better: something else
                                 * makes operations wait */
};

/* The arrays hold n windows of a run: throughput in operations a second; utilisation of the
 * resource in the unit of full (100 for percent); and response times, which may be NULL. A window
 * is used if its throughput and utilisation are finite and not negative. Not known: too few
 * windows, only one load, or utilisation that does not grow with the load. */
void capacity_of(const double *throughput, const double *utilisation, const double *response,
                 size_t n, double full, struct capacity *out);

#endif

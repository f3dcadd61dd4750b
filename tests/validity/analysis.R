# What analysis/ computes, beside what R does, as rows of a table:
#   Rscript analysis.R ANALYSED REPLICATES [NAME FILE]...
# ANALYSED is the program of analysed.c. Each FILE is a real series, a number or NA in each line; others are
# made here. REPLICATES: how many samples R draws for probabilities and intervals. The status is 1 where
# something is out of its bound.
library(boot)
given <- commandArgs(trailingOnly = TRUE)
analysed <- given[1]
replicates <- as.integer(given[2])
set.seed(19)
failed <- 0

ask <- function(series, ...) {
    said <- system2(analysed, c(...), input = format(series, digits = 17, trim = TRUE), stdout = TRUE)
    as.numeric(said)
}

# known and published are vectors; the deviation is the largest of them, in units of scale.
row <- function(what, known, published, bound, scale = 1) {
    off <- if (length(known) == length(published)) max(abs(published - known) / scale) else Inf
    good <- !is.na(off) && off <= bound
    if (!good) failed <<- failed + 1
    cat(sprintf("| %s | %d | %.6g | %.6g | %.2g | %.2g | %s |\n", what, length(known), known[1], published[1], off,
                bound, if (good) "pass" else "**FAIL**"))
}

# -- Series ------------------------------------------------------------------------------------
day <- function(n, period, height, slope, noise)
    100 + slope * seq_len(n) + height * sin(2 * pi * seq_len(n) / period) + rnorm(n, sd = noise)
holes <- function(x) replace(x, sample(length(x), length(x) %/% 10), NA)
made <- list(
    "white noise" = rnorm(500),
    "autoregressive, 0.7" = as.numeric(arima.sim(list(ar = 0.7), 800)) + 20,
    "response times" = rexp(700, 50),
    "log-normal" = rlnorm(600, -3, 0.6),
    "a day of 24" = day(24 * 14, 24, 20, 0.05, 3),
    "a period of 7, large" = day(7 * 20, 7, 5, -0.2, 1) + 1e6)
real <- list()
for (i in seq(3, length.out = (length(given) - 2) %/% 2, by = 2))
    real[[given[i]]] <- as.numeric(scan(given[i + 1], what = "", quiet = TRUE))
all <- c(made, real)

# -- One series ----------------------------------------------------------------------------------
for (name in names(all)) {
    x <- all[[name]]
    whole <- x[!is.na(x)]
    lags <- min(100, length(x) - 1)
    row(paste0("acf(), ", name), acf(x, lags, plot = FALSE, na.action = na.pass)$acf[, 1, 1],
        head(ask(x, "acf", lags), -1), 1e-9)
    y <- holes(x)
    row(paste0("acf(na.action = na.pass), with gaps, ", name),
        acf(y, lags, plot = FALSE, na.action = na.pass)$acf[, 1, 1], head(ask(y, "acf", lags), -1), 1e-9)
    row(paste0("mean(), sd(), range(), quantile(), ", name),
        c(length(whole), mean(whole), sd(whole), range(whole),
          quantile(whole, c(0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99))),
        ask(x, "distribution"), 1e-12, max(abs(whole), length(whole)))
}

# -- Goodness of fit -------------------------------------------------------------------------------
# Its D, and the probability of it by samples of the family that are fitted anew each.
families <- list(
    list("normal", function(x) list(mean(x), sd(x)), "pnorm", function(n) rnorm(n), FALSE),
    list("exponential", function(x) list(1 / mean(x)), "pexp", function(n) rexp(n), FALSE),
    list("log-normal", function(x) list(mean(log(x)), sd(log(x))), "plnorm", function(n) rlnorm(n), FALSE),
    list("uniform", function(x) list(min(x), max(x)), "punif", function(n) runif(n), TRUE))
distance <- function(x, family) {
    parameters <- family[[2]](x)
    if (family[[5]]) x <- x[x != min(x) & x != max(x)]
    suppressWarnings(do.call(ks.test, c(list(x, family[[3]]), parameters))$statistic)
}
square <- function(x, family) {
    parameters <- family[[2]](x)
    x <- sort(x)
    if (family[[5]]) x <- x[x != min(x) & x != max(x)]
    n <- length(x)
    below <- do.call(family[[3]], c(list(x), parameters, log.p = TRUE))
    above <- do.call(family[[3]], c(list(rev(x)), parameters, log.p = TRUE, lower.tail = FALSE))
    -n - mean((2 * seq_len(n) - 1) * (below + above))
}
samples <- list("white noise" = made[["white noise"]][1:200], "response times" = made[["response times"]][1:150],
                "log-normal" = made[["log-normal"]][1:100], "uniform" = runif(80, 3, 5),
                "sum of two" = rexp(60) + rexp(60))
for (name in names(samples))
    for (i in seq_along(families)) {
        family <- families[[i]]
        x <- samples[[name]]
        if (any(x <= 0) && i %in% 2:3) next
        fit <- ask(x, "fit", i - 1, 1)
        row(sprintf("ks.test() of %s, D and A^2, %s", family[[1]], name), c(distance(x, family), square(x, family)),
            fit[c(3, 5)], 1e-9, max(1, fit[5]))
        drawn <- replicate(replicates, { y <- family[[4]](length(x)); c(distance(y, family), square(y, family)) })
        p <- (1 + rowSums(drawn >= fit[c(3, 5)])) / (replicates + 1)
        # Both are simulated: five standard errors of their difference.
        error <- sqrt(pmax(p * (1 - p), 0.01) * (1 / replicates + 1 / 999))
        row(sprintf("the same, p of D and of A^2 (in standard errors), %s", name), p, fit[c(4, 6)], 5, error)
    }

# -- Holt-Winters ------------------------------------------------------------------------------------
smooth <- function(name, x, period) {
    series <- ts(x, frequency = period)
    set <- HoltWinters(series, 0.4, 0.1, 0.3)
    ahead <- 2 * period
    known <- c(set$SSE, set$coefficients[["a"]], set$coefficients[["b"]], predict(set, ahead))
    row(sprintf("HoltWinters(0.4, 0.1, 0.3) and predict(), %s", name), known,
        ask(x, "holt", period, 0.4, 0.1, 0.3, ahead), 1e-9, pmax(1, max(abs(x)), abs(known)))
    # Each searches in its own way: no sum of squares may be larger than R's, and with what was found R must
    # foretell the same. What both found may differ, for some series have as small a sum at places far apart.
    best <- tryCatch(HoltWinters(series), error = function(e) NULL)
    if (is.null(best)) return(invisible())
    found <- ask(x, "fitted", period, ahead)
    row(sprintf("HoltWinters(), how much larger the least sum of squares is, %s", name), 0,
        max(0, found[4] / best$SSE - 1), 0.001)
    set <- HoltWinters(series, found[1], found[2], found[3])
    known <- c(set$SSE, set$coefficients[["a"]], set$coefficients[["b"]], predict(set, ahead))
    row(sprintf("HoltWinters() and predict() with what was found, %s", name), known, tail(found, -3), 1e-9,
        pmax(1, max(abs(x)), abs(known)))
}
smooth("a day of 24", made[["a day of 24"]], 24)
smooth("a period of 7, large", made[["a period of 7, large"]], 7)
smooth("co2, which R has", as.numeric(co2), 12)
smooth("nottem, which R has", as.numeric(nottem), 12)
smooth("AirPassengers, which R has", as.numeric(AirPassengers), 12)
for (name in names(real)) {
    x <- real[[name]]
    x <- x[!is.na(x)]
    if (sd(x) > 0) smooth(name, x, 10)
}
for (season in list(list("co2", as.numeric(co2)), list("nottem", as.numeric(nottem))))
    row(sprintf("season, %s, which R has, a year of months", season[[1]]), 12, ask(season[[2]], "season")[1], 0)

# -- Bootstrap ---------------------------------------------------------------------------------------
# How far the statistic in tsboot() of both is off, with the same blocks in a circle, widened as
# analysis/bootstrap.h says: of an interval with 0.95, a fortieth lies beyond either end. So many values of a
# real series are the same that their quantiles leap: therefore shares are compared, and not ends.
seeds <- 10
resemblance <- function(x) {
    first <- if (sd(x) > 0) acf(x, 1, plot = FALSE)$acf[2] else 0
    min(max(0, first + (1 + 3 * first) / length(x)), 0.97)
}
side <- function(x, block, statistic, r) {
    block <- max(block, ceiling(length(x) / 128))
    blocks <- ceiling(length(x) / block)
    drawn <- tsboot(x, statistic, R = 5 * replicates, l = block, sim = "fixed")
    lag <- seq_len(block - 1)
    within <- 1 + 2 * sum((1 - lag / block) * r^lag)
    wide <- sqrt((1 + r) / (1 - r) / within * blocks / (blocks - 1))
    list(off = (drawn$t[, 1] - drawn$t0) * wide, variance = var(drawn$t[, 1]),
         pieces = max(2, min(blocks, length(x) * (1 - r) / (1 + r))))
}
around <- function(a, b, blocks, statistic, of) {
    a <- side(a, blocks[1], statistic, resemblance(of(a)))
    b <- side(b, blocks[2], statistic, resemblance(of(b)))
    variance <- a$variance + b$variance
    share <- a$variance / variance
    freedom <- if (variance > 0) 1 / (share^2 / (a$pieces - 1) + (1 - share)^2 / (b$pieces - 1)) else 1
    (b$off - a$off) * qt(0.975, freedom) / qnorm(0.975)
}
# The share of what was drawn beyond an end, the mean of the seeds. An end may be off by a fiftieth of the
# interval: so much do the variances of the draws, of which the widening is made. Then it is the share that is
# next to a fortieth.
beyond <- function(drawn, ends, width) {
    least <- mean(sapply(ends, function(end) mean(drawn < end - 0.02 * width)))
    most <- mean(sapply(ends, function(end) mean(drawn <= end + 0.02 * width)))
    min(max(0.025, least), most)
}
statistics <- list(
    list("mean", 0, mean, identity),
    list("median", 1, median, function(x) as.numeric(x <= median(x))),
    list("90th percentile", 2, function(x) quantile(x, 0.9, names = FALSE),
         function(x) as.numeric(x <= quantile(x, 0.9))))
pairs <- list(
    "white noise" = list(rnorm(200), rnorm(300)),
    "autoregressive, 0.7" = list(as.numeric(arima.sim(list(ar = 0.7), 400)), as.numeric(arima.sim(list(ar = 0.7), 500))),
    "response times" = list(rexp(360, 50), rexp(360, 47)))
for (name in names(real)) {
    x <- real[[name]]
    x <- x[!is.na(x)]
    half <- length(x) %/% 2
    if (sd(x) > 0) pairs[[paste("two halves of", name)]] <- list(head(x, half), tail(x, half))
}
for (name in names(pairs))
    for (statistic in statistics) {
        a <- pairs[[name]][[1]]
        b <- pairs[[name]][[2]]
        file <- tempfile()
        writeLines(format(b, digits = 17), file)
        said <- sapply(seq_len(seeds), function(seed) ask(a, "difference", file, statistic[[2]], 0.95, seed))
        known <- statistic[[3]](b) - statistic[[3]](a)
        row(sprintf("difference of the %s, %s", statistic[[1]], name), known, said[1, 1], 1e-9, max(1, abs(known)))
        drawn <- around(a, b, said[4:5, 1], statistic[[3]], statistic[[4]])
        width <- mean(said[3, ] - said[2, ])
        replicates_of <- if (statistic[[2]] == 0) 999 else 499 # analysis/bootstrap.c
        row(sprintf("tsboot() of the %s, share beyond the low and the high end, %s", statistic[[1]], name),
            c(0.025, 0.025), c(beyond(drawn, said[2, ] - known, width), beyond(-drawn, known - said[3, ], width)),
            0.002 + 5 * sqrt(0.025 * 0.975 * (1 / length(drawn) + 1 / (seeds * replicates_of))))
    }
quit(status = as.integer(failed > 0))

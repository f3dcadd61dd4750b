# Draws a series of dcamp-web with its quantiles and a moving average, and prints these:
#   Rscript history.R URL NODE SENSOR INSTANCE LAST FILE.svg
library(jsonlite)
given <- commandArgs(trailingOnly = TRUE)
names(given) <- c("url", "node", "sensor", "instance", "last", "file")
question <- paste(names(given)[2:5], sapply(given[2:5], URLencode, reserved = TRUE), sep = "=", collapse = "&")
values <- fromJSON(paste0(given["url"], "/api/v1/values?points=0&", question))$values
time <- as.POSIXct(values$t / 1000, origin = "1970-01-01")
average <- stats::filter(values$value, rep(1 / 10, 10), sides = 1)
levels <- quantile(values$value, c(0.1, 0.5, 0.9, 0.99), na.rm = TRUE)
svg(given["file"], width = 10, height = 5)
plot(time, values$value, type = "l", col = "gray", xlab = "", ylab = given["sensor"], main = given["node"])
lines(time, average, col = "blue")
abline(h = levels, lty = 3)
invisible(dev.off())
cat(sprintf("%.15g\n", c(nrow(values), levels, tail(average, 1))))

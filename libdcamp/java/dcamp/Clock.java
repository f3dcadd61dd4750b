package dcamp;

import java.time.Instant;

/** The time of day of moments of System.nanoTime(), which reads CLOCK_MONOTONIC. */
final class Clock {
    /** How long the distance between the two clocks is taken for the same. */
    private static final long PERIOD = 1_000_000_000L;

    private static volatile Distance distance = new Distance();

    private Clock() {
    }

    private static final class Distance {
        final long measured = System.nanoTime();
        final long distance;

        Distance() {
            Instant now = Instant.now();
            distance = now.getEpochSecond() * 1_000_000_000L + now.getNano() - measured;
        }
    }

    /** In nanoseconds since 1970. */
    static long realtime(long moment) {
        Distance known = distance;
        if (moment - known.measured > PERIOD)
            distance = known = new Distance();
        return moment + known.distance;
    }
}

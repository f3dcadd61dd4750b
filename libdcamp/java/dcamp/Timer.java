package dcamp;

/** How often something was done, and how long it took. */
public final class Timer extends Sensor {
    Timer(Description description) {
        super(description);
    }

    /** A moment, for stop() of this or another timer, in this or another thread. */
    public long start() {
        return System.nanoTime();
    }

    /** Counts what has lasted from that moment until now, and returns it in nanoseconds. */
    public long stop(long start) {
        long ns = Math.max(0, System.nanoTime() - start);
        try {
            Shard shard = shard();
            if (shard != null)
                countDuration(shard, Layout.TIMER_COUNT, ns);
        } catch (Throwable e) {
            lose();
        }
        return ns;
    }

    /** Counts how long the action takes, with an exception or without. */
    public <E extends Throwable> void run(Action<E> action) throws E {
        long start = start();
        try {
            action.run();
        } finally {
            stop(start);
        }
    }
}

package dcamp;

/** How much of something there has ever been. */
public final class Counter extends Sensor {
    Counter(Description description) {
        super(description);
    }

    /** Adds n, which is at least 0. */
    public void add(long n) {
        try {
            Shard shard = shard();
            if (shard != null)
                add(shard, Layout.COUNTER_VALUE, n);
        } catch (Throwable e) {
            lose();
        }
    }
}

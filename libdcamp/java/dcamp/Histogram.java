package dcamp;

/** How values of any unit are distributed. */
public final class Histogram extends Sensor {
    Histogram(Description description) {
        super(description);
    }

    /**
     * Values nearer to 0 than 1e-9 count as 0, those beyond 1e18 in the last bucket. What is no finite number
     * is not counted.
     */
    public void record(double value) {
        try {
            Shard shard = Double.isFinite(value) ? shard() : null;
            if (shard != null)
                record(shard, value, Math.abs(value));
        } catch (Throwable e) {
            lose();
        }
    }

    private void record(Shard shard, double value, double magnitude) {
        add(shard, Layout.HISTOGRAM_COUNT, 1);
        addReal(shard, Layout.HISTOGRAM_SUM, value);
        if (magnitude < Layout.LEAST)
            add(shard, Layout.HISTOGRAM_ZERO, 1);
        else
            count(shard, value < 0 ? Layout.PANELS_OF_SIGN : 0, Bucket.of(magnitude));
    }
}

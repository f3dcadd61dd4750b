package dcamp;

/** How much of something there is. A level belongs to the process, not to a thread. */
public final class Gauge extends Sensor {
    Gauge(Description description) {
        super(description);
    }

    public void set(double value) {
        try {
            Segment segment = App.segment();
            int at = segment == null || place == null ? 0 : sharedWord(segment);
            if (at != 0)
                Layout.LONG.setOpaque(segment.octets, at, Double.doubleToRawLongBits(value));
        } catch (Throwable e) {
            lose();
        }
    }

    public void add(double n) {
        try {
            Segment segment = App.segment();
            if (segment != null && place != null)
                addReal(segment.shared(), Layout.GAUGE_VALUE, n);
        } catch (Throwable e) {
            lose();
        }
    }
}

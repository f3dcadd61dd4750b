package dcamp;

/**
 * The bucket of a value. The borders come from the daemon, by tools/bucketgen.c, which says as well why a cell
 * has no more than one of them.
 */
final class Bucket {
    private static final int CELL_SHIFT = 46;
    private static final int BUCKETS = Borders.BORDERS.length;
    private static final long FIRST = Double.doubleToRawLongBits(Layout.LEAST) >>> CELL_SHIFT;
    private static final long LAST = Double.doubleToRawLongBits(Borders.MAX) >>> CELL_SHIFT;

    /** The bucket of the smallest value of each cell. */
    private static final short[] CELLS = new short[(int) (LAST - FIRST + 1)];

    static {
        int bucket = 0;
        for (int i = 0; i < CELLS.length; i++) {
            double lowest = Double.longBitsToDouble((FIRST + i) << CELL_SHIFT);
            while (bucket < BUCKETS - 1 && lowest > Borders.BORDERS[bucket])
                bucket++;
            CELLS[i] = (short) bucket;
        }
    }

    private Bucket() {
    }

    /** Of a magnitude that is at least 1e-9, from 0 on. */
    static int of(double magnitude) {
        long cell = (Double.doubleToRawLongBits(magnitude) >>> CELL_SHIFT) - FIRST;
        if (cell >= CELLS.length)
            return BUCKETS - 1;
        int bucket = CELLS[(int) cell];
        return bucket < BUCKETS - 1 && magnitude > Borders.BORDERS[bucket] ? bucket + 1 : bucket;
    }

    /** A quotient, not a product with 1e-9, which would be another double than the daemon's at times. */
    static int ofNanoseconds(long ns) {
        return of((double) (ns == 0 ? 1 : ns & Long.MAX_VALUE) / 1e9);
    }
}

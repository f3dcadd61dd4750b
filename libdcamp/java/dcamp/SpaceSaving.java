package dcamp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Space-Saving: the keys that have most, of any number of keys, in a fixed number of counters (A. Metwally, D.
 * Agrawal, A. El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams. ICDT 2005). One
 * thread at a time.
 *
 * <p>A key that no counter has takes the one with the smallest count and begins with that count, which is its
 * error: it may have had so much before.
 */
final class SpaceSaving {
    private static final int CHAINS = 2048;
    private static final int GROUP = 32;
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L; // odd, with half of its bits set in no pattern
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long seed;
    private final long secret;
    private int limit = Layout.TOP_ENTRIES; // how many counters there may be
    private int size;                       // how many there are

    /**
     * The smallest count of each group of counters as it once was, and no more than it is now: a count that
     * grows does not touch it.
     */
    private final long[] lowest = new long[(Layout.TOP_ENTRIES + GROUP - 1) / GROUP];
    private final long[] count = new long[Layout.TOP_ENTRIES];
    private final long[] error = new long[Layout.TOP_ENTRIES];
    private final byte[][] key = new byte[Layout.TOP_ENTRIES][];
    private final int[] hash = new int[Layout.TOP_ENTRIES];
    private final short[] next = new short[Layout.TOP_ENTRIES]; // of its chain: its index and 1; 0: the last
    private final short[] chain = new short[CHAINS];            // the first of it, as next

    /** Nobody who does not know the seed can make many keys of one chain. */
    SpaceSaving(long seed) {
        this.seed = seed;
        secret = (seed ^ MULTIPLIER) | 1;
    }

    int size() {
        return size;
    }

    /** There are no more than there are now. */
    void limit() {
        limit = size;
    }

    boolean isFull() {
        return size == limit;
    }

    long count(int index) {
        return count[index];
    }

    long error(int index) {
        return error[index];
    }

    byte[] key(int index) {
        return key[index];
    }

    /** Both halves of a product: each bit of a factor changes bits on all sides of it. */
    private static long fold(long a, long b) {
        return a * b ^ Math.multiplyHigh(a, b);
    }

    /** Both factors of each round are secret: what one block leaves behind cannot be taken off by the next one. */
    int hash(byte[] of) {
        int at = 0;
        long sum = seed ^ of.length * MULTIPLIER;
        for (; at + Long.BYTES <= of.length; at += Long.BYTES)
            sum = fold(sum ^ (long) LONGS.get(of, at), secret);
        long rest = 0;
        for (int i = of.length - 1; i >= at; i--)
            rest = rest << 8 | of[i] & 0xff;
        sum = fold(sum ^ rest, secret);
        return (int) (sum ^ sum >>> 32);
    }

    /** The index of the counter of a key; -1: it has none. */
    int find(byte[] of, int hashOf) {
        int index = chain[hashOf & CHAINS - 1] - 1;
        while (index >= 0 && (hash[index] != hashOf || !Arrays.equals(key[index], of)))
            index = next[index] - 1;
        return index;
    }

    void add(int index, long n) {
        count[index] += n;
    }

    /** Gives a key that has none a counter with n: a new one, or that with the smallest count. -1: limit is 0. */
    int take(byte[] of, int hashOf, long n) {
        if (limit == 0)
            return -1;
        int index = size < limit ? append(n) : replace(n);
        key[index] = of;
        hash[index] = hashOf;
        next[index] = chain[hashOf & CHAINS - 1];
        chain[hashOf & CHAINS - 1] = (short) (index + 1);
        return index;
    }

    private int append(long n) {
        int index = size++;
        count[index] = n;
        if (index % GROUP == 0 || Long.compareUnsigned(n, lowest[index / GROUP]) < 0)
            lowest[index / GROUP] = n;
        return index;
    }

    private int replace(long n) {
        int index = smallest();
        unchain(index);
        error[index] = count[index];
        count[index] += n;
        return index;
    }

    private void unchain(int index) {
        int at = chain[hash[index] & CHAINS - 1] - 1;
        if (at == index) {
            chain[hash[index] & CHAINS - 1] = next[index];
            return;
        }
        while (next[at] - 1 != index)
            at = next[at] - 1;
        next[at] = next[index];
    }

    private static int indexOfLeast(long[] values, int first, int end) {
        int index = first;
        for (int i = first + 1; i < end; i++)
            if (Long.compareUnsigned(values[i], values[index]) < 0)
                index = i;
        return index;
    }

    /** The group that seems to have it may have grown meanwhile, and then another one is looked at. */
    private int smallest() {
        for (;;) {
            int group = indexOfLeast(lowest, 0, (size + GROUP - 1) / GROUP);
            int index = indexOfLeast(count, group * GROUP, Math.min(size, (group + 1) * GROUP));
            if (count[index] == lowest[group])
                return index;
            lowest[group] = count[index];
        }
    }
}

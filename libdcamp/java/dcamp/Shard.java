package dcamp;

import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What one thread counts in, or, as shard 0, all threads that have none of their own.
 *
 * <p>A shard of its own is written to by one thread only: it adds by a load and a store. In shard 0, additions
 * are atomic.
 */
final class Shard {
    final Segment segment;
    final int index;
    private final ByteBuffer octets;
    private final int head; // where it is in the header
    private int[] panels = new int[64]; // where those of its panels are that it has, by their numbers

    private WeakReference<Thread> owner = new WeakReference<>(null);
    int thread; // the ID that the kernel has for it
    private int epoch;

    Shard(Segment segment, int index) {
        this.segment = segment;
        this.index = index;
        octets = segment.octets;
        head = Layout.AT_SHARD + index * Layout.SHARD_SIZE;
    }

    boolean isShared() {
        return index == 0;
    }

    /** Where the panel of that number is; 0: it has none. Of shard 0, the answer may be an old one. */
    int find(int number) {
        int[] known = panels;
        return number < known.length ? known[number] : 0;
    }

    /** With the lock of the segment. */
    void remember(int number, int at) {
        int[] known = panels;
        if (number >= known.length)
            known = Arrays.copyOf(known, Math.max(number + 1, 2 * known.length));
        known[number] = at;
        panels = known;
        Layout.INT.setOpaque(octets, head + Layout.SHARD_PANELS,
            (int) Layout.INT.getOpaque(octets, head + Layout.SHARD_PANELS) + 1);
    }

    // -- Numbers -----------------------------------------------------------------------------

    /** What an atomic addition returns is taken, for then its type is that of the handle, and it is fast. */
    long add(int at, long n) {
        if (index == 0)
            return (long) Layout.LONG.getAndAdd(octets, at, n);
        long before = (long) Layout.LONG.getOpaque(octets, at);
        Layout.LONG.setOpaque(octets, at, before + n);
        return before;
    }

    int count(int at) {
        if (index == 0)
            return (int) Layout.INT.getAndAdd(octets, at, 1);
        int before = (int) Layout.INT.getOpaque(octets, at);
        Layout.INT.setOpaque(octets, at, before + 1);
        return before;
    }

    void addReal(int at, double n) {
        long before;
        long after;
        do {
            before = (long) Layout.LONG.getOpaque(octets, at);
            after = Double.doubleToRawLongBits(Double.longBitsToDouble(before) + n);
        } while (!Layout.LONG.compareAndSet(octets, at, before, after));
    }

    /** The number of the next record of a step. */
    long nextRecord() {
        return add(head + Layout.SHARD_STEPS, 1) + 1;
    }

    // -- Its thread, with the lock of the segment ---------------------------------------------

    boolean isFree() {
        Thread of = owner.get();
        return of == null || !of.isAlive();
    }

    /** Java does not say when a thread ends: it is seen when another one comes. */
    void clear() {
        owner = new WeakReference<>(null);
        if (thread == 0)
            return;
        thread = 0;
        label(0, new byte[0]);
    }

    void give(Thread to, int id) {
        owner = new WeakReference<>(to);
        thread = id;
        epoch++;
        label(Clock.realtime(System.nanoTime()), Text.cut(to.getName(), 32));
    }

    /** Without a name, that and the time stay. */
    private void label(long since, byte[] name) {
        int sequence = (int) Layout.INT.getOpaque(octets, head + Layout.SHARD_SEQUENCE);
        Layout.INT.setOpaque(octets, head + Layout.SHARD_SEQUENCE, sequence + 1);
        VarHandle.releaseFence();
        Layout.INT.setOpaque(octets, head + Layout.SHARD_THREAD, thread);
        Layout.INT.setOpaque(octets, head + Layout.SHARD_EPOCH, epoch);
        if (since != 0) {
            Layout.LONG.setOpaque(octets, head + Layout.SHARD_SINCE, since);
            segment.putText(head + Layout.SHARD_NAME, 32, name);
        }
        Layout.INT.setRelease(octets, head + Layout.SHARD_SEQUENCE, sequence + 2);
    }
}

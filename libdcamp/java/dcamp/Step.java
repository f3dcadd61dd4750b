package dcamp;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/** Executions of a part of the program, one by one: a timer, and a record of each of the latest. */
public final class Step extends Sensor {
    /** What is not known of an execution. */
    public static final long UNKNOWN = -1;

    Step(Description description) {
        super(description);
    }

    /** An execution begins; the moment is for end(), in this or another thread. */
    public long begin() {
        try {
            begin(Own.get());
        } catch (Throwable e) {
            lose();
        }
        return System.nanoTime();
    }

    void begin(Own own) {
        Shard shard = shard(own);
        if (shard != null)
            add(shard, Layout.STEP_BEGUN, 1);
    }

    /**
     * The execution ends. The sequence is the program's own number of what passes through one step after the
     * other, as that of an order: records with the same one belong together. The result 0 is success; others
     * are the program's own.
     */
    public void end(long begun, long sequence, int result) {
        end(begun, sequence, result, UNKNOWN, UNKNOWN);
    }

    /** The same, with the CPU time in nanoseconds that it took, and the octets that it allocated. */
    public void end(long begun, long sequence, int result, long cpu, long allocated) {
        long now = System.nanoTime();
        try {
            end(Own.get(), begun, now, sequence, result, cpu, allocated);
        } catch (Throwable e) {
            lose();
        }
    }

    void end(Own own, long begun, long now, long sequence, int result, long cpu, long allocated) {
        Shard shard = shard(own);
        if (shard == null)
            return;
        long ns = Math.max(0, now - begun);
        countDuration(shard, Layout.STEP_COUNT, ns);
        if (result != 0)
            add(shard, Layout.STEP_FAILED, 1);
        keepRecord(shard, begun, ns, sequence, result, cpu, allocated);
    }

    /** An execution: what the action does. Its result is 0, or -1 where an exception ends it. */
    public <E extends Throwable> void run(long sequence, Action<E> action) throws E {
        long begun = begin();
        int result = -1;
        try {
            action.run();
            result = 0;
        } finally {
            end(begun, sequence, result);
        }
    }

    /** In shard 0, several threads may write side by side: each takes a number. */
    private void keepRecord(Shard shard, long begun, long ns, long sequence, int result, long cpu, long allocated) {
        long n = shard.nextRecord();
        Segment segment = shard.segment;
        int number = segment.ring() + (int) ((n - 1) / Layout.RECORDS_IN_PANEL % Layout.RING_PANELS);
        int panel = segment.panelOf(shard, number, Layout.RECORDS);
        if (panel == 0)
            return;
        ByteBuffer octets = segment.octets;
        int at = panel + Layout.PANEL_HEAD + (int) ((n - 1) % Layout.RECORDS_IN_PANEL) * Layout.RECORD_SIZE;
        Layout.LONG.setOpaque(octets, at + Layout.RECORD_NUMBER, 0L);
        VarHandle.releaseFence();
        Layout.INT.setOpaque(octets, at + Layout.RECORD_DESCRIPTOR, place.index);
        Layout.INT.setOpaque(octets, at + Layout.RECORD_RESULT, result);
        Layout.LONG.setOpaque(octets, at + Layout.RECORD_SEQUENCE, sequence);
        Layout.LONG.setOpaque(octets, at + Layout.RECORD_START, Clock.realtime(begun));
        Layout.LONG.setOpaque(octets, at + Layout.RECORD_DURATION, ns);
        Layout.INT.setOpaque(octets, at + Layout.RECORD_THREAD, shard.isShared() ? 0 : shard.thread);
        putCosts(octets, at, cpu, allocated);
        Layout.LONG.setRelease(octets, at + Layout.RECORD_NUMBER, n);
    }

    private static void putCosts(ByteBuffer octets, int at, long cpu, long allocated) {
        int flags = (cpu < 0 ? 0 : Layout.RECORD_HAS_CPU) | (allocated < 0 ? 0 : Layout.RECORD_HAS_ALLOCATED);
        Layout.INT.setOpaque(octets, at + Layout.RECORD_FLAGS, flags);
        Layout.LONG.setOpaque(octets, at + Layout.RECORD_CPU, Math.max(0, cpu));
        Layout.LONG.setOpaque(octets, at + Layout.RECORD_ALLOCATED, Math.max(0, allocated));
    }
}

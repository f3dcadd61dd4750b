package dcamp;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Which keys have most of something. Each shard has its own Space-Saving, which works in memory of the process
 * and is written to the panels of the shard, for the reader only.
 */
public final class Top extends Sensor {
    /** How often somebody looks whether the entries of shard 0 are in use before giving up. */
    private static final int ATTEMPTS = 1000;

    private final AtomicReferenceArray<Part> parts = new AtomicReferenceArray<>(Layout.SHARDS);
    private final long seed = ThreadLocalRandom.current().nextLong();

    Top(Description description) {
        super(description);
    }

    /** One shard of a top. */
    private static final class Part {
        final Shard shard;
        final SpaceSaving saving;
        final AtomicBoolean inUse = new AtomicBoolean(); // in shard 0
        final ByteBuffer key = ByteBuffer.allocate(Layout.KEY).order(java.nio.ByteOrder.LITTLE_ENDIAN);

        Part(Shard shard, long seed) {
            this.shard = shard;
            saving = new SpaceSaving(seed);
        }

        /** Nobody waits for the others. */
        boolean take() {
            for (int i = 0; i < (shard.isShared() ? ATTEMPTS : 1); i++) {
                if (inUse.compareAndSet(false, true))
                    return true;
                Thread.onSpinWait();
            }
            return false;
        }
    }

    /** Adds n, which is at least 0, to what the key has. Of a key of more than 64 octets, the first 64 count. */
    public void add(String key, long n) {
        try {
            Shard shard = key == null ? null : shard();
            if (shard == null)
                return;
            add(shard, Layout.TOP_TOTAL, n);
            if (!addKey(part(shard), Text.cut(key, Layout.KEY), n))
                add(shard, Layout.TOP_MISSED, n);
        } catch (Throwable e) {
            lose();
        }
    }

    /** The entries of another segment are not in this one. */
    private Part part(Shard shard) {
        Part part = parts.get(shard.index);
        if (part != null && part.shard == shard)
            return part;
        Part fresh = new Part(shard, seed);
        return parts.compareAndSet(shard.index, part, fresh) ? fresh : parts.get(shard.index);
    }

    private boolean addKey(Part part, byte[] key, long n) {
        if (!part.take())
            return false;
        try {
            SpaceSaving saving = part.saving;
            int hash = saving.hash(key);
            int index = saving.find(key, hash);
            if (index < 0)
                return takeEntry(part, key, hash, n);
            saving.add(index, n);
            writeCount(part, index);
            return true;
        } finally {
            part.inUse.setRelease(false);
        }
    }

    // -- Entries -----------------------------------------------------------------------------

    private int panel(Part part, int index) {
        int number = place.panel + index / Layout.ENTRIES_IN_PANEL;
        return part.shard.segment.panelOf(part.shard, number, Layout.ENTRIES);
    }

    private static int entry(int panel, int index) {
        return panel + Layout.PANEL_HEAD + index % Layout.ENTRIES_IN_PANEL * Layout.ENTRY_SIZE;
    }

    private void writeCount(Part part, int index) {
        int panel = panel(part, index);
        if (panel != 0)
            Layout.LONG.setOpaque(part.shard.segment.octets, entry(panel, index) + Layout.ENTRY_COUNT,
                part.saving.count(index));
    }

    /**
     * A key that has none takes a counter. Where the file has no panel for a new one, there are no more.
     */
    private boolean takeEntry(Part part, byte[] key, int hash, long n) {
        SpaceSaving saving = part.saving;
        if (!saving.isFull() && panel(part, saving.size()) == 0)
            saving.limit();
        int index = saving.take(key, hash, n);
        if (index < 0)
            return false;
        writeEntry(part, panel(part, index), index);
        return true;
    }

    /** The sequence is odd meanwhile, and 0 only where there never was a key. */
    private static void writeEntry(Part part, int panel, int index) {
        ByteBuffer octets = part.shard.segment.octets;
        int at = entry(panel, index);
        int sequenceAt = panel + Layout.PANEL_SEQUENCE + index % Layout.ENTRIES_IN_PANEL * Integer.BYTES;
        int odd = (int) Layout.INT.getOpaque(octets, sequenceAt) | 1;
        Layout.INT.setOpaque(octets, sequenceAt, odd);
        VarHandle.releaseFence();
        part.key.put(0, new byte[Layout.KEY]).put(0, part.saving.key(index));
        for (int i = 0; i < Layout.KEY; i += Long.BYTES)
            Layout.LONG.setOpaque(octets, at + Layout.ENTRY_KEY + i, part.key.getLong(i));
        Layout.LONG.setOpaque(octets, at + Layout.ENTRY_ERROR, part.saving.error(index));
        Layout.LONG.setOpaque(octets, at + Layout.ENTRY_COUNT, part.saving.count(index));
        Layout.INT.setRelease(octets, sequenceAt, odd + 1 == 0 ? 2 : odd + 1);
    }
}

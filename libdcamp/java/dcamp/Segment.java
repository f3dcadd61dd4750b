package dcamp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A segment: its header, and its panels, which are given to the shards of threads. */
final class Segment {
    final ByteBuffer octets;
    private final SegmentFile file;
    private final Shard[] shards = new Shard[Layout.SHARDS];
    private int used;          // panels that were given away
    private boolean exhausted; // it could not grow: only who makes a sensor tries again
    private int descriptors;   // where the last panel of them is,
    private int descriptorPanels; // and how many there are
    private int ring;

    /** Nobody sees it before publish(). */
    Segment(SegmentFile file, String name) {
        this.file = file;
        octets = file.octets;
        for (int i = 0; i < shards.length; i++)
            shards[i] = new Shard(this, i);
        writeHeader(name);
    }

    private void put(int at, int value) {
        Layout.INT.setOpaque(octets, at, value);
    }

    void putText(int at, int size, byte[] text) {
        for (int i = 0; i < size; i++)
            octets.put(at + i, i < text.length ? text[i] : 0);
    }

    private void writeHeader(String name) {
        put(Layout.AT_MAJOR, Layout.MAJOR | Layout.MINOR << 16);
        put(Layout.AT_HEADER_SIZE, Layout.HEADER_SIZE);
        put(Layout.AT_PANEL_SIZE, Layout.PANEL_SIZE);
        put(Layout.AT_SHARDS, Layout.SHARDS);
        put(Layout.AT_PID, (int) file.pid);
        put(Layout.AT_CLOCK, Layout.CLOCK_GETTIME);
        Layout.LONG.setOpaque(octets, Layout.AT_START_TIME, file.startTime);
        long now = System.nanoTime();
        Layout.LONG.setOpaque(octets, Layout.AT_OPENED, Clock.realtime(now));
        Layout.LONG.setOpaque(octets, Layout.AT_MONOTONIC, now);
        putText(Layout.AT_NAME, Layout.NAME, Text.octets(name));
        putText(Layout.AT_WRITER, Layout.WRITER, Text.octets(Version.WRITER));
    }

    /** What was written so far can be read. */
    void publish() {
        Layout.LONG.setRelease(octets, Layout.AT_MAGIC, Layout.MAGIC);
    }

    /** That no more will come. */
    void sayClosed() {
        Layout.INT.setRelease(octets, Layout.AT_STATE, Layout.CLOSED);
    }

    synchronized void close() {
        sayClosed();
        file.close();
    }

    private void count(int at) {
        Layout.INT.getAndAdd(octets, at, 1);
    }

    void refuse() {
        count(Layout.AT_REFUSED);
    }

    // -- Panels ------------------------------------------------------------------------------

    Shard shared() {
        return shards[0];
    }

    int ring() {
        return ring;
    }

    /** Where a panel is that nobody has; 0: there is none. */
    private int takePanel() {
        int at = Layout.HEADER_SIZE + used * Layout.PANEL_SIZE;
        if (at + Layout.PANEL_SIZE > file.size() && (exhausted || !file.grow())) {
            exhausted = true;
            count(Layout.AT_FULL);
            return 0;
        }
        used++;
        count(Layout.AT_PANELS);
        return at;
    }

    /** Where the panel of that number of a shard is, which is made, if need be; 0: there is no room for it. */
    int panelOf(Shard shard, int number, int kind) {
        int at = shard.find(number);
        return at != 0 ? at : panel(shard, number, kind);
    }

    /** The same, which waits for others that make one. */
    synchronized int panel(Shard shard, int number, int kind) {
        int at = shard.find(number);
        if (at != 0)
            return at;
        at = takePanel();
        if (at != 0) {
            Layout.LONG.setRelease(octets, at + Layout.PANEL_PLACE, Layout.place(kind, shard.index, number));
            shard.remember(number, at);
        }
        return at;
    }

    // -- Sensors -----------------------------------------------------------------------------

    /** After a sensor that could not be published, the panel for a descriptor is there already. */
    private boolean provideDescriptors(int index) {
        int number = index / Layout.DESCRIPTORS_IN_PANEL;
        if (number < descriptorPanels)
            return true;
        int at = takePanel();
        if (at == 0)
            return false;
        Layout.LONG.setRelease(octets, at + Layout.PANEL_PLACE,
            Layout.place(Layout.DESCRIPTORS, Layout.NO_SHARD, number));
        descriptors = at;
        descriptorPanels = number + 1;
        return true;
    }

    private void writeDescriptor(int at, Sensor sensor) {
        putText(at + Layout.DESCRIPTOR_NAME, Layout.NAME, Text.octets(sensor.name));
        putText(at + Layout.DESCRIPTOR_INSTANCE, Layout.INSTANCE, Text.octets(sensor.instance));
        putText(at + Layout.DESCRIPTOR_UNIT, Layout.UNIT, Text.octets(sensor.unit));
        putText(at + Layout.DESCRIPTOR_PURPOSE, Layout.PURPOSE, Text.octets(sensor.purpose));
        put(at + Layout.DESCRIPTOR_KIND, sensor.kind.number);
        put(at + Layout.DESCRIPTOR_GENERATION, 1);
        put(at + Layout.DESCRIPTOR_FIRST_WORD, sensor.place.wordPanel * Layout.WORDS_IN_PANEL + sensor.place.word);
        put(at + Layout.DESCRIPTOR_WORDS, sensor.kind.words);
        put(at + Layout.DESCRIPTOR_FIRST_PANEL, sensor.place.panel);
        put(at + Layout.DESCRIPTOR_PANELS, sensor.kind.panels);
    }

    /** False: there is no room for it. */
    synchronized boolean publish(Sensor sensor, int firstOfRing) {
        exhausted = false;
        int index = sensor.place.index;
        if (panel(shards[0], sensor.place.wordPanel, Layout.WORDS) == 0 || !provideDescriptors(index))
            return false;
        writeDescriptor(descriptors + Layout.PANEL_HEAD
            + index % Layout.DESCRIPTORS_IN_PANEL * Layout.DESCRIPTOR_SIZE, sensor);
        ring = firstOfRing;
        put(Layout.AT_RING, firstOfRing);
        Layout.INT.setRelease(octets, Layout.AT_DESCRIPTORS, index + 1);
        return true;
    }

    // -- Threads -----------------------------------------------------------------------------

    /** A shard for the calling thread: the lowest that is free. Null: there is none. */
    synchronized Shard attach() {
        Shard found = null;
        for (int i = Layout.OWN_SHARDS; i > 0; i--) {
            if (!shards[i].isFree())
                continue;
            shards[i].clear();
            found = shards[i];
        }
        if (found != null)
            found.give(Thread.currentThread(), threadId());
        return found;
    }

    void sayCrowded() {
        count(Layout.AT_CROWDED);
    }

    /** The link has the form PID/task/ID. */
    private static int threadId() {
        try {
            Path link = Files.readSymbolicLink(Path.of("/proc/thread-self"));
            return Integer.parseInt(link.getFileName().toString());
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }
}

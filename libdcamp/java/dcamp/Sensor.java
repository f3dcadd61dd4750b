package dcamp;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all sensors have in common: a name, an instance, a unit, and a place in the segment of the process.
 *
 * <p>An update never throws anything and never waits. What it does for the first time may let the file grow.
 */
public abstract class Sensor {
    /** Updates that something has been thrown in. */
    private static final AtomicLong LOST = new AtomicLong();

    /** The numbers of a sensor in a segment, which are the same in every one. */
    static final class Place {
        final int index;     // of its descriptor
        final int wordPanel; // the number of the panel that has its words,
        final int word;      // and the place of the first of them there
        final int panel;     // the number of the first of its panels

        Place(int index, int wordPanel, int word, int panel) {
            this.index = index;
            this.wordPanel = wordPanel;
            this.word = word;
            this.panel = panel;
        }
    }

    final Layout.Kind kind;
    final String name;
    final String instance;
    final String unit;
    final String purpose;
    final Place place; // null: it is not published
    private final String fault;

    /** By its description, which says as well why it has no place. */
    Sensor(Description description) {
        kind = description.kind;
        name = description.name;
        instance = description.instance;
        unit = description.unit;
        purpose = description.purpose;
        place = description.place;
        fault = description.fault;
    }

    /** What a sensor is made of. */
    static final class Description {
        final Layout.Kind kind;
        final String name;
        final String instance;
        final String unit;
        final String purpose;
        Place place;
        String fault = "";

        Description(Layout.Kind kind, String name, String instance, String unit, String purpose) {
            this.kind = kind;
            this.name = name == null ? "" : name;
            this.instance = instance == null ? "" : instance;
            this.unit = unit == null ? "" : unit;
            this.purpose = purpose == null ? "" : purpose;
        }
    }

    /** Why nobody sees what it counts, for people; empty: it is published. */
    public String reason() {
        if (!fault.isEmpty())
            return name + ": " + fault;
        String why = App.whyNotPublished();
        return why.isEmpty() ? "" : name + ": " + why;
    }

    /** How many updates in this process were lost since something was thrown, as when memory was short. */
    public static long lost() {
        return LOST.get();
    }

    static void lose() {
        LOST.incrementAndGet();
    }

    // -- Counting ----------------------------------------------------------------------------

    /** The shard of the calling thread; null: nothing that this sensor counts is published. */
    final Shard shard() {
        return shard(Own.get());
    }

    /** The same where it is known what the thread has. */
    final Shard shard(Own own) {
        Segment segment = App.segment();
        return segment == null || place == null ? null : own.shard(segment);
    }

    /** Adds n to a word of the sensor, by its place among them. */
    final void add(Shard shard, int word, long n) {
        int panel = shard.find(place.wordPanel);
        if (panel == 0)
            addElsewhere(shard, word, n);
        else
            shard.add(at(panel, word), n);
    }

    private int at(int panel, int word) {
        return panel + Layout.PANEL_HEAD + (place.word + word) * Long.BYTES;
    }

    /** Shard 0 always has the words of all sensors. */
    private void addElsewhere(Shard shard, int word, long n) {
        int panel = shard.segment.panel(shard, place.wordPanel, Layout.WORDS);
        if (panel != 0)
            shard.add(at(panel, word), n);
        else if (!shard.isShared())
            addElsewhere(shard.segment.shared(), word, n);
    }

    /** Of a number with a fraction. */
    final void addReal(Shard shard, int word, double n) {
        int panel = shard.segment.panelOf(shard, place.wordPanel, Layout.WORDS);
        if (panel != 0)
            shard.addReal(at(panel, word), n);
        else if (!shard.isShared())
            addReal(shard.segment.shared(), word, n);
    }

    /** Where the only word of a sensor is that belongs to the process; 0: nowhere. */
    final int sharedWord(Segment segment) {
        int panel = segment.panelOf(segment.shared(), place.wordPanel, Layout.WORDS);
        return panel == 0 ? 0 : at(panel, 0);
    }

    /** Counts a value in a bucket, from 0 on, of the panels from one of its own on. */
    final void count(Shard shard, int firstPanel, int bucket) {
        int number = place.panel + firstPanel + bucket / Layout.BUCKETS_IN_PANEL;
        int panel = shard.segment.panelOf(shard, number, Layout.BUCKETS);
        if (panel != 0)
            shard.count(panel + Layout.PANEL_HEAD + bucket % Layout.BUCKETS_IN_PANEL * Integer.BYTES);
        else if (!shard.isShared())
            count(shard.segment.shared(), firstPanel, bucket);
    }

    /** One more duration, in two words that follow each other and in the buckets. */
    final void countDuration(Shard shard, int word, long ns) {
        add(shard, word, 1);
        add(shard, word + 1, ns);
        count(shard, 0, Bucket.ofNanoseconds(ns));
    }
}

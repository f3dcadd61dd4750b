package dcamp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The layout of a segment, octet by octet: libdcamp/segment.h, which says what all of it means. */
final class Layout {
    private Layout() {
    }

    /** How numbers are written: whole, without a lock. */
    static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INT =
        MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    static final long MAGIC = 0x676573504d414364L;
    static final short MAJOR = 1;
    static final short MINOR = 0;

    static final String DIRECTORY = "/run/dcamp/apps";
    static final String DIRECTORY_VARIABLE = "DCAMP_APPS";

    static final int SIZE_MAX = 16 << 20;
    static final int EXTENT = 64 << 10;
    static final int OWN_SHARDS = 64;
    static final int SHARDS = 1 + OWN_SHARDS;
    static final int DESCRIPTORS_MAX = 1024;
    static final int NUMBERS = 16384;

    static final int NAME = 32;
    static final int INSTANCE = 64;
    static final int UNIT = 16;
    static final int PURPOSE = 32;
    static final int KEY = 64;

    static final int CLOCK_GETTIME = 1;
    static final int OPEN = 0;
    static final int CLOSED = 1;

    // Where things are in the header.
    static final int AT_MAGIC = 0;
    static final int AT_MAJOR = 8;
    static final int AT_MINOR = 10;
    static final int AT_HEADER_SIZE = 12;
    static final int AT_PANEL_SIZE = 16;
    static final int AT_SHARDS = 20;
    static final int AT_PID = 24;
    static final int AT_CLOCK = 28;
    static final int AT_START_TIME = 40;
    static final int AT_OPENED = 48;
    static final int AT_MONOTONIC = 56;
    static final int AT_DESCRIPTORS = 64;
    static final int AT_PANELS = 68;
    static final int AT_STATE = 72;
    static final int AT_RING = 76;
    static final int AT_REFUSED = 80;
    static final int AT_CROWDED = 84;
    static final int AT_FULL = 88;
    static final int AT_NAME = 96;
    static final int AT_WRITER = 128;
    static final int WRITER = 32;
    static final int AT_SHARD = 512;

    // In a shard.
    static final int SHARD_SIZE = 64;
    static final int SHARD_THREAD = 0;
    static final int SHARD_EPOCH = 4;
    static final int SHARD_SEQUENCE = 8;
    static final int SHARD_PANELS = 12;
    static final int SHARD_SINCE = 16;
    static final int SHARD_STEPS = 24;
    static final int SHARD_NAME = 32;

    static final int HEADER_SIZE = 4672;
    static final int PANEL_SIZE = 576;
    static final int PANEL_PLACE = 0;
    static final int PANEL_SEQUENCE = 8;
    static final int PANEL_HEAD = 64;

    // Kinds of panels, and how much is in one.
    static final int DESCRIPTORS = 1;
    static final int WORDS = 2;
    static final int BUCKETS = 3;
    static final int ENTRIES = 4;
    static final int RECORDS = 5;
    static final int NO_SHARD = 0xffff;
    static final int DESCRIPTORS_IN_PANEL = 3;
    static final int WORDS_IN_PANEL = 64;
    static final int BUCKETS_IN_PANEL = 128;
    static final int ENTRIES_IN_PANEL = 6;
    static final int RECORDS_IN_PANEL = 8;

    // In a descriptor.
    static final int DESCRIPTOR_SIZE = 168;
    static final int DESCRIPTOR_NAME = 0;
    static final int DESCRIPTOR_INSTANCE = 32;
    static final int DESCRIPTOR_UNIT = 96;
    static final int DESCRIPTOR_PURPOSE = 112;
    static final int DESCRIPTOR_KIND = 144;
    static final int DESCRIPTOR_GENERATION = 148;
    static final int DESCRIPTOR_FIRST_WORD = 152;
    static final int DESCRIPTOR_WORDS = 156;
    static final int DESCRIPTOR_FIRST_PANEL = 160;
    static final int DESCRIPTOR_PANELS = 164;

    /** Kinds of sensors, by the words and the panels that each has. */
    enum Kind {
        COUNTER(1, 1, 0), GAUGE(2, 1, 0), TIMER(3, 2, PANELS_OF_SIGN), HISTOGRAM(4, 3, 2 * PANELS_OF_SIGN),
        TOP(5, 2, TOP_PANELS), STEP(6, 4, PANELS_OF_SIGN);

        final int number;
        final int words;
        final int panels;

        Kind(int number, int words, int panels) {
            this.number = number;
            this.words = words;
            this.panels = panels;
        }
    }

    // The words of each kind.
    static final int COUNTER_VALUE = 0;
    static final int GAUGE_VALUE = 0;
    static final int TIMER_COUNT = 0;
    static final int HISTOGRAM_COUNT = 0;
    static final int HISTOGRAM_SUM = 1;
    static final int HISTOGRAM_ZERO = 2;
    static final int TOP_TOTAL = 0;
    static final int TOP_MISSED = 1;
    static final int STEP_BEGUN = 0;
    static final int STEP_COUNT = 1;
    static final int STEP_FAILED = 3;

    static final double LEAST = 1e-9;
    static final int PANELS_OF_SIGN = 25;

    static final int TOP_ENTRIES = 1000;
    static final int TOP_PANELS = 167;
    static final int ENTRY_SIZE = 80;
    static final int ENTRY_COUNT = 0;
    static final int ENTRY_ERROR = 8;
    static final int ENTRY_KEY = 16;

    static final int RING_PANELS = 64;
    static final int RECORD_SIZE = 64;
    static final int RECORD_NUMBER = 0;
    static final int RECORD_DESCRIPTOR = 8;
    static final int RECORD_RESULT = 12;
    static final int RECORD_SEQUENCE = 16;
    static final int RECORD_START = 24;
    static final int RECORD_DURATION = 32;
    static final int RECORD_THREAD = 40;
    static final int RECORD_FLAGS = 44;
    static final int RECORD_CPU = 48;
    static final int RECORD_ALLOCATED = 56;
    static final int RECORD_HAS_CPU = 1;
    static final int RECORD_HAS_ALLOCATED = 2;

    static long place(int kind, int shard, int number) {
        return kind | (long) shard << 16 | (long) number << 32;
    }
}

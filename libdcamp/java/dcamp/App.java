package dcamp;

import java.nio.file.Path;

/**
 * Sensors of a program's own, published for dCAMP.
 *
 * <pre>{@code
 * App app = App.open("shop");
 * Counter orders = app.counter("orders", "", "orders");
 * orders.add(1);
 * }</pre>
 *
 * <p>A program counts into a file of its own, which dcampd reads. Nothing here needs dcampd, and nothing
 * fails: where something cannot be published, the same calls do nothing, and reason() says why. Every method
 * may be called by any thread at any time.
 *
 * <p>Names have 1 to 32 of the characters A-Z a-z 0-9 . _ -, instances at most 64 octets and units and purposes
 * at most 16 and 32 octets of UTF-8 without control characters; null is the empty text. All sensors of one name
 * are of the same kind and unit. Making a sensor that is there returns that one. Sensors stay until the process
 * ends.
 */
public final class App implements AutoCloseable {
    private static volatile Segment segment; // null: nothing is published

    // What is below belongs to whoever has the lock of this class.
    private static final Sensors SENSORS = new Sensors();
    private static int users;
    private static String name = "";
    private static String why = "the application is closed"; // nothing is published
    private static End hook; // null: the JVM has none

    private final String reason;
    private boolean isClosed;

    private App(String reason) {
        this.reason = reason;
    }

    static Segment segment() {
        return segment;
    }

    static String whyNotPublished() {
        synchronized (App.class) {
            return segment == null ? why : "";
        }
    }

    /**
     * Publishes this process under that name. There is one application in a process: whoever opens it again
     * shares it, and has a reason if the name is another one.
     */
    public static App open(String name) {
        synchronized (App.class) {
            if (users++ == 0)
                openSegment(name);
            if (segment == null)
                return new App(why);
            if (!App.name.equals(name))
                return new App("this process is published as " + App.name + " already");
            return new App("");
        }
    }

    /** Why nobody sees what is counted, or not under that name, for people; empty: all is well. */
    public String reason() {
        return reason;
    }

    /**
     * With the last one that was opened, publishing ends. Who has these classes in a loader of its own, as a web
     * application does, closes what it has opened when it goes: otherwise the JVM keeps the loader.
     */
    @Override
    public void close() {
        synchronized (App.class) {
            if (isClosed)
                return;
            isClosed = true;
            if (--users == 0)
                closeSegment();
        }
    }

    private static void openSegment(String wanted) {
        String directory = System.getenv(Layout.DIRECTORY_VARIABLE);
        if (directory == null || directory.isEmpty())
            directory = Layout.DIRECTORY;
        String fault = Text.nameFault(wanted);
        name = fault == null ? wanted : "";
        try {
            why = fault;
            if (fault == null)
                publish(SegmentFile.create(Path.of(directory)));
        } catch (SegmentFile.Refused e) {
            why = "a file in " + directory + " " + e.getMessage();
        } catch (LinkageError | RuntimeException | OutOfMemoryError e) {
            why = "a file in " + directory + " cannot be made: " + e;
        }
    }

    private static void publish(SegmentFile file) throws SegmentFile.Refused {
        Segment made = new Segment(file, name);
        if (!SENSORS.publish(made)) {
            file.remove();
            throw new SegmentFile.Refused("cannot grow", null);
        }
        made.publish();
        segment = made;
        hook = new End();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private static void closeSegment() {
        Segment open = segment;
        segment = null;
        why = "the application is closed";
        if (open == null)
            return;
        open.close();
        removeHook();
    }

    /** The JVM would keep it, and with it the loader of these classes, which may be one of many in a server. */
    private static void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It runs already.
        }
        hook = null;
    }

    /** The process ends in order. What still counts is not waited for. */
    private static final class End extends Thread {
        End() {
            super("dcamp-end");
        }

        @Override
        public void run() {
            Segment open = segment;
            if (open != null)
                open.sayClosed();
        }
    }

    // -- Sensors -----------------------------------------------------------------------------

    public Counter counter(String name, String instance, String unit) {
        return make(new Sensor.Description(Layout.Kind.COUNTER, name, instance, unit, ""), Counter.class);
    }

    public Gauge gauge(String name, String instance, String unit) {
        return make(new Sensor.Description(Layout.Kind.GAUGE, name, instance, unit, ""), Gauge.class);
    }

    public Timer timer(String name, String instance) {
        return make(new Sensor.Description(Layout.Kind.TIMER, name, instance, "s", ""), Timer.class);
    }

    public Histogram histogram(String name, String instance, String unit) {
        return make(new Sensor.Description(Layout.Kind.HISTOGRAM, name, instance, unit, ""), Histogram.class);
    }

    public Top top(String name, String instance, String unit) {
        return make(new Sensor.Description(Layout.Kind.TOP, name, instance, unit, ""), Top.class);
    }

    /** The purpose is what several steps may have in common, as "payment" of all that have to do with it. */
    public Step step(String name, String instance, String purpose) {
        return make(new Sensor.Description(Layout.Kind.STEP, name, instance, "s", purpose), Step.class);
    }

    private static <S extends Sensor> S make(Sensor.Description description, Class<S> type) {
        synchronized (App.class) {
            Sensor sensor = SENSORS.findOrMake(description, segment);
            if (sensor.place == null && segment != null)
                segment.refuse();
            return type.cast(sensor);
        }
    }
}

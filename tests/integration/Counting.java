import dcamp.App;
import dcamp.Counter;
import dcamp.Gauge;
import dcamp.Histogram;
import dcamp.Step;
import dcamp.Timer;
import dcamp.Top;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntFunction;

/**
 * A program with sensors, for tests/integration/java.sh: what the first argument says.
 *
 * <ul>
 * <li>random THREADS UPDATES SEED: threads that come, update sensors at random, and go; it prints what
 * read-segment is to say of the sums, and waits until its input ends
 * <li>buckets VALUES: records values at and beside the borders and at random in a histogram, and prints them
 * <li>durations VALUES: the same in a timer of the binding's own, by moments that are so long ago
 * <li>count: a counter and steps, until it is killed; it prints how many there were, now and then
 * <li>fill: makes sensors and counts until nothing more can be published; then goes on
 * <li>interrupt: grows the file in threads that are interrupted
 * <li>reopen: closes and opens the application
 * <li>faults: prints why sensors are refused
 * <li>hashes: how many of the hashes of a top are equal, of keys that are made to have equal ones by who knows all
 * but the seed, and of keys that differ in one or two bits
 * <li>copies: the classes once more, in a loader of their own
 * <li>labels: threads that wait; their names
 * <li>pool HOLDERS TASKS: tasks of the common pool, one after the other, beside threads that hold a shard each; it
 * prints how many threads have done them
 * <li>virtual THREADS: the same of virtual threads; it prints how many there were, 0 without such threads
 * <li>redeploy: the classes in loaders of their own, which close what they have opened; it prints of how many the
 * loader has gone
 * <li>texts: names and instances that are made of texts
 * <li>lines: one call of line() for each line of its input
 * </ul>
 */
public final class Counting {
    private static final int COUNTERS = 70; // more than one panel has

    private Counting() {
    }

    private static App open() {
        App app = App.open("counting");
        if (!app.reason().isEmpty())
            System.out.println(app.reason());
        return app;
    }

    private static void waitForEnd() throws java.io.IOException {
        System.out.flush();
        while (System.in.read() >= 0)
            continue;
    }

    private static void inThreads(int threads, ThrowingAction action) throws InterruptedException {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = new Thread(() -> {
                try {
                    action.run(number);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "worker-" + i);
            all[i].start();
        }
        for (Thread thread : all)
            thread.join();
    }

    private interface ThrowingAction {
        void run(int number) throws Exception;
    }

    // -- random ------------------------------------------------------------------------------

    /** What the sensors must have, counted by other means. */
    private static final AtomicLongArray COUNTED = new AtomicLongArray(COUNTERS);
    private static final AtomicLong GAUGED = new AtomicLong();
    private static final AtomicLong TIMED = new AtomicLong();
    private static final AtomicLong NANOSECONDS = new AtomicLong();
    private static final AtomicLong VALUES = new AtomicLong();
    private static final AtomicLong EIGHTHS = new AtomicLong();
    private static final AtomicLong ZEROS = new AtomicLong();
    private static final AtomicLong STEPS = new AtomicLong();
    private static final AtomicLong FAILED = new AtomicLong();
    private static final AtomicLongArray KEYS = new AtomicLongArray(300);
    private static final AtomicLong TOTAL = new AtomicLong();

    private static Counter[] counters;
    private static Gauge gauge;
    private static Timer timer;
    private static Histogram histogram;
    private static Top top;
    private static Step step;

    private static void makeSensors(App app) {
        counters = new Counter[COUNTERS];
        for (int i = 0; i < COUNTERS; i++)
            counters[i] = app.counter("counter", String.valueOf(i), "x");
        gauge = app.gauge("gauge", "", "x");
        timer = app.timer("timer", "");
        histogram = app.histogram("histogram", "", "x");
        top = app.top("top", "", "x");
        step = app.step("step", "", "purpose");
    }

    private static void update(Random random) {
        int n = random.nextInt(1000);
        switch (random.nextInt(6)) {
        case 0:
            counters[n % COUNTERS].add(n);
            COUNTED.addAndGet(n % COUNTERS, n);
            break;
        case 1:
            gauge.add(n - 500);
            GAUGED.addAndGet(n - 500);
            break;
        case 2:
            NANOSECONDS.addAndGet(timer.stop(System.nanoTime() - (long) Math.exp(n / 30.0)));
            TIMED.incrementAndGet();
            break;
        case 3:
            record(n < 10 ? 0 : Math.round(Math.exp(n / 50.0)) * (n % 2 == 0 ? 1 : -1));
            break;
        case 4:
            top.add("key" + n % KEYS.length(), n);
            KEYS.addAndGet(n % KEYS.length(), n);
            TOTAL.addAndGet(n);
            break;
        default:
            step.end(step.begin(), n, n % 10 == 0 ? 1 : 0);
            STEPS.incrementAndGet();
            FAILED.addAndGet(n % 10 == 0 ? 1 : 0);
            break;
        }
    }

    /** Eighths, so that the sum is exact in any order. */
    private static void record(long eighths) {
        histogram.record(eighths / 8.0);
        VALUES.incrementAndGet();
        EIGHTHS.addAndGet(eighths);
        if (eighths == 0)
            ZEROS.incrementAndGet();
    }

    /** Threads that are there at the same time, with a shard each as far as there are any. */
    private static void updateTogether(int threads, int updates, IntFunction<Random> random) throws Exception {
        CountDownLatch together = new CountDownLatch(threads);
        inThreads(threads, number -> {
            gauge.add(0);
            counters[0].add(0);
            together.countDown();
            together.await();
            Random own = random.apply(number);
            for (int i = 0; i < updates; i++)
                update(own);
        });
    }

    /** Half of the threads come when the first half has gone, and get its shards. */
    private static void random(int threads, int updates, long seed) throws Exception {
        makeSensors(open());
        updateTogether(threads, updates, number -> new Random(seed + number));
        updateTogether(threads, updates, number -> new Random(~seed - number));
        printExpected();
        waitForEnd();
    }

    private static void printExpected() {
        for (int i = 0; i < COUNTERS; i++)
            System.out.println("sensor counter " + i + " counter " + COUNTED.get(i));
        System.out.println("sensor gauge - gauge " + GAUGED);
        System.out.println("sensor timer - timer " + TIMED + " "
            + Long.toUnsignedString(NANOSECONDS.get()));
        System.out.println("sensor histogram - histogram " + VALUES + " "
            + java.math.BigDecimal.valueOf(EIGHTHS.get() / 8.0).stripTrailingZeros().toPlainString() + " " + ZEROS);
        System.out.println("sensor top - top " + TOTAL + " 0");
        System.out.println("sensor step - step " + STEPS + " " + STEPS + " ns " + FAILED);
        TreeMap<String, Long> keys = new TreeMap<>();
        for (int i = 0; i < KEYS.length(); i++)
            if (KEYS.get(i) > 0)
                keys.put("key" + i, KEYS.get(i));
        keys.forEach((key, count) -> System.out.println("key top - " + count + " 0 " + key));
    }

    // -- buckets, durations ------------------------------------------------------------------

    /** Around each border as pow(3) has it, which is near it, and at random. */
    private static void buckets(int values) {
        Histogram all = open().histogram("all", "", "");
        Random random = new Random(4711);
        double gamma = 101.0 / 99;
        for (int i = -1036; i <= 2074; i++)
            for (int ulps = -40; ulps <= 40; ulps++)
                record(all, Math.pow(gamma, i) + ulps * Math.ulp(Math.pow(gamma, i)));
        for (int i = 0; i < values; i++)
            record(all, Math.exp(Math.log(1e-10) + random.nextDouble() * Math.log(1e30))
                * (random.nextBoolean() ? 1 : -1));
        for (double value : new double[] {0, -0.0, 1e-9, Math.nextDown(1e-9), -1e-9, 1e18, Math.nextUp(1e18), 1e300,
            Double.MIN_VALUE, Double.MAX_VALUE, 1})
            record(all, value);
        all.record(Double.NaN);
        all.record(Double.POSITIVE_INFINITY);
        all.record(Double.NEGATIVE_INFINITY);
    }

    private static void record(Histogram histogram, double value) {
        histogram.record(value);
        System.out.println(Double.toHexString(value));
    }

    /** What stop() returns is what it has counted. */
    private static void durations(int values) {
        Timer all = open().timer("all", "");
        Random random = new Random(815);
        for (int i = 0; i < values; i++) {
            long ns = all.stop(System.nanoTime() - (long) Math.exp(random.nextDouble() * 43));
            System.out.println(Double.toHexString((ns == 0 ? 1 : ns) / 1e9));
        }
    }

    // -- The others --------------------------------------------------------------------------

    private static void count() {
        App app = open();
        Counter counter = app.counter("counter", "", "x");
        Step one = app.step("step", "", "");
        for (long i = 1;; i++) {
            counter.add(1);
            one.end(one.begin(), i, 0);
            if (i % 10000 == 0) {
                System.out.println(i);
                System.out.flush();
            }
        }
    }

    private static void fill() {
        App app = open();
        for (int i = 0;; i++) {
            Timer timer = app.timer("key" + i, "");
            if (!timer.reason().isEmpty()) {
                System.out.println(timer.reason());
                break;
            }
            for (int d = 0; d < 40; d++)
                timer.stop(System.nanoTime() - (1L << d));
        }
        Top top = app.top("top", "", "");
        for (int i = 0; i < 100000; i++)
            top.add("key" + i, 1);
        System.out.println("lost " + dcamp.Sensor.lost());
    }

    private static void interrupt() throws Exception {
        Thread.currentThread().interrupt();
        App app = open();
        System.out.println("still interrupted: " + Thread.interrupted());
        Counter ran = app.counter("ran", "", "x");
        for (int i = 0; i < 40; i++) {
            Histogram histogram = app.histogram("histogram" + i, "", "");
            Thread thread = new Thread(() -> {
                Thread.currentThread().interrupt();
                for (double value = 1e-8; value < 1e17; value *= 10)
                    histogram.record(value);
                ran.add(Thread.interrupted() ? 1 : 1000);
            });
            thread.start();
            for (int n = 0; n < 1000; n++)
                thread.interrupt();
            thread.join();
        }
        System.out.println("done");
        waitForEnd();
    }

    private static void reopen() throws Exception {
        App app = open();
        Counter counter = app.counter("counter", "", "x");
        counter.add(1);
        app.close();
        app.close();
        counter.add(100);
        System.out.println(counter.reason());
        app = open();
        App same = App.open("counting");
        System.out.println("other: " + App.open("other").reason());
        same.close();
        counter.add(10);
        System.out.println("reason: " + counter.reason());
    }

    private static void faults() {
        App app = open();
        app.counter("twice", "", "x");
        System.out.println(app.counter("", "", "").reason());
        System.out.println(app.counter("x".repeat(33), "", "").reason());
        System.out.println(app.counter("a b", "", "").reason());
        System.out.println(app.counter("a", "\u00e9".repeat(33), "").reason());
        System.out.println(app.counter("a", "", "x".repeat(17)).reason());
        System.out.println(app.step("a", "", "x".repeat(33)).reason());
        System.out.println(app.counter("a", "\u0085", "").reason());
        System.out.println(app.counter("a", "\ud800", "").reason());
        System.out.println(app.counter("twice", "", "y").reason());
        System.out.println(app.gauge("twice", "", "x").reason());
        System.out.println("same: " + (app.counter("twice", "", "x") == app.counter("twice", null, "x")));
        app.counter("a", "\u00e9".repeat(32), "\u20ac").add(1);
    }

    /** How many of them are equal to one before. */
    private static int equal(Object saving, Method hash, List<byte[]> keys) throws Exception {
        Set<Object> seen = new HashSet<>();
        for (byte[] key : keys)
            seen.add(hash.invoke(saving, (Object) key));
        return keys.size() - seen.size();
    }

    /** In each pair of blocks the highest bit of one differs, and in the next one what this would change there. */
    private static List<byte[]> madeToBeEqual() {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            byte[] key = "A".repeat(64).getBytes(StandardCharsets.US_ASCII);
            for (int block = 0; block < 7; block++)
                if ((i >> block & 1) != 0) {
                    key[8 * block + 7] ^= (byte) 0x80;
                    key[8 * block + 15] ^= (byte) 0x80;
                    key[8 * block + 12] ^= 4;
                }
            keys.add(key);
        }
        return keys;
    }

    private static List<byte[]> ofDifferentBits(int octets) {
        List<byte[]> keys = new ArrayList<>();
        for (int a = 0; a < 8 * octets; a++)
            for (int b = a; b < 8 * octets; b++) {
                byte[] key = new byte[octets];
                key[a / 8] ^= (byte) (1 << a % 8);
                key[b / 8] ^= (byte) (a == b ? 0 : 1 << b % 8);
                keys.add(key);
            }
        return keys;
    }

    private static void hashes() throws Exception {
        Class<?> savings = Class.forName("dcamp.SpaceSaving");
        Constructor<?> constructor = savings.getDeclaredConstructor(long.class);
        Method hash = savings.getDeclaredMethod("hash", byte[].class);
        constructor.setAccessible(true);
        hash.setAccessible(true);
        for (long seed : new long[] {0, 1, 42, Long.MIN_VALUE, 0x0123456789abcdefL, -1}) {
            Object saving = constructor.newInstance(seed);
            System.out.println(equal(saving, hash, madeToBeEqual()) + " " + equal(saving, hash, ofDifferentBits(21)));
        }
    }

    private static void copies() throws Exception {
        open().counter("counter", "", "x").add(7);
        URL jar = App.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar}, null)) {
            Class<?> copy = loader.loadClass("dcamp.App");
            Object app = copy.getMethod("open", String.class).invoke(null, "copy");
            System.out.println(copy.getMethod("reason").invoke(app));
        }
        waitForEnd();
    }

    private static void labels() throws Exception {
        Counter counter = open().counter("counter", "", "x");
        CountDownLatch counted = new CountDownLatch(2);
        for (String name : new String[] {"one", "a name that is longer than the 32 octets"}) {
            Thread thread = new Thread(() -> {
                counter.add(1);
                counted.countDown();
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    return;
                }
            }, name);
            thread.setDaemon(true);
            thread.start();
        }
        counted.await();
        waitForEnd();
    }

    /** Those that hold a shard wait until the end. */
    private static void pool(int holders, int tasks) throws Exception {
        Counter counter = open().counter("counter", "", "x");
        CountDownLatch held = new CountDownLatch(holders);
        for (int i = 0; i < holders; i++) {
            Thread holder = new Thread(() -> {
                counter.add(0);
                held.countDown();
                java.util.concurrent.locks.LockSupport.park();
            });
            holder.setDaemon(true);
            holder.start();
        }
        held.await();
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < tasks; i++)
            CompletableFuture.runAsync(() -> {
                counter.add(1);
                workers.add(Thread.currentThread());
            }).get();
        System.out.println(workers.size());
        waitForEnd();
    }

    /** They came with version 21. */
    private static void virtual(int threads) throws Exception {
        Counter counter = open().counter("counter", "", "x");
        int started = 0;
        try {
            java.lang.reflect.Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            for (; started < threads; started++)
                ((Thread) start.invoke(null, (Runnable) () -> counter.add(1))).join();
        } catch (NoSuchMethodException e) {
            started = 0;
        }
        System.out.println(started);
        waitForEnd();
    }

    /** A copy of the classes, used by a thread that ends. */
    private static WeakReference<ClassLoader> deploy() throws Exception {
        URL jar = App.class.getProtectionDomain().getCodeSource().getLocation();
        URLClassLoader loader = new URLClassLoader(new URL[] {jar}, null);
        Class<?> type = loader.loadClass("dcamp.App");
        AutoCloseable app = (AutoCloseable) type.getMethod("open", String.class).invoke(null, "deployed");
        Object counter = type.getMethod("counter", String.class, String.class, String.class)
            .invoke(app, "counter", "", "x");
        inThreads(1, number -> counter.getClass().getMethod("add", long.class).invoke(counter, 1L));
        app.close();
        loader.close();
        return new WeakReference<>(loader);
    }

    private static void redeploy() throws Exception {
        int gone = 0;
        for (int i = 0; i < 3; i++) {
            WeakReference<ClassLoader> loader = deploy();
            for (int n = 0; n < 100 && loader.get() != null; n++) {
                System.gc();
                Thread.sleep(10);
            }
            gone += loader.get() == null ? 1 : 0;
        }
        System.out.println(gone);
    }

    private static void texts() {
        for (String text : new String[] {"fits.its-name_9", "Store$Item.find", "\u00e9\ud83d\ude00", "x".repeat(33),
            "a.longer.name.for.Shop$Clerk.handle", "a.longer.name.for.Shop$Clerk.pack"})
            System.out.println(dcamp.Text.fitName(text));
        for (String text : new String[] {"Store$Item, \u00e9", "a\u0085b\ud800", "\u00e9".repeat(32),
            "\u00e9".repeat(40), "a" + "\u00e9".repeat(40)})
            System.out.println(dcamp.Text.fitInstance(text));
    }

    private static void line(Counter counter) {
        counter.add(1);
    }

    private static void lines() throws java.io.IOException {
        Counter counter = open().counter("counter", "", "x");
        System.out.println("ready");
        for (int c = System.in.read(); c >= 0; c = System.in.read())
            line(counter);
    }

    public static void main(String[] arguments) throws Exception {
        int n = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
        switch (arguments[0]) {
        case "random":
            random(n, Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]));
            break;
        case "buckets":
            buckets(n);
            break;
        case "durations":
            durations(n);
            break;
        case "count":
            count();
            break;
        case "fill":
            fill();
            break;
        case "interrupt":
            interrupt();
            break;
        case "reopen":
            reopen();
            break;
        case "faults":
            faults();
            break;
        case "hashes":
            hashes();
            break;
        case "copies":
            copies();
            break;
        case "pool":
            pool(n, Integer.parseInt(arguments[2]));
            break;
        case "virtual":
            virtual(n);
            break;
        case "redeploy":
            redeploy();
            break;
        case "texts":
            texts();
            break;
        case "lines":
            lines();
            break;
        default:
            labels();
            break;
        }
    }
}

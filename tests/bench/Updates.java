import dcamp.App;
import dcamp.Counter;
import dcamp.Gauge;
import dcamp.Histogram;
import dcamp.Step;
import dcamp.Timer;
import dcamp.Top;
import java.util.Arrays;

/**
 * What sensors and steps cost a program in Java: Updates ROUNDS. A round makes many updates of each kind, one kind
 * after the other; it prints the name of a kind and, in nanoseconds for each update, median, least and greatest of
 * the rounds. "agent" is a method that does nothing and is a step by a rule of the agent, "costs" one whose costs
 * are recorded as well, "call" one that is no step.
 */
public final class Updates {
    private static final int UPDATES = 20000;
    private static final int WARM_UP = 5;

    private static long sink;

    private Updates() {
    }

    private interface Kind {
        /** Many times. */
        void repeat(int n);
    }

    private static long call(long i) {
        return i ^ sink;
    }

    private static long agent(long i) {
        return i ^ sink;
    }

    private static long costs(long i) {
        return i ^ sink;
    }

    private static final String[] NAMES = {"nothing", "call", "clock", "counter", "gauge", "timer", "histogram", "top",
        "step", "agent", "costs"};

    private static Kind[] kinds(App app) {
        Counter counter = app.counter("counter", "", "x");
        Gauge gauge = app.gauge("gauge", "", "x");
        Timer timer = app.timer("timer", "");
        Histogram histogram = app.histogram("histogram", "", "x");
        Top top = app.top("top", "", "x");
        Step step = app.step("step", "", "");
        String[] keys = new String[512];
        for (int i = 0; i < keys.length; i++)
            keys[i] = "key" + i;
        return new Kind[] {
            n -> {
                for (int i = 0; i < n; i++)
                    sink += i;
            },
            n -> {
                for (int i = 0; i < n; i++)
                    sink += call(i);
            },
            n -> {
                for (int i = 0; i < n; i++)
                    sink -= System.nanoTime() - System.nanoTime();
            },
            n -> {
                for (int i = 0; i < n; i++)
                    counter.add(1);
            },
            n -> {
                for (int i = 0; i < n; i++)
                    gauge.set(i);
            },
            n -> {
                for (int i = 0; i < n; i++)
                    timer.stop(timer.start());
            },
            n -> {
                for (int i = 0; i < n; i++)
                    histogram.record(i);
            },
            n -> {
                for (int i = 0; i < n; i++)
                    top.add(keys[i % keys.length], 1);
            },
            n -> {
                for (int i = 0; i < n; i++)
                    step.end(step.begin(), i, 0);
            },
            n -> {
                for (int i = 0; i < n; i++)
                    sink += agent(i);
            },
            n -> {
                for (int i = 0; i < n; i++)
                    sink += costs(i);
            },
        };
    }

    private static double measure(Kind kind, int n) {
        long begin = System.nanoTime();
        kind.repeat(n);
        return (double) (System.nanoTime() - begin) / n;
    }

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        App app = App.open("updates");
        if (!app.reason().isEmpty() || arguments.length != 1) {
            System.err.println("Updates: " + app.reason());
            System.exit(1);
        }
        Kind[] kinds = kinds(app);
        double[][] took = new double[kinds.length][rounds];
        for (int round = -WARM_UP; round < rounds; round++)
            for (int k = 0; k < kinds.length; k++) {
                double ns = measure(kinds[k], round < 0 ? 5 * UPDATES : UPDATES);
                if (round >= 0)
                    took[k][round] = ns;
            }
        for (int k = 0; k < kinds.length; k++) {
            Arrays.sort(took[k]);
            System.out.printf("%s %.1f %.1f %.1f%n", NAMES[k], took[k][rounds / 2], took[k][0], took[k][rounds - 1]);
        }
    }
}

import java.util.ArrayList;
import java.util.List;

/* Does a little of everything, and then waits. */
public class Orders {
    static volatile Object sink;

    static Thread waiting(String name, boolean isDaemon) {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                return;
            }
        }, name);
        thread.setDaemon(isDaemon);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws InterruptedException {
        waiting("one", false);
        waiting("two", true);
        Thread brief = new Thread(() -> sink = "brief");
        brief.start();
        brief.join();
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            byte[] octets = new byte[200000];
            sink = octets;
            if (i % 20 == 0)
                kept.add(octets);
        }
        System.gc();
        System.out.println("waits with " + kept.size());
        Thread.sleep(Long.MAX_VALUE);
    }
}

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/*
 * Counts the words of a text in three steps, each in threads of its own: WordCount WORKERS CHUNK TIMES PAUSE TEXT.
 * It knows nothing of dCAMP: the agent makes steps of split, count and merge, by wordcount.rules, and each Chunk
 * carries its sequence from one to the next. As wordcount.py, it prints "ready", waits for a line, and says in the end
 * what it has counted.
 */
public class WordCount {
    /* Some lines of the text, and what was counted in them. */
    static class Chunk {
        final StringBuilder text = new StringBuilder();
        final Map<String, Integer> counts = new HashMap<>();
        long words;
    }

    private static final Chunk LAST = new Chunk();
    private final BlockingQueue<Chunk> toCount = new ArrayBlockingQueue<>(10000);
    private final BlockingQueue<Chunk> toMerge = new ArrayBlockingQueue<>(10000);
    private final Map<String, Integer> total = new HashMap<>();
    private long words, chunks;

    static void split(Chunk chunk, BufferedReader text, int lines) throws IOException {
        String line;
        for (int i = 0; i < lines && (line = text.readLine()) != null; i++)
            chunk.text.append(line).append('\n');
    }

    static void count(Chunk chunk) {
        StringTokenizer tokens = new StringTokenizer(chunk.text.toString());
        for (; tokens.hasMoreTokens(); chunk.words++)
            chunk.counts.merge(tokens.nextToken(), 1, Integer::sum);
    }

    void merge(Chunk chunk) {
        chunk.counts.forEach((word, n) -> total.merge(word, n, Integer::sum));
        words += chunk.words;
        chunks++;
    }

    /* All of the text, with pauses that fall from twice the mean to none. */
    private void splitAll(Path path, int lines, int times, double pause, int workers) throws Exception {
        long rows;
        try (var all = Files.lines(path)) {
            rows = all.count();
        }
        long n = (rows + lines - 1) / lines * times, number = 0, due = System.nanoTime();
        for (int i = 0; i < times; i++)
            try (BufferedReader text = Files.newBufferedReader(path)) {
                for (long row = 0; row < rows; row += lines) {
                    Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1000000));
                    due += (long) (pause * 2e6 * (n - ++number) / n);
                    Chunk chunk = new Chunk();
                    split(chunk, text, lines);
                    toCount.put(chunk);
                }
            }
        for (int i = 0; i < workers; i++)
            toCount.put(LAST);
    }

    private void countAll() throws InterruptedException {
        for (Chunk chunk = toCount.take(); chunk != LAST; chunk = toCount.take()) {
            count(chunk);
            toMerge.put(chunk);
        }
        toMerge.put(LAST);
    }

    private void mergeAll(int workers) throws InterruptedException {
        while (workers > 0) {
            Chunk chunk = toMerge.take();
            if (chunk == LAST)
                workers--;
            else
                merge(chunk);
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Thread begin(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception fault) {
                fault.printStackTrace();
                System.exit(1);
            }
        }, name);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        int workers = Integer.parseInt(arguments[0]), lines = Integer.parseInt(arguments[1]);
        int times = Integer.parseInt(arguments[2]);
        double pause = Double.parseDouble(arguments[3]);
        WordCount all = new WordCount();
        List<Thread> threads = new ArrayList<>();
        System.out.println("ready");
        while (System.in.read() > '\n')
            continue;
        for (int i = 0; i < workers; i++)
            threads.add(begin("count" + i, all::countAll));
        threads.add(begin("merge", () -> all.mergeAll(workers)));
        threads.add(begin("split", () -> all.splitAll(Path.of(arguments[4]), lines, times, pause, workers)));
        for (Thread thread : threads)
            thread.join();
        System.out.printf("chunks %d words %d different %d%n", all.chunks, all.words, all.total.size());
    }
}

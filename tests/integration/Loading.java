import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A program that loads classes, for tests/integration/agent.sh: what the first argument says.
 *
 * <ul>
 * <li>modules NAME...: links, and so verifies, all classes of modules of the JDK, which its own loader defines, so
 * that they are not the JDK's; it prints how many
 * <li>isolated DIRECTORY CLASS: runs that class in a loader that sees it and java.base only
 * <li>try CLASS...: prints what comes of loading each
 * <li>late: runs Early, then loads Late, and runs it again and again until its input ends
 * </ul>
 */
public final class Loading {
    private Loading() {
    }

    /** Defines what is in a module; all else comes from the JDK. */
    private static final class Copies extends ClassLoader {
        private final Path root;

        Copies(Path root) {
            super(ClassLoader.getPlatformClassLoader());
            this.root = root;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Path file = root.resolve(name.replace('.', '/') + ".class");
            if (name.startsWith("java.") || !Files.exists(file))
                return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                try {
                    byte[] octets = known != null ? null : Files.readAllBytes(file);
                    return known != null ? known : defineClass(name, octets, 0, octets.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }

    private static List<String> classesIn(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && !name.startsWith("java/") && !name.endsWith("-info.class"))
                .map(name -> name.substring(0, name.length() - 6).replace('/', '.')).collect(Collectors.toList());
        }
    }

    /** Some cannot be linked in another module, with the agent and without. */
    private static void link(String module) throws IOException {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module);
        Copies copies = new Copies(root);
        int linked = 0;
        for (String name : classesIn(root)) {
            try {
                copies.loadClass(name).getDeclaredMethods();
                linked++;
            } catch (ClassNotFoundException | LinkageError e) {
                System.out.println(name + " " + e.getClass().getName());
            }
        }
        System.out.println(module + " " + linked);
    }

    private static void run(Path directory, String name) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()}, null)) {
            loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        }
    }

    private static void attempt(String name) {
        try {
            System.out.println(name + " " + Class.forName(name).getDeclaredMethods().length);
        } catch (ClassNotFoundException | LinkageError e) {
            System.out.println(name + " " + e.getClass().getName());
        }
    }

    private static final class Early {
        static void run() {
            System.out.println("early");
        }
    }

    private static final class Late {
        static int run(int n) {
            return n + 1;
        }
    }

    private static void late() throws IOException {
        Early.run();
        int n = Late.run(0);
        System.out.println("late");
        for (int c = System.in.read(); c >= 0; c = System.in.read())
            n = Late.run(n);
        System.out.println(n);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("isolated")) {
            run(Path.of(arguments[1]), arguments[2]);
            return;
        }
        if (arguments[0].equals("late")) {
            late();
            return;
        }
        for (int i = 1; i < arguments.length; i++) {
            if (arguments[0].equals("modules"))
                link(arguments[i]);
            else
                attempt(arguments[i]);
        }
    }
}

package dcamp;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Where the JVM begins with the agent (java.lang.instrument). What rewrites classes comes from a loader of its
 * own, in which nobody else sees it: programs may have another ASM.
 */
public final class Premain {
    /** Where that is in the jar, which the JVM adds to the class path. */
    private static final String INNER = "META-INF/dcamp-agent/";

    private Premain() {
    }

    public static void premain(String file, Instrumentation instrumentation) {
        try {
            if (file == null || file.isEmpty())
                say("nothing is measured: there is no file of rules: -javaagent:dcamp-agent.jar=FILE");
            else
                new Inner().loadClass("dcamp.weave.Agent")
                    .getMethod("start", String.class, Instrumentation.class).invoke(null, file, instrumentation);
        } catch (Throwable e) {
            say("nothing is measured: " + (e.getCause() == null ? e : e.getCause()));
        }
    }

    /** Not to System.err, which may be the program's own. */
    public static void say(String text) {
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8)
            .println("dcamp-agent: " + text);
    }

    /** The classes of the agent and of ASM come from here, whatever the program has; all others from the program's. */
    private static final class Inner extends ClassLoader {
        private final ZipFile jar;

        Inner() throws IOException, URISyntaxException {
            super("dcamp-agent", Premain.class.getClassLoader());
            jar = new ZipFile(new File(Premain.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dcamp.weave.") && !name.startsWith("org.objectweb.asm."))
                return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : findClass(name);
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            ZipEntry entry = jar.getEntry(INNER + name.replace('.', '/') + ".class");
            if (entry == null)
                throw new ClassNotFoundException(name);
            try (InputStream octets = jar.getInputStream(entry)) {
                byte[] all = octets.readAllBytes();
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}

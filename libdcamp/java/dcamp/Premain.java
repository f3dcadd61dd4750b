package dcamp;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;

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
            if (Premain.class.getClassLoader() != null)
                say("nothing is measured: the agent's file must have the name dcamp-agent.jar");
            else if (file == null || file.isEmpty())
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

    private static final class Inner extends ClassLoader {
        Inner() {
            super("dcamp-agent", null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            String path = INNER + name.replace('.', '/') + ".class";
            try (InputStream octets = ClassLoader.getSystemResourceAsStream(path)) {
                if (octets == null)
                    throw new ClassNotFoundException(name);
                byte[] all = octets.readAllBytes();
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}

package dcamp.weave;

import dcamp.App;
import dcamp.Premain;
import dcamp.Probe;
import dcamp.Text;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Reads the rules, watches their file, and reads them again when it has changed. */
public final class Agent implements Runnable {
    private static final long PERIOD_MS = 1000;

    private final File file;
    private final Instrumentation instrumentation;
    private String seen = "";  // what the file looked like when it was looked at
    private String read = "";  // and when it was read
    private String application;
    private Transformer transformer; // null: there were no good rules yet
    private boolean isOff;           // nothing can be published

    private Agent(File file, Instrumentation instrumentation) {
        this.file = file;
        this.instrumentation = instrumentation;
    }

    public static void start(String file, Instrumentation instrumentation) {
        Agent agent = new Agent(new File(file), instrumentation);
        agent.seen = agent.look();
        agent.readRules();
        if (agent.isOff)
            return;
        Thread watcher = new Thread(agent, "dcamp-agent");
        watcher.setDaemon(true);
        watcher.start();
    }

    @Override
    public void run() {
        try {
            while (!isOff) {
                Thread.sleep(PERIOD_MS);
                if (transformer != null)
                    transformer.lookAgain();
                watch();
            }
        } catch (InterruptedException | Error | RuntimeException e) {
            Premain.say("the rules are no longer watched: " + e);
        }
    }

    /** It is read when it has stayed as it is for a while: it may be being written. */
    private void watch() {
        String now = look();
        boolean isStill = now.equals(seen);
        seen = now;
        if (isStill && !now.equals(read))
            readRules();
    }

    /** When it was changed, and its size; 0 and 0: there is none. */
    private String look() {
        return file.lastModified() + " " + file.length();
    }

    private void readRules() {
        read = seen;
        try {
            use(Rules.parse(lines()));
        } catch (Rules.Fault e) {
            Premain.say(file + ", line " + e.line + ": " + e.getMessage() + stay());
        } catch (IOException e) {
            Premain.say(file + " cannot be read: " + e.getMessage() + stay());
        }
    }

    /** Octets that are no UTF-8 come to characters that no name has. */
    private List<String> lines() throws IOException {
        try (InputStream octets = new FileInputStream(file)) {
            return Arrays.asList(new String(octets.readAllBytes(), StandardCharsets.UTF_8).split("\n"));
        }
    }

    private String stay() {
        return transformer == null ? "; nothing is measured" : "; the rules stay as they were";
    }

    private void use(Rules rules) {
        if (transformer == null)
            open(rules.application);
        else if (!rules.application.equals(application))
            Premain.say(file + ": the application has another name when the program is started anew");
        if (isOff)
            return;
        if (rules.wantCosts()) {
            // What reads them is loaded now, and not when a method of the program is measured.
            Probe.cpu();
            Probe.allocated();
        }
        transformer.set(rules);
    }

    private void open(String name) {
        application = name;
        App app = App.open(name.isEmpty() ? programName() : name);
        isOff = !Probe.isPublished();
        if (isOff) {
            Premain.say("nothing is measured: " + app.reason());
            return;
        }
        if (!name.isEmpty() && !app.reason().isEmpty())
            Premain.say(app.reason() + ", and its steps are, too");
        transformer = new Transformer(instrumentation, app, new Ledger(app));
        instrumentation.addTransformer(transformer, true);
    }

    /** The class or the jar that the JVM was started with, without its package or directory. */
    private static String programName() {
        String name = programName(System.getProperty("sun.java.command", ""),
            System.getProperty("java.class.path", ""));
        return name.isEmpty() ? "java" : Text.fitName(name);
    }

    /** The command begins with a jar, whose path may have blanks, where the class path does; or else with a class. */
    private static String programName(String command, String classPath) {
        String jar = classPath.substring(0, (classPath + File.pathSeparator).indexOf(File.pathSeparator));
        if (!jar.isEmpty() && (command + " ").startsWith(jar + " "))
            return jar.substring(jar.lastIndexOf('/') + 1);
        String type = command.split(" ")[0];
        return type.substring(type.lastIndexOf(type.endsWith(".jar") ? '/' : '.') + 1);
    }
}

package dcamp.weave;

import dcamp.App;
import dcamp.Premain;
import dcamp.Probe;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the rules, watches their file, and reads them again when it has changed. */
public final class Agent implements Runnable {
    private static final long PERIOD_MS = 1000;

    private final Path path;
    private final Instrumentation instrumentation;
    private String seen = "";  // what the file looked like when it was looked at
    private String read = "";  // and when it was read
    private String application;
    private Transformer transformer; // null: there were no good rules yet
    private boolean isOff;           // nothing can be published

    private Agent(Path path, Instrumentation instrumentation) {
        this.path = path;
        this.instrumentation = instrumentation;
    }

    public static void start(String file, Instrumentation instrumentation) {
        Agent agent = new Agent(Path.of(file), instrumentation);
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

    private String look() {
        try {
            return Files.getLastModifiedTime(path) + " " + Files.size(path);
        } catch (IOException e) {
            return "none";
        }
    }

    private void readRules() {
        read = seen;
        try {
            use(Rules.parse(Files.readAllLines(path, StandardCharsets.UTF_8)));
        } catch (Rules.Fault e) {
            Premain.say(path + ", line " + e.line + ": " + e.getMessage() + stay());
        } catch (IOException e) {
            Premain.say(path + " cannot be read: " + e + stay());
        } catch (ReflectiveOperationException e) {
            Premain.say("nothing is measured: " + e);
            isOff = true;
        }
    }

    private String stay() {
        return transformer == null ? "; nothing is measured" : "; the rules stay as they were";
    }

    private void use(Rules rules) throws ReflectiveOperationException {
        if (transformer == null)
            open(rules.application);
        else if (!rules.application.equals(application))
            Premain.say(path + ": the application has another name when the program is started anew");
        if (isOff)
            return;
        if (rules.wantCosts()) {
            // What reads them is loaded now, and not when a method of the program is measured.
            Probe.cpu();
            Probe.allocated();
        }
        transformer.set(rules);
    }

    private void open(String name) throws ReflectiveOperationException {
        application = name;
        App app = App.open(name.isEmpty() ? programName() : name);
        isOff = !app.reason().isEmpty();
        if (isOff) {
            Premain.say("nothing is measured: " + app.reason());
            return;
        }
        Bridge.define(instrumentation);
        transformer = new Transformer(instrumentation, app, new Ledger(app));
        instrumentation.addTransformer(transformer, true);
    }

    /** The class or the jar that the JVM was started with, without its package or directory. */
    private static String programName() {
        String command = System.getProperty("sun.java.command", "").split(" ")[0];
        String last = command.endsWith(".jar") ? command.substring(command.lastIndexOf('/') + 1)
            : command.substring(command.lastIndexOf('.') + 1);
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < last.length() && i < 32; i++)
            name.append(Rules.isName(last.substring(i, i + 1)) ? last.charAt(i) : '_');
        return name.length() == 0 ? "java" : name.toString();
    }
}

package dcamp.weave;

import dcamp.App;
import dcamp.Probe;
import dcamp.weave.Ledger.Reason;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.objectweb.asm.Opcodes;

/**
 * Decides what happens to each class that is loaded, by the rules of the moment, and to those that are loaded
 * already when the rules change. Classes of the JDK are never touched: the agent itself uses them. Nor are its own.
 */
final class Transformer implements ClassFileTransformer {
    /** The newest class file that ASM can read. */
    private static final int NEWEST = Opcodes.V20 & 0xffff;

    /** Known before, since nothing may be loaded for the question whether it is to be rewritten itself. */
    private static final ClassLoader WRITER = App.class.getClassLoader();

    private final Instrumentation instrumentation;
    private final Bridge bridge;
    private final App app;
    private final Ledger ledger;
    private volatile Rules rules = new Rules();

    private final Set<String> woven = Collections.synchronizedSet(new HashSet<>());
    /** The payload classes of each loader: their field can come only while they are loaded, and stays. */
    private final Map<ClassLoader, Set<String>> payloads = new WeakHashMap<>();

    Transformer(Instrumentation instrumentation, App app, Ledger ledger) {
        this.instrumentation = instrumentation;
        bridge = new Bridge(instrumentation);
        this.app = app;
        this.ledger = ledger;
    }

    // -- A class -----------------------------------------------------------------------------

    @Override
    public byte[] transform(Module module, ClassLoader loader, String name, Class<?> loaded, ProtectionDomain domain,
                            byte[] octets) {
        try {
            return name == null || isOfJdk(module, loader) || isOurs(loader, name) ? null
                : transform(module, loader, name.replace('/', '.'), loaded != null, octets);
        } catch (Throwable e) {
            ledger.fail(name, e);
            return null;
        }
    }

    private static boolean isOfJdk(Module module, ClassLoader loader) {
        if (loader == null || loader == ClassLoader.getPlatformClassLoader())
            return true;
        String name = module == null ? null : module.getName();
        return name != null && (name.startsWith("java.") || name.startsWith("jdk."));
    }

    private static boolean isOurs(ClassLoader loader, String name) {
        return loader == Transformer.class.getClassLoader() || loader == WRITER && name.startsWith("dcamp/");
    }

    private byte[] transform(Module module, ClassLoader loader, String name, boolean isLoaded, byte[] octets)
            throws ReflectiveOperationException {
        Rules now = rules;
        List<Rule> ofClass = now.of(name);
        boolean isPayload = isLoaded ? payloadsOf(loader).contains(name) : now.isPayload(name);
        if (ofClass.isEmpty() && !isPayload || !canRead(name, octets))
            return null;
        byte[] made = Weaver.weave(octets, bridge.of(loader), app, ledger, ofClass, isPayload);
        if (made == null)
            return null;
        if (isPayload && !isLoaded)
            keepPayload(module, loader, name);
        woven.add(name);
        return made;
    }

    private boolean canRead(String name, byte[] octets) {
        int version = (octets[6] & 0xff) << 8 | octets[7] & 0xff;
        if (version > NEWEST) {
            ledger.leave(Reason.UNREADABLE, name + " is not measured: its class file has version " + version
                + ", and " + NEWEST + " is the latest that is known");
            return false;
        }
        return true;
    }

    private Set<String> payloadsOf(ClassLoader loader) {
        synchronized (payloads) {
            Set<String> names = payloads.get(loader);
            if (names == null)
                payloads.put(loader, names = Collections.synchronizedSet(new HashSet<>()));
            return names;
        }
    }

    /** dcamp.Probe reads and writes the field from another module. */
    private void keepPayload(Module module, ClassLoader loader, String name) {
        if (module != null && module.isNamed())
            instrumentation.redefineModule(module, Set.of(), Map.of(),
                Map.of(name.substring(0, name.lastIndexOf('.')), Set.of(Probe.class.getModule())), Set.of(), Map.of());
        payloadsOf(loader).add(name);
    }

    // -- Other rules -------------------------------------------------------------------------

    void set(Rules next) {
        rules = next;
        List<Class<?>> changed = new ArrayList<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses())
            if (isChanged(next, type))
                changed.add(type);
        for (Class<?> type : changed)
            retransform(type);
    }

    private boolean isChanged(Rules next, Class<?> type) {
        if (type.isArray() || type.isHidden() || isOfJdk(type.getModule(), type.getClassLoader())
            || !instrumentation.isModifiableClass(type))
            return false;
        String name = type.getName();
        if (isOurs(type.getClassLoader(), name.replace('.', '/')))
            return false;
        if (next.isPayload(name) && !payloadsOf(type.getClassLoader()).contains(name))
            ledger.leave(Reason.LOADED, name + " is no payload: it was loaded before the rule came");
        return woven.contains(name) || !next.of(name).isEmpty();
    }

    private void retransform(Class<?> type) {
        try {
            instrumentation.retransformClasses(type);
        } catch (UnmodifiableClassException | LinkageError | RuntimeException e) {
            ledger.fail(type.getName(), e);
        }
    }
}

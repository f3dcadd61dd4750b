package dcamp.weave;

import dcamp.App;
import dcamp.Probe;
import dcamp.WeakIdentityMap;
import dcamp.weave.Ledger.Reason;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.Opcodes;

/**
 * Decides what happens to each class that is loaded, by the rules of the moment, and to those that are loaded
 * already when the rules change. Classes of the JDK are never touched: the agent itself uses them. Nor are its own.
 */
final class Transformer implements ClassFileTransformer {
    /** The newest class file that ASM can read. */
    private static final int NEWEST = Opcodes.V20 & 0xffff;

    /** How often loaded classes are looked at for new rules: in the periods that follow, some may have come late. */
    private static final int LOOKS = 1 + 10;

    /** Known before, since nothing may be loaded for the question whether it is to be rewritten itself. */
    private static final ClassLoader WRITER = App.class.getClassLoader();

    private final Instrumentation instrumentation;
    private final Bridge bridge;
    private final App app;
    private final Ledger ledger;
    private volatile Rules rules = new Rules();

    /** What is known of the classes of each loader, by their names. */
    private final WeakIdentityMap<Map<String, Woven>> known = new WeakIdentityMap<>();
    private int looks; // that are still to come for the rules

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
        boolean isMeant = !ofClass.isEmpty() || !isLoaded && now.isPayload(name);
        Woven woven = isMeant || isLoaded ? woven(loader, name, isMeant) : null;
        if (woven == null)
            return null;
        woven.by = now;
        boolean isPayload = isLoaded ? woven.hasField : now.isPayload(name);
        byte[] made = ofClass.isEmpty() && !isPayload || !canRead(name, woven, octets) ? null
            : Weaver.weave(octets, bridge.of(loader), app, ledger, ofClass, isPayload, woven);
        woven.isRewritten = made != null;
        if (made != null && isPayload && !isLoaded) {
            openPackage(module, name);
            woven.hasField = true;
        }
        return made;
    }

    private boolean canRead(String name, Woven woven, byte[] octets) {
        int version = (octets[6] & 0xff) << 8 | octets[7] & 0xff;
        if (version > NEWEST) {
            if (woven.leave(Reason.UNREADABLE, 0))
                ledger.leave(Reason.UNREADABLE, name + " is not measured: its class file has version " + version
                    + ", and " + NEWEST + " is the latest that is known");
            return false;
        }
        return true;
    }

    /** What is known of a class; null: nothing, and nothing is to be. */
    private Woven woven(ClassLoader loader, String name, boolean isNeeded) {
        Map<String, Woven> ofLoader = known.get(loader);
        Woven woven = ofLoader == null ? null : ofLoader.get(name);
        if (woven != null || !isNeeded)
            return woven;
        if (ofLoader == null)
            ofLoader = known.putIfAbsent(loader, new ConcurrentHashMap<>());
        Woven fresh = new Woven();
        woven = ofLoader.putIfAbsent(name, fresh);
        return woven == null ? fresh : woven;
    }

    /** dcamp.Probe reads and writes the field from another module. */
    private void openPackage(Module module, String name) {
        if (module != null && module.isNamed())
            instrumentation.redefineModule(module, Set.of(), Map.of(),
                Map.of(name.substring(0, name.lastIndexOf('.')), Set.of(Probe.class.getModule())), Set.of(), Map.of());
    }

    // -- Other rules -------------------------------------------------------------------------

    /** By one thread, as lookAgain() is. */
    void set(Rules next) {
        rules = next;
        looks = LOOKS;
        look();
    }

    /** A class that was being loaded when the rules changed was rewritten by the old ones, and not seen yet. */
    void lookAgain() {
        if (looks > 0)
            look();
    }

    private void look() {
        looks--;
        Rules now = rules;
        List<Class<?>> changed = new ArrayList<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses())
            if (isChanged(now, type))
                changed.add(type);
        for (Class<?> type : changed)
            retransform(type);
    }

    private boolean isChanged(Rules now, Class<?> type) {
        if (type.isArray() || type.isHidden() || isOfJdk(type.getModule(), type.getClassLoader()))
            return false;
        String name = type.getName();
        if (isOurs(type.getClassLoader(), name.replace('.', '/')))
            return false;
        boolean isMeant = !now.of(name).isEmpty();
        boolean isPayload = now.isPayload(name);
        Woven woven = woven(type.getClassLoader(), name, isMeant || isPayload);
        if (woven == null || woven.by == now || !instrumentation.isModifiableClass(type))
            return false;
        woven.by = now;
        if (isPayload && !woven.hasField && woven.leave(Reason.LOADED, 0))
            ledger.leave(Reason.LOADED, name + " is no payload: it was loaded before the rule came");
        return isMeant || woven.isRewritten;
    }

    private void retransform(Class<?> type) {
        try {
            instrumentation.retransformClasses(type);
        } catch (UnmodifiableClassException | LinkageError | RuntimeException e) {
            ledger.fail(type.getName(), e);
        }
    }
}

package dcamp.weave;

import dcamp.Probe;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * What methods call in which loaders: of the loader of dcamp.Probe, which is that of the class path, dcamp.Probe; of
 * all others, a class in java.lang, the only package that classes of all loaders and modules see. It is made when
 * the first of them needs it, which most programs never do. The class path of the boot loader would do for most, but
 * with another one than that which its archive of classes was made with, the JVM starts half as fast.
 *
 * <p>The class is abstract, and its static methods call those of the same kind of its only instance, which is in the
 * loader of dcamp.Probe and calls that. The compiler of the JVM makes one call of all three.
 */
final class Bridge {
    private static final String NAME = "java/lang/DcampProbe";

    private static final String TARGET = "dcamp/ProbeTarget";
    private static final String PROBE = "dcamp/Probe";

    /** The methods: their names and descriptors. */
    private static final String[][] METHODS = {
        {"enter", "(IJ)J"}, {"exit", "(IJJJI)V"}, {"exit", "(IJJJIJJ)V"}, {"bound", "()J"},
        {"of", "(Ljava/lang/Object;)J"}, {"payload", "(Ljava/lang/Object;)J"}, {"cpu", "()J"}, {"allocated", "()J"},
    };

    private final Instrumentation instrumentation;
    private boolean isMade;

    Bridge(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /** The class that the classes of a loader call. */
    synchronized String of(ClassLoader loader) throws ReflectiveOperationException {
        if (loader == Probe.class.getClassLoader())
            return PROBE;
        if (!isMade)
            make();
        isMade = true;
        return NAME;
    }

    /** Nobody but this class gets rights in java.lang. */
    private void make() throws ReflectiveOperationException {
        instrumentation.redefineModule(Object.class.getModule(), Set.of(), Map.of(),
            Map.of("java.lang", Set.of(Bridge.class.getModule())), Set.of(), Map.of());
        Class<?> bridge = MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup()).defineClass(bridge());
        Class<?> target = MethodHandles.privateLookupIn(Probe.class, MethodHandles.lookup()).defineClass(target());
        Field field = bridge.getDeclaredField("target");
        field.setAccessible(true);
        field.set(null, target.getConstructor().newInstance());
    }

    private static ClassWriter begin(int access, String name, String parent) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(Opcodes.V17, access | Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, parent, null);
        MethodVisitor constructor = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, parent, "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(0, 0);
        return writer;
    }

    private static byte[] bridge() {
        ClassWriter writer = begin(Opcodes.ACC_ABSTRACT, NAME, "java/lang/Object");
        String type = "L" + NAME + ";";
        writer.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC, "target", type, null, null).visitEnd();
        for (String[] method : METHODS) {
            writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT, instanceName(method), method[1], null, null);
            MethodVisitor to = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, method[0], method[1], null,
                null);
            to.visitCode();
            to.visitFieldInsn(Opcodes.GETSTATIC, NAME, "target", type);
            pass(to, method[1], 0);
            to.visitMethodInsn(Opcodes.INVOKEVIRTUAL, NAME, instanceName(method), method[1], false);
            end(to, method[1]);
        }
        return writer.toByteArray();
    }

    private static byte[] target() {
        ClassWriter writer = begin(Opcodes.ACC_FINAL, TARGET, NAME);
        for (String[] method : METHODS) {
            MethodVisitor to = writer.visitMethod(Opcodes.ACC_PUBLIC, instanceName(method), method[1], null, null);
            to.visitCode();
            pass(to, method[1], 1);
            to.visitMethodInsn(Opcodes.INVOKESTATIC, PROBE, method[0], method[1], false);
            end(to, method[1]);
        }
        return writer.toByteArray();
    }

    private static String instanceName(String[] method) {
        return "to_" + method[0];
    }

    /** The arguments, the first of which is in that variable. */
    private static void pass(MethodVisitor to, String descriptor, int variable) {
        for (Type type : Type.getArgumentTypes(descriptor)) {
            to.visitVarInsn(type.getOpcode(Opcodes.ILOAD), variable);
            variable += type.getSize();
        }
    }

    private static void end(MethodVisitor to, String descriptor) {
        to.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
        to.visitMaxs(0, 0);
    }
}

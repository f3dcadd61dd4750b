package dcamp.weave;

import java.util.Map;
import java.util.TreeMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What has to be known of methods before they are rewritten. */
final class Survey extends ClassVisitor {
    /** Of one method. */
    static final class Method {
        int number;   // in the order of their names, whatever that in the file is: it stays the same
        int locals;   // how many there are
        int initCall; // in a constructor: which instruction calls that of the superclass, or another one; 0: not known
    }

    private final Map<String, Method> methods = new TreeMap<>();

    private Survey() {
        super(Opcodes.ASM9);
    }

    static Survey of(ClassReader reader) {
        Survey survey = new Survey();
        reader.accept(survey, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        int number = 0;
        for (Method method : survey.methods.values())
            method.number = number++;
        return survey;
    }

    Method method(String name, String descriptor) {
        return methods.get(name + descriptor);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        Method method = new Method();
        methods.put(name + descriptor, method);
        return new Reading(method, name.equals("<init>"));
    }

    /**
     * The call is that by which an instance is initialized that no NEW has made. Where there is a jump before it,
     * that is not looked into.
     */
    private static final class Reading extends MethodVisitor {
        private final Method method;
        private boolean seeks;
        private int calls; // of <init>, so far
        private int made;  // by NEW, and not initialized yet

        Reading(Method method, boolean isConstructor) {
            super(Opcodes.ASM9);
            this.method = method;
            seeks = isConstructor;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.NEW)
                made++;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (!seeks || !name.equals("<init>"))
                return;
            calls++;
            if (made-- > 0)
                return;
            method.initCall = calls;
            seeks = false;
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            seeks = false;
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
            seeks = false;
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            seeks = false;
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            method.locals = locals;
        }
    }
}

package dcamp.weave;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Makes a method a step: each of its executions begins and ends in dcamp.Probe, or the bridge to it.
 *
 * <p>What is remembered meanwhile is in local variables behind those of the method, so that nothing of it is
 * numbered anew; where frames say what is in variables, they say it of these, too. What throws comes to a handler
 * around all of the method, which is the last one and throws it on. The code that ends an execution is outside
 * of it, so that none ends twice.
 */
final class Wrapping extends MethodVisitor {
    private static final int STACK = 12; // that the calls of it need at the most

    private final String probe;
    private final Rule rule;
    private final int step;
    private final int access;
    private final String descriptor;
    private final Survey.Method survey;
    private final boolean hasFrames;
    private final int sequence;
    private final int outer;
    private final int begun;
    private final int cpu;
    private final int allocated;

    private boolean hasBegun;
    private int calls; // of <init>
    private Label from;
    private final List<Label> ranges = new ArrayList<>(); // in pairs

    /** By its number in the class probe; the version is that of the class file. */
    Wrapping(MethodVisitor into, String probe, Rule rule, int step, int version, int access, String descriptor,
             Survey.Method survey) {
        super(Opcodes.ASM9, into);
        this.probe = probe;
        this.rule = rule;
        this.step = step;
        this.access = access;
        this.descriptor = descriptor;
        this.survey = survey;
        hasFrames = (version & 0xffff) >= Opcodes.V1_6;
        sequence = survey.locals;
        outer = sequence + 2;
        begun = outer + 2;
        cpu = begun + 2;
        allocated = cpu + 2;
    }

    private boolean wantsCosts() {
        return rule.wantsCpu || rule.wantsAllocated;
    }

    /** How many longs are remembered. */
    private int remembered() {
        return wantsCosts() ? 5 : 3;
    }

    private void call(String method, String itsDescriptor) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, probe, method, itsDescriptor, false);
    }

    private void pushInt(int value) {
        if (value >= -1 && value <= 5)
            super.visitInsn(Opcodes.ICONST_0 + value);
        else
            super.visitIntInsn(Opcodes.SIPUSH, value);
    }

    // -- Where it begins ---------------------------------------------------------------------

    @Override
    public void visitCode() {
        super.visitCode();
        if (survey.initCall == 0)
            begin();
    }

    /** A constructor does when the object is one. */
    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String itsDescriptor, boolean isInterface) {
        super.visitMethodInsn(opcode, owner, name, itsDescriptor, isInterface);
        if (survey.initCall > 0 && name.equals("<init>") && ++calls == survey.initCall)
            begin();
    }

    private void begin() {
        hasBegun = true;
        pushSequence();
        super.visitVarInsn(Opcodes.LSTORE, sequence);
        pushInt(step);
        super.visitVarInsn(Opcodes.LLOAD, sequence);
        call("enter", "(IJ)J");
        super.visitVarInsn(Opcodes.LSTORE, outer);
        if (wantsCosts()) {
            pushCost(rule.wantsCpu, "cpu");
            super.visitVarInsn(Opcodes.LSTORE, cpu);
            pushCost(rule.wantsAllocated, "allocated");
            super.visitVarInsn(Opcodes.LSTORE, allocated);
        }
        super.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", "nanoTime", "()J", false);
        super.visitVarInsn(Opcodes.LSTORE, begun);
        openRange();
    }

    private void pushCost(boolean isWanted, String method) {
        if (isWanted)
            call(method, "()J");
        else
            super.visitLdcInsn(-1L);
    }

    private void pushSequence() {
        int variable = (access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
        Type[] types = Type.getArgumentTypes(descriptor);
        if (rule.source == Rule.Source.THREAD || !hasArgument(rule, access, descriptor)) {
            call("bound", "()J");
            return;
        }
        for (int i = 0; i < rule.argument - 1; i++)
            variable += types[i].getSize();
        if (rule.argument == 0)
            pushObject(0);
        else
            pushArgument(types[rule.argument - 1], variable);
    }

    private void pushArgument(Type type, int variable) {
        if (type.getSort() == Type.OBJECT || type.getSort() == Type.ARRAY) {
            pushObject(variable);
            return;
        }
        super.visitVarInsn(type.getOpcode(Opcodes.ILOAD), variable);
        if (type.getSort() != Type.LONG)
            super.visitInsn(Opcodes.I2L);
    }

    private void pushObject(int variable) {
        super.visitVarInsn(Opcodes.ALOAD, variable);
        call(rule.source == Rule.Source.PAYLOAD ? "payload" : "of", "(Ljava/lang/Object;)J");
    }

    /** Whether a method has the argument that its rule names, and a sequence may be in it. */
    static boolean hasArgument(Rule rule, int access, String descriptor) {
        Type[] types = Type.getArgumentTypes(descriptor);
        if (rule.source == Rule.Source.THREAD)
            return true;
        if (rule.argument == 0)
            return (access & Opcodes.ACC_STATIC) == 0;
        if (rule.argument > types.length)
            return false;
        int sort = types[rule.argument - 1].getSort();
        boolean isObject = sort == Type.OBJECT || sort == Type.ARRAY;
        return isObject || rule.source == Rule.Source.ARGUMENT && sort != Type.FLOAT && sort != Type.DOUBLE;
    }

    // -- Where it ends -----------------------------------------------------------------------

    private void openRange() {
        from = new Label();
        super.visitLabel(from);
    }

    private void closeRange() {
        Label to = new Label();
        super.visitLabel(to);
        ranges.add(from);
        ranges.add(to);
    }

    private void end(int result) {
        pushInt(step);
        super.visitVarInsn(Opcodes.LLOAD, begun);
        super.visitVarInsn(Opcodes.LLOAD, sequence);
        super.visitVarInsn(Opcodes.LLOAD, outer);
        pushInt(result);
        if (wantsCosts()) {
            super.visitVarInsn(Opcodes.LLOAD, cpu);
            super.visitVarInsn(Opcodes.LLOAD, allocated);
        }
        call("exit", wantsCosts() ? "(IJJJIJJ)V" : "(IJJJI)V");
    }

    @Override
    public void visitInsn(int opcode) {
        boolean isEnd = hasBegun && opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
        if (isEnd) {
            closeRange();
            end(0);
        }
        super.visitInsn(opcode);
        if (isEnd)
            openRange();
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        closeRange();
        Label handler = new Label();
        super.visitLabel(handler);
        if (hasFrames)
            visitFrame(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
        end(-1);
        super.visitInsn(Opcodes.ATHROW);
        for (int i = 0; i < ranges.size(); i += 2)
            if (ranges.get(i).getOffset() < ranges.get(i + 1).getOffset())
                super.visitTryCatchBlock(ranges.get(i), ranges.get(i + 1), handler, null);
        super.visitMaxs(stack + STACK + 1, survey.locals + 2 * remembered());
    }

    // -- Frames ------------------------------------------------------------------------------

    @Override
    public void visitFrame(int type, int count, Object[] variables, int stackCount, Object[] stack) {
        if (!hasBegun) {
            super.visitFrame(type, count, variables, stackCount, stack);
            return;
        }
        List<Object> all = new ArrayList<>(Arrays.asList(variables).subList(0, count));
        int slots = 0;
        for (Object variable : all)
            slots += variable == Opcodes.LONG || variable == Opcodes.DOUBLE ? 2 : 1;
        for (; slots < survey.locals; slots++)
            all.add(Opcodes.TOP);
        for (int i = 0; i < remembered(); i++)
            all.add(Opcodes.LONG);
        super.visitFrame(Opcodes.F_NEW, all.size(), all.toArray(), stackCount, stack);
    }
}

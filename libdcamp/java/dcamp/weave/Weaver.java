package dcamp.weave;

import dcamp.App;
import dcamp.Probe;
import dcamp.Step;
import dcamp.weave.Ledger.Reason;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Rewrites one class: methods become steps, and payload classes get their field. */
final class Weaver extends ClassVisitor {
    private final String probe;
    private final App app;
    private final Ledger ledger;
    private final List<Rule> rules;
    private final boolean isPayload;
    private final Survey survey;
    private String type;
    private int version;
    private int measured;
    private boolean hasField;

    private Weaver(ClassWriter into, Survey survey, String probe, App app, Ledger ledger, List<Rule> rules,
                   boolean isPayload) {
        super(Opcodes.ASM9, into);
        this.probe = probe;
        this.survey = survey;
        this.app = app;
        this.ledger = ledger;
        this.rules = rules;
        this.isPayload = isPayload;
    }

    /** The class as it is to be, which calls the class probe; null: as it is. */
    static byte[] weave(byte[] octets, String probe, App app, Ledger ledger, List<Rule> rules, boolean isPayload) {
        ClassReader reader = new ClassReader(octets);
        ClassWriter writer = new ClassWriter(reader, 0);
        Weaver weaver = new Weaver(writer, Survey.of(reader), probe, app, ledger, rules, isPayload);
        reader.accept(weaver, ClassReader.EXPAND_FRAMES);
        ledger.measured(weaver.measured);
        return weaver.measured > 0 || weaver.hasField ? writer.toByteArray() : null;
    }

    @Override
    public void visit(int itsVersion, int access, String name, String signature, String parent, String[] interfaces) {
        version = itsVersion;
        type = name.replace('/', '.');
        hasField = isPayload && (access & Opcodes.ACC_INTERFACE) == 0;
        super.visit(itsVersion, access, name, signature, parent, interfaces);
    }

    /** Private and transient, it is neither in the class's serialVersionUID nor in what is written of objects. */
    @Override
    public void visitEnd() {
        if (hasField)
            visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC, Probe.FIELD, "J", null,
                null).visitEnd();
        super.visitEnd();
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor into = super.visitMethod(access, name, descriptor, signature, thrown);
        for (Rule rule : rules)
            if (rule.matches(access, name, descriptor))
                return wrap(into, rule, access, name, descriptor);
        return into;
    }

    private MethodVisitor wrap(MethodVisitor into, Rule rule, int access, String name, String descriptor) {
        String method = type + "." + name + descriptor;
        Survey.Method known = survey.method(name, descriptor);
        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
            ledger.leave(Reason.NO_CODE, method + " is not measured: it is abstract or native");
            return into;
        }
        if (name.equals("<init>") && known.initCall == 0) {
            ledger.leave(Reason.CONSTRUCTOR, method
                + " is not measured: it has a branch before it calls the constructor of the superclass");
            return into;
        }
        int step = step(rule, method, name);
        if (step < 0)
            return into;
        if (!Wrapping.hasArgument(rule, access, descriptor))
            ledger.leave(Reason.ARGUMENT, method + " has the sequence of its thread: no " + rule.source.name()
                .toLowerCase(java.util.Locale.ROOT) + ":" + rule.argument + " is there");
        measured++;
        return new Wrapping(into, probe, rule, step, version, access, descriptor, known);
    }

    private int step(Rule rule, String method, String name) {
        Step step = app.step(Rule.expand(rule.step, type, name), Rule.expand(rule.instance, type, name), rule.purpose);
        int number = Probe.place(step);
        if (number < 0)
            ledger.leave(Reason.SENSOR, method + " is not measured: " + step.reason());
        return number;
    }
}

package dcamp.weave;

import dcamp.App;
import dcamp.Probe;
import dcamp.Step;
import dcamp.Text;
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
    private final Woven woven;
    private final Survey survey;
    private String type;
    private int version;
    private boolean hasSteps;
    private boolean hasField;

    private Weaver(ClassWriter into, Survey survey, String probe, App app, Ledger ledger, List<Rule> rules,
                   boolean isPayload, Woven woven) {
        super(Opcodes.ASM9, into);
        this.probe = probe;
        this.survey = survey;
        this.app = app;
        this.ledger = ledger;
        this.rules = rules;
        this.isPayload = isPayload;
        this.woven = woven;
    }

    /** The class as it is to be, which calls the class probe; null: as it is. */
    static byte[] weave(byte[] octets, String probe, App app, Ledger ledger, List<Rule> rules, boolean isPayload,
                        Woven woven) {
        ClassReader reader = new ClassReader(octets);
        ClassWriter writer = new ClassWriter(reader, 0);
        Weaver weaver = new Weaver(writer, Survey.of(reader), probe, app, ledger, rules, isPayload, woven);
        reader.accept(weaver, ClassReader.EXPAND_FRAMES);
        return weaver.hasSteps || weaver.hasField ? writer.toByteArray() : null;
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
            leave(Reason.NO_CODE, known, method + " is not measured: it is abstract or native");
            return into;
        }
        if (name.equals("<init>") && known.initCall == 0) {
            leave(Reason.CONSTRUCTOR, known, method
                + " is not measured: it has a branch before it calls the constructor of the superclass");
            return into;
        }
        Step made = app.step(Text.fitName(Rule.expand(rule.step, type, name)),
            Text.fitInstance(Rule.expand(rule.instance, type, name)), rule.purpose);
        int step = Probe.place(made);
        if (step < 0) {
            leave(Reason.SENSOR, known, method + " is not measured: " + made.reason());
            return into;
        }
        if (!Wrapping.hasArgument(rule, access, descriptor))
            leave(Reason.ARGUMENT, known, method + " has the sequence of its thread: no " + rule.source.name()
                .toLowerCase(java.util.Locale.ROOT) + ":" + rule.argument + " is there");
        hasSteps = true;
        if (woven.measure(known.number))
            ledger.measured();
        return new Wrapping(into, probe, rule, step, version, access, descriptor, known);
    }

    private void leave(Reason reason, Survey.Method method, String text) {
        if (woven.leave(reason, method.number))
            ledger.leave(reason, text);
    }
}

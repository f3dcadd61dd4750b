package dcamp.weave;

import org.objectweb.asm.Opcodes;

/** Which methods are a step, and what is known of each of their executions. */
final class Rule {
    /** Where the sequence of an execution comes from. */
    enum Source { THREAD, ARGUMENT, PAYLOAD }

    String step;
    Glob type;
    Glob method;
    Glob descriptor; // null: any
    String instance = "";
    String purpose = "";
    Source source = Source.THREAD;
    int argument; // from 1 on; 0: the object itself
    boolean wantsCpu;
    boolean wantsAllocated;

    /**
     * Methods that the compiler has made, as those of lambda expressions, and initializers have to be named: not
     * every pattern that fits is enough.
     */
    boolean matches(int access, String name, String itsDescriptor) {
        if ((access & Opcodes.ACC_BRIDGE) != 0 || !method.matches(name))
            return false;
        if ((access & Opcodes.ACC_SYNTHETIC) != 0 && !method.has("$") || name.startsWith("<") && !method.has("<"))
            return false;
        return descriptor == null || descriptor.matches(itsDescriptor);
    }

    /** A text of the rule for one method: the class without its package. */
    static String expand(String text, String type, String name) {
        String plain = name.startsWith("<") ? name.substring(1, name.length() - 1) : name;
        return text.replace("{class}", type.substring(type.lastIndexOf('.') + 1)).replace("{method}", plain);
    }
}

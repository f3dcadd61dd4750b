package dcamp;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the agent makes methods call that are steps, or by way of dcamp.weave.Bridge; programs have nothing to call
 * here. Nothing throws, and nothing calls what the program may have written itself.
 */
public final class Probe {
    /** The field that payload classes get when they are loaded. */
    public static final String FIELD = "dcamp$sequence";

    /** The steps that methods name by the indices of their descriptors. A place is set once. */
    private static final Step[] STEPS = new Step[Layout.DESCRIPTORS_MAX];

    /** How many sequences a thread takes at a time. */
    static final int BLOCK = 1024;

    /** Those of processes that begin at different times are different: nobody makes a million in a millisecond. */
    private static final AtomicLong NEXT_BLOCK = new AtomicLong(System.currentTimeMillis() << 20);

    private static final ClassValue<Field> FIELD_OF = new ClassValue<>() {
        @Override
        protected Field computeValue(Class<?> type) {
            return findField(type);
        }
    };

    /** The field of payload classes, of one of them. */
    private static final class Field {
        final VarHandle handle;
        final MethodHandle get; // the same for reading, by the type that it is called with: it is called often

        Field(VarHandle handle) {
            this.handle = handle;
            get = handle.toMethodHandle(VarHandle.AccessMode.GET_ACQUIRE)
                .asType(MethodType.methodType(long.class, Object.class));
        }
    }

    private Probe() {
    }

    /** Whether steps are seen, under whatever name. */
    public static boolean isPublished() {
        return App.segment() != null;
    }

    /** The number by which methods name a step that is published; -1: it is not. */
    public static int place(Step step) {
        if (step.place == null)
            return -1;
        STEPS[step.place.index] = step;
        return step.place.index;
    }

    // -- Executions --------------------------------------------------------------------------

    /** One begins. The sequence is that of the thread until it ends. What was before is returned for that. */
    public static long enter(int step, long sequence) {
        try {
            Own own = Own.get();
            long outer = own.sequence;
            own.sequence = sequence;
            STEPS[step].begin(own);
            return outer;
        } catch (Throwable e) {
            Sensor.lose();
            return 0;
        }
    }

    /** One ends that began at that moment of System.nanoTime(). */
    public static void exit(int step, long begun, long sequence, long outer, int result) {
        exit(step, begun, sequence, outer, result, Step.UNKNOWN, Step.UNKNOWN);
    }

    /** The same, with what cpu() and allocated() said when it began; Step.UNKNOWN where that is not wanted. */
    public static void exit(int step, long begun, long sequence, long outer, int result, long cpu, long allocated) {
        long now = System.nanoTime();
        try {
            Own own = Own.get();
            own.sequence = outer;
            STEPS[step].end(own, begun, now, sequence, result, since(cpu, true), since(allocated, false));
        } catch (Throwable e) {
            Sensor.lose();
        }
    }

    private static long since(long before, boolean isCpu) {
        if (before < 0)
            return Step.UNKNOWN;
        long now = isCpu ? cpu() : allocated();
        return now < 0 ? Step.UNKNOWN : Math.max(0, now - before);
    }

    // -- Sequences ---------------------------------------------------------------------------

    /** That of the thread, or else a new one. */
    public static long bound() {
        try {
            Own own = Own.get();
            return own.sequence != 0 ? own.sequence : fresh(own);
        } catch (Throwable e) {
            Sensor.lose();
            return 0;
        }
    }

    private static long fresh(Own own) {
        if (own.nextSequence % BLOCK == 0)
            own.nextSequence = NEXT_BLOCK.getAndAdd(BLOCK) + 1;
        return own.nextSequence++;
    }

    /** What an argument says: a whole number, or a text; of all others, bound(). */
    public static long of(Object argument) {
        try {
            if (isNumber(argument))
                return ((Number) argument).longValue();
            return argument instanceof String ? ofText((String) argument) : bound();
        } catch (Throwable e) {
            Sensor.lose();
            return 0;
        }
    }

    /** Of a class of the JDK: those that programs have made of AtomicLong and BigInteger have code of theirs. */
    private static boolean isNumber(Object argument) {
        if (argument instanceof Long || argument instanceof Integer || argument instanceof Short
            || argument instanceof Byte)
            return true;
        Class<?> type = argument == null ? null : argument.getClass();
        return type == AtomicLong.class || type == BigInteger.class;
    }

    /** The number that stands there, or else one that is the same for the same text (FNV-1a). */
    private static long ofText(String text) {
        long hash = 0xcbf29ce484222325L;
        long number = 0;
        boolean isNumber = !text.isEmpty() && text.length() <= 18;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            isNumber &= c >= '0' && c <= '9';
            number = number * 10 + c - '0';
            hash = (hash ^ c) * 0x100000001b3L;
        }
        return isNumber ? number : hash;
    }

    /** That of an object of a payload class, which gets one, if need be; of all others, bound(). */
    public static long payload(Object object) {
        try {
            Field field = object == null ? null : FIELD_OF.get(object.getClass());
            if (field == null)
                return bound();
            long sequence = (long) field.get.invokeExact(object);
            if (sequence != 0)
                return sequence;
            long fresh = fresh(Own.get());
            return field.handle.compareAndSet(object, 0L, fresh) ? fresh : (long) field.get.invokeExact(object);
        } catch (Throwable e) {
            Sensor.lose();
            return 0;
        }
    }

    /** Null: neither the class nor one that it extends is a payload class. */
    private static Field findField(Class<?> type) {
        for (Class<?> at = type; at != null && at.getClassLoader() != null; at = at.getSuperclass()) {
            try {
                return new Field(
                    MethodHandles.privateLookupIn(at, MethodHandles.lookup()).findVarHandle(at, FIELD, long.class));
            } catch (ReflectiveOperationException | LinkageError | SecurityException e) {
                continue;
            }
        }
        return null;
    }

    // -- Costs -------------------------------------------------------------------------------

    /** The CPU time that the calling thread has had so far, in nanoseconds, or Step.UNKNOWN. */
    public static long cpu() {
        try {
            return Costs.THREADS.getCurrentThreadCpuTime();
        } catch (Throwable e) {
            return Step.UNKNOWN;
        }
    }

    /** How many octets the calling thread has asked for so far, or Step.UNKNOWN. */
    public static long allocated() {
        try {
            return Costs.THREADS.getCurrentThreadAllocatedBytes();
        } catch (Throwable e) {
            return Step.UNKNOWN;
        }
    }

    /** Apart, for what it needs takes a while to be loaded, and may not be there. */
    private static final class Costs {
        static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    }
}

package dcamp;

/** What the calling thread has. */
final class Own {
    /** By their threads: a JVM may erase what is in variables of a thread. */
    private static final WeakIdentityMap<Own> KNOWN = new WeakIdentityMap<>();

    private static final ThreadLocal<Own> OWN = new ThreadLocal<>() {
        @Override
        protected Own initialValue() {
            return of(Thread.currentThread());
        }
    };

    /** How many updates a thread that has found no shard makes before it looks again. */
    private static final int PATIENCE = 1024;

    private final boolean mayAttach;
    private Segment segment; // in which it has sought one
    private Shard shard;     // null: it has none there
    private int patience;

    /** The sequence of what the thread works at, for steps that have no other; 0: none. */
    long sequence;
    long nextSequence; // the next that it gives away; at a multiple of Probe.BLOCK there is none left

    private Own(boolean mayAttach) {
        this.mayAttach = mayAttach;
    }

    static Own get() {
        return OWN.get();
    }

    /**
     * A thread of the common pool loses its variables after each task: it finds again what it has, but for the
     * sequence, which was that of the task. Virtual threads have no shard: there are more of them than shards, and
     * they last too short a time.
     */
    private static Own of(Thread thread) {
        if (Virtual.is(thread))
            return new Own(false);
        Own own = KNOWN.get(thread);
        if (own == null)
            own = KNOWN.putIfAbsent(thread, new Own(true));
        own.sequence = 0;
        return own;
    }

    /** The shard of the calling thread in a segment, which is made, if need be, or else shard 0. */
    Shard shard(Segment of) {
        Shard own = shard;
        return own != null && own.segment == of ? own : seek(of);
    }

    private Shard seek(Segment of) {
        if (!mayAttach)
            return of.shared();
        if (segment != of) {
            segment = of;
            patience = 0;
            shard = of.attach();
            if (shard == null)
                of.sayCrowded();
        } else if (++patience % PATIENCE == 0) {
            shard = of.attach();
        }
        return shard == null ? of.shared() : shard;
    }

    /** Since version 21. */
    private static final class Virtual {
        private static final java.lang.reflect.Method IS_VIRTUAL = find();

        private static java.lang.reflect.Method find() {
            try {
                return Thread.class.getMethod("isVirtual");
            } catch (NoSuchMethodException e) {
                return null;
            }
        }

        static boolean is(Thread thread) {
            try {
                return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invoke(thread);
            } catch (ReflectiveOperationException e) {
                return false;
            }
        }
    }
}
